//! Workers that answer little by little.

use std::time::Duration;

use super::*;
use crate::store::credits::Outcome;

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

const METERED: &str = "[plans.metered]\nfeatures = [\"mcp\"]\ncredits_per_month = 1000\n";

/// A call of 2026-07-28 by somebody on a metered plan.
fn metered(world: &World) -> test::TestRequest {
    let token = Secret::generate("mico_pat_", &Named("metered".to_owned())).expose().to_owned();
    let (cache, now) = (&world.app.identity.verified, world.app.clock.now());
    if let Lookup::Ask(ticket) = cache.look_up(&Digest::of(&token), now) {
        let own = Verified { plan: Some("metered".into()), ..verified(TokenKind::Pat, "mico:read") };
        cache.fill(Digest::of(&token), ticket, Arc::new(own), now);
    }
    let meta = json!({"progressToken": "p", "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}});
    let body = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": {"name": "list_meetings", "_meta": meta}});
    let headers = [
        ("authorization", format!("Bearer {token}")),
        ("content-type", "application/json".to_owned()),
        ("accept", "application/json, text/event-stream".to_owned()),
        ("mcp-protocol-version", "2026-07-28".to_owned()),
        ("mcp-method", "tools/call".to_owned()),
        ("mcp-name", "list_meetings".to_owned()),
    ];
    let request = test::TestRequest::post().uri("/functions/v1/mcp").set_payload(body.to_string());
    headers.into_iter().fold(request, test::TestRequest::append_header)
}

/// More progress than anybody takes at once, and the end behind it.
fn crowded(end: &str) -> String {
    format!("{}{end}", "event: progress\ndata: {\"progress\":1}\n\n".repeat(40))
}

/// How a call is settled whose client takes the head of its stream and no event, and leaves.
async fn settled(end: &str) -> (Option<Outcome>, i64) {
    let policy = format!("[service.tool.list_meetings]\nscopes = [\"mico:read\"]\ncost = 9\n{METERED}");
    let world = World::new("", &policy).await;
    world.worker.answers(200, "text/event-stream", &crowded(end));
    let service = web::Data::from(Arc::clone(world.gateway.service(&ServiceId::from("mico")).unwrap()));
    let actix = Actix::new().app_data(world.app.clone()).app_data(world.gateway.clone()).app_data(service);
    let actix = test::init_service(actix.default_service(web::to(handle))).await;
    let response = test::call_service(&actix, metered(&world).to_request()).await;
    assert_eq!(response.status(), StatusCode::OK);
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop(response);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let identity = &world.app.identity;
    identity.flush_credits().await.unwrap();
    let entries = identity.store.credit_entries(&"wsp_1".into(), 100).await.unwrap();
    assert_eq!(entries.len(), 1);
    (entries[0].outcome, identity.credits_used(&"wsp_1".into()).await.unwrap().used)
}

/// What the worker said counts from when it was read, not from when its client has room for it.
#[actix_web::test]
async fn who_leaves_behind_the_answer_pays_for_the_answer() {
    let failed = "event: error\ndata: {\"error\":\"no\"}\n\n";
    let done = "event: result\ndata: {\"done\":true}\n\n";
    // of what has happened at once, which is looked at first is drawn by lot
    for _ in 0..8 {
        assert_eq!(settled(failed).await, (Some(Outcome::Failed), 0));
    }
    assert_eq!(settled(done).await, (Some(Outcome::Done), 9));
    assert_eq!(settled("").await, (Some(Outcome::Left), 9), "it may still be under way");
}
