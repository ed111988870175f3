//! Lists, calls, and what a worker sees and says.

use super::*;

#[actix_web::test]
async fn a_call_reaches_the_worker_as_it_was_sent() {
    let world = World::new("", POLICY).await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_meetings","arguments":{ "n" : 1.10,"confirm":true}}}"#;
    let forged = [
        ("x-portero-user", "evil"),
        ("x_portero_user", "evil"),
        ("X-Portero-Admin", "evil"),
        ("cookie", "a=b"),
        ("forwarded", "for=evil"),
        ("x-anything", "evil"),
        ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
        ("accept-language", "es"),
    ];
    let reply = world.post("oauth", body, &forged).await;
    assert_eq!(reply.json()["result"]["isError"], false);
    assert_eq!(reply.json()["result"]["content"][0]["text"], "{\"ok\": 1.10}");
    assert!(reply.json()["result"].get("structuredContent").is_none());
    let seen = world.worker.last();
    assert_eq!(seen.path, "/tools/list_meetings");
    assert_eq!(seen.body, r#"{ "n" : 1.10,"confirm":true}"#);
    let mut names: Vec<_> = seen.headers.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "accept",
            "accept-language",
            "content-length",
            "content-type",
            "host",
            "traceparent",
            "user-agent",
            "x-portero-client",
            "x-portero-features",
            "x-portero-grant",
            "x-portero-mode",
            "x-portero-plan",
            "x-portero-scopes",
            "x-portero-service",
            "x-portero-token-kind",
            "x-portero-tool",
            "x-portero-user",
            "x-portero-workspace",
            "x-request-id"
        ]
    );
    let header = |name: &str| seen.headers[name].as_str();
    assert_eq!((header("x-portero-user"), header("x-portero-workspace")), ("usr_1", "wsp_1"));
    assert_eq!((header("x-portero-plan"), header("x-portero-features")), ("flow", "mcp"));
    assert_eq!((header("x-portero-scopes"), header("x-portero-token-kind")), ("mico:read", "oauth"));
    assert_eq!((header("x-portero-service"), header("x-portero-tool")), ("mico", "list_meetings"));
    assert_eq!((header("x-portero-client"), header("x-portero-grant")), ("cli_1", "grt_1"));
    assert_eq!(header("traceparent"), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    assert_eq!(header("host"), world.worker.url.trim_start_matches("http://"));
}

#[actix_web::test]
async fn absent_arguments_are_an_empty_object() {
    let world = World::new("", POLICY).await;
    for params in [json!({"name": "list_meetings"}), json!({"name": "list_meetings", "arguments": null})] {
        assert_eq!(world.rpc("pat", "tools/call", params).await.json()["result"]["isError"], false);
        assert_eq!(world.worker.last().body, "{}");
    }
    let reply = world.call("pat", "list_meetings", json!([1])).await;
    assert_eq!(reply.json()["error"]["code"], -32602);
}

#[actix_web::test]
async fn the_list_is_what_can_be_called() {
    let world = World::new("", POLICY).await;
    assert_eq!(world.names("pat").await, ["list_meetings"]);
    assert_eq!(world.names("full").await, ["list_meetings", "delete_meeting"]);
    let world = World::new("list = \"all\"", POLICY).await;
    assert_eq!(world.names("pat").await, ["list_meetings", "delete_meeting"]);
    let policy = format!("{POLICY}modes = [\"live\"]");
    let world = World::new("", &policy).await;
    assert_eq!(world.names("test").await, ["list_meetings"]);
    let hidden = world.call("test", "delete_meeting", json!({})).await;
    assert_eq!(hidden.json()["error"]["code"], -32602);
    let absent = world.call("test", "delete_meetinx", json!({})).await;
    assert_eq!(hidden.body.len(), absent.body.len());
}

#[actix_web::test]
async fn who_lacks_a_scope_learns_which() {
    let world = World::new("", POLICY).await;
    let reply = world.call("pat", "delete_meeting", json!({})).await;
    assert_eq!(reply.status, 200);
    assert!(reply.header("www-authenticate").is_none() && reply.json()["result"]["isError"] == true);
    let text = reply.result_text();
    assert_eq!((text["code"].as_str(), text["status"].as_i64()), (Some("missing_scope"), Some(403)));
    assert!(text["error"].as_str().unwrap().contains("mico:write") && text["error"] == text["message"]);
    let reply = world.call("oauth", "delete_meeting", json!({})).await;
    assert_eq!((reply.status, reply.json()["code"].as_str()), (403, Some("missing_scope")));
    assert_eq!(
        reply.header("www-authenticate"),
        Some(
            "Bearer error=\"insufficient_scope\", scope=\"mico:read mico:write\", resource_metadata=\"http://127.0.0.1:8080/.well-known/oauth-protected-resource/functions/v1/mcp\""
        )
    );
    assert_eq!(world.worker.calls(), 0);
}

#[actix_web::test]
async fn an_overdue_bill_reads_and_does_not_write() {
    let world = World::new("", POLICY).await;
    assert_eq!(world.names("due").await, ["list_meetings", "delete_meeting"]);
    assert_eq!(world.call("due", "list_meetings", json!({})).await.json()["result"]["isError"], false);
    let reply = world.call("due", "delete_meeting", json!({})).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.result_text()["code"], "workspace_blocked");
    assert_eq!(reply.result_text()["status"], 403);
}

#[actix_web::test]
async fn a_locked_tool_is_shown_with_the_way_to_unlock_it() {
    let policy = format!("{POLICY}feature = \"extra\"");
    let world = World::new("upgrade_url = \"https://m.example/plans\"", &policy).await;
    let list = world.rpc("full", "tools/list", json!({})).await.json();
    let tool = &list["result"]["tools"][1];
    assert_eq!(
        tool["_meta"]["io.portero/locked"],
        json!({"code": "feature_not_included", "feature": "extra", "upgrade_url": "https://m.example/plans"})
    );
    assert!(tool["description"].as_str().unwrap().ends_with("https://m.example/plans"));
    let reply = world.call("full", "delete_meeting", json!({})).await;
    assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (402, Some(-32010)));
    assert_eq!(reply.json()["error"]["data"]["feature"], "extra");
    let world = World::new("locked = \"hide\"", &policy).await;
    assert_eq!(world.names("full").await, ["list_meetings"]);
    assert_eq!(world.call("full", "delete_meeting", json!({})).await.json()["error"]["code"], -32602);
}

#[actix_web::test]
async fn a_workers_answers() {
    let world = World::new("", POLICY).await;
    let call = async || world.call("pat", "list_meetings", json!({})).await;
    world.worker.answers(404, "application/json", "{\"error\":\"meeting 'x' not found\"}");
    let reply = call().await.json();
    assert_eq!(reply["result"]["isError"], true);
    assert_eq!(reply["result"]["content"][0]["text"], "{\"error\":\"meeting 'x' not found\"}");
    assert_eq!(reply["result"]["_meta"]["io.portero/status"], 404);
    world.worker.answers(
        200,
        "application/vnd.mcp.result+json",
        "{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}",
    );
    assert_eq!(
        call().await.json()["result"],
        json!({"content": [{"type": "text", "text": "x"}], "isError": false})
    );
    for (status, body) in [(500, "{}"), (502, "<html>"), (200, "<html>"), (302, "{}")] {
        world.worker.answers(status, "application/json", body);
        let reply = call().await;
        assert_eq!((reply.status, reply.json()["result"]["isError"].clone()), (200, json!(true)), "{status}");
        assert_eq!(reply.result_text()["code"], "upstream_unavailable", "{status} {body}");
    }
    world.worker.delay.store(1500, Ordering::SeqCst);
    assert_eq!(call().await.result_text()["code"], "upstream_timeout");
}

#[actix_web::test]
async fn an_upstreams_failure_by_status() {
    let world = World::new("upstream_errors = \"status\"", POLICY).await;
    world.worker.answers(500, "text/html", "<html>");
    let reply = world.call("pat", "list_meetings", json!({})).await;
    assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (502, Some(-32099)));
    world.worker.delay.store(1500, Ordering::SeqCst);
    assert_eq!(world.call("pat", "list_meetings", json!({})).await.status, 504);
}

#[actix_web::test]
async fn structured_content_where_revision_and_tool_know_it() {
    let policy = format!("{POLICY}structured = true\nstructured_key = \"articles\"");
    let world = World::new("", &policy).await;
    let call = async |version: &str| {
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "delete_meeting"}});
        world.post("full", body.to_string(), &[("mcp-protocol-version", version)]).await.json()["result"]
            .clone()
    };
    assert_eq!(call("2025-06-18").await["structuredContent"], json!({"ok": 1.10}));
    assert!(call("2025-03-26").await.get("structuredContent").is_none());
    world.worker.answers(200, "application/json", "[1,2]");
    let result = call("2025-11-25").await;
    assert_eq!(result["structuredContent"], json!({"articles": [1, 2]}));
    assert_eq!(result["content"][0]["text"], "[1,2]");
    world.worker.answers(200, "application/json", "3");
    assert!(call("2025-11-25").await.get("structuredContent").is_none());
}

#[actix_web::test]
async fn a_write_has_an_idempotency_key() {
    let world = World::new("", POLICY).await;
    world.call("full", "delete_meeting", json!({})).await;
    assert_eq!(world.worker.last().headers["idempotency-key"].len(), 32);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "delete_meeting",
        "_meta": {"io.portero/idempotency-key": "k1"}}});
    world.post("full", body.to_string(), &[]).await;
    assert_eq!(world.worker.last().headers["idempotency-key"], "k1");
    world.post("full", body.to_string(), &[("idempotency-key", "k2")]).await;
    assert_eq!(world.worker.last().headers["idempotency-key"], "k2");
    let reply = world.post("full", body.to_string(), &[("idempotency-key", "a b")]).await;
    assert_eq!(reply.result_text()["code"], "invalid_arguments");
}

#[actix_web::test]
async fn a_bad_catalog_stops_the_start_and_a_silent_worker_does_not() {
    let worker = Worker::start();
    *worker.tools.lock().unwrap() = json!([{"name": "a b"}]);
    let bad = base(config(&worker.url, "", POLICY).unwrap()).await;
    let faults = Gateway::build(&bad.app).await.err().unwrap();
    assert!(faults[0].contains("tool \"a b\" has a name"), "{faults:?}");
    let silent = base(config("http://127.0.0.1:1", "", POLICY).unwrap()).await;
    let world = World::over(silent, worker).await;
    let reply = world.rpc("pat", "tools/list", json!({})).await;
    assert_eq!(reply.json()["error"]["data"]["code"], "upstream_unavailable");
    assert_eq!(
        world.call("pat", "list_meetings", json!({})).await.result_text()["code"],
        "upstream_unavailable"
    );
}
