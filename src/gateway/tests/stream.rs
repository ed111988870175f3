//! Workers that answer little by little.

use super::*;

const EVENTS: &str =
    "event: progress\ndata: {\"progress\":1,\"total\":2}\n\nevent: result\ndata: {\"done\":true}\n\n";

fn call(token: &str) -> String {
    json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "list_meetings",
        "_meta": {"progressToken": token}}})
    .to_string()
}

fn events(reply: &Reply) -> Vec<Value> {
    let text = String::from_utf8(reply.body.clone()).unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[actix_web::test]
async fn progress_and_then_the_result() {
    let world = World::new("", POLICY).await;
    world.worker.answers(200, "text/event-stream; charset=utf-8", EVENTS);
    let reply = world.post("pat", call("p1"), &[]).await;
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    assert_eq!(
        (reply.header("x-accel-buffering"), reply.header("cache-control")),
        (Some("no"), Some("no-store, no-transform"))
    );
    let events = events(&reply);
    assert_eq!(events.len(), 2);
    assert_eq!(
        events[0],
        json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": "p1", "progress": 1, "total": 2}})
    );
    assert_eq!(events[1]["result"]["content"][0]["text"], "{\"done\":true}");
    assert_eq!(events[1]["id"], 5);
}

#[actix_web::test]
async fn who_takes_no_stream_gets_the_result_alone() {
    let world = World::new("", POLICY).await;
    world.worker.answers(200, "text/event-stream", EVENTS);
    let reply = world.post("pat", call("p1"), &[("accept", "application/json")]).await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.result_text(), json!({"done": true}));
}

#[actix_web::test]
async fn a_stream_ends_with_an_answer_whatever_happens() {
    let world = World::new("", POLICY).await;
    for (body, code) in [
        ("event: progress\ndata: {}\n\n", "upstream_unavailable"),
        ("event: result\ndata: {broken\n\n", "upstream_unavailable"),
    ] {
        world.worker.answers(200, "text/event-stream", body);
        let reply = world.post("pat", call("p1"), &[]).await;
        let last = events(&reply).pop().unwrap();
        let text: Value =
            serde_json::from_str(last["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!((text["code"].as_str(), last["id"].as_i64()), (Some(code), Some(5)));
    }
    world.worker.answers(200, "text/event-stream", "event: error\ndata: {\"error\":\"no\"}\n\n");
    let reply = world.post("pat", call("p1"), &[]).await;
    assert_eq!(events(&reply).pop().unwrap()["result"]["isError"], true);
}

#[actix_web::test]
async fn a_stream_alone_carries_any_answer() {
    let world = World::new("", POLICY).await;
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}";
    let reply = world.post("pat", ping, &[("accept", "text/event-stream")]).await;
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    assert_eq!(events(&reply), [json!({"jsonrpc": "2.0", "id": 5, "result": {}})]);
    let reply = world.post("free", ping, &[("accept", "text/event-stream")]).await;
    assert_eq!((reply.status, reply.header("content-type")), (402, Some("application/json")));
}
