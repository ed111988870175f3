//! One installation as its clients and its operator reach it: its URLs, its command line, its database. Whether the
//! server runs in this process ([`super::TestApp`]) or as processes of its own ([`super::Nodes`]) makes no difference.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// An installation.
#[derive(Clone, Debug)]
pub struct Site {
    pub base: String,
    pub resource: String,
    pub issuer: String,
    pub config: PathBuf,
    /// The URL of its database.
    pub database: String,
}

impl Site {
    /// Runs a command beside the server.
    pub fn command(&self, arguments: &[&str], stdin: Option<&str>) -> Output {
        command(&self.config, arguments, stdin)
    }

    /// Runs a command that must succeed, and reads its JSON.
    pub fn cli(&self, arguments: &[&str], stdin: Option<&str>) -> serde_json::Value {
        let mut all = vec!["--json"];
        all.extend_from_slice(arguments);
        let output = self.command(&all, stdin);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or(serde_json::Value::Null)
    }

    pub fn authority(&self) -> &str {
        self.base.strip_prefix("http://").unwrap()
    }
}

/// The program: the one that was built with the tests, or another build of it.
pub fn program() -> PathBuf {
    std::env::var_os("PORTERO_TEST_PROGRAM")
        .map_or_else(|| env!("CARGO_BIN_EXE_portero").into(), PathBuf::from)
}

/// Runs the program with a configuration.
pub fn command(config: &Path, arguments: &[&str], stdin: Option<&str>) -> Output {
    use std::io::Write;
    let mut child = Command::new(program())
        .arg("--config")
        .arg(config)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let _ = pipe.write_all(stdin.unwrap_or_default().as_bytes());
    drop(pipe);
    child.wait_with_output().unwrap()
}

/// Waits for what a command beside the server has changed: it has one second to take effect.
pub fn eventually<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    patiently(Duration::from_secs(1), what, look)
}

/// What `look` finds when it is asked for so long, every hundredth of a second: what looking takes does not count.
pub fn patiently<T>(length: Duration, what: &str, look: impl Fn() -> Option<T>) -> T {
    const PAUSE: Duration = Duration::from_millis(10);
    for _ in 0..length.as_millis() / PAUSE.as_millis() {
        if let Some(seen) = look() {
            return seen;
        }
        std::thread::sleep(PAUSE);
    }
    panic!("not within {length:?}: {what}");
}
