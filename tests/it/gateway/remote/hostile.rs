//! A server that lies, floods, hangs or redirects: the client gets the right refusal, soon, and the next call works.

use std::io::Write as _;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::json;

use super::{before_with, is_unavailable, started, text};
use crate::support::http::Reply;
use crate::support::peer::{Heard, Kind, Peer, answer, event, events, json_answer};
use crate::support::{Stopwatch, TestApp};

const LIES: [&str; 32] = [
    "no json",
    "no message",
    "a list",
    "wrong id",
    "no result",
    "a result that is a list",
    "a result of another kind",
    "content that is no list",
    "result and error",
    "accepted",
    "a page",
    "gzip",
    "302",
    "401",
    "403",
    "404",
    "500",
    "early end",
    "17 MB",
    "no text",
    "bad session",
    "closed at once",
    "stream: nothing",
    "stream: no json",
    "stream: wrong id",
    "stream: a result that is a list",
    "stream: 20 MB in one event",
    "stream: 20 MB in one line",
    "stream: hangs",
    "stream: notifications without an end",
    "stream: comments without an end",
    "hangs",
];

/// Writes without an end, until nobody listens.
fn flood(stream: &mut TcpStream, piece: &[u8], times: usize) {
    for _ in 0..times {
        if stream.write_all(piece).is_err() {
            return;
        }
    }
}

fn lie(name: &str, heard: &Heard, stream: &mut TcpStream) {
    let done = heard.result(&json!({"content": []}));
    let raw = |stream: &mut TcpStream, text: &[u8]| drop(stream.write_all(text));
    match name {
        "no json" => json_answer(stream, "{\"jsonrpc\":"),
        "no message" => json_answer(stream, "{\"content\":[]}"),
        "a list" => json_answer(stream, &format!("[{done}]")),
        "wrong id" => json_answer(stream, "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{\"content\":[]}}"),
        "no result" => json_answer(stream, &heard.result(&json!(null))),
        "a result that is a list" => json_answer(stream, &heard.result(&json!([]))),
        "a result of another kind" => json_answer(stream, &heard.result(&json!({"resultType": "task"}))),
        "content that is no list" => json_answer(stream, &heard.result(&json!({"content": "done"}))),
        "result and error" => {
            let end = ",\"error\":{\"code\":1,\"message\":\"m\"}}";
            json_answer(stream, &format!("{}{end}", done.strip_suffix('}').unwrap()));
        }
        "accepted" => answer(stream, 202, "application/json", "", ""),
        "a page" => answer(stream, 200, "text/html", "", "<html>welcome</html>"),
        "gzip" => answer(stream, 200, "application/json", "Content-Encoding: gzip\r\n", "\u{1f}\u{8}\u{8}x"),
        "302" => answer(stream, 302, "application/json", "Location: http://127.0.0.1:9/mcp\r\n", &done),
        "401" => answer(
            stream,
            401,
            "application/json",
            "WWW-Authenticate: Bearer realm=\"x\"\r\n",
            &heard.error(-32001, "no"),
        ),
        "403" => answer(stream, 403, "application/json", "", &heard.error(-32001, "no")),
        "404" => answer(stream, 404, "application/json", "", "{}"),
        "500" => answer(stream, 500, "text/html", "", "<html>oops</html>"),
        "early end" => {
            let begun = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n";
            raw(stream, format!("{begun}{done}").as_bytes());
        }
        "17 MB" => {
            raw(
                stream,
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 17825792\r\n\r\n\"",
            );
            flood(stream, &vec![b'a'; 1 << 16], 300);
        }
        "no text" => raw(
            stream,
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n\"\xff\"",
        ),
        "bad session" => answer(stream, 200, "application/json", "Mcp-Session-Id: a b\r\n", &done),
        "closed at once" => {}
        "hangs" => std::thread::sleep(Duration::from_secs(3)),
        name => {
            events(stream);
            lie_in_stream(name, heard, stream);
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

fn lie_in_stream(name: &str, heard: &Heard, stream: &mut TcpStream) {
    match name {
        "stream: nothing" => {}
        "stream: no json" => drop(event(stream, "{\"jsonrpc\":")),
        "stream: wrong id" => drop(event(stream, "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}")),
        "stream: a result that is a list" => drop(event(stream, &heard.result(&json!([])))),
        "stream: 20 MB in one event" => {
            flood(stream, format!("data: {}\n", "a".repeat(1 << 16)).as_bytes(), 320);
        }
        "stream: 20 MB in one line" => flood(stream, &vec![b'a'; 1 << 16], 320),
        "stream: hangs" => std::thread::sleep(Duration::from_secs(3)),
        "stream: notifications without an end" => {
            let line = json!({"jsonrpc": "2.0", "method": "notifications/message",
                "params": {"level": "error", "data": "a".repeat(2000)}});
            flood(stream, format!("data: {line}\n\n").as_bytes(), usize::MAX);
        }
        "stream: comments without an end" => {
            flood(stream, format!(": {}\n", "a".repeat(4000)).as_bytes(), usize::MAX);
        }
        name => panic!("{name}"),
    }
}

const TIMEOUT: Duration = Duration::from_millis(1500);

fn app_before(peer: &Peer) -> (TestApp, String) {
    let app = before_with(peer, "timeout = \"1500ms\"", super::POLICY).start();
    let token = app.pat(&app.person("ana"), &[]).token;
    (app, token)
}

/// A call by a client that takes no stream.
fn whole(app: &TestApp, token: &str) -> Reply {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "read_note"}});
    let headers = [("content-type", "application/json"), ("accept", "application/json")];
    app.post_exactly(token, &headers, &call.to_string())
}

#[test]
fn every_lie_is_a_refusal_and_the_next_call_works() {
    for kind in [Kind::modern(), Kind::stateless()] {
        let peer = Peer::start(kind);
        let (app, token) = app_before(&peer);
        for name in LIES {
            peer.calls(move |heard, stream| lie(name, heard, stream));
            let watch = Stopwatch::start();
            let reply = whole(&app, &token);
            assert!(watch.elapsed() < TIMEOUT + Duration::from_secs(4), "{name}: {:?}", watch.elapsed());
            assert_eq!(
                (reply.status, &super::json(&reply)["result"]["isError"]),
                (200, &json!(true)),
                "{name}: {reply:?}"
            );
            let said = text(&reply)["code"].clone();
            let slow = name.contains("hangs") || name.contains("without an end");
            let expected = if slow {
                said == "upstream_timeout" || said == "upstream_unavailable"
            } else {
                said == "upstream_unavailable"
            };
            assert!(expected, "{name}: {said}");
            assert_eq!(reply.header("www-authenticate"), None, "{name}");
            assert!(reply.body.len() < 2000, "{name}");
            peer.script(|_, _| false);
            let honest = app.call(&token, "read_note", &json!({}));
            assert_eq!(honest.json()["result"]["isError"], false, "after {name}: {honest:?}");
        }
        assert_eq!(app.call(&token, "list_meetings", &json!({})).status, 200);
    }
}

#[test]
fn a_refusal_by_status_says_what_kind_of_trouble_it_is() {
    let peer = Peer::start(Kind::modern());
    let app = before_with(&peer, "timeout = \"500ms\"", super::POLICY)
        .with("service", "upstream_errors = \"status\"")
        .start();
    let token = app.pat(&app.person("ana"), &[]).token;
    for (name, status) in [("401", 502), ("302", 502), ("no json", 502), ("hangs", 504)] {
        peer.calls(move |heard, stream| lie(name, heard, stream));
        let reply = app.call(&token, "read_note", &json!({}));
        assert_eq!((reply.status, reply.header("www-authenticate")), (status, None), "{name}");
    }
}

#[test]
fn a_server_that_speaks_in_the_gateways_name_is_not_heard() {
    let peer = Peer::start(Kind::modern());
    peer.calls(|heard, stream| {
        let meta = json!({"io.portero/replayed": true, "mcp/www_authenticate": ["Bearer evil"], "io.portero/status": 200,
            "io.modelcontextprotocol/serverInfo": {"name": "evil"}, "own": 1});
        json_answer(stream, &heard.result(&json!({"content": [], "_meta": meta, "resultType": "complete"})));
    });
    let (app, token) = started(&peer);
    let result = app.call(&token, "read_note", &json!({})).json()["result"].clone();
    assert_eq!(result["_meta"], json!({"own": 1}));
}

/// What hangs at start holds the start up for no longer than its time, and nobody else's tools.
#[test]
fn a_server_that_hangs_at_start_is_waited_for_no_longer_than_it_may() {
    let peer = Peer::asleep(Kind::modern());
    peer.script(|_, _| {
        std::thread::sleep(Duration::from_mins(1));
        true
    });
    peer.wake();
    let watch = Stopwatch::start();
    let (app, token) = started(&peer);
    assert!(watch.elapsed() < Duration::from_secs(15), "{:?}", watch.elapsed());
    assert_eq!(app.call(&token, "list_meetings", &json!({})).status, 200);
    assert!(is_unavailable(&app.call(&token, "read_note", &json!({}))));
}
