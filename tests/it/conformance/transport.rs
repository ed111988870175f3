//! Streamable HTTP as clients of the field use it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use super::holds;
use crate::support::http::{head, request};
use crate::support::mcp::{LIST, PING, code};
use crate::support::{Reply, Stopwatch, TestApp};

const JSON: (&str, &str) = ("content-type", "application/json");
const STRUCTURED: &str = "[service.tool.about]\nscopes = [\"mico:read\"]\nstructured = true";
const ABOUT: &str = r#",
  {"name": "about", "description": "Says what this is", "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": true}}]"#;

fn with_about() -> TestApp {
    let builder = TestApp::builder().with("tail", STRUCTURED);
    let tools = builder.text("tools.json").trim_end().strip_suffix(']').unwrap().to_owned();
    builder.file("tools.json", &format!("{tools}{ABOUT}")).start()
}

fn path(app: &TestApp) -> &str {
    app.resource.strip_prefix(&app.base).unwrap()
}

fn pinged(reply: &Reply) {
    assert_eq!((reply.status, reply.json()), (200, json!({"jsonrpc": "2.0", "id": 1, "result": {}})));
}

#[test]
fn what_is_no_post_is_a_challenge_or_405() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let bearer = format!("Bearer {token}");
    holds("C171", "an anonymous GET, whatever it accepts, is 401 with the challenge", || {
        for headers in [
            &[("mcp-protocol-version", "2024-11-05")][..],
            &[("accept", "text/event-stream"), ("mcp-protocol-version", "2031-01-01")],
            &[("accept", "image/png")],
            &[("accept", "text/html"), ("content-type", "text/plain")],
        ] {
            let reply = request("GET", &app.resource, headers, None);
            assert_eq!(reply.status, 401, "{headers:?}");
            let challenge = reply.header("www-authenticate").unwrap();
            assert!(challenge.starts_with("Bearer resource_metadata=\"http"), "{challenge}");
            assert_eq!(reply.header("content-type"), Some("application/json"));
        }
    });
    let get = request(
        "GET",
        &app.resource,
        &[("authorization", bearer.as_str()), ("accept", "text/event-stream"), ("last-event-id", "5")],
        None,
    );
    let refused = |reply: &Reply| {
        assert_eq!((reply.status, reply.header("allow")), (405, Some("POST, OPTIONS")), "{reply:?}");
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert!(reply.body.len() < 500, "{reply:?}");
    };
    holds("C172", "an authenticated GET is 405 with Allow and a small JSON body", || refused(&get));
    holds("C174", "no idle stream is opened, so none is closed: GET is 405", || refused(&get));
    holds("C213", "the old transport is not fallen back to: GET is 405 and a refused POST is 401", || {
        refused(&get);
        assert_eq!(app.rpc_with("x", &[], PING).status, 401);
        assert_eq!(app.rpc_with("", &[], PING).status, 401);
        for (body, status) in [("{", 400), (r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, 200)] {
            assert_eq!(app.rpc_with(&token, &[], body).status, status, "{body}");
        }
    });
    holds("C181", "DELETE is 401 without a token, and 405 with one where no upstream keeps sessions", || {
        let session = ("mcp-session-id", "s");
        assert_eq!(request("DELETE", &app.resource, &[session], None).status, 401);
        refused(&request("DELETE", &app.resource, &[session, ("authorization", &bearer)], None));
    });
    holds("C177", "a call without initialize and without a session is answered", || {
        let reply = app.call(&token, "list_meetings", &json!({}));
        assert_eq!((reply.status, &reply.json()["result"]["isError"]), (200, &json!(false)));
    });
}

#[test]
fn each_message_gets_its_kind_of_answer() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    holds("C183", "notifications and responses are 202 with no body and no type", || {
        for body in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32601,"message":"no"}}"#,
        ] {
            let reply = app.rpc_with(&token, &[("mcp-protocol-version", "2025-11-25")], body);
            assert_eq!((reply.status, reply.body.len()), (202, 0), "{body}");
            assert_eq!((reply.header("content-length"), reply.header("content-type")), (Some("0"), None));
        }
    });
    holds("C184", "a request is never 202: it gets JSON or events", || {
        let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params":
            {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
        for body in [initialize.to_string().as_str(), PING, LIST, r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#]
        {
            for (accept, kind) in
                [("application/json", "application/json"), ("text/event-stream", "text/event-stream")]
            {
                let reply = app.rpc_with(&token, &[("accept", accept)], body);
                assert_eq!((reply.status, reply.header("content-type")), (200, Some(kind)), "{body}");
            }
        }
    });
    holds("C198", "ping is answered at any time", || {
        pinged(&app.rpc_with(&token, &[], PING));
        pinged(&app.rpc_with(&token, &[("mcp-protocol-version", "2025-06-18")], PING));
    });
}

#[test]
fn what_is_no_message_is_400() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    holds("C196", "no JSON is -32700, no message is -32600, both 400 with id null", || {
        for (body, number) in [
            (r#"{"jsonrpc":"2.0","#, -32700),
            ("", -32700),
            ("{} {}", -32700),
            ("\u{feff}{}", -32700),
            (r#""str""#, -32600),
            ("1", -32600),
            ("null", -32600),
            (r#"{"method":1}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        ] {
            let reply = app.rpc_with(&token, &[], body);
            assert_eq!((reply.status, code(&reply)), (400, Some(number)), "{body}");
            assert_eq!(reply.json()["id"], Value::Null, "{body}");
            assert_eq!(reply.header("content-type"), Some("application/json"));
        }
    });
    holds("C195", "a batch is 400 -32600 in every revision, and no message of it is looked at", || {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_meetings"}}"#;
        for version in ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
            for body in [format!("[{call}]"), format!("[{PING},{call}]"), "[]".to_owned()] {
                let reply = app.rpc_with(&token, &[("mcp-protocol-version", version)], &body);
                assert_eq!((reply.status, code(&reply)), (400, Some(-32600)), "{version} {body}");
                assert_eq!(reply.json()["id"], Value::Null);
            }
        }
        assert!(app.worker.seen().is_empty());
    });
}

#[test]
fn media_types_are_read_by_their_essence_and_written_exactly() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    holds("C186", "application/json in any case and with parameters; anything else, or none, is 415", || {
        for kind in
            ["application/json; charset=utf-8", "Application/JSON", "application/json;charset=\"utf-8\""]
        {
            pinged(&app.post_exactly(&token, &[("content-type", kind)], PING));
        }
        for kind in
            ["application/json-rpc", "text/plain", "application/jsonp", "application/json, text/plain", ""]
        {
            let headers = [("content-type", kind)];
            let reply = app.post_exactly(&token, if kind.is_empty() { &[] } else { &headers }, PING);
            assert_eq!((reply.status, reply.json()["code"].as_str()), (415, Some("unsupported_media_type")));
            assert_eq!(
                (reply.header("content-type"), code(&reply)),
                (Some("application/json"), Some(-32600))
            );
        }
    });
    holds("C202", "a compressed body is 415 in JSON, and nothing is unpacked", || {
        for coding in ["gzip", "br", "deflate", "gzip, identity"] {
            let reply = app.post_exactly(&token, &[JSON, ("content-encoding", coding)], PING);
            assert_eq!((reply.status, reply.json()["code"].as_str()), (415, Some("unsupported_media_type")));
        }
        pinged(&app.post_exactly(&token, &[JSON, ("content-encoding", "identity")], PING));
    });
    let call = |accept: &str| {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_meetings"}}"#;
        app.rpc_with(&token, &[("accept", accept)], body)
    };
    holds("C187", "whatever type a worker writes, clients see application/json or text/event-stream", || {
        for kind in ["application/json, application/json", "application/json;charset=utf-8", "text/html"] {
            app.worker.answers(200, kind, r#"{"ok":1}"#);
            let reply = call("application/json, text/event-stream");
            assert_eq!(
                (reply.status, reply.header("content-type")),
                (200, Some("application/json")),
                "{kind}"
            );
            assert_eq!(reply.json()["result"]["content"][0]["text"], r#"{"ok":1}"#);
        }
        app.worker.answers(200, "text/event-stream;charset=utf-8", "event: result\ndata: {\"ok\":1}\n\n");
        assert_eq!(
            call("text/event-stream, application/json").header("content-type"),
            Some("text/event-stream")
        );
        assert_eq!(call("application/json").header("content-type"), Some("application/json"));
    });
    holds("C204", "what a worker compressed all the same is an unreadable answer, not passed on", || {
        app.worker.answers(200, "application/json", "\u{1f}\u{8}\u{0}packed");
        let reply = call("application/json");
        assert_eq!((reply.status, &reply.json()["result"]["isError"]), (200, &json!(true)));
        assert!(reply.text().contains("upstream_unavailable") && reply.header("content-encoding").is_none());
    });
}

#[test]
fn revisions_are_told_apart() {
    let app = with_about();
    let token = app.pat(&app.person("ana"), &[]).token;
    holds(
        "C189",
        "an unknown revision is 400: -32600 to older clients, -32022 and the list to new ones",
        || {
            for version in ["2023-01-01", "latest", "2025-6-18", "1.0"] {
                let reply = app.rpc_with(&token, &[("mcp-protocol-version", version)], LIST);
                assert_eq!((reply.status, code(&reply)), (400, Some(-32600)), "{version}");
                assert_eq!(
                    (&reply.json()["code"], &reply.json()["id"]),
                    (&json!("unsupported_version"), &json!(1))
                );
            }
            let asked = json!({"_meta": {}});
            let (headers, body) = crate::support::mcp::modern("tools/list", &asked, &[]);
            let swap = |text: &str| text.replace("2026-07-28", "2031-01-01");
            let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), swap(value))).collect();
            let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let reply = app.post_exactly(&token, &headers, &swap(&body));
            assert_eq!((reply.status, code(&reply)), (400, Some(-32022)), "{reply:?}");
            let all = json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]);
            assert_eq!(reply.json()["error"]["data"]["supported"], all);
        },
    );
    holds("C190", "no version header means 2025-03-26: no structured content yet", || {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"about"}}"#;
        for (headers, structured) in [
            (&[][..], false),
            (&[("mcp-protocol-version", "2025-03-26")], false),
            (&[("mcp-protocol-version", "2025-06-18")], true),
            (&[("mcp-protocol-version", "2025-11-25")], true),
        ] {
            let reply = app.rpc_with(&token, headers, call);
            let result = &reply.json()["result"];
            assert_eq!((reply.status, &result["isError"]), (200, &json!(false)), "{reply:?}");
            assert_eq!(result.get("structuredContent").is_some(), structured, "{headers:?}");
        }
    });
    holds("C192", "server/discover is answered where the revision is served", || {
        let reply = app.modern(&token, "server/discover", &json!({}), &[]);
        assert_eq!(
            (reply.status, &reply.json()["result"]["supportedVersions"][0]),
            (200, &json!("2026-07-28"))
        );
    });
    let old =
        TestApp::builder().with("service", "protocol_versions = [\"2025-03-26\", \"2025-11-25\"]").start();
    let token = old.pat(&old.person("ana"), &[]).token;
    holds("C192", "where it is not served: 404 -32601 with the id, at once", || {
        let reply = old.modern(&token, "server/discover", &json!({}), &[]);
        assert_eq!((reply.status, code(&reply)), (404, Some(-32601)), "{reply:?}");
        assert_eq!(reply.json()["id"], 7);
        let bare = r#"{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{}}"#;
        let reply = old.rpc_with(&token, &[("mcp-protocol-version", "2026-07-28")], bare);
        assert_eq!((reply.status, code(&reply), &reply.json()["id"]), (404, Some(-32601), &json!(0)));
    });
}

/// A connection that is written to and read from by hand.
struct Wire(BufReader<TcpStream>);

impl Wire {
    fn open(app: &TestApp) -> Self {
        let stream = TcpStream::connect(app.authority()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Self(BufReader::new(stream))
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    fn head(&mut self) -> String {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") && self.0.read_line(&mut head).unwrap() > 0 {}
        head
    }

    /// Head and body of an answer that has a length.
    fn answer(&mut self) -> (u16, Value) {
        let head = self.head().to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
        let mut body = vec![0; length.parse().unwrap()];
        self.0.read_exact(&mut body).unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_slice(&body).unwrap())
    }
}

/// The head of a POST with one of its headers to be added.
fn lines(app: &TestApp, token: &str, more: &str) -> String {
    format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n{more}\r\n",
        path(app),
        app.authority()
    )
}

/// A ping of at least `length` bytes.
fn long_ping(length: usize) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"{}\"}}", "a".repeat(length))
}

#[test]
fn bodies_are_bounded_and_their_refusal_can_be_read() {
    const MIB: usize = 1 << 20;
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let too_large = |(status, body): (u16, Value)| {
        assert_eq!((status, &body["error"]["code"]), (413, &json!(-32600)), "{body}");
        assert!(body["message"].as_str().unwrap().contains("4194304"), "{body}");
    };
    let lines = |more: &str| lines(&app, &token, more);
    let big = long_ping(5 * MIB);
    holds(
        "C199",
        "more than the limit is 413 -32600 naming it, readable after the whole body was sent",
        || {
            let mut wire = Wire::open(&app);
            wire.write(lines(&format!("Content-Length: {}\r\n", big.len())).as_bytes());
            wire.write(big.as_bytes());
            too_large(wire.answer());
            wire.write(format!("{}{PING}", lines(&format!("Content-Length: {}\r\n", PING.len()))).as_bytes());
            assert_eq!(wire.answer().0, 200, "and the connection lives on");
        },
    );
    holds("C199", "the same without a length", || {
        let mut wire = Wire::open(&app);
        wire.write(lines("Transfer-Encoding: chunked\r\n").as_bytes());
        wire.write(format!("{:x}\r\n{big}\r\n0\r\n\r\n", big.len()).as_bytes());
        too_large(wire.answer());
    });
    holds("C199", "just under the limit is read", || {
        let body = long_ping(4 * MIB - 60);
        assert_eq!(app.rpc_with(&token, &[], &body).status, 200);
    });
    holds("C199", "a length that lies ends the message where it says", || {
        let mut wire = Wire::open(&app);
        wire.write(format!("{}{PING}", lines("Content-Length: 10\r\n")).as_bytes());
        let (status, body) = wire.answer();
        assert_eq!((status, &body["error"]["code"]), (400, &json!(-32700)));
        let mut wire = Wire::open(&app);
        wire.write(format!("{}{PING}", lines("Content-Length: 100000\r\n")).as_bytes());
        wire.0.get_ref().shutdown(Shutdown::Write).unwrap();
        assert!(wire.head().starts_with("HTTP/1.1 400 ") || wire.0.fill_buf().is_ok_and(<[u8]>::is_empty));
    });
}

#[test]
fn who_asks_before_sending_is_told_to_go_on() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    holds("C201", "Expect: 100-continue gets 100 and then the answer, or the refusal", || {
        let body = long_ping(2 << 20);
        for (token, status) in [(token.as_str(), 200), ("x", 401)] {
            let mut wire = Wire::open(&app);
            let expecting = format!("Content-Length: {}\r\nExpect: 100-continue\r\n", body.len());
            wire.write(lines(&app, token, &expecting).as_bytes());
            assert_eq!(wire.head(), "HTTP/1.1 100 Continue\r\n\r\n");
            wire.write(body.as_bytes());
            assert_eq!(wire.answer().0, status);
        }
    });
}

#[test]
fn nothing_is_upgraded_and_nobody_waits_for_it() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let host = app.authority();
    let own = path(&app);
    let form = "grant_type=refresh_token&refresh_token=x&client_id=x";
    let head_of = |method: &str, target: &str, more: &str, body: &str| {
        format!(
            "{method} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{more}\r\n{body}"
        )
    };
    let bearer = format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n");
    let sized = |body: &str| format!("Content-Length: {}\r\n", body.len());
    let began = Stopwatch::start();
    for (request, status) in [
        (head_of("GET", own, "", ""), "401"),
        (head_of("GET", own, &bearer, ""), "405"),
        (head_of("POST", own, "", ""), "401"),
        (head_of("POST", own, &sized(PING), PING), "401"),
        (head_of("POST", own, &format!("{bearer}{}", sized(PING)), PING), "200"),
        (head_of("POST", own, &format!("{bearer}{}", sized(PING)), &format!("{PING}more")), "200"),
        (head_of("POST", own, &bearer, PING), "400"),
        (head_of("GET", "/login", "", ""), "200"),
        (
            head_of(
                "POST",
                &format!("{own}/token"),
                &format!("Content-Type: application/x-www-form-urlencoded\r\n{}", sized(form)),
                form,
            ),
            "401",
        ),
        (format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n"), "404"),
    ] {
        let answer = head(host, request.as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}\n{answer}");
    }
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}
