//! Three ways of saying no.

use super::*;

#[actix_web::test]
async fn as_json_rpc_errors() {
    let world = World::new("errors = \"jsonrpc\"", &format!("{POLICY}confirm = true")).await;
    for (token, name, code, word) in [
        ("free", "list_meetings", -32002, "feature_not_included"),
        ("pat", "delete_meeting", -32002, "missing_scope"),
        ("oauth", "delete_meeting", -32002, "missing_scope"),
        ("due", "delete_meeting", -32002, "workspace_blocked"),
        ("full", "delete_meeting", -32011, "confirmation_required"),
        ("full", "nope", -32602, "unknown_tool"),
    ] {
        let reply = world.call(token, name, json!({})).await;
        assert_eq!(
            (reply.status, reply.json()["error"]["code"].as_i64()),
            (200, Some(code)),
            "{token} {name}"
        );
        assert_eq!(reply.json()["error"]["data"]["code"], word);
        assert_eq!(reply.json()["id"], 7);
        assert_eq!(reply.json().as_object().unwrap().len(), 3);
    }
    for (status, code) in [(400, -32011), (422, -32011), (404, -32002), (500, -32099)] {
        world.worker.answers(status, "application/json", "{\"message\":\"so\"}");
        let reply = world.call("pat", "list_meetings", json!({})).await;
        assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (200, Some(code)), "{status}");
    }
    world.worker.answers(429, "application/json", "{\"error\":{\"message\":\"slowly\"}}");
    let reply = world.call("pat", "list_meetings", json!({})).await;
    assert_eq!((reply.status, reply.json()["message"].as_str()), (429, Some("slowly")));
    world.worker.answers(409, "application/json", "{\"error\":\"no\"}");
    assert_eq!(world.call("pat", "list_meetings", json!({})).await.json()["result"]["isError"], true);
    assert_eq!(world.post("pat", "{", &[]).await.status, 200);
    let reply = world.post("free", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}", &[]).await;
    assert_eq!(reply.status, 402);
    assert_eq!(world.call("unknown", "list_meetings", json!({})).await.status, 401);
}

#[actix_web::test]
async fn as_tool_results() {
    let world = World::new("errors = \"tool\"", POLICY).await;
    for (token, name, status, word) in [
        ("free", "list_meetings", 402, "feature_not_included"),
        ("oauth", "delete_meeting", 403, "missing_scope"),
        ("due", "delete_meeting", 403, "workspace_blocked"),
    ] {
        let reply = world.call(token, name, json!({})).await;
        assert_eq!(reply.status, 200);
        let text = reply.result_text();
        assert_eq!((text["status"].as_i64(), text["code"].as_str()), (Some(status), Some(word)));
    }
    let reply = world.rpc("free", "tools/list", json!({})).await;
    assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (200, Some(-32002)));
    let world = World::new("errors = \"tool\"\nerror_text = \"plain\"", POLICY).await;
    let reply = world.call("pat", "delete_meeting", json!({})).await;
    assert_eq!(reply.json()["result"]["content"][0]["text"], "This needs the permission mico:write.");
}

#[actix_web::test]
async fn numbers_can_be_the_operators() {
    let world = World::new("[service.error_codes]\nfeature_not_included = -32010\n", POLICY).await;
    assert_eq!(world.rpc("free", "ping", json!({})).await.json()["error"]["code"], -32010);
    // the stateless revision keeps that range for itself
    let reply = world.modern("free", "tools/list", json!({}), &[]).await;
    assert_eq!(reply.json()["error"]["code"], -31002);
    let world = World::new("[service.error_codes]\nfeature_not_included = 402\n", POLICY).await;
    let reply = world.modern("free", "tools/list", json!({}), &[]).await;
    assert_eq!(reply.json()["error"]["code"], 402);
}
