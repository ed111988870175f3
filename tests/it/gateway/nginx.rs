//! The configuration of `docs/behind-nginx.md` in a real nginx.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::conformance::holds;
use crate::support::app::free_port;
use crate::support::http::{Live, post_form, request};
use crate::support::worker::{Worker, by_hand};
use crate::support::{Reply, Stopwatch, TestApp};

const PAGE: &str = include_str!("../../../docs/behind-nginx.md");

/// The code blocks of the page in one language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    PAGE.split(fence.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// A block with this run's addresses in place of the page's.
fn adapted(text: &str, replacements: &[(&str, &str)]) -> String {
    replacements.iter().fold(text.to_owned(), |text, (own, here)| {
        assert!(text.contains(own), "the page no longer says {own}");
        text.replace(own, here)
    })
}

/// nginx on a port and in a folder of its own.
struct Nginx {
    process: Child,
    base: String,
    _folder: tempfile::TempDir,
}

impl Nginx {
    fn start(port: u16, portero: &str, backend: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        // Nobody needs to be root for this, and whoever is steps down.
        std::fs::set_permissions(at, std::fs::Permissions::from_mode(0o777)).unwrap();
        let [own, server] = blocks("nginx")[..] else { panic!("two blocks") };
        let listen = format!("127.0.0.1:{port}");
        let server = adapted(
            server,
            &[
                ("127.0.0.1:8080", portero),
                ("127.0.0.1:9000", backend),
                ("listen 80;", &format!("listen {listen};")),
                ("/etc/nginx/portero.conf", at.join("portero.conf").to_str().unwrap()),
            ],
        );
        let folders: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {kind};\n"))
            .concat();
        let main = format!(
            "daemon off; master_process off; pid nginx.pid; error_log stderr;\nevents {{}}\n\
             http {{\naccess_log off;\n{folders}{server}}}\n"
        );
        std::fs::write(at.join("portero.conf"), own).unwrap();
        std::fs::write(at.join("nginx.conf"), main).unwrap();
        let mut nginx = Self { process: spawn(at), base: format!("http://{listen}"), _folder: folder };
        let began = Stopwatch::start();
        while std::net::TcpStream::connect(&listen).is_err() {
            assert_eq!(
                nginx.process.try_wait().unwrap(),
                None,
                "nginx does not take the page's configuration"
            );
            assert!(began.elapsed() < Duration::from_secs(10), "nginx does not listen");
            std::thread::sleep(Duration::from_millis(10));
        }
        nginx
    }
}

fn spawn(folder: &Path) -> Child {
    let mut command = Command::new("nginx");
    command.arg("-p").arg(folder).args(["-c", "nginx.conf", "-e", "stderr"]).stderr(Stdio::inherit());
    // Debian keeps it where only root's path leads.
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{path}:/usr/sbin"));
    if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        command.uid(65_534).gid(65_534);
    }
    command.spawn().expect("nginx is not installed: run scripts/test, or install the Debian package nginx")
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Portero, nginx before it, and a backend that knows nothing of either.
struct World {
    app: TestApp,
    backend: Worker,
    nginx: Nginx,
}

impl World {
    fn start(worker: Option<&str>) -> Self {
        let port = free_port();
        let base = format!("http://127.0.0.1:{port}");
        let [trusted] = blocks("toml")[..] else { panic!("one block") };
        let mut builder = TestApp::builder().with("top", trusted).with("upstream", "timeout = \"20s\"");
        builder.toml = builder.toml.replace("{base}", &base);
        if let Some(worker) = worker {
            builder.toml = builder.toml.replace("{worker}", worker);
        }
        let mut app = builder.start();
        let backend = Worker::start();
        let address = backend.url.strip_prefix("http://").unwrap();
        let nginx = Nginx::start(port, app.authority(), address);
        // From here on everything goes through nginx.
        app.base = base;
        Self { app, backend, nginx }
    }

    fn get(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        request("GET", &format!("{}{path}", self.nginx.base), headers, None)
    }

    fn with(&self, path: &str, token: &str) -> Reply {
        self.get(path, &[("authorization", &format!("Bearer {token}"))])
    }
}

fn said(reply: &Reply) -> (u16, Option<String>) {
    let json = reply.header("content-type") == Some("application/json");
    (reply.status, json.then(|| reply.json()["error"].as_str().unwrap_or_default().to_owned()))
}

#[test]
fn a_backend_behind_nginx_is_told_who_calls() {
    let world = World::start(None);
    let person = world.app.person("ana");
    let own = world.app.connect(&world.app.pat(&person, &["mico:read"]).token);
    let bearer = format!("Bearer {}", own.access);
    let forged = [
        ("authorization", bearer.as_str()),
        ("x-portero-user", "evil"),
        ("x_portero_user", "evil"),
        ("x-portero-subject", "evil"),
        ("x-portero-tool", "evil"),
        ("x-portero-assertion", "evil"),
        ("x-portero-confirmed", "true"),
        ("x-portero-credits", "1000"),
        ("x-own", "kept"),
    ];
    let url = format!("{}/api/notes?scope=none&deny=no", world.nginx.base);
    let reply = request("POST", &url, &forged, Some("a note"));
    assert_eq!(reply.status, 200, "{reply:?}");
    let seen = world.backend.last();
    assert_eq!((seen.path.as_str(), seen.body.as_str()), ("/api/notes?scope=none&deny=no", "a note"));
    let mut told: Vec<_> = seen.headers.iter().filter(|(name, _)| name.contains("portero")).collect();
    told.sort();
    let told: Vec<_> = told.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let grant = seen.header("x-portero-grant").unwrap();
    assert!(grant.starts_with("grt_"), "{grant}");
    let expected = [
        ("x-portero-client", own.client.as_str()),
        ("x-portero-features", "mcp"),
        ("x-portero-grant", grant),
        ("x-portero-mode", "live"),
        ("x-portero-plan", "flow"),
        ("x-portero-scopes", "mico:read"),
        ("x-portero-service", "mico"),
        ("x-portero-subject", "ana"),
        ("x-portero-token-kind", "oauth"),
        ("x-portero-user", &person.id),
        ("x-portero-workspace", &person.workspace),
    ];
    assert_eq!(told, expected, "these and no others");
    assert_eq!((seen.header("x-own"), seen.header("authorization")), (Some("kept"), None));
    let both = world.app.pat(&person, &[]);
    assert_eq!(world.with("/api/admin/x", &both.token).status, 200);
    assert_eq!(world.backend.last().header("x-portero-scopes"), Some("mico:read mico:write"));
}

#[test]
fn nobody_else_gets_past_nginx() {
    let world = World::start(None);
    let app = &world.app;
    let person = app.person("ana");
    let own = app.connect(&app.pat(&person, &["mico:read"]).token);
    let anonymous = world.get("/api/notes", &[]);
    assert_eq!(said(&anonymous), (401, Some("unauthorized".to_owned())));
    let metadata = format!("{}/.well-known/oauth-protected-resource/functions/v1/mcp", world.nginx.base);
    let challenge = format!("Bearer resource_metadata=\"{metadata}\", scope=\"mico:read\"");
    assert_eq!(anonymous.headers("www-authenticate"), [challenge.as_str()], "once, as Portero says it");
    assert_eq!(request("GET", &metadata, &[], None).json()["resource"], app.resource.as_str());

    let denied = world.with("/api/admin/x", &own.access);
    assert_eq!(said(&denied), (403, Some("missing_scope".to_owned())));
    let challenge = format!(
        "Bearer error=\"insufficient_scope\", scope=\"mico:read mico:write\", resource_metadata=\"{metadata}\""
    );
    assert_eq!(denied.headers("www-authenticate"), [challenge.as_str()]);
    let denied = world.with("/api/notes", &app.pat(&person, &["mico:write"]).token);
    assert_eq!(said(&denied), (403, Some("missing_scope".to_owned())));
    assert_eq!(denied.header("www-authenticate"), None, "a personal token cannot step up");

    let bearer = format!("Bearer {}", own.access);
    let twice = world.get("/api/notes", &[("authorization", &bearer), ("authorization", "Bearer other")]);
    assert_eq!(twice.status, 400, "{twice:?}");
    let free = app.pat(&app.person_on("bruno", Some("free")), &[]);
    assert_eq!(said(&world.with("/api/notes", &free.token)), (402, Some("feature_not_included".to_owned())));
    assert_eq!(world.with("/portero/any", &own.access).status, 404, "only nginx asks");
    assert!(world.backend.seen().is_empty());
}

#[test]
fn what_has_ended_is_out_at_the_next_call_and_what_cannot_be_asked_comes_again() {
    let world = World::start(None);
    let app = &world.app;
    let own = app.connect(&app.pat(&app.person("ana"), &[]).token);
    assert_eq!(world.with("/api/notes", &own.access).status, 200);
    let form = [("token", own.access.as_str()), ("client_id", &own.client)];
    let revoked = post_form(&format!("{}/revoke", app.issuer), &[], &form);
    assert_eq!(revoked.status, 200, "{revoked:?}");
    let dead = world.with("/api/notes", &own.access);
    assert_eq!(said(&dead), (401, Some("invalid_token".to_owned())));
    let challenges = dead.headers("www-authenticate");
    assert!(challenges.len() == 1 && challenges[0].starts_with("Bearer error=\"invalid_token\""), "{dead:?}");

    actix_web::rt::System::new().block_on(app.app.identity.store.close());
    let unknown = world.with("/api/notes", &app.pat_unseen());
    assert_eq!(said(&unknown), (503, Some("verification_unavailable".to_owned())));
    assert_eq!(unknown.header("retry-after"), Some("2"));
    assert_eq!(world.backend.seen().len(), 1);
}

impl TestApp {
    /// A token that looks like one of ours to the last character, and was never asked about.
    fn pat_unseen(&self) -> String {
        let tokens = &self.app.brands[0].tokens;
        let secret = portero::domain::secret::Secret::generate(&tokens.pat_live, self.app.entropy.as_ref());
        secret.expose().to_owned()
    }
}

#[test]
fn events_pass_nginx_as_they_come() {
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let worker = by_hand(move |_, stream| {
        use std::io::Write as _;
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        let first = "event: progress\ndata: {\"progress\":1}\n\n";
        stream.write_all(format!("{head}{first}").as_bytes()).unwrap();
        wait.lock().unwrap().recv().unwrap();
        stream.write_all(b"event: result\ndata: {\"done\":true}\n\n").unwrap();
    });
    let world = World::start(Some(&worker));
    let pat = world.app.pat(&world.app.person("ana"), &[]);
    let bearer = format!("Bearer {}", pat.token);
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("accept-encoding", "gzip, br"),
    ];
    let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": {"name": "list_meetings", "_meta": {"progressToken": "p"}}});
    let mut live = Live::post(&world.app.resource, &headers, &call.to_string());
    holds(
        "C205",
        "a stream passes nginx event by event: not buffered, not transformed, not compressed",
        || {
            assert_eq!(live.header("content-type"), Some("text/event-stream"));
            assert_eq!(live.header("cache-control"), Some("no-store, no-transform"));
            assert_eq!(live.header("content-encoding"), None);
            let mut lines = live.lines();
            let mut data =
                || lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned)).expect("an event");
            // The worker writes the second event only when the first one has come all the way.
            assert!(data().contains("notifications/progress"));
            go.send(()).unwrap();
            assert!(data().contains("{\\\"done\\\":true}"));
        },
    );
}
