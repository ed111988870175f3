//! Services where some tools need no credential.

use super::*;

const PUBLIC: &str =
    "[service.tool.list_meetings]\npublic = true\n[service.tool.delete_meeting]\nscopes = [\"mico:write\"]\n";

#[actix_web::test]
async fn what_is_public_needs_nobody() {
    let world = World::new("", PUBLIC).await;
    assert_eq!(world.rpc("", "initialize", json!({"protocolVersion": "2025-06-18"})).await.status, 200);
    assert_eq!(world.rpc("", "ping", json!({})).await.status, 200);
    assert_eq!(world.names("").await, ["list_meetings"]);
    assert_eq!(world.call("", "list_meetings", json!({})).await.json()["result"]["isError"], false);
    let headers = world.worker.last().headers;
    assert_eq!(headers["x-portero-token-kind"], "anonymous");
    assert!(!headers.contains_key("x-portero-user") && !headers.contains_key("x-portero-plan"));
    let request = test::TestRequest::get().uri("/functions/v1/mcp");
    assert_eq!(world.send(request).await.status, 405);
    let reply = world.call("unknown", "list_meetings", json!({})).await;
    assert_eq!((reply.status, reply.json()["code"].as_str()), (401, Some("invalid_token")));
}

#[actix_web::test]
async fn what_is_not_asks_for_a_sign_in_as_the_client_understands_it() {
    let world = World::new("", PUBLIC).await;
    for tool in ["delete_meeting", "nope"] {
        let reply = world.call("", tool, json!({})).await;
        assert_eq!((reply.status, reply.json()["code"].as_str()), (401, Some("unauthorized")));
        assert!(reply.header("www-authenticate").unwrap().starts_with("Bearer resource_metadata="));
    }
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "delete_meeting"}});
    let reply = world.post("", body.to_string(), &[("user-agent", "openai-mcp/1.0.0")]).await;
    assert_eq!(reply.status, 200);
    let result = &reply.json()["result"];
    assert_eq!(result["isError"], true);
    assert!(
        result["_meta"]["mcp/www_authenticate"][0].as_str().unwrap().starts_with("Bearer resource_metadata=")
    );
}

#[actix_web::test]
async fn each_tool_says_what_it_takes() {
    let world = World::new("", PUBLIC).await;
    let list = world.rpc("full", "tools/list", json!({})).await.json();
    let schemes: Vec<_> =
        list["result"]["tools"].as_array().unwrap().iter().map(|t| t["securitySchemes"].clone()).collect();
    assert_eq!(schemes, [json!([{"type": "noauth"}]), json!([{"type": "oauth2", "scopes": ["mico:write"]}])]);
    let world = World::new("", POLICY).await;
    let list = world.rpc("full", "tools/list", json!({})).await.json();
    assert!(list["result"]["tools"][0].get("securitySchemes").is_none());
}
