//! The program itself, as processes of its own: one, or several over one database, with the real
//! clock. They can be killed at any moment.

use std::fs::File;
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use super::Stopwatch;
use super::app::{Builder, Laid, free_port};
use super::http::{agent, try_request};
use super::site::{Site, program};
use super::wire::Wire;
use super::worker::Worker;

/// A server has to be up within this.
const START: Duration = Duration::from_secs(20);

/// Servers over one database, reached under one address.
pub struct Nodes {
    site: Site,
    _worker: Worker,
    _dir: tempfile::TempDir,
    ports: Vec<u16>,
    children: Vec<Mutex<Option<Child>>>,
    wire: Option<Wire>,
}

impl Deref for Nodes {
    type Target = Site;

    fn deref(&self) -> &Site {
        &self.site
    }
}

impl Builder {
    /// Starts the program `count` times over one database. With more than one, requests go to them in turn.
    pub fn nodes(self, count: usize) -> Nodes {
        Nodes::start(self.lay(), count)
    }
}

impl Nodes {
    fn start(laid: Laid, count: usize) -> Self {
        let public = laid.listen.rsplit(':').next().unwrap().parse().unwrap();
        let ports: Vec<u16> =
            if count == 1 { vec![public] } else { (0..count).map(|_| free_port()).collect() };
        let wire = (count > 1).then(|| Wire::start(public, ports.clone()));
        let config = portero::config::Config::load(&laid.config, std::iter::empty());
        let config = config.unwrap_or_else(|faults| panic!("{faults}")).config;
        let site = Site {
            base: laid.base,
            resource: config.service[0].resource.clone(),
            issuer: config.brand["mico"].issuer.clone(),
            database: config.database.url.expose_secret().to_owned(),
            config: laid.config,
        };
        let children = ports.iter().map(|_| Mutex::new(None)).collect();
        let nodes = Self { site, _worker: laid.worker, _dir: laid.dir, ports, children, wire };
        for node in 0..count {
            nodes.begin(node);
            nodes.ready(node);
        }
        nodes
    }

    /// Sends what follows to one node alone, or to all in turn again.
    pub fn only(&self, node: Option<usize>) {
        self.wire.as_ref().expect("several nodes").only(node);
    }

    /// Starts a node without waiting for it.
    pub fn begin(&self, node: usize) {
        let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-logs");
        std::fs::create_dir_all(&log).unwrap();
        let log = File::options().create(true).append(true).open(log.join("nodes.log")).unwrap();
        let child = Command::new(program())
            .arg("--config")
            .arg(&self.config)
            .arg("serve")
            .env("PORTERO__LISTEN", format!("127.0.0.1:{}", self.ports[node]))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        *self.children[node].lock().unwrap() = Some(child);
    }

    /// Waits until a node answers; how long that took.
    pub fn ready(&self, node: usize) -> Duration {
        let began = Stopwatch::start();
        let path = self.resource.strip_prefix(&self.base).unwrap();
        let url = format!("http://127.0.0.1:{}/.well-known/oauth-protected-resource{path}", self.ports[node]);
        loop {
            let asked = try_request(&agent(), "GET", &url, &[("host", self.authority())], None);
            if asked.is_ok_and(|reply| reply.status == 200) {
                return began.elapsed();
            }
            assert!(began.elapsed() < START, "node {node} does not come up");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// `kill -9`: nothing is flushed, closed or said.
    pub fn kill(&self, node: usize) {
        if let Some(mut child) = self.children[node].lock().unwrap().take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Resident memory of a node, in MiB.
    pub fn resident(&self, node: usize) -> i64 {
        let pid = self.children[node].lock().unwrap().as_ref().expect("running").id();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<i64>().unwrap() / 1024
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        for node in 0..self.ports.len() {
            self.kill(node);
        }
    }
}
