//! A worker that lies: whatever it says, the client gets the right refusal, in every style, and soon.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::http::Reply;
use crate::support::worker::by_hand;
use crate::support::{Stopwatch, TestApp};

const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
const TIMEOUT: Duration = Duration::from_millis(1500);

fn write(stream: &mut TcpStream, text: &str) {
    // whom the answer does not please may have left
    let _ = stream.write_all(text.as_bytes());
}

fn whole(kind: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

/// Writes without an end, until nobody listens.
fn endlessly(stream: &mut TcpStream, head: &str, piece: &str, pause: Duration) {
    let mut open = stream.write_all(head.as_bytes()).is_ok();
    while open {
        open = stream.write_all(piece.as_bytes()).is_ok();
        std::thread::sleep(pause);
    }
}

/// What is no answer at all.
fn lie(name: &str, stream: &mut TcpStream, elsewhere: &str) {
    let json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    let result = "application/vnd.mcp.result+json";
    let much = "a".repeat(64 << 10);
    let none = Duration::ZERO;
    match name {
        "bad json" => write(stream, &whole("application/json", "{\"a\":")),
        "two values" => write(stream, &whole("application/json", "{} {}")),
        "nothing" => write(stream, &whole("application/json", "")),
        "a page" => write(stream, &whole("text/html", "<html>welcome</html>")),
        "no text" => {
            let _ = stream.write_all(&[json.as_bytes(), b"Content-Length: 3\r\n\r\n\"\xff\""].concat());
        }
        "a list for a result" => write(stream, &whole(result, "[1]")),
        "a text for a result" => write(stream, &whole(result, "\"done\"")),
        "a result with no content list" => write(stream, &whole(result, "{\"content\":\"done\"}")),
        "a result twice an error" => {
            write(stream, &whole(result, "{\"isError\":true,\"isError\":false}"));
        }
        "302" | "307" => {
            let head = format!("HTTP/1.1 {name} Away\r\nLocation: {elsewhere}/x\r\n");
            write(stream, &format!("{head}WWW-Authenticate: Bearer\r\nContent-Length: 2\r\n\r\n{{}}"));
        }
        "another protocol" => write(stream, "HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n{}"),
        "no http" => write(stream, "SSH-2.0-OpenSSH\r\n\r\n"),
        "two lengths" => write(stream, &format!("{json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}")),
        "a length and chunks" => {
            let head = format!("{json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n");
            write(stream, &format!("{head}2\r\n{{}}\r\n0\r\n\r\n"));
        }
        "many headers" => {
            write(stream, &format!("{json}{}Content-Length: 2\r\n\r\n{{}}", "X-A: b\r\n".repeat(9000)));
        }
        "a long header" => endlessly(stream, &format!("{json}X-A: "), &much, none),
        "nothing but 100s" => endlessly(stream, "", "HTTP/1.1 100 Continue\r\n\r\n", none),
        "an early end" => write(stream, &format!("{json}Content-Length: 100\r\n\r\n{{\"a\":1}}")),
        "an early end of chunks" => {
            write(stream, &format!("{json}Transfer-Encoding: chunked\r\n\r\n7\r\n{{\"a\":1}}\r\n"));
        }
        "much, announced" => {
            let length = 17 << 20;
            endlessly(stream, &format!("{json}Content-Length: {length}\r\n\r\n\""), &much, none);
        }
        "a length beyond measure" => {
            write(stream, &format!("{json}Content-Length: 18446744073709551615\r\n\r\n{{}}"));
        }
        other => drag(other, stream),
    }
}

/// What does not come to an end, or comes in events.
fn drag(name: &str, stream: &mut TcpStream) {
    let json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    let much = "a".repeat(64 << 10);
    let (none, little) = (Duration::ZERO, Duration::from_millis(40));
    match name {
        "an endless body" => endlessly(stream, &format!("{json}\r\n\""), &much, none),
        "endless chunks" => {
            let chunk = format!("10000\r\n{much}\r\n");
            endlessly(stream, &format!("{json}Transfer-Encoding: chunked\r\n\r\n"), &chunk, none);
        }
        "a silent head" => std::thread::sleep(TIMEOUT * 2),
        "a slow head" => endlessly(stream, json, "X", little),
        "a slow body" => endlessly(stream, &format!("{json}Content-Length: 9999\r\n\r\n"), " ", little),
        "a silent stream" => {
            write(stream, EVENTS);
            std::thread::sleep(TIMEOUT * 2);
        }
        "endless progress" => {
            endlessly(stream, EVENTS, "event: progress\ndata: {\"progress\":1}\n\n", little);
        }
        "a stream of garbage" => write(stream, &format!("{EVENTS}\0\u{7f}:::\nfoo bar\n\n\n\ndata\n\n")),
        "a result that is no json" => write(stream, &format!("{EVENTS}event: result\ndata: {{broken\n\n")),
        "a stream without an end of its event" => {
            endlessly(stream, &format!("{EVENTS}data: "), &much, none);
        }
        other => panic!("{other}"),
    }
}

const LIES: [(&str, &str); 34] = [
    ("bad json", "upstream_unavailable"),
    ("two values", "upstream_unavailable"),
    ("nothing", "upstream_unavailable"),
    ("a page", "upstream_unavailable"),
    ("no text", "upstream_unavailable"),
    ("a list for a result", "upstream_unavailable"),
    ("a text for a result", "upstream_unavailable"),
    ("a result with no content list", "upstream_unavailable"),
    ("a result twice an error", "upstream_unavailable"),
    ("302", "upstream_unavailable"),
    ("307", "upstream_unavailable"),
    ("another protocol", "upstream_unavailable"),
    ("no http", "upstream_unavailable"),
    ("two lengths", "upstream_unavailable"),
    ("a length and chunks", "upstream_unavailable"),
    ("many headers", "upstream_unavailable"),
    ("a long header", "upstream_unavailable"),
    ("nothing but 100s", "upstream_unavailable"),
    ("an early end", "upstream_unavailable"),
    ("an early end of chunks", "upstream_unavailable"),
    ("much, announced", "upstream_unavailable"),
    ("a length beyond measure", "upstream_unavailable"),
    ("an endless body", "upstream_unavailable"),
    ("endless chunks", "upstream_unavailable"),
    ("a silent head", "upstream_timeout"),
    ("a slow head", "upstream_timeout"),
    ("a slow body", "upstream_timeout"),
    ("a silent stream", "upstream_timeout"),
    ("endless progress", "upstream_timeout"),
    ("a stream of garbage", "upstream_unavailable"),
    ("a result that is no json", "upstream_unavailable"),
    ("a stream without an end of its event", "upstream_unavailable"),
    ("401", "upstream_unavailable"),
    ("407", "upstream_unavailable"),
];

/// A server in a style, before a worker that does what its arguments say.
fn styled(style: &str) -> TestApp {
    let elsewhere = by_hand(|_, _| panic!("a redirect was followed"));
    let worker = by_hand(move |seen, stream| {
        let asked: Value = serde_json::from_str(&seen.body).unwrap();
        if let Some(answer) = asked["answer"].as_str() {
            write(stream, answer);
            return;
        }
        match asked["lie"].as_str().unwrap() {
            status @ ("401" | "407") => {
                let page = "WWW-Authenticate: Basic realm=\"worker\"\r\nContent-Type: text/html\r\nContent-Length: 4";
                write(stream, &format!("HTTP/1.1 {status} No\r\n{page}\r\n\r\n<no>"));
            }
            name => lie(name, stream, &elsewhere),
        }
    });
    let millis = TIMEOUT.as_millis();
    let mut builder = TestApp::builder()
        .with("service", &format!("errors = \"{style}\""))
        .with("upstream", &format!("timeout = \"{millis}ms\""));
    builder.toml = builder.toml.replace("{worker}", &worker);
    builder.start()
}

/// The code of a refusal, wherever its style puts it; never a status that would send the client to a sign-in.
fn refusal(style: &str, reply: &Reply) -> Value {
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")), "{reply:?}");
    for header in ["www-authenticate", "proxy-authenticate", "location"] {
        assert_eq!(reply.header(header), None);
    }
    let message = reply.json();
    if style == "jsonrpc" {
        assert!(message.get("result").is_none(), "{message}");
        return message["error"]["data"]["code"].clone();
    }
    assert_eq!(message["result"]["isError"], true, "{message}");
    let text = message["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str::<Value>(text).unwrap()["code"].clone()
}

fn lies_in(style: &str) {
    let app = styled(style);
    let token = app.pat(&app.person("ana"), &[]).token;
    let replies = crate::support::together(LIES.len(), |index| {
        let began = Stopwatch::start();
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "list_meetings", "arguments": {"lie": LIES[index].0}}});
        let reply = app.rpc_with(&token, &[("accept", "application/json")], &call.to_string());
        (reply, began.elapsed())
    });
    for ((name, code), (reply, took)) in LIES.iter().zip(&replies) {
        assert_eq!(refusal(style, reply), *code, "{name}: {reply:?}");
        assert!(*took < TIMEOUT * 8, "{name}: {took:?}");
    }
    // A client that takes streams is answered in one where the worker began one.
    for (name, code) in
        [("a stream of garbage", "upstream_unavailable"), ("endless progress", "upstream_timeout")]
    {
        let reply = app.call(&token, "list_meetings", &json!({"lie": name}));
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/event-stream")));
        assert!(reply.text().contains(code), "{reply:?}");
    }
    let good = app.call(&token, "list_meetings", &json!({"answer": whole("application/json", "{\"a\":1}")}));
    assert_eq!(good.json()["result"]["content"][0]["text"], "{\"a\":1}", "and the truth still gets through");
}

#[test]
fn lies_are_told_from_answers_in_the_http_style() {
    lies_in("http");
}

#[test]
fn lies_are_told_from_answers_in_the_tool_style() {
    lies_in("tool");
}

#[test]
fn lies_are_told_from_answers_in_the_jsonrpc_style() {
    lies_in("jsonrpc");
}

#[test]
fn a_workers_own_no_is_its_own_and_never_a_challenge() {
    for style in ["http", "tool", "jsonrpc"] {
        let app = styled(style);
        let token = app.pat(&app.person("ana"), &[]).token;
        for status in [400, 401, 402, 403, 404, 407, 409, 422, 429, 451, 500, 503] {
            let no = format!("{{\"error\": \"no {status}\"}}");
            let head = "Connection: close\r\nWWW-Authenticate: Bearer realm=\"worker\"\r\nProxy-Authenticate: Basic\r\n";
            let answer = format!("HTTP/1.1 {status} No\r\n{head}Content-Length: {}\r\n\r\n{no}", no.len());
            let reply = app.call(&token, "list_meetings", &json!({"answer": answer}));
            for header in ["www-authenticate", "proxy-authenticate"] {
                assert_eq!(reply.header(header), None, "{status}");
            }
            let message = reply.json();
            let code = match status {
                400 | 422 => "invalid_arguments",
                404 => "resource_not_found",
                429 => "rate_limited",
                _ => "",
            };
            if style == "jsonrpc" && !code.is_empty() {
                assert_eq!(reply.status, if status == 429 { 429 } else { 200 }, "{reply:?}");
                assert_eq!(message["error"]["data"]["code"], code, "{message}");
                assert_eq!(message["error"]["message"], format!("no {status}"));
                continue;
            }
            let result = &message["result"];
            assert_eq!((reply.status, &result["content"][0]["text"]), (200, &json!(no)), "{style} {status}");
            assert_eq!(
                (&result["isError"], &result["_meta"]["io.portero/status"]),
                (&json!(true), &json!(status))
            );
        }
        // A sentence without an end is no message.
        let no = json!({"error": "n".repeat(1 << 20)}).to_string();
        let answer =
            format!("HTTP/1.1 422 No\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{no}", no.len());
        let reply = app.call(&token, "list_meetings", &json!({"answer": answer}));
        assert_eq!(reply.body.len() < 4096, style == "jsonrpc", "{}", reply.body.len());
    }
}

#[test]
fn of_two_results_the_first_counts() {
    let app = styled("http");
    let token = app.pat(&app.person("ana"), &[]).token;
    let answer = format!("{EVENTS}event: result\ndata: {{\"n\":1}}\n\nevent: result\ndata: {{\"n\":2}}\n\n");
    let reply = app.call(&token, "list_meetings", &json!({"answer": answer}));
    let events: Vec<_> = reply.text().lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!(events.len(), 1, "{events:?}");
    let event: Value = serde_json::from_str(events[0]).unwrap();
    assert_eq!(event["result"]["content"][0]["text"], "{\"n\":1}");
}
