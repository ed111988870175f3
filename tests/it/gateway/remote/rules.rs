//! No way around a stage: what holds for a worker's tools holds for a server's.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::{before, before_with, started, text};
use crate::support::http::get;
use crate::support::mcp::code;
use crate::support::peer::{Kind, Peer, answer, json_answer};
use crate::support::verify_assertion::verify;

#[test]
fn a_server_gets_the_real_identity_and_nothing_of_the_clients() {
    portero::identity::jose::install();
    let peer = Peer::start(Kind::modern());
    let lines = "assertion = true\n[service.upstream.headers]\n\"X-Internal-Key\" = \"operators\"";
    let app = before_with(&peer, lines, super::POLICY).start();
    let person = app.person("ana");
    let token = app.pat(&person, &[]).token;
    let forged = [
        ("x-portero-user", "evil"),
        ("mcp-session-id", "evil"),
        ("cookie", "a=b"),
        ("x-internal-key", "evil"),
    ];
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "read_note", "arguments": {}}});
    let reply = app.rpc_with(&token, &forged, &body.to_string());
    assert_eq!(reply.status, 200, "{reply:?}");
    let seen = peer.last("tools/call");
    for (name, value) in [
        ("x-portero-user", person.id.as_str()),
        ("x-portero-subject", "ana"),
        ("x-portero-service", "mico"),
        ("x-portero-tool", "read_note"),
        ("x-internal-key", "operators"),
        ("accept-encoding", "identity"),
    ] {
        assert_eq!(seen.header(name), Some(value), "{name}");
    }
    for absent in ["authorization", "cookie", "mcp-session-id"] {
        assert_eq!(seen.header(absent), None, "{absent}");
    }
    assert!(seen.header("traceparent").is_some());
    let proof = seen.header("x-portero-assertion").unwrap();
    let keys = serde_json::from_slice(&get(&format!("{}/jwks.json", app.issuer)).body).unwrap();
    let claims = verify(&keys, [&app.issuer, "notes"], proof, "read_note", seen.body.as_bytes()).unwrap();
    assert_eq!(claims["user"], person.id.as_str());
}

#[test]
fn scopes_confirmation_and_rates_come_before_the_server() {
    let peer = Peer::start(Kind::with_sessions());
    let policy = "[service.tool.read_note]\nscopes = [\"mico:read\"]\nrate = \"1/h\"\n\
        [service.tool.write_note]\nscopes = [\"mico:write\"]\nconfirm = \"intent\"";
    let app = before_with(&peer, "", policy).start();
    let person = app.person("ana");
    let (token, reader) = (app.pat(&person, &[]).token, app.pat(&person, &["mico:read"]).token);
    assert_eq!(text(&app.call(&reader, "write_note", &json!({})))["code"], "missing_scope");
    let free = app.pat(&app.person_on("bruno", Some("free")), &[]).token;
    assert_eq!(app.call(&free, "read_note", &json!({})).status, 402);
    assert_eq!(text(&app.call(&token, "write_note", &json!({"id": "1"})))["code"], "confirmation_required");
    assert!(peer.of("tools/call").is_empty());
    let confirmed = json!({"id": "1", "confirm": true, "user_intent": "keep it"});
    assert_eq!(text(&app.call(&token, "write_note", &confirmed))["with"], json!({"id": "1"}));
    let seen = peer.last("tools/call");
    assert_eq!(seen.header("x-portero-user-intent"), Some("keep%20it"));
    assert_eq!(app.call(&token, "read_note", &json!({})).status, 200);
    assert_eq!(app.call(&token, "read_note", &json!({})).status, 429);
    assert_eq!(peer.of("tools/call").len(), 2);
}

#[test]
fn a_write_that_is_asked_for_twice_happens_once() {
    let peer = Peer::start(Kind::modern());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    peer.calls(move |heard, stream| {
        let number = counted.fetch_add(1, Ordering::SeqCst);
        let result =
            json!({"resultType": "complete", "content": [{"type": "text", "text": number.to_string()}]});
        match number {
            0 => json_answer(stream, &heard.error(-32603, "not now")),
            _ => json_answer(stream, &heard.result(&result)),
        }
    });
    let (app, token) = started(&peer);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "write_note",
        "arguments": {"id": "1"}}})
    .to_string();
    let call = || app.rpc_with(&token, &[("idempotency-key", "k")], &body);
    assert_eq!(code(&call()), Some(-32603), "an error ends nothing");
    let (first, again) = (call(), call());
    assert_eq!((text(&first), text(&again)), (json!(1), json!(1)));
    assert_eq!(again.json()["result"]["_meta"]["io.portero/replayed"], true);
    assert_eq!(count.load(Ordering::SeqCst), 2);
    assert!(peer.of("tools/call").iter().all(|heard| heard.header("idempotency-key") == Some("k")));
}

#[test]
fn credits_are_charged_for_what_was_done() {
    let peer = Peer::start(Kind::modern());
    let policy = "[service.tool.read_note]\nscopes = []\ncost = 10\nannotations = { readOnlyHint = true }";
    let mut builder = before_with(&peer, "", policy);
    builder.toml = builder.toml.replace(
        "[plans.flow]\nfeatures = [\"mcp\"]",
        "[plans.flow]\nfeatures = [\"mcp\"]\ncredits_per_month = 100",
    );
    let app = builder.start();
    let person = app.person("ana");
    let token = app.pat(&person, &[]).token;
    let left = || peer.last("tools/call").header("x-portero-credits").map(str::to_owned);
    for (status, more, body, expected) in [
        (200, "", json!({"result": {"content": [], "resultType": "complete"}}), "100"),
        (200, "X-Portero-Cost: 33\r\n", json!({"result": {"content": [], "resultType": "complete"}}), "90"),
        (200, "", json!({"result": {"content": [], "isError": true}}), "57"),
        (200, "", json!({"error": {"code": -1, "message": "m"}}), "57"),
        (200, "", json!({"result": {"resultType": "input_required", "requestState": "s"}}), "57"),
        (500, "", json!({}), "57"),
        (200, "", json!({"result": {"content": []}}), "57"),
    ] {
        peer.calls(move |heard, stream| {
            let mut body = body.clone();
            body["jsonrpc"] = "2.0".into();
            body["id"] = heard.message["id"].clone();
            answer(stream, status, "application/json", more, &body.to_string());
        });
        app.modern(&token, "tools/call", &json!({"name": "read_note"}), &[]);
        assert_eq!(left().as_deref(), Some(expected));
    }
}

#[test]
fn answers_are_capped() {
    let peer = Peer::start(Kind::modern());
    let long = json!({"items": (0..5000).collect::<Vec<_>>()});
    peer.calls(move |heard, stream| {
        let result =
            json!({"content": [{"type": "text", "text": long.to_string()}], "structuredContent": long});
        json_answer(stream, &heard.result(&result));
    });
    let app = before(&peer).with("service", "response_cap_chars = 1000").start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let reply = app.modern(&token, "tools/call", &json!({"name": "read_note"}), &[]);
    assert!(reply.body.len() < 4000, "{}", reply.body.len());
    assert_eq!(text(&reply)["truncated"], true);
}
