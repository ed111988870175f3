//! Batches of 2025-03-26: every message as if it had come alone.

use super::*;

fn message(id: u32, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn call(id: u32, name: &str) -> Value {
    message(id, "tools/call", &json!({"name": name, "arguments": {"id": id.to_string()}}))
}

fn note() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

const BATCHES: &str = "batches = true";

async fn world() -> World {
    World::new(BATCHES, POLICY).await
}

async fn send(world: &World, token: &str, batch: &Value) -> Reply {
    world.post(token, batch.to_string(), &[]).await
}

#[actix_web::test]
async fn each_message_is_answered_as_if_it_had_come_alone() {
    let world = world().await;
    let batch = json!([
        call(1, "list_meetings"),
        note(),
        call(2, "delete_meeting"),
        call(3, "nope"),
        message(4, "ping", &json!({})),
        message(5, "tools/list", &json!({})),
        message(6, "what/ever", &json!({})),
        {"jsonrpc": "2.0", "id": 7, "result": {}},
        3,
        [],
    ]);
    let reply = send(&world, "pat", &batch).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    let answers = reply.json();
    let answers = answers.as_array().unwrap();
    let ids: Vec<_> = answers.iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, [json!(1), json!(2), json!(3), json!(4), json!(5), json!(6), json!(null), json!(null)]);
    assert_eq!(answers[0]["result"]["isError"], false);
    assert_eq!(answers[1]["result"]["isError"], true, "a personal token cannot step up");
    assert_eq!(answers[2]["error"]["code"], -32602);
    assert_eq!(answers[3]["result"], json!({}));
    assert_eq!(answers[4]["result"]["tools"].as_array().unwrap().len(), 1);
    assert_eq!(answers[5]["error"]["code"], -32601);
    assert_eq!(
        (&answers[6]["error"]["code"], &answers[7]["error"]["code"]),
        (&json!(-32600), &json!(-32600))
    );
    assert!(answers.iter().all(|answer| answer.as_object().unwrap().len() == 3), "{answers:?}");
    assert_eq!(world.worker.calls(), 1, "what is refused is not done");
    assert_eq!(world.worker.last().body, "{\"id\":\"1\"}");
}

#[actix_web::test]
async fn a_refusal_that_has_a_status_alone_is_an_error_among_others() {
    let world = world().await;
    let reply = send(&world, "oauth", &json!([call(1, "delete_meeting"), call(2, "list_meetings")])).await;
    let answers = reply.json();
    assert_eq!((reply.status, answers[0]["error"]["data"]["code"].as_str()), (200, Some("missing_scope")));
    assert_eq!(answers[0]["error"]["code"], -32002);
    assert_eq!(answers[1]["result"]["isError"], false);
    // what every request needs is asked before its body is looked at
    for (token, status) in [("free", 402), ("unknown", 401), ("", 401)] {
        assert_eq!(send(&world, token, &json!([call(1, "list_meetings")])).await.status, status, "{token}");
    }
    assert_eq!(world.worker.calls(), 1);
}

#[actix_web::test]
async fn what_wants_no_answer_gets_none() {
    let world = world().await;
    let reply = send(&world, "pat", &json!([note(), {"jsonrpc": "2.0", "id": 1, "result": {}}])).await;
    assert_eq!((reply.status, reply.body.len()), (202, 0));
}

#[actix_web::test]
async fn a_batch_that_is_none() {
    let world = world().await;
    let many = Value::Array(vec![message(1, "ping", &json!({})); 51]);
    for (body, code) in [("[]".to_owned(), -32600), ("[{]".to_owned(), -32700), (many.to_string(), -32600)] {
        let reply = world.post("pat", body, &[]).await;
        assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (400, Some(code)));
        assert_eq!(reply.json()["id"], Value::Null);
    }
    let most = Value::Array(vec![message(1, "ping", &json!({})); 50]);
    assert_eq!(send(&world, "pat", &most).await.json().as_array().unwrap().len(), 50);
}

#[actix_web::test]
async fn only_one_revision_knows_batches() {
    let world = world().await;
    let batch = json!([message(1, "ping", &json!({}))]);
    for (version, status) in [
        ("2025-03-26", 200),
        ("", 200),
        ("2024-11-05", 400),
        ("2025-06-18", 400),
        ("2025-11-25", 400),
        ("2026-07-28", 400),
        ("2031-01-01", 400),
        ("what", 400),
    ] {
        let reply = world.post("pat", batch.to_string(), &[("mcp-protocol-version", version)]).await;
        assert_eq!(reply.status, status, "{version}");
        if status == 400 {
            assert_eq!(reply.json()["error"]["code"], -32600, "{version}");
        }
    }
    let meta = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}});
    let batch = json!([
        message(1, "initialize", &json!({"protocolVersion": "2025-03-26"})),
        message(2, "tools/list", &meta),
        message(3, "server/discover", &meta),
        message(4, "ping", &json!({})),
    ]);
    let answers = send(&world, "pat", &batch).await.json();
    for index in 0..3 {
        assert_eq!(answers[index]["error"]["code"], -32600, "{answers}");
        assert_eq!(answers[index]["id"], index + 1);
    }
    assert_eq!(answers[3]["result"], json!({}));
    let world = World::new("batches = true\nprotocol_versions = [\"2025-06-18\"]", POLICY).await;
    assert_eq!(send(&world, "pat", &json!([message(1, "ping", &json!({}))])).await.status, 400);
    let world = World::new("", POLICY).await;
    assert_eq!(send(&world, "pat", &json!([message(1, "ping", &json!({}))])).await.status, 400);
}

#[actix_web::test]
async fn an_anonymous_batch_opens_the_sign_in_before_anything_is_done() {
    let public = "[service.tool.list_meetings]\npublic = true\n";
    let world = World::new(BATCHES, public).await;
    let reply = send(&world, "", &json!([call(1, "list_meetings"), message(2, "ping", &json!({}))])).await;
    assert_eq!(reply.json()[0]["result"]["isError"], false);
    assert_eq!(world.worker.calls(), 1);
    let batch = json!([call(1, "list_meetings"), call(2, "delete_meeting")]);
    let reply = send(&world, "", &batch).await;
    assert_eq!((reply.status, reply.json()["code"].as_str()), (401, Some("unauthorized")));
    assert!(reply.header("www-authenticate").unwrap().starts_with("Bearer resource_metadata="));
    assert_eq!(world.worker.calls(), 1);
    let reply = world.post("", batch.to_string(), &[("user-agent", "openai-mcp/1.0.0 (ChatGPT)")]).await;
    let answers = reply.json();
    assert_eq!((reply.status, &answers[0]["result"]["isError"]), (200, &json!(false)));
    assert!(answers[1]["result"]["_meta"]["mcp/www_authenticate"][0].is_string());
}

#[actix_web::test]
async fn a_worker_that_streams_is_heard_to_its_answer() {
    let world = world().await;
    world.worker.answers(200, "text/event-stream", "event: result\ndata: {\"ok\":true}\n\n");
    let reply = send(&world, "pat", &json!([call(1, "list_meetings")])).await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.json()[0]["result"]["content"][0]["text"], "{\"ok\":true}");
    let only = [("accept", "text/event-stream")];
    let reply = world.post("pat", json!([call(1, "list_meetings")]).to_string(), &only).await;
    let text = String::from_utf8(reply.body.clone()).unwrap();
    assert!(reply.status == 200 && text.contains("data: [{"), "{text}");
}
