//! Sessions with upstreams that keep some: their life, their streams, what is asked in them, and several nodes.

mod life;
mod nodes;
mod questions;
mod streams;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::http::{Reply, request};
use crate::support::session_server::SessionServer;
use crate::support::{Builder, Site, TestApp, patiently};

/// How long anything may take that nothing waits for on purpose.
const SOON: Duration = Duration::from_secs(5);

/// A service that has a worker and this server.
fn served(servers: &[&SessionServer]) -> Builder {
    let mut upstreams = String::new();
    for server in servers {
        let (id, url) = (server.name, &server.url);
        upstreams.push_str("[[service.upstream]]\nkind = \"mcp\"\nunlisted = \"default\"\n");
        writeln!(upstreams, "id = \"{id}\"\nurl = \"{url}\"").unwrap();
    }
    TestApp::builder().with("tail", &upstreams)
}

/// A client in a session of its own.
#[derive(Clone)]
struct Client {
    resource: String,
    token: String,
    session: String,
}

/// Everything that a client can be asked.
fn able() -> Value {
    json!({"elicitation": {}, "sampling": {}, "roots": {"listChanged": true}, "experimental": {}})
}

fn initialize(version: &str, name: &str, capabilities: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {"protocolVersion": version,
        "capabilities": capabilities, "clientInfo": {"name": name, "version": "1"}}})
}

impl Client {
    /// Begins a session.
    fn begin(site: &Site, token: &str, name: &str, capabilities: &Value) -> Self {
        let reply = site.rpc(token, &initialize("2025-11-25", name, capabilities));
        assert_eq!(reply.status, 200, "{reply:?}");
        let session = reply.header("mcp-session-id").unwrap_or_else(|| panic!("{reply:?}")).to_owned();
        let own = Self { resource: site.resource.clone(), token: token.to_owned(), session };
        let reply = own.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!((reply.status, reply.body.len()), (202, 0), "{reply:?}");
        own
    }

    fn with<'h>(&self, more: &[(&'h str, &'h str)], send: impl FnOnce(&[(&str, &str)]) -> Reply) -> Reply {
        let bearer = format!("Bearer {}", self.token);
        let mut all = vec![
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-session-id", &self.session),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        for own in more {
            all.retain(|(name, _)| *name != own.0);
            all.push(*own);
        }
        all.retain(|(_, value)| !value.is_empty());
        send(&all)
    }

    fn send(&self, method: &str, more: &[(&str, &str)]) -> Reply {
        self.with(more, |headers| request(method, &self.resource, headers, None))
    }

    fn post(&self, message: &Value) -> Reply {
        self.with(&[], |headers| request("POST", &self.resource, headers, Some(&message.to_string())))
    }

    fn ask(&self, method: &str, params: &Value) -> Reply {
        self.post(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    }

    fn call(&self, tool: &str) -> Reply {
        self.ask("tools/call", &json!({"name": tool, "arguments": {}}))
    }

    /// The text that a tool answers.
    fn text(&self, tool: &str) -> String {
        let reply = self.call(tool);
        let text = reply.json()["result"]["content"][0]["text"].as_str().map(str::to_owned);
        text.unwrap_or_else(|| panic!("{reply:?}"))
    }

    fn listen(&self, more: &[(&str, &str)]) -> Stream {
        let mut headers = vec![("accept", "text/event-stream"), ("mcp-protocol-version", "2025-11-25")];
        headers.extend_from_slice(more);
        self.stream("GET", &headers, "")
    }

    /// Calls a tool whose answer is a stream.
    fn streamed(&self, tool: &str) -> Stream {
        let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
            "params": {"name": tool, "arguments": {}, "_meta": {"progressToken": "p"}}});
        let headers =
            [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        self.stream("POST", &headers, &call.to_string())
    }

    fn stream(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Stream {
        let (authority, path) = self.resource.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut text = format!(
            "{method} /{path} HTTP/1.1\r\nHost: {authority}\r\nAuthorization: Bearer {}\r\n",
            self.token
        );
        for (name, value) in headers.iter().chain(&[("mcp-session-id", self.session.as_str())]) {
            write!(text, "{name}: {value}\r\n").unwrap();
        }
        let mut stream = TcpStream::connect(authority).unwrap();
        stream.write_all(format!("{text}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
        Stream::of(stream)
    }
}

/// What is heard on a stream.
#[derive(Debug, PartialEq)]
enum Heard {
    Event(Option<String>, Value),
    Comment,
    End,
}

/// A stream that is read as it comes; who drops it has left.
struct Stream {
    heard: Receiver<Heard>,
    connection: TcpStream,
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = self.connection.shutdown(Shutdown::Both);
    }
}

impl Stream {
    fn of(connection: TcpStream) -> Self {
        let mut reader = BufReader::new(connection.try_clone().unwrap());
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
        }
        assert!(
            head.starts_with("HTTP/1.1 200 ") && head.contains("content-type: text/event-stream\r\n"),
            "{head}"
        );
        assert!(
            head.contains("cache-control: no-store, no-transform\r\n")
                && head.contains("x-accel-buffering: no\r\n")
        );
        let (tell, events) = channel();
        std::thread::spawn(move || hear(reader, &tell));
        Self { heard: events, connection }
    }

    /// The next event and its id.
    fn identified(&self) -> (Option<String>, Value) {
        loop {
            match self.heard.recv_timeout(SOON).expect("an event") {
                Heard::Event(id, message) => return (id, message),
                Heard::Comment => {}
                Heard::End => panic!("the stream has ended"),
            }
        }
    }

    fn next(&self) -> Value {
        self.identified().1
    }

    /// Waits for the end; what came before it.
    fn ends(&self, within: Duration) -> Vec<Value> {
        let mut before = Vec::new();
        loop {
            match self.heard.recv_timeout(within).expect("the end") {
                Heard::Event(_, message) => before.push(message),
                Heard::Comment => {}
                Heard::End => return before,
            }
        }
    }

    /// Asserts that nothing is said for a moment.
    fn silent(&self) {
        let end = Duration::from_millis(400);
        while let Ok(heard) = self.heard.recv_timeout(end) {
            assert_eq!(heard, Heard::Comment);
        }
    }
}

/// Reads events out of chunks, each of which holds whole ones.
fn hear(reader: BufReader<TcpStream>, send: &Sender<Heard>) {
    let (mut id, mut data) = (None, String::new());
    for line in reader.lines().map_while(Result::ok) {
        let mut said = None;
        if let Some(own) = line.strip_prefix("id: ") {
            id = Some(own.to_owned());
        } else if let Some(own) = line.strip_prefix("data: ") {
            data.push_str(own);
        } else if line.starts_with(':') {
            said = Some(Heard::Comment);
        } else if line.is_empty() && !data.is_empty() {
            said = Some(Heard::Event(id.take(), serde_json::from_str(&data).unwrap()));
            data.clear();
        } else if line == "0" {
            break;
        }
        if let Some(said) = said
            && send.send(said).is_err()
        {
            return;
        }
    }
    let _ = send.send(Heard::End);
}

/// Waits for what happens elsewhere.
fn until<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    patiently(Duration::from_secs(5), what, look)
}

/// The one session that the client of a name has at a server.
fn own_session(server: &SessionServer, name: &str) -> String {
    let all = server.sessions_of(name);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].clone()
}
