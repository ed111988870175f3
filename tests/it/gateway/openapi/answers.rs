//! What an API answers, in every style, and what one says that means no good.

use std::io::Write as _;
use std::time::Duration;

use super::*;
use crate::support::http::request;
use crate::support::worker::by_hand;

/// An API that always says this, and a token for it.
fn saying(head: &'static str, answer: &'static [u8]) -> (TestApp, String) {
    let url = by_hand(move |_, stream| {
        let _ = stream
            .write_all(format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", answer.len()).as_bytes());
        let _ = stream.write_all(answer);
    });
    let app = before(TestApp::builder(), &url, CURATED, "timeout = \"1s\"").start();
    let token = app.pat(&app.person("ana"), &[]).token;
    (app, token)
}

#[test]
fn each_kind_of_answer_has_its_result() {
    let json = "Content-Type: application/json";
    for (head, answer, is_error, status, said) in [
        (format!("200 OK\r\n{json}"), r#"{"id":"1"}"#, false, Value::Null, json!({"id": "1"})),
        ("200 OK\r\nContent-Type: text/csv".into(), "a,b\n1,2", false, Value::Null, json!("a,b\n1,2")),
        ("200 OK".into(), "", false, Value::Null, json!({})),
        (
            "404 Not Found\r\nContent-Type: application/problem+json".into(),
            r#"{"title":"no"}"#,
            true,
            json!(404),
            json!({"title": "no"}),
        ),
        (
            "401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"api\"".into(),
            "",
            true,
            json!(401),
            json!({"error": "The API answered 401 Unauthorized."}),
        ),
        (format!("403 Forbidden\r\n{json}"), r#"{"error":"no"}"#, true, json!(403), json!({"error": "no"})),
        (
            format!("429 Too Many\r\n{json}"),
            r#"{"error":"slow"}"#,
            true,
            json!(429),
            json!({"error": "slow"}),
        ),
        (format!("500 Trouble\r\n{json}"), r#"{"error":"db"}"#, true, json!(500), json!({"error": "db"})),
    ] {
        let (app, token) = saying(head.clone().leak(), answer.as_bytes());
        for reply in
            [app.call(&token, "invoices_list", &json!({})), call(&app, &token, "listInvoices", &json!({}))]
        {
            assert_eq!(reply.status, 200, "{head}");
            assert_eq!(
                reply.header("www-authenticate"),
                None,
                "what the API says of the gateway is not the client's"
            );
            let result = reply.json()["result"].clone();
            assert_eq!(
                (&result["isError"], &result["_meta"]["io.portero/status"]),
                (&json!(is_error), &status),
                "{head}"
            );
            assert_eq!(text(&reply), said, "{head}");
        }
    }
}

#[test]
fn what_no_client_could_read_is_named_and_not_passed() {
    for (head, answer) in [
        ("200 OK\r\nContent-Type: application/pdf", &b"%PDF-1.7\xff\0"[..]),
        ("200 OK\r\nContent-Type: text/plain", b"\xff\xfe\0a"),
        ("200 OK", b"\x89PNG\r\n"),
    ] {
        let (app, token) = saying(head, answer);
        let reply = call(&app, &token, "listInvoices", &json!({}));
        assert_eq!((is_error(&reply), code(&reply).as_str()), (true, "binary_answer"), "{head}");
    }
}

#[test]
fn structured_content_is_there_where_it_is_promised() {
    let api = Api::start();
    let app = start(&api, "[service.tool.invoice_get]\noperation = \"getInvoice\"\n");
    let token = app.pat(&app.person("ana"), &[]).token;
    let ask = |version: &str, name: &str, arguments: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
        let reply = app.rpc_with(&token, &[("mcp-protocol-version", version)], &body.to_string());
        reply.json()["result"]["structuredContent"].clone()
    };
    let id = json!({"invoiceId": "1"});
    assert_eq!(ask("2025-06-18", "invoice_get", id.clone())["method"], "GET");
    assert_eq!(ask("2025-03-26", "invoice_get", id.clone()), Value::Null);
    let generic = json!({"operation": "getInvoice", "arguments": id});
    assert_eq!(
        ask("2025-06-18", "met_call_operation", generic),
        Value::Null,
        "the generic tool promises none"
    );
}

#[test]
fn trouble_behind_the_gateway_is_a_workers_trouble() {
    for (head, answer, expected) in [
        ("200 OK\r\nContent-Type: application/json", &b"{\"a\":"[..], "upstream_unavailable"),
        ("200 OK\r\nContent-Type: application/json", b"<html>", "upstream_unavailable"),
        ("302 Found\r\nLocation: http://127.0.0.1:1/steal", b"", "upstream_unavailable"),
        ("502 Bad Gateway\r\nContent-Type: text/html", b"<html>", "upstream_unavailable"),
        ("500 Trouble\r\nContent-Type: application/json", b"{}", "upstream_unavailable"),
        ("200 OK\r\nTransfer-Encoding: chunked", b"0\r\n\r\n", "upstream_unavailable"),
    ] {
        let (app, token) = saying(head, answer);
        for reply in
            [app.call(&token, "invoices_list", &json!({})), call(&app, &token, "listInvoices", &json!({}))]
        {
            assert_eq!((reply.status, code(&reply).as_str()), (200, expected), "{head}");
        }
    }
}

#[test]
fn one_that_is_slow_endless_or_gone_holds_nobody() {
    let slow = by_hand(|_, stream| {
        std::thread::sleep(Duration::from_secs(3));
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    });
    let endless = by_hand(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n\"");
        let piece = vec![b'a'; 1 << 20];
        while stream.write_all(&piece).is_ok() {}
    });
    let trickling = by_hand(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
        while stream.write_all(b": still here\n\n").is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let gone = "http://127.0.0.1:9".to_owned();
    for (url, expected) in [
        (slow, "upstream_timeout"),
        (endless, "upstream_unavailable"),
        (trickling, "upstream_timeout"),
        (gone, "upstream_unavailable"),
    ] {
        let app = before(TestApp::builder(), &url, "", "timeout = \"1s\"").start();
        let token = app.pat(&app.person("ana"), &[]).token;
        let reply = call(&app, &token, "listInvoices", &json!({}));
        assert_eq!((is_error(&reply), code(&reply).as_str()), (true, expected), "{url}");
        let by_status = TestApp::builder().with("service", "upstream_errors = \"status\"");
        let app = before(by_status, &url, "", "timeout = \"1s\"").start();
        let token = app.pat(&app.person("ana"), &[]).token;
        let status = if expected == "upstream_timeout" { 504 } else { 502 };
        assert_eq!(call(&app, &token, "listInvoices", &json!({})).status, status);
    }
}

/// Nobody reaches the API but through a call: its paths are none of the gateway's.
#[test]
fn an_api_is_asked_nothing_but_calls() {
    let api = Api::start();
    let app = start(&api, CURATED);
    let token = app.pat(&app.person("ana"), &[]).token;
    let bearer = format!("Bearer {token}");
    let reply = request("GET", &format!("{}/invoices", app.resource), &[("authorization", &bearer)], None);
    assert_eq!(reply.status, 404);
    app.rpc_with(&token, &[], crate::support::mcp::LIST);
    assert!(api.seen().is_empty(), "{:?}", api.seen());
}
