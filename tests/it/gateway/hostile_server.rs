//! An MCP server that means no good: whatever it does to the gateway, each caller gets the right refusal in time, the
//! memory stays what it was, and connections are given back.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::channel;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::app::Builder;
use crate::support::http::{Live, Reply};
use crate::support::mcp::modern;
use crate::support::worker::{Seen, by_hand};
use crate::support::{Nodes, Stopwatch, TestApp, request, together};

const TIMEOUT: Duration = Duration::from_secs(3);
const JSON: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
/// More than any answer may be.
const MUCH: usize = 20 << 20;

fn write(stream: &mut TcpStream, text: &str) {
    // whom the answer does not please may have left
    let _ = stream.write_all(text.as_bytes());
}

fn whole(message: &str) -> String {
    format!("{JSON}Content-Length: {}\r\n\r\n{message}", message.len())
}

fn event(message: &str) -> String {
    format!("event: message\ndata: {message}\n\n")
}

/// A result that says `text`, to the request of this id.
fn says(id: &Value, text: &str) -> String {
    let content = json!([{"type": "text", "text": text}]);
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": content, "resultType": "complete"}}).to_string()
}

/// Progress of the call that was asked, under the token that it was given.
fn progress(asked: &Value) -> String {
    let params = json!({"progressToken": asked["params"]["_meta"]["progressToken"], "progress": 1});
    event(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}).to_string())
}

/// A text that is longer than any answer may be.
fn giant() -> &'static str {
    static GIANT: OnceLock<String> = OnceLock::new();
    GIANT.get_or_init(|| "a".repeat(MUCH))
}

/// Writes without an end, until nobody listens.
fn endlessly(stream: &mut TcpStream, head: &str, piece: &str, pause: Duration) {
    let mut open = stream.write_all(head.as_bytes()).is_ok();
    while open {
        open = stream.write_all(piece.as_bytes()).is_ok();
        std::thread::sleep(pause);
    }
}

/// What an honest server says of itself: it speaks the stateless revision and has one tool.
fn honest(asked: &Value) -> Option<String> {
    let tool = json!({"name": "list_meetings", "description": "Lies", "inputSchema": {"type": "object"}});
    let info = json!({"io.modelcontextprotocol/serverInfo": {"name": "hostile", "version": "1"}});
    let mut result = match asked["method"].as_str()? {
        "server/discover" => json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}),
        "tools/list" => json!({"tools": [tool]}),
        _ => return None,
    };
    for (name, value) in [
        ("resultType", json!("complete")),
        ("ttlMs", json!(0)),
        ("cacheScope", json!("private")),
        ("_meta", info),
    ] {
        result[name] = value;
    }
    Some(whole(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string()))
}

/// What it does to a call.
fn act(name: &str, asked: &Value, stream: &mut TcpStream) {
    let id = &asked["id"];
    let (other, error) = (json!("another"), json!({"code": -32603, "message": "both"}));
    let big = || says(id, "@").replace('@', giant());
    match name {
        "hangs" | "hangs in a stream" => {
            write(stream, if name == "hangs" { JSON } else { EVENTS });
            std::thread::sleep(TIMEOUT * 2);
        }
        "closes at once" => {}
        "closes in the head" => write(stream, JSON),
        "closes in the body" => write(stream, &format!("{JSON}Content-Length: 100\r\n\r\n{{\"jsonrpc\"")),
        "closes in the stream" => write(stream, &format!("{EVENTS}{}", progress(asked))),
        "closes in an event" => write(stream, &format!("{EVENTS}data: {{\"jsonrpc\":\"2.0\",")),
        "another id" => write(stream, &whole(&says(&other, "stolen"))),
        "another id in a stream" => write(stream, &format!("{EVENTS}{}", event(&says(&other, "stolen")))),
        "a null id" => write(stream, &whole(&says(&Value::Null, "stolen"))),
        "no message" => write(stream, &whole("[]")),
        "a batch" => write(stream, &whole(&format!("[{}]", says(id, "batched")))),
        "result and error" => {
            let both = json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}, "error": error});
            write(stream, &whole(&both.to_string()));
        }
        "a result that is none" => {
            write(stream, &whole(&json!({"jsonrpc": "2.0", "id": id, "result": "done"}).to_string()));
        }
        "a big answer" => write(stream, &whole(&big())),
        "a big event" => write(stream, &format!("{EVENTS}{}", event(&big()))),
        "a big notification" => {
            let said = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "@"}});
            let said = said.to_string().replace('@', giant());
            write(stream, &format!("{EVENTS}{}{}", event(&said), event(&says(id, "after it"))));
        }
        other => drown(other, asked, stream),
    }
}

fn drown(name: &str, asked: &Value, stream: &mut TcpStream) {
    let some = "a".repeat(64 << 10);
    match name {
        "endless progress" => endlessly(stream, EVENTS, &progress(asked), Duration::from_millis(20)),
        "a flood" => endlessly(stream, EVENTS, &progress(&Value::Null).repeat(500), Duration::ZERO),
        "a flood for the caller" => endlessly(stream, EVENTS, &progress(asked).repeat(500), Duration::ZERO),
        "a flood of comments" => endlessly(stream, EVENTS, &format!(": {some}\n\n"), Duration::ZERO),
        "an event without an end" => endlessly(stream, &format!("{EVENTS}data: "), &some, Duration::ZERO),
        "a body without an end" => endlessly(stream, &format!("{JSON}\r\n\""), &some, Duration::ZERO),
        other => panic!("{other}"),
    }
}

/// A flood ends when its time is over, or before that for its size.
const EITHER: &[&str] = &["upstream_timeout", "upstream_unavailable"];

/// What a caller is told of it.
const DEEDS: [(&str, &[&str]); 22] = [
    ("hangs", &["upstream_timeout"]),
    ("hangs in a stream", &["upstream_timeout"]),
    ("closes at once", &["upstream_unavailable"]),
    ("closes in the head", &["upstream_unavailable"]),
    ("closes in the body", &["upstream_unavailable"]),
    ("closes in the stream", &["upstream_unavailable"]),
    ("closes in an event", &["upstream_unavailable"]),
    ("another id", &["upstream_unavailable"]),
    ("another id in a stream", &["upstream_unavailable"]),
    ("a null id", &["upstream_unavailable"]),
    ("no message", &["upstream_unavailable"]),
    ("a batch", &["upstream_unavailable"]),
    ("result and error", &["upstream_unavailable"]),
    ("a result that is none", &["upstream_unavailable"]),
    ("a big answer", &["upstream_unavailable"]),
    ("a big event", &["upstream_unavailable"]),
    ("a big notification", &["upstream_unavailable"]),
    ("endless progress", &["upstream_timeout"]),
    ("a flood", EITHER),
    ("a flood of comments", EITHER),
    ("an event without an end", EITHER),
    ("a body without an end", EITHER),
];

/// A server before one that does what the arguments of a call say.
fn before(serve: impl Fn(&str, &Value, &mut TcpStream) + Send + Sync + 'static) -> Builder {
    let server = by_hand(move |seen: &Seen, stream| {
        let asked: Value = serde_json::from_str(&seen.body).unwrap_or_default();
        match (honest(&asked), asked["params"]["arguments"]["deed"].as_str()) {
            (Some(answer), _) => write(stream, &answer),
            (None, Some(deed)) => serve(deed, &asked, stream),
            (None, None) => {
                write(stream, "HTTP/1.1 405 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            }
        }
    });
    let mut builder = TestApp::builder()
        .with("upstream", &format!("timeout = \"{}ms\"\nunlisted = \"default\"", TIMEOUT.as_millis()));
    builder.toml = builder
        .toml
        .replace("kind = \"worker\"", "kind = \"mcp\"")
        .replace("catalog = \"tools.json\"\n", "")
        .replace("{worker}", &server);
    builder
}

fn call(deed: &str) -> Value {
    json!({"name": "list_meetings", "arguments": {"deed": deed}, "_meta": {"progressToken": "p"}})
}

/// The one answer of a reply, whether it is JSON or the end of a stream; nothing comes after it.
fn answer(reply: &Reply) -> Value {
    if reply.header("content-type") != Some("text/event-stream") {
        return reply.json();
    }
    let data = reply.text().lines().filter_map(|line| line.strip_prefix("data: "));
    let mut messages: Vec<Value> = data.filter_map(|text| serde_json::from_str(text).ok()).collect();
    let last = messages.pop().unwrap_or_default();
    assert!(messages.iter().all(|message| message.get("id").is_none()), "{messages:?}");
    last
}

/// The code of the refusal that a call ends with.
fn refused(reply: &Reply) -> String {
    assert_eq!(reply.status, 200, "{}", reply.text().chars().take(500).collect::<String>());
    let message = answer(reply);
    assert_eq!(message["id"], 7, "{message}");
    assert_eq!(message["result"]["isError"], true, "{message}");
    let text = message["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str::<Value>(text).unwrap()["code"].as_str().unwrap().to_owned()
}

/// Calls with both kinds of answer allowed, or JSON alone; how long it took.
fn ask(url: &str, token: &str, deed: &str, accept: &str) -> (Reply, Duration) {
    let began = Stopwatch::start();
    let (headers, body) = modern("tools/call", &call(deed), &[("accept", accept)]);
    let bearer = format!("Bearer {token}");
    let mut all = vec![("authorization", bearer.as_str())];
    all.extend(headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    (request("POST", url, &all, Some(&body)), began.elapsed())
}

const ACCEPTS: [&str; 2] = ["application/json, text/event-stream", "application/json"];

#[test]
fn whatever_a_server_does_each_caller_is_told_in_time() {
    let app = before(act).start();
    let token = app.pat(&app.person("ana"), &[]).token;
    // A few at a time: a flood of one takes the processor from the others.
    for deeds in DEEDS.chunks(3) {
        let replies = together(deeds.len() * ACCEPTS.len(), |index| {
            ask(&app.resource, &token, deeds[index / 2].0, ACCEPTS[index % 2])
        });
        for (index, (reply, took)) in replies.iter().enumerate() {
            let ((deed, codes), accept) = (deeds[index / 2], ACCEPTS[index % 2]);
            let found = refused(reply);
            assert!(codes.contains(&found.as_str()), "{deed} ({accept}): {found}");
            assert!(*took < TIMEOUT * 8, "{deed} ({accept}): {took:?}");
        }
    }
}

#[test]
fn of_all_that_a_server_answers_the_first_answer_to_the_question_counts() {
    let app = before(|deed, asked, stream| {
        let id = &asked["id"];
        let (own, other) = (event(&says(id, "mine")), event(&says(&json!("another"), "stolen")));
        let twice = event(&says(id, "again"));
        let asks = event(r#"{"jsonrpc":"2.0","id":"x","method":"roots/list"}"#);
        match deed {
            "two answers" => write(stream, &format!("{EVENTS}{own}{twice}")),
            "another's first" => write(stream, &format!("{EVENTS}{other}{own}")),
            "a request first" => write(stream, &format!("{EVENTS}{asks}{own}")),
            "it goes on" => endlessly(stream, &format!("{EVENTS}{own}"), &twice, Duration::from_millis(5)),
            other => panic!("{other}"),
        }
    })
    .start();
    let token = app.pat(&app.person("ana"), &[]).token;
    for deed in ["two answers", "another's first", "a request first", "it goes on"] {
        for accept in ACCEPTS {
            let (reply, took) = ask(&app.resource, &token, deed, accept);
            let message = answer(&reply);
            assert_eq!((&message["id"], message.get("error")), (&json!(7), None), "{deed}: {message}");
            assert_eq!(message["result"]["content"][0]["text"], "mine", "{deed}: {message}");
            let text = reply.text();
            assert!(!text.contains("stolen") && !text.contains("again"), "{deed}: {text}");
            assert!(!text.contains("roots/list"), "{deed}: a request in a stateless stream: {text}");
            assert!(took < TIMEOUT, "{deed}: {took:?}");
        }
    }
}

#[test]
fn who_goes_away_takes_the_servers_work_along() {
    let (tell, gone) = channel();
    let tell = Mutex::new(tell);
    let mut builder = before(move |_, asked, stream| {
        write(stream, &format!("{EVENTS}{}", progress(asked)));
        stream.set_read_timeout(Some(TIMEOUT * 4)).unwrap();
        let began = Stopwatch::start();
        let closed = matches!(stream.read(&mut [0]), Ok(0));
        let _ = tell.lock().unwrap().send((closed, began.elapsed()));
        let _ = stream.shutdown(Shutdown::Both);
    });
    builder.toml = builder.toml.replace(&format!("{}ms", TIMEOUT.as_millis()), "60s");
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    for _ in 0..5 {
        let (mut headers, body) = modern("tools/call", &call("waits"), &[]);
        headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut live = Live::post(&app.resource, &headers, &body);
        assert!(live.lines().any(|line| line.starts_with("data: ")), "its progress comes");
        drop(live);
        let (closed, took) = gone.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(closed && took < Duration::from_secs(2), "{closed} after {took:?}");
    }
}

/// A caller that asks for a flood, and reads none of it.
fn deaf(nodes: &Nodes, token: &str) -> TcpStream {
    let (headers, body) = modern("tools/call", &call("a flood for the caller"), &[]);
    let lines: String = headers.iter().flat_map(|(name, value)| [name, ": ", value, "\r\n"]).collect();
    let path = nodes.resource.strip_prefix(&nodes.base).unwrap();
    let mut stream = TcpStream::connect(nodes.authority()).unwrap();
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\n", nodes.authority());
    write!(stream, "{head}{lines}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
    stream
}

#[test]
fn floods_and_giants_take_no_memory() {
    let nodes: Nodes = before(act).nodes(1);
    let token = nodes.pat(&nodes.person("ana"), &[]).token;
    let deeds =
        ["a big event", "a big answer", "a flood", "an event without an end", "a body without an end"];
    let batter = || {
        let all = deeds.len() * ACCEPTS.len();
        for (reply, _) in
            together(all, |index| ask(&nodes.resource, &token, deeds[index / 2], ACCEPTS[index % 2]))
        {
            assert!(refused(&reply).starts_with("upstream_"));
        }
    };
    batter();
    let before = nodes.resident(0);
    assert!(before < 400, "{before} MiB");
    for _ in 0..3 {
        batter();
    }
    let after = nodes.resident(0);
    assert!(after - before < 96, "{after} MiB after {before} MiB");
    let callers: Vec<_> = (0..20).map(|_| deaf(&nodes, &token)).collect();
    std::thread::sleep(TIMEOUT / 2);
    let held = nodes.resident(0);
    assert!(held - after < 96, "{held} MiB after {after} MiB, for callers who do not read");
    drop(callers);
}
