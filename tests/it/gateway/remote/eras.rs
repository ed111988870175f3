//! Clients and servers of different revisions: each hears and says what its own knows.

use serde_json::{Value, json};

use super::{is_unavailable, started, text};
use crate::conformance::holds;
use crate::support::TestApp;
use crate::support::http::Reply;
use crate::support::peer::{Kind, Peer, json_answer};

fn legacy(app: &TestApp, token: &str, version: &str, params: &Value) -> Reply {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    app.rpc_with(token, &[("mcp-protocol-version", version)], &body.to_string())
}

#[test]
fn every_client_can_call_every_server() {
    holds("C220", "clients and MCP servers of every era understand each other, sessions or none", || {
        for kind in [Kind::modern(), Kind::stateless(), Kind::with_sessions()] {
            let (is_modern, in_session) = (kind.modern, kind.sessions);
            let peer = Peer::start(kind);
            let (app, token) = started(&peer);
            for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
                let reply =
                    legacy(&app, &token, version, &json!({"name": "read_note", "arguments": {"id": "a"}}));
                assert_eq!(text(&reply)["with"], json!({"id": "a"}), "{version}");
                let result = &reply.json()["result"];
                let members: Vec<_> = result.as_object().unwrap().keys().cloned().collect();
                assert_eq!(members, ["content", "isError"], "{version}: {result}");
            }
            let reply = app.modern(
                &token,
                "tools/call",
                &json!({"name": "read_note", "arguments": {"id": "a"}}),
                &[],
            );
            let result = &reply.json()["result"];
            assert_eq!(result["resultType"], "complete");
            assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mico", "{result}");
            let last = peer.last("tools/call");
            let meta = &last.message["params"]["_meta"];
            assert_eq!(meta.is_object(), is_modern, "{meta}");
            assert_eq!(last.header("mcp-session-id").is_some(), in_session);
            let said = if is_modern { "2026-07-28" } else { "2025-11-25" };
            assert_eq!(last.header("mcp-protocol-version"), Some(said));
            assert_eq!(last.header("mcp-method").is_some(), is_modern);
        }
    });
}

#[test]
fn the_callers_meta_passes_and_the_gateways_does_not() {
    let peer = Peer::start(Kind::modern());
    let (app, token) = started(&peer);
    let meta = json!({"com.acme/x": 1.50, "io.portero/idempotency-key": "k1", "progressToken": "mine",
        "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "9"}});
    let params = json!({"name": "write_note", "arguments": {}, "_meta": meta, "other": 1});
    app.modern(&token, "tools/call", &params, &[]);
    let last = peer.last("tools/call");
    let sent = &last.message["params"];
    assert_eq!(sent.get("other"), None);
    assert_eq!(sent["_meta"]["com.acme/x"], 1.5);
    assert_eq!(sent["_meta"]["io.modelcontextprotocol/clientInfo"]["name"], "c");
    assert_eq!(sent["_meta"].get("io.portero/idempotency-key"), None);
    assert_ne!(sent["_meta"]["progressToken"], "mine");
    assert_eq!(last.header("idempotency-key"), Some("k1"));
    assert_ne!(last.message["id"], 7);
}

#[test]
fn mirrored_arguments_are_repeated_in_headers() {
    let mut kind = Kind::modern();
    kind.tools = json!([{"name": "read_note", "inputSchema": {"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"}}}}]);
    let peer = Peer::start(kind);
    let (app, token) = started(&peer);
    app.call(&token, "read_note", &json!({"region": "señal"}));
    assert_eq!(peer.last("tools/call").header("mcp-param-region"), Some("=?base64?c2XDsWFs?="));
    let params = json!({"name": "read_note", "arguments": {"region": "eu"}});
    app.modern(&token, "tools/call", &params, &[("mcp-param-region", "eu"), ("mcp-param-new", "x")]);
    let last = peer.last("tools/call");
    assert_eq!((last.header("mcp-param-region"), last.header("mcp-param-new")), (Some("eu"), Some("x")));
    let before = peer.of("tools/call").len();
    let lied = app.modern(&token, "tools/call", &params, &[("mcp-param-region", "us")]);
    assert_eq!((lied.status, lied.json()["error"]["code"].as_i64()), (400, Some(-32020)));
    assert_eq!(peer.of("tools/call").len(), before);
}

#[test]
fn input_that_a_server_asks_for_passes_between_those_who_know_how() {
    let peer = Peer::start(Kind::modern());
    peer.calls(|heard, stream| {
        let params = &heard.message["params"];
        let result = if params["requestState"] == "s-1" {
            json!({"resultType": "complete", "content": [{"type": "text", "text": params["inputResponses"].to_string()}]})
        } else {
            json!({"resultType": "input_required", "requestState": "s-1",
                "inputRequests": {"a": {"method": "elicitation/create", "params": {"message": "Who?"}}}})
        };
        json_answer(stream, &heard.result(&result));
    });
    let (app, token) = started(&peer);
    let params = json!({"name": "write_note", "arguments": {}});
    let asked = app.modern(&token, "tools/call", &params, &[]).json();
    assert_eq!(asked["result"]["resultType"], "input_required");
    assert_eq!(asked["result"]["requestState"], "s-1");
    assert_eq!(asked["result"]["inputRequests"]["a"]["params"]["message"], "Who?");
    assert_eq!(asked["result"].get("content"), None);
    let params = json!({"name": "write_note", "arguments": {}, "requestState": "s-1", "inputResponses": {"a": {"action": "accept"}}});
    let done = app.modern(&token, "tools/call", &params, &[]);
    assert_eq!(text(&done), json!({"a": {"action": "accept"}}));
    let in_vain = app.call(&token, "write_note", &json!({}));
    assert_eq!(in_vain.json()["result"]["isError"], true);
    assert_eq!(text(&in_vain)["code"], "input_required");
}

#[test]
fn structured_content_is_what_each_revision_knows() {
    let peer = Peer::start(Kind::modern());
    let (app, token) = started(&peer);
    for (value, in_june) in [(json!({"a": 1}), true), (json!([1, 2]), false)] {
        let shown = value.clone();
        peer.calls(move |heard, stream| {
            let result = json!({"content": [], "structuredContent": shown, "resultType": "complete"});
            json_answer(stream, &heard.result(&result));
        });
        let params = json!({"name": "read_note", "arguments": {}});
        let structured = |reply: Reply| reply.json()["result"].get("structuredContent").cloned();
        assert_eq!(structured(legacy(&app, &token, "2025-03-26", &params)), None);
        let june = structured(legacy(&app, &token, "2025-06-18", &params));
        assert_eq!(june, in_june.then(|| value.clone()));
        assert_eq!(structured(app.modern(&token, "tools/call", &params, &[])), Some(value));
    }
}

#[test]
fn errors_have_numbers_that_each_revision_knows() {
    let peer = Peer::start(Kind::stateless());
    let (app, token) = started(&peer);
    let params = json!({"name": "read_note", "arguments": {}});
    for (code, in_legacy, in_modern) in [
        (-32602, Some(-32602), Some(-32602)),
        (-32603, Some(-32603), Some(-32603)),
        (-32002, Some(-32002), Some(-32602)),
        (-32001, Some(-32001), Some(-32603)),
        (-31000, Some(-31000), Some(-31000)),
        (-32020, Some(-32600), Some(-32600)),
        (-32042, Some(-32042), None),
    ] {
        peer.calls(move |heard, stream| json_answer(stream, &heard.error(code, "the server's own words")));
        let old = legacy(&app, &token, "2025-11-25", &params).json();
        assert_eq!(old["error"]["code"].as_i64(), in_legacy, "{code}: {old}");
        let new = app.modern(&token, "tools/call", &params, &[]).json();
        assert_eq!(new["error"]["code"].as_i64(), in_modern, "{code}: {new}");
        if in_modern.is_none() {
            assert_eq!(new["result"]["isError"], true);
        } else {
            assert_eq!(new["error"]["message"], "the server's own words");
        }
    }
}

#[test]
fn a_capability_that_the_client_lacks_is_its_own_to_know() {
    let peer = Peer::start(Kind::modern());
    peer.calls(|heard, stream| {
        let body = json!({"jsonrpc": "2.0", "id": heard.message["id"], "error": {"code": -32021, "message": "m",
            "data": {"requiredCapabilities": {"sampling": {}}}}});
        crate::support::peer::answer(stream, 400, "application/json", "", &body.to_string());
    });
    let (app, token) = started(&peer);
    let params = json!({"name": "read_note", "arguments": {}});
    let new = app.modern(&token, "tools/call", &params, &[]);
    assert_eq!((new.status, new.json()["error"]["code"].as_i64()), (400, Some(-32021)));
    assert_eq!(new.json()["error"]["data"]["requiredCapabilities"], json!({"sampling": {}}));
    let old = app.call(&token, "read_note", &json!({}));
    assert_eq!((old.status, old.json()["error"]["code"].as_i64()), (200, Some(-32600)));
}

/// One session for each principal, made anew when the server has forgotten it.
#[test]
fn sessions_are_nobody_elses() {
    let peer = Peer::start(Kind::with_sessions());
    let (app, ana) = started(&peer);
    let bea = app.pat(&app.person("bea"), &[]).token;
    let session = |token: &str| {
        assert_eq!(app.call(token, "read_note", &json!({})).status, 200);
        peer.last("tools/call").header("mcp-session-id").unwrap().to_owned()
    };
    let (first, other) = (session(&ana), session(&bea));
    assert_ne!(first, other);
    assert_eq!((session(&ana), session(&bea)), (first.clone(), other.clone()));
    let identity = peer.of("initialize").pop().unwrap();
    assert!(identity.header("x-portero-user").is_some() && identity.header("authorization").is_none());
    peer.forget_sessions();
    let new = session(&ana);
    assert!(new != first && new != other);
    // the one that answers to a lost session is asked once more, and no more than that
    peer.script(|heard, stream| {
        let call = heard.method() == "tools/call";
        if call {
            crate::support::peer::answer(stream, 404, "application/json", "", "{}");
        }
        call
    });
    let before = peer.of("tools/call").len();
    assert!(is_unavailable(&app.call(&ana, "read_note", &json!({}))));
    assert_eq!(peer.of("tools/call").len(), before + 2);
}
