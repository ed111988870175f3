//! Batches of 2025-03-26, over real HTTP.

use std::time::Duration;

use serde_json::{Value, json};

use super::shelf::{POLICY, Shelf};
use crate::support::{TestApp, eventually};

fn message(id: u8, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[test]
fn each_message_is_checked_alone() {
    let app = TestApp::builder().with("service", "batches = true").start();
    let person = app.person("ana");
    let connection = app.connect(&app.pat(&person, &[]).token);
    let call = |id: u8, tool: &str| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": {"n": id}}});
    let batch = json!([
        call(1, "list_meetings"),
        call(2, "delete_meeting"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}},
    ]);
    let reply = app.rpc(&connection.access, &batch);
    assert_eq!(reply.status, 200, "{reply:?}");
    let answers = reply.json();
    assert_eq!(answers.as_array().unwrap().len(), 3);
    assert_eq!((&answers[0]["id"], &answers[0]["result"]["isError"]), (&json!(1), &json!(false)));
    assert_eq!(answers[1]["error"]["data"]["code"], "missing_scope");
    assert_eq!(answers[2]["error"]["code"], -32600);
    let seen = app.worker.seen();
    assert_eq!(seen.len(), 1, "what is refused alone is refused here");
    assert_eq!(seen[0].header("x-portero-user"), Some(person.id.as_str()));
    for version in ["2025-06-18", "2025-11-25"] {
        let reply =
            app.rpc_with(&connection.access, &[("mcp-protocol-version", version)], &batch.to_string());
        assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (400, Some(-32600)), "{version}");
    }
    assert_eq!(app.worker.seen().len(), 1);
}

#[test]
fn a_token_that_is_revoked_meanwhile_is_good_for_no_more_of_them() {
    let app = TestApp::builder().with("service", "batches = true").start();
    let pat = app.pat(&app.person("ana"), &[]);
    app.worker.takes(Duration::from_millis(1500));
    let call = |id| message(id, "tools/call", &json!({"name": "list_meetings", "arguments": {}}));
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let batch = json!([call(1), call(2), note, call(3)]);
    let reply = std::thread::scope(|scope| {
        let sent = scope.spawn(|| app.rpc(&pat.token, &batch));
        eventually("the first call", || (app.worker.seen().len() == 1).then_some(()));
        app.cli(&["token", "revoke", &pat.id], None);
        sent.join().unwrap()
    });
    let answers = reply.json();
    assert_eq!((reply.status, answers.as_array().unwrap().len()), (200, 3), "{reply:?}");
    assert_eq!(answers[0]["result"]["isError"], false, "it was under way");
    for (at, id) in [(1, 2), (2, 3)] {
        assert_eq!(
            (&answers[at]["id"], &answers[at]["error"]["data"]["code"]),
            (&json!(id), &json!("invalid_token")),
            "{reply:?}"
        );
    }
    assert_eq!(app.worker.seen().len(), 1);
}

#[test]
fn what_was_called_is_answered_whatever_comes_after_it() {
    let policy = format!(
        "{POLICY}[service.resource.\"files://logo\"]\npublic = true\n\
        [service.tool.\"list_*\"]\npublic = true\n"
    );
    let shelf = Shelf::start();
    let app = shelf.before(&policy).with("service", "batches = true").start();
    let read = |id| message(id, "resources/read", &json!({"uri": "notes://a1"}));
    let call = message(1, "tools/call", &json!({"name": "list_meetings", "arguments": {}}));
    let reply = app.rpc("", &json!([message(1, "ping", &json!({})), read(2)]));
    assert_eq!(reply.status, 401, "nothing was done: {reply:?}");
    let reply = app.rpc("", &json!([call, read(2)]));
    let answers = reply.json();
    assert_eq!((reply.status, &answers[0]["result"]["isError"]), (200, &json!(false)), "{reply:?}");
    assert_eq!(answers[1]["error"]["data"]["code"], "unauthorized");
    assert_eq!(app.worker.seen().len(), 1);
}

/// Two calls alike under one header would be one: the second answered with the first one's result.
#[test]
fn a_key_in_the_header_speaks_for_one_call() {
    let app = TestApp::builder().with("service", "batches = true").start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let call = |id: u8, key: Option<&str>| {
        let mut params = json!({"name": "delete_meeting", "arguments": {"meeting_id": "1"}});
        if let Some(key) = key {
            params["_meta"] = json!({"io.portero/idempotency-key": key});
        }
        message(id, "tools/call", &params)
    };
    let header = [("idempotency-key", "k1")];
    for batch in [
        json!([call(1, None), call(2, None)]),
        json!([call(1, Some("a")), call(2, Some("b"))]),
        json!([message(1, "ping", &json!({})), call(2, None)]),
    ] {
        for token in [&token, "mico_pat_unknown"] {
            let reply = app.rpc_with(token, &header, &batch.to_string());
            let body = reply.json();
            if token.ends_with("unknown") {
                assert_eq!(reply.status, 401, "who calls comes first");
                continue;
            }
            assert_eq!((reply.status, &body["error"]["code"]), (400, &json!(-32600)), "{reply:?}");
            let said = body["error"]["message"].as_str().unwrap();
            assert!(
                said.contains("give each call its own key in _meta[\"io.portero/idempotency-key\"]"),
                "{said}"
            );
        }
    }
    assert_eq!(app.worker.seen().len(), 0, "nothing was done");
    // one call beside what wants no answer, or keys of their own
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let reply = app.rpc_with(&token, &header, &json!([note, call(1, None)]).to_string());
    assert_eq!((reply.status, &reply.json()[0]["result"]["isError"]), (200, &json!(false)), "{reply:?}");
    let answers =
        app.rpc(&token, &json!([call(1, Some("a")), call(2, Some("b")), call(3, Some("a"))])).json();
    let replayed: Vec<_> =
        (0..3).map(|at| answers[at]["result"]["_meta"]["io.portero/replayed"] == true).collect();
    assert_eq!(replayed, [false, false, true], "{answers}");
    let keys: Vec<_> =
        app.worker.seen().iter().map(|seen| seen.header("idempotency-key").map(str::to_owned)).collect();
    assert_eq!(keys, ["k1", "a", "b"].map(|key| Some(key.to_owned())));
}
