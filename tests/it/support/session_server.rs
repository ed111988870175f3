//! An MCP server that keeps sessions: it asks its clients, tells them of changes and remembers who they are.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};

use super::worker;

/// One request, as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    pub headers: Vec<(String, String)>,
    /// The message; null where there was none.
    pub message: Value,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// What it calls or tells; empty for an answer.
    pub fn rpc(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }
}

#[derive(Default)]
struct Own {
    /// What its client said of itself.
    client: Value,
    version: String,
    count: u64,
    /// Everything that was said on its stream.
    events: Vec<(u64, String)>,
    streams: Vec<(u64, Sender<Option<String>>)>,
    answers: Vec<Value>,
}

#[derive(Default)]
struct State {
    sessions: HashMap<String, Own>,
    seen: Vec<Seen>,
    next: u64,
    /// What it says to DELETE and GET, where that is no.
    no_delete: bool,
    no_stream: bool,
    down: bool,
    tools: Vec<Value>,
}

/// A server on a port of its own.
#[derive(Clone)]
pub struct SessionServer {
    pub url: String,
    pub name: &'static str,
    state: Arc<(Mutex<State>, Condvar)>,
}

fn tool(name: &str) -> Value {
    json!({"name": name, "description": name, "inputSchema": {"type": "object"}})
}

impl SessionServer {
    /// Its tools, resources and prompts begin with its name.
    pub fn start(name: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let own = Self { url, name, state: Arc::default() };
        own.lock().tools =
            ["count", "ask", "sample", "log"].map(|tool_| tool(&format!("{name}_{tool_}"))).to_vec();
        let shared = own.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = shared.clone();
                std::thread::spawn(move || own.serve(stream));
            }
        });
        own
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().unwrap()
    }

    /// Everything it was sent, oldest first.
    pub fn seen(&self) -> Vec<Seen> {
        self.lock().seen.clone()
    }

    /// Every message of a method, or request of an HTTP method, that it was sent in a client's session.
    pub fn seen_of(&self, what: &str) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.rpc() == what || seen.method == what).collect()
    }

    /// The sessions whose client has this name.
    pub fn sessions_of(&self, client: &str) -> Vec<String> {
        let state = self.lock();
        let own = state.sessions.iter().filter(|(_, own)| own.client["clientInfo"]["name"] == client);
        own.map(|(id, _)| id.clone()).collect()
    }

    /// What the client of a session said in `initialize`, and the revision that was agreed.
    pub fn client_of(&self, session: &str) -> (Value, String) {
        let state = self.lock();
        let own = &state.sessions[session];
        (own.client.clone(), own.version.clone())
    }

    /// What clients answered in a session.
    pub fn answers(&self, session: &str) -> Vec<Value> {
        self.lock().sessions.get(session).map(|own| own.answers.clone()).unwrap_or_default()
    }

    /// Says something on the streams of a session; without any, whoever opens one after an older event hears it.
    pub fn say(&self, session: &str, message: &Value) {
        let mut state = self.lock();
        let own = state.sessions.get_mut(session).expect("the session");
        let number = own.events.len() as u64 + 1;
        own.events.push((number, message.to_string()));
        let text = event(number, &message.to_string());
        if let Some((_, stream)) = own.streams.first() {
            let _ = stream.send(Some(text));
        }
    }

    /// How many streams of a session are open.
    pub fn streams(&self, session: &str) -> usize {
        self.lock().sessions.get(session).map_or(0, |own| own.streams.len())
    }

    /// Closes the streams of a session.
    pub fn hang_up(&self, session: &str) {
        let mut state = self.lock();
        for (_, stream) in state.sessions.get_mut(session).expect("the session").streams.drain(..) {
            let _ = stream.send(None);
        }
    }

    /// Forgets every session.
    pub fn forget(&self) {
        for (_, own) in self.lock().sessions.drain() {
            own.streams.iter().for_each(|(_, stream)| drop(stream.send(None)));
        }
    }

    /// Answers DELETE, or GET, with 405 from now on.
    pub fn refuses(&self, method: &str) {
        match method {
            "DELETE" => self.lock().no_delete = true,
            _ => self.lock().no_stream = true,
        }
    }

    /// Answers 503 to everything, or not any more.
    pub fn is_down(&self, down: bool) {
        self.lock().down = down;
    }

    /// Has one more tool.
    pub fn learns(&self, name: &str) {
        self.lock().tools.push(tool(name));
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        while let Some(seen) = read(&mut reader) {
            self.lock().seen.push(seen.clone());
            if self.answer(&seen, &mut stream).is_none() {
                break;
            }
        }
    }

    /// `None` if the connection is over.
    fn answer(&self, seen: &Seen, stream: &mut TcpStream) -> Option<()> {
        if self.lock().down {
            return reply(stream, 503, None, "{}");
        }
        let message = &seen.message;
        if seen.rpc() == "initialize" {
            return self.initialize(message, stream);
        }
        let Some(session) = seen.header("mcp-session-id") else { return reply(stream, 400, None, "{}") };
        if !self.lock().sessions.contains_key(session) {
            let gone = json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32001, "message": "Session not found"}});
            return reply(stream, 404, None, &gone.to_string());
        }
        match seen.method.as_str() {
            "DELETE" if self.lock().no_delete => reply(stream, 405, None, "{}"),
            "DELETE" => {
                self.hang_up(session);
                self.lock().sessions.remove(session);
                reply(stream, 200, None, "")
            }
            "GET" if self.lock().no_stream => reply(stream, 405, None, "{}"),
            "GET" => self.listen(session, seen.header("last-event-id"), stream),
            _ if message["method"].is_null() => {
                let mut state = self.lock();
                state.sessions.get_mut(session)?.answers.push(message.clone());
                drop(state);
                self.state.1.notify_all();
                reply(stream, 202, None, "")
            }
            _ if message["id"].is_null() => reply(stream, 202, None, ""),
            _ => self.call(session, message, stream),
        }
    }

    fn initialize(&self, message: &Value, stream: &mut TcpStream) -> Option<()> {
        let asked = message["params"]["protocolVersion"].as_str().unwrap_or_default().to_owned();
        let version = if asked.as_str() < "2025-11-25" { asked } else { "2025-06-18".to_owned() };
        let mut state = self.lock();
        state.next += 1;
        let id = format!("{}-own-session-{}", self.name, state.next);
        let own = Own { client: message["params"].clone(), version: version.clone(), ..Own::default() };
        state.sessions.insert(id.clone(), own);
        drop(state);
        let result = json!({"protocolVersion": version, "serverInfo": {"name": self.name, "version": "1"},
            "capabilities": {"tools": {"listChanged": true}, "resources": {"subscribe": true, "listChanged": true},
                "prompts": {"listChanged": true}, "logging": {}, "completions": {}}});
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        reply(stream, 200, Some(&id), &answer.to_string())
    }

    fn listen(&self, session: &str, last: Option<&str>, stream: &mut TcpStream) -> Option<()> {
        let (sender, receiver) = channel();
        let mut state = self.lock();
        state.next += 1;
        let number = state.next;
        let own = state.sessions.get_mut(session)?;
        if let Some(last) = last {
            let last: u64 = last.rsplit('-').next()?.parse().ok()?;
            for (number, text) in own.events.iter().filter(|(number, _)| *number > last) {
                let _ = sender.send(Some(event(*number, text)));
            }
        }
        own.streams.push((number, sender));
        drop(state);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes()).ok()?;
        let over = Self::pump(&receiver, stream);
        self.lock().sessions.get_mut(session)?.streams.retain(|(own, _)| *own != number);
        over
    }

    fn pump(receiver: &Receiver<Option<String>>, stream: &mut TcpStream) -> Option<()> {
        loop {
            match receiver.recv_timeout(Duration::from_millis(200)) {
                Ok(Some(text)) => chunk(stream, &text)?,
                Ok(None) | Err(RecvTimeoutError::Disconnected) => return stream.write_all(b"0\r\n\r\n").ok(),
                // a comment finds out whether somebody still listens
                Err(RecvTimeoutError::Timeout) => chunk(stream, ": \n\n")?,
            }
        }
    }

    fn call(&self, session: &str, message: &Value, stream: &mut TcpStream) -> Option<()> {
        let result = match message["method"].as_str()? {
            "tools/call" => return self.tool(session, message, stream),
            "tools/list" => json!({"tools": self.lock().tools}),
            "resources/list" => {
                json!({"resources": [{"uri": format!("{}://a", self.name), "name": "a"}]})
            }
            "resources/templates/list" => {
                json!({"resourceTemplates": [{"uriTemplate": format!("{}://{{id}}", self.name), "name": "t"}]})
            }
            "resources/read" => {
                json!({"contents": [{"uri": message["params"]["uri"], "text": format!("read in {session}")}]})
            }
            "prompts/list" => json!({"prompts": [{"name": format!("{}_prompt", self.name)}]}),
            "prompts/get" => {
                json!({"messages": [{"role": "user", "content": {"type": "text", "text": session}}]})
            }
            "completion/complete" => json!({"completion": {"values": [format!("of {}", self.name)]}}),
            "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" | "ping" => json!({}),
            _ => {
                let error = json!({"code": -32601, "message": "Method not found"});
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
                return reply(stream, 200, None, &answer.to_string());
            }
        };
        reply(
            stream,
            200,
            None,
            &json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string(),
        )
    }

    fn tool(&self, session: &str, message: &Value, stream: &mut TcpStream) -> Option<()> {
        let name = message["params"]["name"].as_str()?;
        let done = |text: String| {
            let result = json!({"content": [{"type": "text", "text": text}], "isError": false});
            json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string()
        };
        let question = match name.rsplit('_').next()? {
            "count" => {
                let mut state = self.lock();
                let own = state.sessions.get_mut(session)?;
                own.count += 1;
                let text = format!("{}: {}", self.name, own.count);
                drop(state);
                return reply(stream, 200, None, &done(text));
            }
            "ask" => json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create",
                "params": {"message": "Which one?", "requestedSchema": {"type": "object", "properties": {}},
                    "_meta": {"progressToken": 9}}}),
            "sample" => json!({"jsonrpc": "2.0", "id": "s-1", "method": "sampling/createMessage",
                "params": {"messages": [], "maxTokens": 1.50}}),
            _ => json!({"jsonrpc": "2.0", "method": "notifications/message",
                "params": {"level": "info", "data": "working"}}),
        };
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes()).ok()?;
        chunk(stream, &event(900, &question.to_string()))?;
        let answer = match &question["id"] {
            Value::Null => Value::Null,
            id => self.answered(session, id)?,
        };
        let text =
            if answer["result"].is_null() { answer["error"].clone() } else { answer["result"].clone() };
        chunk(stream, &event(901, &done(text.to_string())))?;
        stream.write_all(b"0\r\n\r\n").ok()
    }

    /// Waits for a client's answer.
    fn answered(&self, session: &str, id: &Value) -> Option<Value> {
        let found = |state: &State| {
            state.sessions.get(session)?.answers.iter().find(|answer| answer["id"] == *id).cloned()
        };
        let waiting = self
            .state
            .1
            .wait_timeout_while(self.lock(), Duration::from_secs(15), |state| found(state).is_none());
        let mut state = waiting.unwrap().0;
        let answer = found(&state)?;
        state.sessions.get_mut(session)?.answers.retain(|own| own["id"] != *id);
        Some(answer)
    }
}

fn event(number: u64, json: &str) -> String {
    format!("event: message\nid: e-{number}\ndata: {json}\n\n")
}

fn chunk(stream: &mut TcpStream, text: &str) -> Option<()> {
    stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).ok()
}

fn reply(stream: &mut TcpStream, status: u16, session: Option<&str>, body: &str) -> Option<()> {
    let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
    let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
    let head = format!("HTTP/1.1 {status} Answer\r\n{kind}{session}Content-Length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).ok()
}

fn read(reader: &mut impl BufRead) -> Option<Seen> {
    let worker::Seen { method, headers, body, .. } = worker::read(reader)?;
    Some(Seen { method, headers, message: serde_json::from_str(&body).unwrap_or_default() })
}
