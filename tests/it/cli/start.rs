//! What a server says and does when something is wrong at its start.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::Stopwatch;
use crate::support::app::free_port;
use crate::support::http::{get, request};

struct World {
    dir: tempfile::TempDir,
    port: u16,
    config: PathBuf,
}

impl World {
    fn new(database: &str, upstream: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let port = free_port();
        let config = dir.path().join("portero.toml");
        std::fs::write(
            &config,
            format!(
                r#"
public_url = "http://127.0.0.1:{port}"
listen = "127.0.0.1:{port}"
[database]
url = "{database}"
migrate = true
[keys]
file = "portero.keys"
[brand.mico]
name = "Mico"
[[service]]
id = "mico"
brand = "mico"
name = "Mico"
resource = "http://127.0.0.1:{port}/mcp"
accept = ["pat", "oauth"]
[service.scopes."mico:read"]
default = true
[[service.upstream]]
id = "meetings"
kind = "worker"
{upstream}
"#
            ),
        )
        .unwrap();
        Self { dir, port, config }
    }

    fn serve(&self) -> Child {
        Command::new(env!("CARGO_BIN_EXE_portero"))
            .arg("--config")
            .arg(&self.config)
            .arg("serve")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs until it ends by itself: the exit code and what it said.
    fn fails(&self) -> (Option<i32>, String) {
        let mut child = self.serve();
        let began = Stopwatch::start();
        while child.try_wait().unwrap().is_none() {
            if began.elapsed() > Duration::from_secs(20) {
                child.kill().unwrap();
                panic!("it did not end");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut text = String::new();
        child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        (child.wait().unwrap().code(), text)
    }

    fn up(&self) -> Up {
        let up = Up(self.serve());
        let began = Stopwatch::start();
        let url = format!("http://127.0.0.1:{}/.well-known/oauth-protected-resource/mcp", self.port);
        loop {
            if std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok() && get(&url).status == 200 {
                return up;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "not up");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

struct Up(Child);

impl Up {
    /// Stops it and gives back what it logged.
    fn log(mut self) -> String {
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let lines = BufReader::new(self.0.stderr.take().unwrap()).lines().map_while(Result::ok);
        let text = lines.collect::<Vec<_>>().join("\n");
        assert!(self.0.wait().unwrap().success(), "a clean end");
        text
    }
}

fn worker() -> String {
    "url = \"http://127.0.0.1:9\"\ncatalog = \"tools.json\"".to_owned()
}

fn with_tools(world: &World, tools: &str) {
    std::fs::write(world.dir.path().join("tools.json"), tools).unwrap();
}

const TOOLS: &str = r#"[{"name":"a","inputSchema":{"type":"object"}}]"#;

#[test]
fn a_taken_port_is_said_with_what_to_look_at() {
    let world = World::new("sqlite://p.db", &worker());
    with_tools(&world, TOOLS);
    let _taken = TcpListener::bind(("127.0.0.1", world.port)).unwrap();
    let (code, text) = world.fails();
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains(&world.port.to_string()) && text.contains("listen"), "{text}");
}

#[test]
fn a_bad_catalog_names_the_tool_and_the_fault() {
    for (tools, parts) in [
        (
            r#"[{"name":"a","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}}]"#,
            ["a", "twice"],
        ),
        (r#"[{"name":"bad_one","inputSchema":{"type":"array"}}]"#, ["bad_one", "inputSchema"]),
        ("{", ["tools.json", "JSON"]),
    ] {
        let world = World::new("sqlite://p.db", &worker());
        with_tools(&world, tools);
        let (code, text) = world.fails();
        assert_eq!(code, Some(2), "{text}");
        for part in parts {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}

#[test]
fn a_worker_that_is_down_at_start_is_a_warning() {
    let world = World::new("sqlite://p.db", "url = \"http://127.0.0.1:9\"");
    let up = world.up();
    let text = up.log();
    assert!(text.contains("WARN") && text.contains("meetings"), "{text}");
}

#[test]
fn a_database_that_is_down_at_start_is_503_until_it_is_back() {
    let world = World::new("postgres://nobody@127.0.0.1:9/none", &worker());
    with_tools(&world, TOOLS);
    let keys = Command::new(env!("CARGO_BIN_EXE_portero"))
        .arg("--config")
        .arg(&world.config)
        .args(["keys", "init"])
        .status();
    assert!(keys.unwrap().success());
    let up = world.up();
    let token = checked_token("mico_pat_");
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let reply = request("POST", &format!("http://127.0.0.1:{}/mcp", world.port), &headers, Some("{}"));
    assert_eq!(reply.status, 503, "{reply:?}");
    assert!(reply.header("retry-after").is_some());
    let text = up.log();
    assert!(text.contains("database cannot be reached"), "{text}");
    assert!(!text.contains(&token));
}

/// A token with the right shape that nobody ever made.
fn checked_token(prefix: &str) -> String {
    struct Sevens;
    impl portero::domain::entropy::Entropy for Sevens {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(7);
        }
    }
    portero::domain::secret::Secret::generate(prefix, &Sevens).expose().to_owned()
}

#[test]
fn one_line_a_request_says_what_was_decided_and_no_credential() {
    let world = World::new("sqlite://p.db", &worker());
    with_tools(&world, TOOLS);
    let up = world.up();
    let token = checked_token("mico_pat_");
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let url = format!("http://127.0.0.1:{}/mcp?access_token={token}", world.port);
    let reply = request("POST", &url, &headers, Some(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#));
    assert_eq!(reply.status, 401);
    let id = reply.header("x-request-id").unwrap().to_owned();
    let text = up.log();
    let line = text.lines().find(|line| line.contains(&id)).unwrap_or_else(|| panic!("no line in {text}"));
    for part in ["status=401", "service=", "mico", "tool=", "decision=", "ms="] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(!text.contains(&token), "a credential in {text}");
    assert!(Path::new(&world.config).exists());
}

/// A setting that is written down and not kept is worse than none.
#[test]
fn a_setting_this_version_does_not_keep_stops_the_start() {
    let world = World::new("sqlite://p.db", &worker());
    with_tools(&world, TOOLS);
    let text = std::fs::read_to_string(&world.config).unwrap();
    std::fs::write(&world.config, format!("{text}\n[login]\nsignup = true\n")).unwrap();
    let (code, text) = world.fails();
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("login.signup"), "{text}");

    let token = "[oauth]\nregistration = \"token\"\n";
    for (lines, said) in [
        (token.to_owned(), "oauth.registration_token"),
        (format!("{token}registration_token = \"two words\"\n"), "no bearer token has"),
    ] {
        let world = World::new("sqlite://p.db", &worker());
        with_tools(&world, TOOLS);
        let text = std::fs::read_to_string(&world.config).unwrap();
        std::fs::write(&world.config, format!("{text}\n{lines}")).unwrap();
        let (code, text) = world.fails();
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(said), "{text}");
        assert!(!text.contains("two words"), "{text}");
    }
}
