//! Streams: what keeps them open, what ends them, and who is told.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::holds;
use crate::support::http::Live;
use crate::support::mcp::{PING, modern, streaming};
use crate::support::worker::{Seen, by_hand};
use crate::support::{Stopwatch, TestApp};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
const PROGRESS: &[u8] = b"event: progress\ndata: {\"progress\":1}\n\n";
const RESULT: &[u8] = b"event: result\ndata: {\"done\":true}\n\n";

/// A server before a worker that answers by hand.
fn before(timeout: &str, answer: impl Fn(&Seen, &mut TcpStream) + Send + Sync + 'static) -> TestApp {
    let mut builder = TestApp::builder().with("upstream", &format!("timeout = \"{timeout}\""));
    builder.toml = builder.toml.replace("{worker}", &by_hand(answer));
    builder.start()
}

fn open(app: &TestApp, token: &str, tool: &str) -> Live {
    let (headers, body) = streaming(token, tool);
    let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let live = Live::post(&app.resource, &headers, &body);
    assert_eq!(live.header("content-type"), Some("text/event-stream"));
    live
}

fn data(live: &mut Live) -> Vec<Value> {
    let lines = live.lines().filter_map(|line| line.strip_prefix("data: ").map(str::to_owned));
    lines.map(|text| serde_json::from_str(&text).unwrap()).collect()
}

fn first(live: &mut Live) -> Value {
    let found = live.lines().find_map(|line| line.strip_prefix("data: ").map(str::to_owned));
    serde_json::from_str(&found.expect("an event")).unwrap()
}

/// The code of the error that a stream ends with.
fn ended(answer: &Value) -> String {
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(5), &json!(true)), "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str::<Value>(text).unwrap()["code"].as_str().unwrap().to_owned()
}

/// Waits until the gateway closes its connection; false if it has not after `patience`.
fn is_closed(stream: &mut TcpStream, patience: Duration) -> bool {
    stream.set_read_timeout(Some(patience)).unwrap();
    match stream.read(&mut [0]) {
        Ok(read) => read == 0,
        Err(error) => !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut),
    }
}

#[test]
fn a_stream_ends_with_its_token_and_a_quiet_one_is_kept_open() {
    let app = before("30s", |_, stream| {
        stream.write_all(&[HEAD, PROGRESS].concat()).unwrap();
        is_closed(stream, Duration::from_secs(25));
    });
    let person = app.person("ana");
    let (revoked, kept) = (app.pat(&person, &[]), app.pat(&person, &[]));
    let began = Stopwatch::start();
    let mut quiet = open(&app, &kept.token, "list_meetings");
    let mut ending = open(&app, &revoked.token, "list_meetings");
    for live in [&mut quiet, &mut ending] {
        assert_eq!(first(live)["method"], "notifications/progress");
        holds("C205", "a stream says to proxies: do not store, change, pack or hold back", || {
            assert_eq!(live.header("cache-control"), Some("no-store, no-transform"));
            assert_eq!(live.header("x-accel-buffering"), Some("no"));
            assert_eq!(live.header("content-encoding"), None);
        });
        holds("N-171", "streams are no-store too", || {
            assert_eq!(live.header("vary"), Some("Authorization"));
        });
    }
    app.cli(&["token", "revoke", &revoked.id], None);
    let since = Stopwatch::start();
    let events = data(&mut ending);
    let check = || {
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(ended(&events[0]), "invalid_token");
        assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
        assert_eq!(app.rpc_with(&revoked.token, &[], PING).status, 401, "and the next request");
    };
    holds("B-09", "every request is checked, and an open stream every four seconds", check);
    holds("N-167", "a revoked caller's stream ends within five seconds", check);
    holds("C205", "a quiet stream gets a comment every 12 seconds", || {
        assert!(quiet.lines().any(|line| line.starts_with(':')));
        let waited = began.elapsed();
        assert!((8..20).contains(&waited.as_secs()), "{waited:?}");
    });
}

#[test]
fn a_client_that_does_not_read_holds_nothing_beyond_the_deadline() {
    let (send, told): (Sender<()>, Receiver<()>) = channel();
    let send = Mutex::new(send);
    let app = before("1s", move |_, stream| {
        let long =
            format!("event: progress\ndata: {{\"progress\":1,\"message\":\"{}\"}}\n\n", "a".repeat(4000));
        stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(HEAD).unwrap();
        while stream.write_all(long.as_bytes()).is_ok() {}
        send.lock().unwrap().send(()).unwrap();
    });
    let token = app.pat(&app.person("ana"), &[]).token;
    let mut live = open(&app, &token, "list_meetings");
    told.recv_timeout(Duration::from_secs(5)).expect("the worker is let go at the deadline");
    let events = data(&mut live);
    assert!(events.len() > 16, "what was under way: {}", events.len());
    assert_eq!(ended(events.last().unwrap()), "upstream_timeout", "and the answer after it");
}

#[test]
fn a_stream_ends_with_an_answer_whatever_the_worker_does() {
    let app = before("10s", |seen, stream| match seen.body.as_str() {
        r#"{"then":"die"}"# => stream.write_all(&[HEAD, PROGRESS].concat()).unwrap(),
        r#"{"then":"nothing"}"# => {}
        r#"{"then":"much"}"# => {
            let much = format!("event: result\ndata: {{\"x\":\"{}\"}}\n\n", "a".repeat(20 << 20));
            let _ = stream.write_all(&[HEAD, much.as_bytes()].concat());
        }
        other => panic!("{other}"),
    });
    let token = app.pat(&app.person("ana"), &[]).token;
    let ask = |then: &str, accept: &str| {
        let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params":
            {"name": "list_meetings", "arguments": {"then": then}, "_meta": {"progressToken": "p"}}});
        let bearer = format!("Bearer {token}");
        let headers =
            [("authorization", bearer.as_str()), ("content-type", "application/json"), ("accept", accept)];
        Live::post(&app.resource, &headers, &call.to_string())
    };
    holds("C208", "an upstream that dies in its stream leaves an error event for the pending id", || {
        let events = data(&mut ask("die", "application/json, text/event-stream"));
        assert_eq!(events.len(), 2, "{events:?}");
        assert_eq!(ended(&events[1]), "upstream_unavailable");
    });
    holds(
        "C208",
        "one that dies before its answer, or to a client of JSON: isError (contract: refusals)",
        || {
            for then in ["die", "nothing"] {
                let mut live = ask(then, "application/json");
                assert_eq!(live.header("content-type"), Some("application/json"));
                let answer: Value = serde_json::from_str(&live.lines().collect::<String>()).unwrap();
                assert_eq!(ended(&answer), "upstream_unavailable");
            }
        },
    );
    holds("C207", "more than 16 MiB in one event is an error event, not a cut stream", || {
        let events = data(&mut ask("much", "application/json, text/event-stream"));
        assert_eq!(events.len(), 1);
        assert_eq!(ended(&events[0]), "upstream_unavailable");
    });
}

#[test]
fn who_leaves_cancels_in_the_stateless_revision_alone() {
    let (send, told) = channel();
    let (arrived, called) = channel();
    let (send, arrived) = (Mutex::new(send), Mutex::new(arrived));
    let app = before("20s", move |_, stream| {
        arrived.lock().unwrap().send(()).unwrap();
        stream.write_all(&[HEAD, PROGRESS].concat()).unwrap();
        send.lock().unwrap().send(is_closed(stream, Duration::from_secs(2))).unwrap();
        let _ = stream.write_all(RESULT);
    });
    let token = app.pat(&app.person("ana"), &[]).token;
    holds("C210", "notifications/cancelled is 202 and the call is answered (rules: dispatch)", || {
        let mut live = open(&app, &token, "list_meetings");
        assert_eq!(first(&mut live)["method"], "notifications/progress");
        let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
        assert_eq!(app.rpc_with(&token, &[], cancelled).status, 202);
        assert!(!told.recv_timeout(Duration::from_secs(10)).unwrap(), "the worker is heard to the end");
        assert_eq!(first(&mut live)["result"]["isError"], false);
    });
    holds("C210", "up to 2025-11-25 a client that leaves cancels nothing (rules: dispatch)", || {
        let mut live = open(&app, &token, "list_meetings");
        first(&mut live);
        drop(live);
        assert!(!told.recv_timeout(Duration::from_secs(10)).unwrap());
    });
    holds(
        "C210",
        "in 2026-07-28 a client that closes its stream, or does not wait, cancels the worker",
        || {
            while called.try_recv().is_ok() {}
            for accept in ["application/json, text/event-stream", "application/json"] {
                let call = json!({"name": "list_meetings", "arguments": {}, "_meta": {"progressToken": "p"}});
                let bearer = format!("Bearer {token}");
                let over =
                    [("authorization", bearer.as_str()), ("accept", accept), ("host", app.authority())];
                let (headers, body) = modern("tools/call", &call, &over);
                let lines: String =
                    headers.iter().flat_map(|(name, value)| [name.as_str(), ": ", value, "\r\n"]).collect();
                let mut client = TcpStream::connect(app.authority()).unwrap();
                let path = app.resource.strip_prefix(&app.base).unwrap();
                let length = body.len();
                write!(client, "POST {path} HTTP/1.1\r\n{lines}content-length: {length}\r\n\r\n{body}")
                    .unwrap();
                called.recv_timeout(Duration::from_secs(10)).unwrap();
                drop(client);
                assert!(told.recv_timeout(Duration::from_secs(10)).unwrap(), "{accept}");
            }
        },
    );
}

#[test]
fn a_call_has_a_deadline() {
    let (send, told) = channel();
    let send = Mutex::new(send);
    let app = before("300ms", move |_, stream| {
        send.lock().unwrap().send(is_closed(stream, Duration::from_secs(5))).unwrap();
    });
    let token = app.pat(&app.person("ana"), &[]).token;
    holds(
        "C211",
        "a call ends at its configured deadline, 30 s by default, and leaves nothing behind",
        || {
            let began = Stopwatch::start();
            let reply = app.call(&token, "list_meetings", &json!({}));
            let text = reply.json()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["code"], "upstream_timeout");
            assert!(told.recv_timeout(Duration::from_secs(5)).unwrap(), "its connection is closed");
            assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
            assert_eq!(
                TestApp::start().app.config.service[0].upstream[0].timeout.get(),
                Duration::from_secs(30)
            );
        },
    );
}
