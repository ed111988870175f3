//! Five revisions on one endpoint.

use super::*;

#[actix_web::test]
async fn initialize_settles_on_a_served_revision() {
    let world = World::new("server_info = { name = \"mico-mcp\", instructions = \"Ask.\" }", POLICY).await;
    for (asked, got) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": asked}});
        let reply = world.post("pat", body.to_string(), &[("mcp-protocol-version", asked)]).await;
        let result = &reply.json()["result"];
        assert_eq!(result["protocolVersion"], got);
        assert_eq!(result["capabilities"], json!({"tools": {"listChanged": false}}));
        assert_eq!(
            (&result["serverInfo"]["name"], &result["instructions"]),
            (&json!("mico-mcp"), &json!("Ask."))
        );
        assert_eq!(result["serverInfo"].get("title").is_some(), got >= "2025-06-18");
        assert!(reply.header("mcp-session-id").is_none() && result.get("resultType").is_none());
    }
    let reply = world.rpc("pat", "initialize", json!({})).await;
    assert_eq!(reply.json()["error"]["code"], -32602);
}

#[actix_web::test]
async fn a_service_of_one_revision() {
    let world = World::new("protocol_versions = [\"2025-03-26\"]", POLICY).await;
    let reply = world.rpc("pat", "initialize", json!({"protocolVersion": "2025-11-25"})).await;
    assert_eq!(reply.json()["result"]["protocolVersion"], "2025-03-26");
    let reply = world.rpc("pat", "server/discover", json!({})).await;
    assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (404, Some(-32601)));
    let reply = world.modern("pat", "tools/list", json!({}), &[]).await;
    assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (400, Some(-32022)));
    assert_eq!(reply.json()["error"]["data"]["supported"], json!(["2025-03-26"]));
    assert_eq!(reply.json()["error"]["data"]["requested"], "2026-07-28");
    let world = World::new("protocol_versions = [\"2025-06-18\"]", POLICY).await;
    assert_eq!(world.rpc("pat", "tools/list", json!({})).await.status, 200);
}

#[actix_web::test]
async fn legacy_versions_come_from_the_header() {
    let world = World::new("", POLICY).await;
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    for version in ["2024-11-05", "2025-11-25", ""] {
        assert_eq!(
            world.post("pat", ping, &[("mcp-protocol-version", version)]).await.status,
            200,
            "{version}"
        );
    }
    for version in ["2023-01-01", "x"] {
        let reply = world.post("pat", ping, &[("mcp-protocol-version", version)]).await;
        assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (400, Some(-32600)), "{version}");
        assert_eq!(reply.json()["code"], "unsupported_version");
    }
}

#[actix_web::test]
async fn modern_requests_are_checked_in_order() {
    let world = World::new("", POLICY).await;
    let reply = world.modern("pat", "server/discover", json!({}), &[]).await;
    let result = &reply.json()["result"];
    assert_eq!(
        result["supportedVersions"],
        json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
    );
    assert!(
        result["ttlMs"].is_u64() && result["cacheScope"] == "private" && result["resultType"] == "complete"
    );
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mico");
    let call = json!({"name": "list_meetings", "arguments": {}});
    let reply = world.modern("pat", "tools/call", call.clone(), &[]).await;
    assert_eq!((reply.status, reply.json()["result"]["resultType"].as_str()), (200, Some("complete")));
    for (more, code) in [
        (("mcp-name", "delete_meeting"), -32020),
        (("mcp-name", ""), -32020),
        (("mcp-name", "=?base64?bGlzdF9tZWV0aW5ncw==?="), 0),
        (("mcp-method", "tools/list"), -32020),
        (("mcp-method", ""), -32020),
        (("mcp-protocol-version", ""), -32020),
        (("mcp-protocol-version", "2025-11-25"), -32020),
    ] {
        let reply = world.modern("pat", "tools/call", call.clone(), &[more]).await;
        assert_eq!(reply.status, if code == 0 { 200 } else { 400 }, "{more:?}");
        assert_eq!(reply.json()["error"]["code"].as_i64().unwrap_or_default(), code, "{more:?}");
    }
    for method in ["ping", "initialize", "logging/setLevel", "resources/list", "x"] {
        let reply = world.modern("pat", method, json!({}), &[]).await;
        assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (404, Some(-32601)), "{method}");
        assert_eq!(reply.json()["id"], 7);
    }
}

#[actix_web::test]
async fn modern_requests_say_what_they_are() {
    let world = World::new("", POLICY).await;
    let header = ("mcp-protocol-version", "2026-07-28");
    for body in [
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 7, "method": "server/discover"}),
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28"}}}),
    ] {
        let reply = world.post("pat", body.to_string(), &[header]).await;
        assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (400, Some(-32602)), "{body}");
    }
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2027-01-01",
        "io.modelcontextprotocol/clientCapabilities": {}});
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": meta}});
    let headers = [("mcp-protocol-version", "2027-01-01"), ("mcp-method", "tools/list")];
    let reply = world.post("pat", body.to_string(), &headers).await;
    assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (400, Some(-32022)));
    let reply = world.modern("pat", "tools/call", json!({"name": "nope"}), &[]).await;
    assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (200, Some(-32602)));
    let reply = world.modern("oauth", "tools/call", json!({"name": "delete_meeting"}), &[]).await;
    assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (403, Some(-31002)));
}

#[actix_web::test]
async fn ids_are_echoed_as_they_came() {
    let world = World::new("", POLICY).await;
    for id in ["\"1\"", "1", "9007199254740993", "\"á\"", "\"\\u00e1\""] {
        let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
        let reply = world.post("pat", body, &[]).await;
        let text = String::from_utf8(reply.body).unwrap();
        assert!(text.starts_with(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},")), "{text}");
    }
}
