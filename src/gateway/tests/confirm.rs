//! Calls that a person has to confirm.

use super::*;

const ASK: &str = "confirm = \"intent\"\nconfirm_message = \"The meeting is lost.\"";

#[actix_web::test]
async fn the_question_is_in_the_schema() {
    let world = World::new("", &format!("{POLICY}{ASK}")).await;
    let list = world.rpc("full", "tools/list", json!({})).await.json();
    let tool = &list["result"]["tools"][1];
    assert_eq!(tool["inputSchema"]["required"], json!(["confirm", "user_intent"]));
    assert!(tool["inputSchema"]["properties"].get("id").is_some());
    assert!(tool["description"].as_str().unwrap().contains("confirm: true"));
}

#[actix_web::test]
async fn nothing_happens_before_the_answer() {
    let world = World::new("", &format!("{POLICY}{ASK}")).await;
    for arguments in [
        json!({}),
        json!({"confirm": true}),
        json!({"confirm": "true", "user_intent": "x"}),
        json!({"confirm": 1, "user_intent": "x"}),
        json!({"confirm": true, "user_intent": " "}),
        json!({"confirm": true, "user_intent": "x".repeat(501)}),
    ] {
        let reply = world.call("full", "delete_meeting", arguments.clone()).await;
        assert_eq!((reply.status, reply.json()["result"]["isError"].clone()), (200, json!(true)));
        let text = reply.result_text();
        assert_eq!(text["code"], "confirmation_required", "{arguments}");
        assert!(text["error"].as_str().unwrap().contains("The meeting is lost."));
    }
    assert_eq!(world.worker.calls(), 0);
    let arguments = json!({"id": "m1", "confirm": true, "user_intent": "clean up, año"});
    assert_eq!(world.call("full", "delete_meeting", arguments).await.json()["result"]["isError"], false);
    let seen = world.worker.last();
    assert_eq!(seen.body, "{\"id\":\"m1\"}");
    assert_eq!(seen.headers["x-portero-confirmed"], "true");
    assert_eq!(seen.headers["x-portero-user-intent"], "clean%20up%2C%20a%C3%B1o");
}

/// What is asked for, what a tool takes and what the worker promises and the gateway does not keep: the same in
/// every revision.
#[actix_web::test]
async fn a_tool_is_listed_alike_in_every_revision() {
    let worker = Worker::start();
    let mut own = tool("delete_meeting", false);
    own["execution"] = json!({"taskSupport": "required"});
    own["securitySchemes"] = json!([{"type": "noauth"}]);
    own["inputSchema"]["properties"]["confirm"] = json!({"type": "string"});
    own["inputSchema"]["additionalProperties"] = json!(false);
    *worker.tools.lock().unwrap() = json!([tool("list_meetings", true), own]);
    let policy = format!("{POLICY}{ASK}").replacen("scopes", "public = true\nscopes", 1);
    let world = World::with(worker, "", &policy).await;
    let mut seen = Vec::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
        let list = world.post("full", body, &[("mcp-protocol-version", version)]).await.json();
        seen.push(list["result"]["tools"].clone());
    }
    let modern = world.modern("full", "tools/list", json!({}), &[]).await.json();
    assert_eq!(modern["result"]["cacheScope"], "private");
    seen.push(modern["result"]["tools"].clone());
    let tool = &seen[0][1];
    assert_eq!(tool["inputSchema"]["properties"]["confirm"]["const"], true, "ours, not the worker's");
    assert_eq!(tool["inputSchema"]["required"], json!(["confirm", "user_intent"]));
    assert_eq!(tool["securitySchemes"], json!([{"type": "oauth2", "scopes": ["mico:write"]}]));
    assert_eq!(seen[0][0]["securitySchemes"], json!([{"type": "noauth"}]));
    assert!(tool.get("execution").is_none());
    assert!(seen.iter().all(|tools| *tools == seen[0]), "{seen:?}");
}
