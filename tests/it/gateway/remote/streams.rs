//! Answers that come as streams: passed on as they come, under the caller's own names, and given up when it is.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::{SOON, started, within};
use crate::support::http::{Live, Reply};
use crate::support::mcp::{modern, streaming};
use crate::support::peer::{Kind, Peer, event, events, is_left};
use crate::support::{Stopwatch, TestApp};

/// The messages of a stream.
fn messages(reply: &Reply) -> Vec<Value> {
    assert_eq!(reply.header("content-type"), Some("text/event-stream"), "{reply:?}");
    let lines = reply.text().lines().filter_map(|line| line.strip_prefix("data: "));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn stream(app: &TestApp, token: &str, tool: &str) -> Reply {
    let (headers, body) = streaming(token, tool);
    let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    crate::support::request("POST", &app.resource, &headers, Some(&body))
}

fn live(app: &TestApp, headers: &[(String, String)], body: &str) -> Live {
    let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    Live::post(&app.resource, &headers, body)
}

#[test]
fn progress_is_told_under_the_callers_token_and_nobody_elses() {
    for kind in [Kind::modern(), Kind::with_sessions()] {
        let peer = Peer::start(kind);
        peer.calls(|heard, stream| {
            let token = &heard.message["params"]["_meta"]["progressToken"];
            let progress = |token: &Value, n: u32| {
                json!({"jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": token, "progress": n, "total": 2, "message": "m", "x": 1}})
                .to_string()
            };
            events(stream);
            // an event without data opens a stream that can be taken up again
            let _ = std::io::Write::write_all(stream, b"id: 1\ndata:\n\n: still here\n\n");
            event(stream, &progress(token, 1));
            event(stream, &progress(&json!("another"), 9));
            event(stream, &progress(token, 2));
            event(
                stream,
                &json!({"jsonrpc": "2.0", "id": "foreign", "result": {"content": [1]}}).to_string(),
            );
            event(
                stream,
                &heard.result(
                    &json!({"content": [{"type": "text", "text": "done"}], "resultType": "complete"}),
                ),
            );
            event(stream, &heard.result(&json!({"content": [{"type": "text", "text": "again"}]})));
        });
        let (app, token) = started(&peer);
        let got = messages(&stream(&app, &token, "read_note"));
        let progress = |n: u32| {
            json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": "p", "progress": n, "total": 2, "message": "m"}})
        };
        assert_eq!(got.len(), 3, "{got:?}");
        assert_eq!((&got[0], &got[1]), (&progress(1), &progress(2)));
        assert_eq!((&got[2]["id"], &got[2]["result"]["content"][0]["text"]), (&json!(5), &json!("done")));
        // for a client that takes no stream, only the end counts
        let whole = app.post_exactly(
            &token,
            &[("content-type", "application/json"), ("accept", "application/json")],
            &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "read_note"}})
                .to_string(),
        );
        assert_eq!(whole.json()["result"]["content"][0]["text"], "done");
    }
}

/// 2026-07-28: no log lines unless the request asks for them, and then from its level on.
#[test]
fn log_lines_are_for_those_who_ask() {
    let peer = Peer::start(Kind::stateless());
    peer.calls(|heard, stream| {
        events(stream);
        for level in ["debug", "warning", "nonsense"] {
            let line = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": level, "data": 1}});
            event(stream, &line.to_string());
        }
        event(stream, &heard.result(&json!({"content": []})));
        let _ = stream.shutdown(std::net::Shutdown::Both);
    });
    let (app, token) = started(&peer);
    let levels = |got: Vec<Value>| -> Vec<Value> {
        got.iter()
            .filter(|one| one.get("method").is_some())
            .map(|one| one["params"]["level"].clone())
            .collect()
    };
    assert_eq!(levels(messages(&stream(&app, &token, "read_note"))), ["debug", "warning"]);
    let asked =
        |meta: Value| app.modern(&token, "tools/call", &json!({"name": "read_note", "_meta": meta}), &[]);
    assert_eq!(levels(messages(&asked(json!({})))), Vec::<Value>::new());
    let info = asked(json!({"io.modelcontextprotocol/logLevel": "info"}));
    assert_eq!(levels(messages(&info)), ["warning"]);
}

#[test]
fn what_a_server_asks_is_answered_with_a_no() {
    let peer = Peer::start(Kind::with_sessions());
    let answers: Arc<Mutex<Vec<Value>>> = Arc::default();
    let kept = Arc::clone(&answers);
    peer.script(move |heard, stream| {
        if heard.verb == "POST" && heard.message.get("method").is_none() {
            kept.lock().unwrap().push(heard.message.clone());
        }
        let call = heard.method() == "tools/call";
        if call {
            events(stream);
            event(stream, r#"{"jsonrpc":"2.0","id":41,"method":"ping"}"#);
            event(stream, r#"{"jsonrpc":"2.0","id":42,"method":"sampling/createMessage","params":{}}"#);
            let watch = Stopwatch::start();
            while kept.lock().unwrap().len() < 2 && watch.elapsed() < Duration::from_secs(3) {
                std::thread::sleep(Duration::from_millis(10));
            }
            event(stream, &heard.result(&json!({"content": []})));
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        call
    });
    let (app, token) = started(&peer);
    assert_eq!(messages(&stream(&app, &token, "read_note")).len(), 1);
    let mut answers = answers.lock().unwrap().clone();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!((&answers[0]["id"], &answers[0]["result"]), (&json!(41), &json!({})));
    assert_eq!((&answers[1]["id"], &answers[1]["error"]["code"]), (&json!(42), &json!(-32601)));
}

/// Holds a call open, and notes when its connection is closed.
fn held(kind: Kind) -> (Peer, Arc<Mutex<Option<bool>>>) {
    let peer = Peer::start(kind);
    let left: Arc<Mutex<Option<bool>>> = Arc::default();
    let kept = Arc::clone(&left);
    peer.calls(move |_, stream| {
        events(stream);
        event(
            stream,
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"begun"}}"#,
        );
        *kept.lock().unwrap() = Some(is_left(stream, Duration::from_secs(5)));
    });
    (peer, left)
}

#[test]
fn a_stateless_client_that_leaves_gives_its_call_up() {
    for kind in [Kind::modern(), Kind::with_sessions()] {
        let is_legacy = !kind.modern;
        let (peer, left) = held(kind);
        let (app, token) = started(&peer);
        let params = json!({"name": "read_note", "_meta": {"io.modelcontextprotocol/logLevel": "info"}});
        let (mut headers, body) = modern("tools/call", &params, &[]);
        headers.push(("authorization".into(), format!("Bearer {token}")));
        let mut client = live(&app, &headers, &body);
        assert!(client.lines().any(|line| line.contains("begun")));
        drop(client);
        let seen = within(SOON, "the server sees it", || *left.lock().unwrap());
        assert!(seen);
        if is_legacy {
            let told = within(SOON, "the server is told", || peer.of("notifications/cancelled").pop());
            assert_eq!(told.message["params"]["requestId"], peer.last("tools/call").message["id"]);
            assert_eq!(told.header("mcp-session-id"), peer.last("tools/call").header("mcp-session-id"));
        } else {
            assert!(peer.of("notifications/cancelled").is_empty());
        }
    }
}

#[test]
fn an_older_client_gives_up_by_saying_so_and_only_its_own() {
    let (peer, left) = held(Kind::with_sessions());
    let (app, token) = started(&peer);
    let other = app.pat(&app.person("bea"), &[]).token;
    let (headers, body) = streaming(&token, "read_note");
    let mut client = live(&app, &headers, &body);
    assert!(client.lines().any(|line| line.contains("begun")));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}});
    assert_eq!(app.rpc(&other, &cancel).status, 202);
    let another =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "5"}});
    assert_eq!(app.rpc(&token, &another).status, 202);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(*left.lock().unwrap(), None, "another's word, another id");
    assert_eq!(app.rpc(&token, &cancel).status, 202);
    let rest: Vec<_> = client.lines().filter(|line| line.starts_with("data:")).collect();
    assert_eq!(rest, Vec::<String>::new(), "the stream ends without a result");
    assert!(within(SOON, "the server sees it", || *left.lock().unwrap()));
    let told = within(SOON, "the server is told", || peer.of("notifications/cancelled").pop());
    assert_eq!(told.message["params"]["requestId"], peer.last("tools/call").message["id"]);
}

#[test]
fn two_calls_of_one_id_are_not_told_apart_and_both_go_on() {
    let (peer, left) = held(Kind::stateless());
    let (app, token) = started(&peer);
    let (headers, body) = streaming(&token, "read_note");
    let mut clients = [live(&app, &headers, &body), live(&app, &headers, &body)];
    assert!(clients.iter_mut().all(|client| client.lines().any(|line| line.contains("begun"))));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}});
    assert_eq!(app.rpc(&token, &cancel).status, 202);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(*left.lock().unwrap(), None);
    drop(clients);
}
