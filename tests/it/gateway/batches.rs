//! Batches of 2025-03-26, over real HTTP.

use serde_json::json;

use crate::support::TestApp;

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
