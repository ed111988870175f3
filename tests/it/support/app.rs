//! A server in this process, on a port and a database file of its own, with a clock that is moved by hand.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::web;
use portero::app::doors::OsEntropy;
use portero::app::{App, Doors};
use portero::config::Config;
use portero::domain::clock::{Clock, ManualClock, Timestamp};
use portero::routes::Routes;
use portero::server::Server;

use super::site::Site;
pub use super::site::command;
use super::worker::Worker;

/// A running server; the requests and commands of [`Site`] go to it.
pub struct TestApp {
    site: Site,
    pub clock: Arc<ManualClock>,
    pub app: web::Data<App>,
    pub routes: web::Data<Routes>,
    pub worker: Worker,
    pub dir: tempfile::TempDir,
    handle: ServerHandle,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// A database of its own on the PostgreSQL that `scripts/with-postgres` started; without one the test fails.
pub fn postgres_database() -> String {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let server = std::env::var("PORTERO_TEST_POSTGRES")
        .expect("PORTERO_TEST_POSTGRES is not set: run `scripts/with-postgres cargo test --test it`");
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = format!("it_{}_{number}", std::process::id());
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        sqlx::any::install_default_drivers();
        let pool = sqlx::AnyPool::connect(&format!("{server}/postgres")).await.unwrap();
        sqlx::query(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"))).execute(&pool).await.unwrap();
        pool.close().await;
    });
    format!("{server}/{name}")
}

/// Where a [`Builder`] has put everything before a server starts on it.
pub struct Laid {
    pub worker: Worker,
    pub dir: tempfile::TempDir,
    pub config: PathBuf,
    /// Where the server listens, and its URL.
    pub listen: String,
    pub base: String,
}

/// A configuration in the making.
pub struct Builder {
    /// The text of `portero.toml`, with `{base}`, `{listen}` and `{worker}` to fill in.
    pub toml: String,
    /// Other files of its folder.
    files: Vec<(&'static str, String)>,
}

const TOML: &str = r#"
public_url = "{base}"
listen = "{listen}"
{top}
[database]
url = "sqlite://portero.db"
[login]
password = true
[oauth]
{oauth}
[plans.flow]
features = ["mcp"]
[plans.free]
features = []
[brand.mico]
name = "Mico"
issuer = "{base}/functions/v1/mcp"
tokens = { pat = "mico_pat_", oauth = "mico_oat_", refresh = "mico_ort_" }
authorize_with_pat = true
[[service]]
id = "mico"
brand = "mico"
name = "Mico"
resource = "{base}/functions/v1/mcp"
accept = ["pat", "oauth"]
feature = "mcp"
{service}
[service.scopes."mico:read"]
title = { es = "Leer tus reuniones", en = "Read your meetings" }
default = true
[service.scopes."mico:write"]
title = { es = "Cambiar tus reuniones", en = "Change your meetings" }
[[service.upstream]]
id = "meetings"
kind = "worker"
url = "{worker}"
catalog = "tools.json"
{upstream}
[service.tool.list_meetings]
scopes = ["mico:read"]
[service.tool.delete_meeting]
scopes = ["mico:write"]
{tail}
"#;

const TOOLS: &str = r#"[
  {"name": "list_meetings", "description": "Lists meetings", "inputSchema": {"type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}, "annotations": {"readOnlyHint": true}},
  {"name": "delete_meeting", "description": "Deletes a meeting", "inputSchema": {"type": "object",
    "properties": {"meeting_id": {"type": "string"}}, "required": ["meeting_id"]},
    "annotations": {"readOnlyHint": false, "destructiveHint": true}}]"#;

const KEYS: &str =
    r#"{"keys":[{"id":"test","created_at":0,"secret":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}]}"#;

fn now() -> Timestamp {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap())
}

/// A port below those that the system gives to outgoing connections, so that none of the suite's many clients can
/// take it between now and the server's start.
pub fn free_port() -> u16 {
    static NEXT: std::sync::atomic::AtomicU16 = std::sync::atomic::AtomicU16::new(0);
    let start = 12_000 + u16::try_from(std::process::id() % 10_000).unwrap();
    loop {
        let step = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 8_000;
        let port = start + step;
        if std::net::TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

impl Builder {
    /// Adds lines at one of the places `{top} {oauth} {service} {upstream} {tail}`.
    pub fn with(mut self, place: &str, lines: &str) -> Self {
        let mark = format!("{{{place}}}");
        assert!(self.toml.contains(&mark), "no {mark}");
        self.toml = self.toml.replace(&mark, &format!("{lines}\n{mark}"));
        self
    }

    /// Puts a file beside `portero.toml`, in place of one of the same name.
    pub fn file(mut self, name: &'static str, text: &str) -> Self {
        self.files.retain(|(own, _)| *own != name);
        self.files.push((name, text.to_owned()));
        self
    }

    /// The text of a file beside `portero.toml`.
    pub fn text(&self, name: &str) -> &str {
        &self.files.iter().find(|(own, _)| *own == name).expect("a file of this name").1
    }

    /// Keeps everything in PostgreSQL instead of SQLite, with a key file as an operator makes it.
    pub fn on_postgres(mut self) -> Self {
        let sqlite = "url = \"sqlite://portero.db\"";
        assert!(self.toml.contains(sqlite));
        let url = postgres_database();
        let section = format!("url = \"{url}\"\nmigrate = true\n[keys]\nfile = \"portero.keys\"");
        self.toml = self.toml.replace(sqlite, &section);
        self.file("portero.keys", KEYS)
    }

    /// Starts the server before a recording worker of its own.
    pub fn start(self) -> TestApp {
        TestApp::serve(self.lay())
    }

    /// Writes the configuration, with addresses of its own, and starts its worker.
    pub fn lay(self) -> Laid {
        let worker = Worker::start();
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in &self.files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let listen = format!("127.0.0.1:{}", free_port());
        let base = format!("http://{listen}");
        let mut toml =
            self.toml.replace("{base}", &base).replace("{listen}", &listen).replace("{worker}", &worker.url);
        for place in ["top", "oauth", "service", "upstream", "tail"] {
            toml = toml.replace(&format!("{{{place}}}"), "");
        }
        let config = dir.path().join("portero.toml");
        std::fs::write(&config, toml).unwrap();
        Laid { worker, dir, config, listen, base }
    }
}

impl TestApp {
    pub fn builder() -> Builder {
        Self::builder_from(TOML).file("tools.json", TOOLS)
    }

    /// A server of another configuration, which has `{base}`, `{listen}` and `{worker}` where this run's URLs go.
    pub fn builder_from(toml: &str) -> Builder {
        init_log();
        Builder { toml: toml.to_owned(), files: Vec::new() }
    }

    pub fn start() -> Self {
        Self::builder().start()
    }

    fn serve(laid: Laid) -> Self {
        let clock = Arc::new(ManualClock::at(now()));
        let (app, routes, handle, thread) = launch(&laid.config, &clock);
        let site = Site {
            base: laid.base,
            resource: app.services[0].resource.clone(),
            issuer: app.brands[0].issuer.clone(),
            database: app.config.database.url.expose_secret().to_owned(),
            config: laid.config,
        };
        Self { site, clock, app, routes, worker: laid.worker, dir: laid.dir, handle, thread: Some(thread) }
    }

    /// Stops the server and starts it again over the same database.
    pub fn restart(&mut self) {
        self.stop();
        let (app, routes, handle, thread) = launch(&self.config, &self.clock);
        self.app = app;
        self.routes = routes;
        self.handle = handle;
        self.thread = Some(thread);
    }

    fn stop(&mut self) {
        let stopping = self.handle.stop(true);
        let Some(thread) = self.thread.take() else { return };
        actix_web::rt::System::new().block_on(stopping);
        thread.join().unwrap();
    }

    pub fn advance(&self, length: Duration) {
        self.clock.advance(length);
        // The reader of the change log reads by the moved clock within a quarter of a second; until then every
        // check asks the database, which is right as well.
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// A second server over the same database, with the first one's names and a clock of its own.
pub struct Node {
    pub resource: String,
    handle: ServerHandle,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl TestApp {
    /// Starts another node whose clock is so far ahead.
    pub fn node(&self, ahead: Duration) -> Node {
        let listen = format!("127.0.0.1:{}", free_port());
        let toml = std::fs::read_to_string(&self.config).unwrap();
        let own = format!("listen = \"{}\"", self.authority());
        assert!(toml.contains(&own));
        let config = self.dir.path().join("node.toml");
        std::fs::write(&config, toml.replace(&own, &format!("listen = \"{listen}\""))).unwrap();
        let clock = Arc::new(ManualClock::at(now()));
        clock.advance(ahead);
        let (_, _, handle, thread) = launch(&config, &clock);
        let resource = self.resource.replace(self.authority(), &listen);
        Node { resource, handle, thread: Some(thread) }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let stopping = self.handle.stop(true);
        if let Some(thread) = self.thread.take().filter(|_| !std::thread::panicking()) {
            actix_web::rt::System::new().block_on(stopping);
            thread.join().unwrap();
        }
    }
}

/// Everything the servers of this process have logged so far.
pub fn logged() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-logs/it.log")).unwrap()
}

impl Deref for TestApp {
    type Target = Site;

    fn deref(&self) -> &Site {
        &self.site
    }
}

impl DerefMut for TestApp {
    fn deref_mut(&mut self) -> &mut Site {
        &mut self.site
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.stop();
        }
    }
}

type Launched = (web::Data<App>, web::Data<Routes>, ServerHandle, std::thread::JoinHandle<()>);

fn launch(config: &Path, clock: &Arc<ManualClock>) -> Launched {
    let loaded = Config::load(config, std::iter::empty()).unwrap_or_else(|faults| panic!("{faults}"));
    let doors = Doors { clock: Arc::clone(clock) as Arc<dyn Clock>, entropy: Arc::new(OsEntropy) };
    let (send, receive) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let server = Server::build(Arc::new(loaded.config), doors).await;
            let server = server.unwrap_or_else(|error| panic!("{error}"));
            send.send((server.app.clone(), server.routes.clone(), server.handle.clone())).unwrap();
            server.run().await.unwrap();
        });
    });
    let (app, routes, handle) = receive.recv_timeout(Duration::from_secs(30)).expect("the server starts");
    (app, routes, handle, thread)
}

/// Everything the servers of this process log goes to one file, which `tests/log_scan.rs` reads afterwards.
pub fn init_log() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-logs");
        std::fs::create_dir_all(&folder).unwrap();
        let file = std::fs::File::create(folder.join("it.log")).unwrap();
        tracing_subscriber::fmt()
            .with_max_level(tracing::Level::DEBUG)
            .with_ansi(false)
            .with_writer(std::sync::Mutex::new(file))
            .init();
    });
}
