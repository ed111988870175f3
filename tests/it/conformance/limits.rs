//! What is too long, and what happens when we are in trouble.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use super::holds;
use super::kit::{FORM, refused};
use super::wire::Endpoint;
use crate::support::flow::VERIFIER;
use crate::support::http::{get, request};
use crate::support::{Reply, Stopwatch, TestApp};

/// What comes back of a request whose body never arrives, and after how long the first of it.
fn unanswered(app: &TestApp, head: &str) -> (String, Duration) {
    let mut stream = TcpStream::connect(app.authority()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let began = Stopwatch::start();
    stream.write_all(head.as_bytes()).unwrap();
    let mut buffer = [0u8; 4096];
    let read = stream.read(&mut buffer).unwrap();
    (String::from_utf8_lossy(&buffer[..read]).into_owned(), began.elapsed())
}

/// Sends chunks for as long as they are taken.
fn until_closed(app: &TestApp, head: &str) -> Duration {
    let mut stream = TcpStream::connect(app.authority()).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let (chunk, began) = (format!("1000\r\n{}\r\n", "x".repeat(0x1000)), Stopwatch::start());
    while stream.write_all(chunk.as_bytes()).is_ok() && began.elapsed() < Duration::from_secs(8) {
        std::thread::sleep(Duration::from_millis(5));
    }
    began.elapsed()
}

#[test]
fn what_is_too_long_is_refused_by_its_own_account() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    let host = app.authority();
    holds("N-013", "10 MiB announced, and chunks without end, are 413 before they arrived", || {
        for endpoint in &endpoints {
            let lines = format!("Content-Type: {FORM}\r\nContent-Length: 10485760");
            let answer = app.post_raw(endpoint.name, &lines, &"x".repeat(60_000));
            assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
            let chunks = format!("1000\r\n{}\r\n", "x".repeat(0x1000)).repeat(16);
            let lines = format!("Content-Type: {FORM}\r\nTransfer-Encoding: chunked");
            let answer = app.post_raw(endpoint.name, &lines, &chunks);
            assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("invalid_request"), "{answer}");
        }
        let name = app.endpoint("token");
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {FORM}\r\nTransfer-Encoding: chunked\r\n\r\n",
            name.strip_prefix(&app.base).unwrap()
        );
        let took = until_closed(&app, &head);
        assert!(took < Duration::from_secs(5), "chunks were read for {took:?}");
    });
}

#[test]
fn a_body_is_refused_before_it_is_sent() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    let host = app.authority();
    holds(
        "N-024",
        "Expect: 100-continue with too long a body is 413 at once, without 100 and without reading",
        || {
            let asking = |path: &str, kind: &str, length: usize| {
                let head = format!(
                    "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
                 Expect: 100-continue\r\n\r\n"
                );
                unanswered(&app, &head)
            };
            let path = |name: &str| app.endpoint(name).strip_prefix(&app.base).unwrap().to_owned();
            for (name, kind) in
                [("token", FORM), ("revoke", FORM), ("introspect", FORM), ("register", "application/json")]
            {
                let (answer, took) = asking(&path(name), kind, 10 << 20);
                assert!(
                    answer.starts_with("HTTP/1.1 413") && took < Duration::from_secs(1),
                    "{took:?} {answer}"
                );
            }
            for (page, status) in [("/login", 413), ("/nothing", 404)] {
                let (answer, took) = asking(page, FORM, 10 << 20);
                let wanted = format!("HTTP/1.1 {status}");
                assert!(answer.starts_with(&wanted) && took < Duration::from_secs(1), "{took:?} {answer}");
            }
            // Who it is comes before how long it is, also here.
            let mcp = app.resource.strip_prefix(&app.base).unwrap();
            let (answer, took) = asking(mcp, FORM, 10 << 20);
            assert!(answer.starts_with("HTTP/1.1 401") && took < Duration::from_secs(1), "{took:?} {answer}");
            let bearer = format!("Authorization: Bearer {}\r\n", endpoints[2].form[0].1);
            let json = format!("{bearer}Accept: application/json\r\n");
            let head = format!(
                "POST {mcp} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 10485760\r\n\
             Expect: 100-continue\r\n{json}\r\n"
            );
            let (answer, took) = unanswered(&app, &head);
            assert!(answer.starts_with("HTTP/1.1 413") && took < Duration::from_secs(1), "{took:?} {answer}");
            // And a body that is wanted is asked for.
            let (answer, _) = asking(&path("token"), FORM, 100);
            assert!(answer.starts_with("HTTP/1.1 100 Continue"), "{answer}");
        },
    );
}

#[test]
fn what_is_read_has_limits() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    holds(
        "W-12",
        "limits: form 16 KiB, JSON 64 KiB, head 32 KiB, 64 parameters of 4 KiB, 8 resources",
        || {
            for endpoint in &endpoints {
                let send =
                    |more: &str| app.post_text(endpoint.name, &[], &format!("{}&{more}", endpoint.body(&[])));
                assert_eq!(send(&format!("x={}", "x".repeat(4096))).status, 200);
                refused(&send(&format!("x={}", "x".repeat(4097))), 400, "invalid_request");
                let padding = format!("&x={}", "x".repeat(4000));
                refused(&send(&padding.repeat(5)), 413, "invalid_request");
                let fill = 64 - endpoint.form.len();
                assert_eq!(send(&vec!["x=1"; fill].join("&")).status, 200);
                refused(&send(&vec!["x=1"; fill + 1].join("&")), 400, "invalid_request");
            }
            let resources: Vec<String> = (0..9).map(|n| format!("resource=https://h/{n}")).collect();
            let body = format!("{}&{}", endpoints[0].body(&[]), resources.join("&"));
            refused(&app.post_text("token", &[], &body), 400, "invalid_request");
            let long = format!("mico_ort_{}", "a".repeat(600));
            refused(
                &app.post_text("token", &[], &endpoints[0].body(&[("refresh_token", &long)])),
                400,
                "invalid_grant",
            );
            let body = format!("{{\"redirect_uris\":[\"https://h.example/cb\"]{}}}", " ".repeat(65_536));
            let json = [("content-type", "application/json")];
            refused(&app.post_text("register", &json, &body), 413, "invalid_request");
            let client = app.register("agent");
            let reply = get(&app.authorize_url(&client, &[("state", &"s".repeat(4097))]));
            assert_eq!((reply.status, reply.header("location")), (400, None), "one parameter too long");
            let reply = get(&format!("{}&x={}", app.authorize_url(&client, &[]), "x".repeat(9_000)));
            assert_eq!((reply.status, reply.header("location")), (400, None), "the whole query too long");
            // A head nobody needs is refused before anything is done for it, whoever would answer.
            for path in ["/login", "/nothing", "/functions/v1/mcp", "/functions/v1/mcp/token"] {
                let url = format!("{}{path}", app.base);
                let reply = request("POST", &url, &[("x-pad", &"x".repeat(33_000))], Some(""));
                assert_eq!(
                    (reply.status, reply.json()["error"].as_str()),
                    (431, Some("header_fields_too_large"))
                );
                let reply = request("POST", &format!("{url}?{}", "x".repeat(17_000)), &[], Some(""));
                assert_eq!((reply.status, reply.json()["error"].as_str()), (414, Some("uri_too_long")));
            }
            let groups = format!("Bearer {}", "x".repeat(16_000));
            let reply = request("POST", &app.resource, &[("authorization", &groups)], Some("{}"));
            assert_eq!(reply.status, 401, "16 KiB of token are read and found wrong");
        },
    );
}

#[test]
fn trouble_of_ours_is_503_everywhere() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    let pat = app.pat(&app.person("eva"), &[]);
    let client = app.register("agent");
    let (url, code) = (app.authorize_url(&client, &[]), app.code(&client, &pat.token));
    tokio::runtime::Runtime::new().unwrap().block_on(app.app.identity.store.close());
    app.advance(Duration::from_secs(6));
    holds(
        "W-14",
        "a database that fails is 503 temporarily_unavailable with Retry-After, never invalid_*",
        || {
            let mut replies: Vec<Reply> =
                endpoints.iter().map(|own| app.post_text(own.name, &[], &own.body(&[]))).collect();
            replies.push(app.token(&[
                ("grant_type", "authorization_code"),
                ("code", &code),
                ("code_verifier", VERIFIER),
                ("client_id", &client),
            ]));
            replies.push(app.register_with(&serde_json::json!({"redirect_uris": ["https://h.example/cb"]})));
            for reply in replies {
                refused(&reply, 503, "temporarily_unavailable");
                assert!(reply.header("retry-after").is_some() && reply.header("www-authenticate").is_none());
            }
            let page = get(&url);
            assert_eq!((page.status, page.header("location")), (503, None));
        },
    );
}
