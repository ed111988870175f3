//! The gateway between clients and workers: what passes, and what is decided on.

use std::time::Duration;

use serde_json::{Value, json};

use super::holds;
use crate::support::http::{get, head, raw, request};
use crate::support::mcp::{PING, code};
use crate::support::worker::by_hand;
use crate::support::{Stopwatch, TestApp};

const PATH: &str = "/functions/v1/mcp";
const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_meetings"}}"#;

/// A call with these parameters.
fn tool(params: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{params}}}")
}

/// A request as bytes: `more` are whole header lines.
fn bytes(method: &str, target: &str, host: &str, more: &[&str], body: &str) -> String {
    let lines = more.iter().flat_map(|line| [line, "\r\n"]).collect::<String>();
    format!(
        "{method} {target} HTTP/1.1\r\nHost: {host}\r\n{lines}Content-Type: application/json\r\n\
         Accept: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{answer:?}"))
}

#[test]
fn nothing_of_a_clients_identity_headers_reaches_a_worker() {
    let app = TestApp::start();
    let person = app.person("ana");
    let token = app.pat(&person, &[]).token;
    let forged = [
        ("x-user", "admin"),
        ("x_user", "admin"),
        ("x-forwarded-user", "admin"),
        ("x-auth-request-user", "admin"),
        ("x-remote-user", "admin"),
        ("x-portero-user", "admin"),
        ("x_portero_user", "admin"),
        ("x-portero_user", "admin"),
        ("x-portero-admin", "admin"),
        ("x-portero-assertion", "admin"),
        ("forwarded", "for=admin"),
        ("mcp-session-id", "admin"),
        ("accept-encoding", "gzip, br"),
        ("idempotency-key", "admin"),
    ];
    let reply = app.rpc_with(&token, &forged, CALL);
    assert_eq!((reply.status, &reply.json()["result"]["isError"]), (200, &json!(false)), "{reply:?}");
    let seen = app.worker.last();
    let check = || {
        let evil: Vec<_> = seen.headers.iter().filter(|(_, value)| value.contains("admin")).collect();
        assert!(evil.is_empty(), "{evil:?}");
        assert_eq!(seen.header("x-portero-user"), Some(person.id.as_str()));
    };
    holds("B-11", "identity headers of a client, in any spelling, are dropped before ours are set", check);
    holds("N-159", "X-User, X_User, X-Forwarded-User and our own names are dropped", check);
    holds("C180", "a client's Mcp-Session-Id reaches no worker, and none is given out", || {
        check();
        assert_eq!(seen.header("mcp-session-id"), None);
        assert_eq!(reply.header("mcp-session-id"), None);
    });
    holds("B-10", "the inbound token is in no header and no body that the worker gets", || {
        let has = |text: &str| text.contains(&token);
        assert!(!seen.headers.iter().any(|(_, value)| has(value)) && !has(&seen.body) && !has(&seen.path));
        assert_eq!(seen.header("authorization"), None);
    });
    holds("C204", "no Accept-Encoding goes upstream, whatever the client takes", || {
        assert_eq!(seen.header("accept-encoding"), None);
    });
    holds("N-160", "what Connection names is not taken away from what the gateway reads and sets", || {
        let bearer = format!("Authorization: Bearer {token}");
        let hop = "Connection: authorization, x-portero-user, x-portero-workspace, x-request-id";
        let request = bytes("POST", PATH, app.authority(), &[&bearer, hop], CALL);
        let answer = raw(app.authority(), request.as_bytes());
        assert_eq!(status(&answer), 200, "{answer}");
        let seen = app.worker.last();
        assert_eq!(seen.header("x-portero-user"), Some(person.id.as_str()));
        assert_eq!(seen.header("x-portero-workspace"), Some(person.workspace.as_str()));
        assert!(seen.header("x-request-id").is_some());
    });
}

#[test]
fn nothing_of_a_workers_headers_reaches_a_client() {
    let worker = by_hand(|seen, stream| {
        use std::io::Write as _;
        let mut head =
            String::from("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n");
        for (name, value) in seen.headers.iter().filter(|(name, _)| name.starts_with("x-")) {
            head.extend([name.as_str(), ": ", value, "\r\n"]);
        }
        head += "Authorization: Bearer upstream\r\nSet-Cookie: a=b\r\nMcp-Session-Id: upstream\r\n";
        head += "WWW-Authenticate: Bearer realm=\"upstream\"\r\nX-Anything: upstream\r\n\r\n{}";
        stream.write_all(head.as_bytes()).unwrap();
    });
    let mut builder = TestApp::builder();
    builder.toml = builder.toml.replace("{worker}", &worker);
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let reply = app.call(&token, "list_meetings", &json!({}));
    holds("N-169", "of an upstream's headers none comes back, whatever it echoes", || {
        assert_eq!((reply.status, &reply.json()["result"]["isError"]), (200, &json!(false)));
        let mut names: Vec<_> = reply.headers.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "access-control-allow-origin",
                "access-control-expose-headers",
                "cache-control",
                "content-length",
                "content-type",
                "date",
                "vary",
                "x-request-id"
            ]
        );
        assert!(!reply.headers.iter().any(|(_, value)| value.contains("upstream") || value.contains(&token)));
    });
}

#[test]
fn an_upstreams_redirect_is_followed_by_nobody() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let elsewhere = by_hand(|_, _| panic!("a redirect was followed"));
    let worker = by_hand(move |_, stream| {
        use std::io::Write as _;
        let head = format!("HTTP/1.1 307 Away\r\nLocation: {elsewhere}/x\r\nContent-Length: 2\r\n\r\n{{}}");
        stream.write_all(head.as_bytes()).unwrap();
    });
    let mut builder = TestApp::builder();
    builder.toml = builder.toml.replace("{worker}", &worker);
    let redirected = builder.start();
    let other = redirected.pat(&redirected.person("ana"), &[]).token;
    holds("C214", "nothing redirects a client with its token, and no upstream redirects the gateway", || {
        let reply = redirected.call(&other, "list_meetings", &json!({}));
        assert_eq!((reply.status, &reply.json()["result"]["isError"]), (200, &json!(true)), "{reply:?}");
        assert!(reply.text().contains("upstream_unavailable") && reply.header("location").is_none());
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        for (path, expected) in [
            ("", 200),
            ("/", 200),
            ("//", 404),
            ("/.", 404),
            ("/x", 404),
            ("/verify", 200),
            ("/verify/", 200),
        ] {
            let reply = request("POST", &format!("{}{path}", app.resource), &headers, Some(PING));
            assert_eq!((reply.status, reply.header("location")), (expected, None), "{path}");
        }
    });
}

#[test]
fn one_path_is_decided_on_and_served() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let bearer = format!("Authorization: Bearer {token}");
    let host = app.authority();
    let ask = |target: &str| raw(host, bytes("POST", target, host, &[&bearer], CALL).as_bytes());
    assert_eq!(status(&ask(PATH)), 200);
    let own = format!("http://{host}{PATH}");
    assert_eq!(status(&ask(&own)), 200, "an absolute target with our own host");
    let before = app.worker.seen().len();
    for target in [
        "/functions/v1/a/../mcp",
        "/functions/v1/./mcp",
        "/functions/v1/%2e%2e/v1/mcp",
        "/functions/v1/%6dcp",
        "/functions/v1//mcp",
        "//functions/v1/mcp",
        "/functions/v1/mcp;x",
        "/functions/v1;x/mcp",
        "/functions/v1/MCP",
        "/Functions/v1/mcp",
        "/functions/v1/mcp%00",
        "/functions/v1%2fmcp",
        "/functions/v1%5cmcp",
        "/functions/v1\\mcp",
        "*",
        "functions/v1/mcp",
    ] {
        let answer = ask(target);
        let check = || {
            assert!(matches!(status(&answer), 400 | 404), "{target}: {answer}");
            assert_eq!(app.worker.seen().len(), before, "{target}");
        };
        holds(
            "B-12",
            "paths are compared as they stand on the wire; what is not ours to the byte is 404",
            check,
        );
        holds("N-161", "no spelling of a path reaches a worker but the configured one", check);
    }
    holds("N-161", "an absolute target with a foreign host is 421", || {
        assert_eq!(status(&ask("http://evil.example/functions/v1/mcp")), 421);
        assert_eq!(app.worker.seen().len(), before);
    });
}

#[test]
fn urls_come_from_the_configuration() {
    let app = TestApp::start();
    let document = format!("{}/.well-known/oauth-protected-resource{PATH}", app.base);
    let server = format!("{}/.well-known/oauth-authorization-server{PATH}", app.base);
    let evil = [
        ("x-forwarded-host", "evil.example"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-prefix", "/evil"),
        ("forwarded", "host=evil.example;proto=https"),
        ("x-original-url", "/evil"),
        ("x-rewrite-url", "/evil"),
    ];
    holds(
        "N-157",
        "a foreign Host is 421; forwarded hosts change no URL of documents and challenges",
        || {
            for url in [&document, &server, &app.resource] {
                let (own, forwarded) = (get(url), request("GET", url, &evil, None));
                assert_eq!((own.status, own.text()), (forwarded.status, forwarded.text()), "{url}");
                assert_eq!(own.header("www-authenticate"), forwarded.header("www-authenticate"));
                assert!(!forwarded.text().contains("evil"));
                let target = url.strip_prefix(&app.base).unwrap();
                for host in
                    ["evil.example", &format!("evil.example:{}", 80), &format!("{}.evil", app.authority())]
                {
                    let answer = raw(app.authority(), bytes("GET", target, host, &[], "").as_bytes());
                    assert_eq!(status(&answer), 421, "{host}: {answer}");
                    assert!(
                        answer.contains("application/json") && !answer.contains("www-authenticate"),
                        "{answer}"
                    );
                }
            }
        },
    );
}

#[test]
fn mirrored_headers_have_to_say_what_the_body_says() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let call = json!({"name": "delete_meeting", "arguments": {"meeting_id": "m"}});
    let good = app.modern(&token, "tools/call", &call, &[]);
    assert_eq!((good.status, &good.json()["result"]["isError"]), (200, &json!(false)), "{good:?}");
    let before = app.worker.seen().len();
    for over in [
        ("mcp-name", "list_meetings"),
        ("mcp-name", ""),
        ("mcp-method", "tools/list"),
        ("mcp-method", ""),
        ("mcp-protocol-version", "2025-11-25"),
        ("mcp-protocol-version", ""),
    ] {
        let reply = app.modern(&token, "tools/call", &call, &[over]);
        let check = || {
            assert_eq!((reply.status, code(&reply)), (400, Some(-32020)), "{over:?}: {reply:?}");
            assert_eq!(reply.json()["id"], 7);
            assert_eq!(app.worker.seen().len(), before, "{over:?}");
        };
        holds("C193", "2026-07-28: a header that is missing or says something else is 400 -32020", check);
        holds("B-13", "Mcp-Method, Mcp-Name and MCP-Protocol-Version must equal the body", check);
        holds("N-163", "nothing is decided on a header that names another tool than the body", check);
    }
    for (name, first, second) in [
        ("mcp-name", "list_meetings", "delete_meeting"),
        ("mcp-name", "delete_meeting", "list_meetings"),
        ("mcp-method", "tools/call", "tools/list"),
        ("mcp-protocol-version", "2026-07-28", "2025-11-25"),
        ("mcp-protocol-version", "2026-07-28", "2026-07-28"),
    ] {
        let reply = app.modern(&token, "tools/call", &call, &[(name, first), (name, second)]);
        holds("B-13", "of two mirrored headers neither is believed", || {
            assert_eq!((reply.status, code(&reply)), (400, Some(-32020)), "{name}: {reply:?}");
        });
    }
}

#[test]
fn older_revisions_have_one_version_header_and_no_mirrors() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let call = json!({"name": "delete_meeting", "arguments": {"meeting_id": "m"}});
    let legacy = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}).to_string();
    holds("C193", "in older revisions these headers mean nothing", || {
        let headers =
            [("mcp-method", "tools/list"), ("mcp-name", "other"), ("mcp-protocol-version", "2025-11-25")];
        let reply = app.rpc_with(&token, &headers, &legacy);
        assert_eq!((reply.status, &reply.json()["result"]["isError"]), (200, &json!(false)));
    });
    let before = app.worker.seen().len();
    holds("B-13", "a version header that comes twice, or is no text, is 400 in older revisions too", || {
        let bearer = format!("Authorization: Bearer {token}");
        let host = app.authority();
        for lines in [
            ["MCP-Protocol-Version: 2025-11-25", "MCP-Protocol-Version: 2025-11-25"],
            ["MCP-Protocol-Version: 2025-11-25", "MCP-Protocol-Version: 2024-11-05"],
            ["MCP-Protocol-Version: 2025-03-26", "MCP-Protocol-Version: 2026-07-28"],
            ["MCP-Protocol-Version: 2025-11-25, 2025-11-25", "X-Other: 1"],
            ["MCP-Protocol-Version: 2025-11-25\u{e9}", "X-Other: 1"],
        ] {
            let more = [bearer.as_str(), lines[0], lines[1]];
            let answer = raw(host, bytes("POST", PATH, host, &more, &legacy).as_bytes());
            assert_eq!(status(&answer), 400, "{lines:?}: {answer}");
            assert!(answer.contains("-32600") && answer.contains("\"id\":7"), "{answer}");
        }
        assert_eq!(app.worker.seen().len(), before);
    });
}

#[test]
fn messages_that_two_readers_would_read_differently_are_refused() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &["mico:read"]).token;
    let send = |body: &str| app.rpc_with(&token, &[], body);
    let tool =
        |name: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{name}}}");
    for body in [
        tool(r#"{"name":"list_meetings","name":"delete_meeting"}"#),
        tool(r#"{"name":"delete_meeting","name":"list_meetings"}"#),
        tool(r#"{"name":"list_meetings","n\u0061me":"delete_meeting"}"#),
        tool(r#"{"name":"list_meetings","arguments":{},"arguments":{"limit":1}}"#),
        tool(r#"["list_meetings"]"#),
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"delete_meeting"}}"#.into(),
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#.into(),
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}"#.into(),
        format!("[{CALL}]"),
        format!("[{CALL},{}]", tool(r#"{"name":"delete_meeting"}"#)),
        "[]".into(),
    ] {
        holds("N-163", "a member that is there twice, and a batch, are 400 -32600", || {
            let reply = send(&body);
            assert_eq!((reply.status, code(&reply)), (400, Some(-32600)), "{body}: {reply:?}");
        });
    }
    holds("N-163", "a name with NUL or another case is another name", || {
        for name in [r#""list_meetings\u0000""#, r#""LIST_MEETINGS""#, r#"" list_meetings""#] {
            let reply = send(&tool(&format!("{{\"name\":{name}}}")));
            assert_eq!((reply.status, code(&reply)), (200, Some(-32602)), "{name}");
        }
        let reply = send(&tool(r#"{"n\u0061me":"list_meetings"}"#));
        assert_eq!(
            (reply.status, &reply.json()["result"]["isError"]),
            (200, &json!(false)),
            "escapes are read"
        );
    });
    assert!(app.worker.seen().iter().all(|seen| seen.path == "/tools/list_meetings"));
}

#[test]
fn what_is_too_long_or_too_deep_is_refused_in_bounded_time() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &["mico:read"]).token;
    let send = |body: &str| app.rpc_with(&token, &[], body);
    let deep = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    let began = Stopwatch::start();
    for (body, expected) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"TOOLS/CALL","params":{}}"#.to_owned(), (200, Some(-32601))),
        (r#"{"jsonrpc":"2.0","id":1,"METHOD":"ping"}"#.to_owned(), (400, Some(-32600))),
        (
            format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{}\",\"method\":\"ping\"}}", "a".repeat(1 << 20)),
            (400, Some(-32600)),
        ),
        (
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}}", "1".repeat(1 << 20)),
            (400, Some(-32600)),
        ),
        (deep(200_000), (400, Some(-32600))),
        ("[".repeat(1 << 20), (400, Some(-32700))),
        (
            tool(&format!("{{\"name\":\"list_meetings\",\"arguments\":{}}}", deep(100_000))),
            (400, Some(-32600)),
        ),
        (tool(&format!("{{\"name\":\"list_meetings\",\"_meta\":{}}}", deep(100_000))), (400, Some(-32600))),
    ] {
        holds("N-164", "another case, an id of 1 MiB, bottomless JSON: refused in bounded time", || {
            let reply = send(&body);
            assert_eq!((reply.status, code(&reply)), expected, "{body:.80}: {reply:?}");
            assert!(reply.body.len() < 1000);
        });
    }
    holds("N-164", "an HTTP method in another case is another method", || {
        let bearer = format!("Authorization: Bearer {token}");
        let answer = head(app.authority(), bytes("post", PATH, app.authority(), &[&bearer], PING).as_bytes());
        assert!(matches!(status(&answer), 400 | 405), "{answer}");
    });
    assert!(app.worker.seen().is_empty(), "no worker was given any of it");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn a_trace_is_carried_on_whole_or_not_at_all() {
    const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const OTHER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let sees = |headers: &[(&str, &str)], meta: Value| {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "list_meetings", "_meta": meta}});
        let mut all = vec![("content-type", "application/json")];
        all.extend_from_slice(headers);
        let reply = app.post_exactly(&token, &all, &call.to_string());
        assert_eq!((reply.status, &reply.json()["result"]["isError"]), (200, &json!(false)), "{reply:?}");
        let seen = app.worker.last();
        let text = |name: &str| seen.header(name).map(str::to_owned);
        (text("traceparent").unwrap(), text("tracestate"), text("baggage"))
    };
    let some = |text: &str| Some(text.to_owned());
    let (state, baggage) = (("tracestate", "a=1"), ("baggage", "k=v"));
    let (parent, upper) = (("traceparent", TRACE), TRACE.to_uppercase());
    assert_eq!(sees(&[parent, state, baggage], json!({})), (TRACE.to_owned(), some("a=1"), some("k=v")));
    let two = [parent, state, ("tracestate", "b=2"), baggage];
    assert_eq!(sees(&two, json!({})).1, some("a=1, b=2"), "a list from two lines");
    for bad in [
        &[("traceparent", "00-0-0-01"), state, baggage][..],
        &[("traceparent", upper.as_str()), state, baggage],
        &[parent, parent, state, baggage],
        &[state, baggage],
    ] {
        let (own, state, baggage) = sees(bad, json!({"tracestate": "c=3", "baggage": "c=3"}));
        assert!(own.len() == TRACE.len() && own != TRACE, "a new trace: {own}");
        assert_eq!((state, baggage), (None, None), "nothing of the other one: {bad:?}");
    }
    let meta = json!({"traceparent": OTHER, "tracestate": "m=1"});
    assert_eq!(sees(&[state, baggage], meta.clone()), (OTHER.to_owned(), some("m=1"), None));
    assert_eq!(sees(&[parent], meta), (TRACE.to_owned(), None, None), "never of two places");
}

#[test]
fn an_idempotency_key_comes_once() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "delete_meeting", "_meta": {"io.portero/idempotency-key": "of-meta"}}});
    let json = ("content-type", "application/json");
    let send = |keys: &[(&str, &str)]| {
        let mut headers = vec![json];
        headers.extend_from_slice(keys);
        app.post_exactly(&token, &headers, &call.to_string())
    };
    let key = |value| ("idempotency-key", value);
    assert_eq!(send(&[]).json()["result"]["isError"], false);
    assert_eq!(app.worker.last().header("idempotency-key"), Some("of-meta"));
    assert_eq!(send(&[key("k1")]).json()["result"]["isError"], false);
    assert_eq!(app.worker.last().header("idempotency-key"), Some("k1"));
    let before = app.worker.seen().len();
    for two in [[key("k1"), key("k2")], [key("k1"), key("k1")]] {
        assert!(send(&two).text().contains("invalid_arguments"), "of two neither is believed");
    }
    assert_eq!(app.worker.seen().len(), before);
}
