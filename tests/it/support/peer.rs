//! An MCP server that stands behind the gateway: it speaks the eras it is told to, records what it hears, and says what
//! its script says in the place of the truth.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::app::free_port;
use super::site::eventually;
use super::worker::{self, Seen};

/// One request as it came.
#[derive(Clone, Debug)]
pub struct Heard {
    pub verb: String,
    pub headers: Vec<(String, String)>,
    /// The message; null where there is none.
    pub message: Value,
    pub body: String,
}

impl Heard {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }

    /// The headers of an answer with its id and this result.
    pub fn result(&self, result: &Value) -> String {
        json!({"jsonrpc": "2.0", "id": self.message["id"], "result": result}).to_string()
    }

    pub fn error(&self, code: i64, message: &str) -> String {
        json!({"jsonrpc": "2.0", "id": self.message["id"], "error": {"code": code, "message": message}})
            .to_string()
    }
}

/// What a server is.
#[derive(Clone)]
pub struct Kind {
    pub modern: bool,
    /// The older revisions it knows.
    pub legacy: Vec<&'static str>,
    pub sessions: bool,
    pub tools: Value,
    pub resources: Value,
    pub templates: Value,
    pub prompts: Value,
    pub completes: bool,
    /// So many items of a list come at once.
    pub page: usize,
}

impl Kind {
    fn new(modern: bool, legacy: &[&'static str], sessions: bool) -> Self {
        Self {
            modern,
            legacy: legacy.to_vec(),
            sessions,
            tools: json!([tool("read_note", true), tool("write_note", false)]),
            resources: json!([]),
            templates: json!([]),
            prompts: json!([]),
            completes: false,
            page: 1000,
        }
    }

    pub fn modern() -> Self {
        Self::new(true, &[], false)
    }

    pub fn stateless() -> Self {
        Self::new(false, &["2025-11-25", "2025-06-18"], false)
    }

    pub fn with_sessions() -> Self {
        Self::new(false, &["2025-11-25", "2025-06-18"], true)
    }
}

pub fn tool(name: &str, reads: bool) -> Value {
    json!({"name": name, "description": name, "inputSchema": {"type": "object",
        "properties": {"id": {"type": "string"}}}, "annotations": {"readOnlyHint": reads}})
}

/// Writes its own answer to a request, and says that it did.
type Script = Arc<dyn Fn(&Heard, &mut TcpStream) -> bool + Send + Sync>;

struct State {
    kind: Kind,
    heard: Vec<Heard>,
    sessions: HashSet<String>,
    made: usize,
    script: Option<Script>,
    open: Vec<TcpStream>,
    up: bool,
}

/// A server on a port of its own.
pub struct Peer {
    pub url: String,
    port: u16,
    state: Arc<Mutex<State>>,
}

impl Peer {
    pub fn start(kind: Kind) -> Self {
        let peer = Self::asleep(kind);
        peer.wake();
        peer
    }

    /// One that nobody can reach yet.
    pub fn asleep(kind: Kind) -> Self {
        let port = free_port();
        let (heard, sessions, open) = (Vec::new(), HashSet::new(), Vec::new());
        let state = State { kind, heard, sessions, made: 0, script: None, open, up: false };
        Self { url: format!("http://127.0.0.1:{port}/mcp"), port, state: Arc::new(Mutex::new(state)) }
    }

    pub fn wake(&self) {
        let listener = eventually("the port is free", || TcpListener::bind(("127.0.0.1", self.port)).ok());
        self.state.lock().unwrap().up = true;
        let state = Arc::clone(&self.state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut own = state.lock().unwrap();
                if !own.up {
                    return;
                }
                own.open.push(stream.try_clone().unwrap());
                drop(own);
                let state = Arc::clone(&state);
                std::thread::spawn(move || serve(&stream, &state));
            }
        });
    }

    /// Closes everything and forgets its sessions.
    pub fn fall(&self) {
        let mut own = self.state.lock().unwrap();
        own.up = false;
        own.sessions.clear();
        for stream in own.open.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
        drop(own);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }

    /// What it says of its own to some requests from now on.
    pub fn script(&self, script: impl Fn(&Heard, &mut TcpStream) -> bool + Send + Sync + 'static) {
        self.state.lock().unwrap().script = Some(Arc::new(script));
    }

    /// The same, to calls alone.
    pub fn calls(&self, script: impl Fn(&Heard, &mut TcpStream) + Send + Sync + 'static) {
        self.script(move |heard, stream| {
            let call = heard.method() == "tools/call";
            if call {
                script(heard, stream);
            }
            call
        });
    }

    /// Makes it another one.
    pub fn is_now(&self, change: impl FnOnce(&mut Kind)) {
        change(&mut self.state.lock().unwrap().kind);
    }

    pub fn forget_sessions(&self) {
        self.state.lock().unwrap().sessions.clear();
    }

    pub fn heard(&self) -> Vec<Heard> {
        self.state.lock().unwrap().heard.clone()
    }

    /// The requests of one method.
    pub fn of(&self, method: &str) -> Vec<Heard> {
        self.heard().into_iter().filter(|heard| heard.method() == method).collect()
    }

    pub fn last(&self, method: &str) -> Heard {
        self.of(method).pop().unwrap_or_else(|| panic!("nobody asked for {method}"))
    }
}

/// A whole answer.
pub fn answer(stream: &mut TcpStream, status: u16, kind: &str, more: &str, body: &str) {
    let head = format!("HTTP/1.1 {status} Answer\r\nContent-Type: {kind}\r\n{more}");
    let _ = stream.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
}

pub fn json_answer(stream: &mut TcpStream, body: &str) {
    answer(stream, 200, "application/json", "", body);
}

/// The head of a stream that ends with its connection.
pub fn events(stream: &mut TcpStream) {
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n";
    let _ = stream.write_all(head.as_bytes());
}

/// One event; false if nobody listens any more.
pub fn event(stream: &mut TcpStream, json: &str) -> bool {
    stream.write_all(format!("event: message\ndata: {json}\n\n").as_bytes()).is_ok()
}

/// Waits until the other side closes; true if it does within `limit`.
pub fn is_left(stream: &mut TcpStream, limit: Duration) -> bool {
    stream.set_read_timeout(Some(limit)).unwrap();
    matches!(stream.read(&mut [0; 16]), Ok(0)) || stream.take_error().is_err()
}

fn serve(stream: &TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream.try_clone().unwrap();
    while let Some(heard) = read(&mut reader) {
        let script = {
            let mut own = state.lock().unwrap();
            own.heard.push(heard.clone());
            own.script.clone()
        };
        if script.is_some_and(|script| script(&heard, &mut writer)) {
            continue;
        }
        let (status, more, body) = state.lock().unwrap().answer(&heard);
        answer(&mut writer, status, "application/json", &more, &body);
    }
}

fn read(reader: &mut impl BufRead) -> Option<Heard> {
    let Seen { method, headers, body, .. } = worker::read(reader)?;
    let message = serde_json::from_str(&body).unwrap_or(Value::Null);
    Some(Heard { verb: method, headers, message, body })
}

const ALL: &str = "io.modelcontextprotocol";

impl State {
    fn answer(&mut self, heard: &Heard) -> (u16, String, String) {
        let none = String::new;
        let session = heard.header("mcp-session-id").map(str::to_owned);
        match heard.verb.as_str() {
            "DELETE" => {
                let known = session.is_some_and(|id| self.sessions.remove(&id));
                return (if known { 200 } else { 404 }, none(), none());
            }
            "POST" => {}
            _ => return (405, "Allow: POST\r\n".into(), none()),
        }
        let modern = heard.message["params"]["_meta"][format!("{ALL}/protocolVersion")].is_string();
        if modern || heard.method() == "server/discover" {
            return self.modern(heard);
        }
        if self.legacy().is_empty() {
            return (400, none(), heard.error(-32022, "no older revision"));
        }
        if heard.method() == "initialize" {
            return self.initialize(heard);
        }
        if self.kind.sessions && !session.as_ref().is_some_and(|id| self.sessions.contains(id)) {
            return (if session.is_some() { 404 } else { 400 }, none(), heard.error(-32600, "no session"));
        }
        if heard.message.get("id").is_none() || heard.method().is_empty() {
            return (202, none(), none());
        }
        let (status, body) = match self.result(heard) {
            Ok(result) => (200, heard.result(&result)),
            Err(code) => (200, heard.error(if code == -32602 { -32002 } else { code }, "no such thing")),
        };
        (status, none(), body)
    }

    fn legacy(&self) -> &[&'static str] {
        &self.kind.legacy
    }

    fn initialize(&mut self, heard: &Heard) -> (u16, String, String) {
        let asked = heard.message["params"]["protocolVersion"].as_str().unwrap_or_default();
        let version = self.legacy().iter().find(|own| **own == asked).unwrap_or(&self.legacy()[0]);
        let result = json!({"protocolVersion": version, "capabilities": self.capabilities(),
            "serverInfo": {"name": "peer", "version": "1"}});
        let mut more = String::new();
        if self.kind.sessions {
            self.made += 1;
            let id = format!("session-{}", self.made);
            more = format!("Mcp-Session-Id: {id}\r\n");
            self.sessions.insert(id);
        }
        (200, more, heard.result(&result))
    }

    fn modern(&mut self, heard: &Heard) -> (u16, String, String) {
        let none = String::new;
        if !self.kind.modern {
            return (400, none(), heard.error(-32600, "unknown revision"));
        }
        let params = &heard.message["params"];
        let named = params["name"].as_str().or(params["uri"].as_str());
        let mirrored = heard.header("mcp-protocol-version") == Some("2026-07-28")
            && heard.header("mcp-method") == Some(heard.method())
            && heard.header("mcp-name") == named
            && heard.header("mcp-session-id").is_none()
            && params["_meta"][format!("{ALL}/clientCapabilities")].is_object();
        if !mirrored {
            return (400, none(), heard.error(-32020, "headers and body"));
        }
        if heard.method() == "server/discover" {
            let result = json!({"supportedVersions": ["2026-07-28"], "capabilities": self.capabilities(),
                "resultType": "complete", "ttlMs": 1000, "cacheScope": "public"});
            return (200, none(), heard.result(&result));
        }
        match self.result(heard) {
            Ok(mut result) => {
                result["resultType"] = "complete".into();
                result["_meta"] = json!({format!("{ALL}/serverInfo"): {"name": "peer"}});
                (200, none(), heard.result(&result))
            }
            Err(code) => (if code == -32601 { 404 } else { 200 }, none(), heard.error(code, "no such thing")),
        }
    }

    fn capabilities(&self) -> Value {
        let mut all = json!({"tools": {}, "logging": {}});
        let some = |list: &Value| list.as_array().is_some_and(|list| !list.is_empty());
        if some(&self.kind.resources) || some(&self.kind.templates) {
            all["resources"] = json!({});
        }
        if some(&self.kind.prompts) {
            all["prompts"] = json!({});
        }
        if self.kind.completes {
            all["completions"] = json!({});
        }
        all
    }

    fn result(&self, heard: &Heard) -> Result<Value, i64> {
        let params = &heard.message["params"];
        match heard.method() {
            "ping" => Ok(json!({})),
            "tools/list" => Ok(self.page("tools", &self.kind.tools, params)),
            "resources/list" => Ok(self.page("resources", &self.kind.resources, params)),
            "resources/templates/list" => Ok(self.page("resourceTemplates", &self.kind.templates, params)),
            "prompts/list" => Ok(self.page("prompts", &self.kind.prompts, params)),
            "tools/call" => {
                let text = json!({"called": params["name"], "with": params["arguments"]}).to_string();
                Ok(json!({"content": [{"type": "text", "text": text}]}))
            }
            "resources/read" => {
                let known = self.kind.resources.as_array().unwrap().iter();
                let known = known.map(|own| &own["uri"]).any(|uri| *uri == params["uri"]);
                if !known {
                    return Err(-32602);
                }
                Ok(json!({"contents": [{"uri": params["uri"], "text": "read"}]}))
            }
            "prompts/get" => {
                let text = params["arguments"].to_string();
                Ok(json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}))
            }
            "completion/complete" => Ok(json!({"completion": {"values": [params["argument"]["value"]]}})),
            _ => Err(-32601),
        }
    }

    fn page(&self, name: &str, all: &Value, params: &Value) -> Value {
        let start: usize = params["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
        let all = all.as_array().unwrap();
        let end = (start + self.kind.page).min(all.len());
        let mut page = json!({name: all[start..end]});
        if end < all.len() {
            page["nextCursor"] = end.to_string().into();
        }
        page
    }
}
