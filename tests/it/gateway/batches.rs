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
