//! The gateway in one process: a real worker on a port, real HTTP types, a real store on a file of its own, and
//! a verification cache that already knows a few callers by name.

mod batches;
mod confirm;
mod numbers;
mod obstacles;
mod property;
mod public;
mod refusals;
mod statuses;
mod stream;
mod styles;
mod tools;
mod verify;
mod versions;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};

use actix_web::dev::ServerHandle;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::{App as Actix, HttpRequest, HttpResponse, HttpServer, test, web};
use serde_json::{Value, json};

use super::{Gateway, handle};
use crate::app::{App, Doors};
use crate::cluster::verified::Lookup;
use crate::config::Config;
use crate::domain::clock::{ManualClock, Timestamp};
use crate::domain::entropy::Entropy;
use crate::domain::ids::ServiceId;
use crate::domain::pat::Mode;
use crate::domain::scope::ScopeSet;
use crate::domain::secret::{Digest, Secret};
use crate::domain::verified::{TokenKind, Verified};
use crate::domain::workspace::WorkspaceStatus;
use crate::identity::keys::Keys;
use crate::store::Store;

/// Bytes made of a name, so that a caller's name always gives the same token.
struct Named(String);
impl Entropy for Named {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(0);
        buffer.iter_mut().zip(self.0.bytes()).for_each(|(byte, letter)| *byte = letter);
    }
}

struct Sevens;
impl Entropy for Sevens {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

/// What the worker saw of a call.
#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: String,
}

/// A worker that knows nothing of MCP.
pub struct Worker {
    pub url: String,
    pub seen: Arc<Mutex<Vec<Seen>>>,
    pub answer: Arc<Mutex<(u16, &'static str, String)>>,
    pub delay: Arc<AtomicU16>,
    pub tools: Arc<Mutex<Value>>,
    handle: ServerHandle,
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

pub fn tool(name: &str, read_only: bool) -> Value {
    json!({
        "name": name, "description": format!("Does {name}."),
        "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
        "annotations": {"readOnlyHint": read_only}
    })
}

impl Worker {
    pub fn start() -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let answer = Arc::new(Mutex::new((200, "application/json", "{\"ok\": 1.10}".to_owned())));
        let delay = Arc::new(AtomicU16::new(0));
        let tools = Arc::new(Mutex::new(json!([tool("list_meetings", true), tool("delete_meeting", false)])));
        let shared =
            web::Data::new((Arc::clone(&seen), Arc::clone(&answer), Arc::clone(&delay), Arc::clone(&tools)));
        let server = HttpServer::new(move || {
            Actix::new().app_data(shared.clone()).default_service(web::to(Self::serve))
        });
        let server = server.workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}", server.addrs()[0]);
        let running = server.run();
        let handle = running.handle();
        actix_web::rt::spawn(running);
        Self { url, seen, answer, delay, tools, handle }
    }

    #[expect(clippy::type_complexity, reason = "four shared cells of a test")]
    async fn serve(
        shared: web::Data<(
            Arc<Mutex<Vec<Seen>>>,
            Arc<Mutex<(u16, &'static str, String)>>,
            Arc<AtomicU16>,
            Arc<Mutex<Value>>,
        )>,
        request: HttpRequest,
        body: web::Bytes,
    ) -> HttpResponse {
        if request.method() == Method::GET {
            return HttpResponse::Ok().json(shared.3.lock().unwrap().clone());
        }
        let headers = request.headers().iter();
        let headers =
            headers.map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()));
        let seen = Seen {
            path: request.path().to_owned(),
            headers: headers.collect(),
            body: String::from_utf8_lossy(&body).into_owned(),
        };
        shared.0.lock().unwrap().push(seen);
        let delay = shared.2.load(Ordering::SeqCst);
        if delay > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(delay.into())).await;
        }
        let (status, kind, text) = shared.1.lock().unwrap().clone();
        HttpResponse::build(StatusCode::from_u16(status).unwrap()).content_type(kind).body(text)
    }

    pub fn answers(&self, status: u16, kind: &'static str, body: &str) {
        *self.answer.lock().unwrap() = (status, kind, body.to_owned());
    }

    pub fn last(&self) -> Seen {
        self.seen.lock().unwrap().last().cloned().expect("the worker was called")
    }

    pub fn calls(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

pub fn verified(kind: TokenKind, scopes: &str) -> Verified {
    Verified {
        kind,
        pat: None,
        grant: (kind == TokenKind::Oauth).then(|| "grt_1".into()),
        client: (kind == TokenKind::Oauth).then(|| "cli_1".into()),
        user: "usr_1".into(),
        subject: None,
        workspace: "wsp_1".into(),
        brand: "mico".into(),
        service: (kind == TokenKind::Oauth).then(|| "mico".into()),
        scopes: ScopeSet::parse(scopes),
        mode: Mode::Live,
        plan: Some("flow".into()),
        status: WorkspaceStatus::Active,
        issued_at: Timestamp::default(),
        expires_at: None,
        access: None,
    }
}

/// A running gateway with its worker.
pub struct World {
    pub app: web::Data<App>,
    pub gateway: web::Data<Gateway>,
    pub worker: Worker,
    clock: Arc<ManualClock>,
    _folder: tempfile::TempDir,
}

/// The shared parts over a store of their own, before a gateway is built on them.
pub struct Base {
    pub app: App,
    clock: Arc<ManualClock>,
    folder: tempfile::TempDir,
}

/// One answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&self.body)))
    }

    pub fn result_text(&self) -> Value {
        let text = self.json()["result"]["content"][0]["text"].as_str().expect("a text").to_owned();
        serde_json::from_str(&text).unwrap()
    }
}

pub const POLICY: &str = "[service.tool.list_meetings]\nscopes = [\"mico:read\"]\n[service.tool.delete_meeting]\nscopes = [\"mico:write\"]\n";

pub fn config(url: &str, service: &str, policy: &str) -> Result<Config, String> {
    let text = format!(
        "public_url = \"http://127.0.0.1:8080\"\n[plans.flow]\nfeatures = [\"mcp\"]\n[plans.free]\nfeatures = []\n\
         [brand.mico]\nname = \"Mico\"\n[[service]]\nid = \"mico\"\nbrand = \"mico\"\nname = \"Mico\"\n\
         resource = \"http://127.0.0.1:8080/functions/v1/mcp\"\nfeature = \"mcp\"\n{service}\n\
         [service.scopes.\"mico:read\"]\ndefault = true\n[service.scopes.\"mico:write\"]\n\
         [[service.upstream]]\nid = \"w\"\nkind = \"worker\"\nurl = \"{url}\"\ntimeout = \"1s\"\n{policy}"
    );
    let dir = std::env::temp_dir();
    Config::from_toml(&text, &dir, std::iter::empty())
        .map(|loaded| loaded.config)
        .map_err(|error| error.to_string())
}

/// The token of a caller by name: `oauth` and `other` hold access tokens, everybody else a personal one. What
/// no caller is named by is sent as it is.
pub fn token(name: &str) -> String {
    let prefix = match name {
        "oauth" | "other" => "mico_oat_",
        "pat" | "full" | "free" | "none" | "gone" | "test" | "due" | "inactive" | "unknown" => "mico_pat_",
        as_it_is => return as_it_is.to_owned(),
    };
    Secret::generate(prefix, &Named(name.to_owned())).expose().to_owned()
}

fn callers() -> Vec<(&'static str, Verified)> {
    let full = || verified(TokenKind::Pat, "mico:read mico:write");
    let read = || verified(TokenKind::Pat, "mico:read");
    let oauth = || verified(TokenKind::Oauth, "mico:read");
    vec![
        ("pat", read()),
        ("full", full()),
        ("oauth", oauth()),
        ("other", Verified { service: Some("other".into()), ..oauth() }),
        ("free", Verified { plan: Some("free".into()), ..full() }),
        ("none", Verified { plan: None, ..read() }),
        ("gone", Verified { plan: Some("gone".into()), ..read() }),
        ("test", Verified { mode: Mode::Test, ..full() }),
        ("due", Verified { status: WorkspaceStatus::PastDue, ..full() }),
        ("inactive", Verified { status: WorkspaceStatus::Inactive, ..full() }),
    ]
}

/// The shared parts of a configuration. The change log counts as read, so the cache serves the callers.
pub async fn base(config: Config) -> Base {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at(Timestamp::from_millis(0)));
    let doors = Doors { clock: clock.clone(), entropy: Arc::new(Sevens) };
    let url = format!("sqlite://{}", folder.path().join("portero.db").display());
    let store = Store::open(&url, clock.clone()).unwrap();
    store.migrate().await.unwrap();
    let app = App::new(Arc::new(config), doors, store, Keys::none());
    let (cache, now) = (&app.identity.verified, app.clock.now());
    cache.log_read(now);
    for (name, verified) in callers() {
        let digest = Digest::of(&token(name));
        let Lookup::Ask(ticket) = cache.look_up(&digest, now) else { panic!("{name} is known already") };
        cache.fill(digest, ticket, Arc::new(verified), now);
    }
    Base { app, clock, folder }
}

impl World {
    pub async fn new(service: &str, policy: &str) -> Self {
        Self::with(Worker::start(), service, policy).await
    }

    pub async fn with(worker: Worker, service: &str, policy: &str) -> Self {
        let base = base(config(&worker.url, service, policy).unwrap()).await;
        Self::over(base, worker).await
    }

    pub async fn over(base: Base, worker: Worker) -> Self {
        let Base { app, clock, folder } = base;
        let gateway = Gateway::build(&app).await.unwrap();
        Self { app: web::Data::new(app), gateway: web::Data::new(gateway), worker, clock, _folder: folder }
    }

    /// From here on no credential can be checked: the database is closed and the cache has been blind for too
    /// long.
    pub async fn go_blind(&self) {
        self.app.identity.store.close().await;
        self.clock.advance(std::time::Duration::from_secs(6));
    }

    pub async fn send(&self, request: test::TestRequest) -> Reply {
        let service = web::Data::from(Arc::clone(self.gateway.service(&ServiceId::from("mico")).unwrap()));
        let actix = Actix::new().app_data(self.app.clone()).app_data(self.gateway.clone()).app_data(service);
        let actix = test::init_service(actix.default_service(web::to(handle))).await;
        let response = test::call_service(&actix, request.to_request()).await;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Reply { status, headers, body: test::read_body(response).await.to_vec() }
    }

    /// A POST with the usual headers; `more` overrides them, an empty value takes one away.
    pub async fn post(&self, token: &str, body: impl Into<String>, more: &[(&str, &str)]) -> Reply {
        let mut headers = HeaderMap::new();
        let bearer = format!("Bearer {}", self::token(token));
        let usual = [
            ("authorization", if token.is_empty() { "" } else { &*bearer }),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        for (name, value) in usual.iter().chain(more) {
            let name = HeaderName::try_from(*name).unwrap();
            headers.remove(&name);
            if !value.is_empty() {
                headers.insert(name, HeaderValue::from_str(value).unwrap());
            }
        }
        let mut request = test::TestRequest::post().uri("/functions/v1/mcp").set_payload(body.into());
        for (name, value) in &headers {
            request = request.append_header((name.clone(), value.clone()));
        }
        self.send(request).await
    }

    pub async fn rpc(&self, token: &str, method: &str, params: Value) -> Reply {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        self.post(token, body.to_string(), &[]).await
    }

    pub async fn call(&self, token: &str, name: &str, arguments: Value) -> Reply {
        self.rpc(token, "tools/call", json!({"name": name, "arguments": arguments})).await
    }

    pub async fn modern(&self, token: &str, method: &str, params: Value, more: &[(&str, &str)]) -> Reply {
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}
        });
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let mut headers =
            vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method), ("mcp-name", name.as_str())];
        headers.extend(more);
        self.post(token, body.to_string(), &headers).await
    }

    pub async fn names(&self, token: &str) -> Vec<String> {
        let reply = self.rpc(token, "tools/list", json!({})).await.json();
        let tools = reply["result"]["tools"].as_array().unwrap_or_else(|| panic!("{reply}")).clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}
