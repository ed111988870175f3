//! What a call costs whose client leaves in the middle and asks again: it is charged once.

use super::*;
use crate::support::app::Node;
use crate::support::{eventually, patiently};

/// A hundred credits a month, and a tool that costs 66 of them.
const METERED: &str =
    "[plans.metered]\nfeatures = [\"mcp\"]\ncredits_per_month = 100\n[service.tool.\"delete_*\"]\ncost = 66";
/// The same without a cost: only the worker says one.
const UNPRICED: &str = "[plans.metered]\nfeatures = [\"mcp\"]\ncredits_per_month = 100";

on_both_databases!(
    however_often_its_client_leaves,
    what_fails_in_the_end_costs_nothing,
    what_only_the_worker_prices,
    on_another_node,
    of_many_that_ask_again_one_pays,
);

fn used(app: &TestApp) -> i64 {
    app.sql_number("SELECT CAST(COALESCE(SUM(used), 0) AS BIGINT) FROM credits")
}

fn ended(app: &TestApp, outcome: &str) -> i64 {
    app.sql_number(&format!("SELECT COUNT(*) FROM credit_entries WHERE outcome = '{outcome}'"))
}

/// What was used and how many lines of the ledger ended as done, failed, left and repeated.
fn ledger(app: &TestApp) -> (i64, [i64; 4]) {
    let charged = "SELECT CAST(COALESCE(SUM(COALESCE(amount, reserved)), 0) AS BIGINT) FROM credit_entries";
    assert_eq!(app.sql_number(charged), used(app), "lines and sum are the same");
    (used(app), ["done", "failed", "left", "repeated"].map(|outcome| ended(app, outcome)))
}

/// Waits for what is settled once a second.
fn soon(what: &str, look: impl Fn() -> bool) {
    patiently(Duration::from_secs(3), what, || look().then_some(()));
}

/// Sends a call of the revision in which leaving cancels it, and leaves once its worker has it, or has begun to stream.
fn leaves(app: &TestApp, to: &str, token: &str, calls: &Calls) {
    let (lines, body) = stateless(token, "k1");
    let (path, host, length) = (app.resource.strip_prefix(&app.base).unwrap(), app.authority(), body.len());
    let head =
        format!("POST {path} HTTP/1.1\r\nHost: {host}\r\n{lines}Content-Length: {length}\r\n\r\n{body}");
    let before = count(calls);
    let mut stream = TcpStream::connect(to).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    eventually("the worker has it", || (count(calls) > before).then_some(()));
    std::thread::sleep(Duration::from_millis(150));
}

fn again(app: &TestApp, token: &str) -> (Value, bool) {
    told(&delete(app, token, "k1", &json!({})))
}

fn credits(calls: &Calls) -> Vec<String> {
    let calls = calls.lock().unwrap();
    calls.iter().map(|seen| seen.header("x-portero-credits").unwrap_or("-").to_owned()).collect()
}

/// A worker that is slow the first `slow` times, and a client of its service.
fn slow(
    builder: Builder,
    slow: usize,
    answer: impl Fn(usize, &mut TcpStream) + Send + Sync + 'static,
) -> (TestApp, Calls, String) {
    let (builder, calls) = before(builder.with("tail", METERED), move |number, stream| {
        std::thread::sleep(Duration::from_millis(if number <= slow { 600 } else { 0 }));
        answer(number, stream);
    });
    let app = builder.start();
    let token = app.pat(&app.person_on("ana", Some("metered")), &[]).token;
    (app, calls, token)
}

fn done(number: usize, stream: &mut TcpStream) {
    say(stream, 200, "application/json", &json!({"n": number}).to_string());
}

fn however_often_its_client_leaves(builder: Builder) {
    let (app, calls, token) = slow(builder, 2, done);
    for round in 1..=2 {
        leaves(&app, app.authority(), &token, &calls);
        assert_eq!((used(&app), count(&calls)), (66, round), "a month of 100 pays for two of them");
    }
    soon("the second is settled", || ended(&app, "left") == 1);
    assert_eq!(ledger(&app), (66, [0, 0, 1, 1]));
    assert_eq!(again(&app, &token), (json!({"n": 3}), false));
    assert_eq!(ledger(&app), (66, [1, 0, 0, 2]));
    assert_eq!(again(&app, &token), (json!({"n": 3}), true));
    assert_eq!(keys(&calls), ["k1"; 3]);
    assert_eq!(credits(&calls), ["100"; 3], "what is given back is there");
    // what is late changes nothing any more
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(ledger(&app), (66, [1, 0, 0, 2]));
}

fn what_fails_in_the_end_costs_nothing(builder: Builder) {
    let (app, calls, token) =
        slow(builder, 1, |_, stream| say(stream, 404, "application/json", "{\"error\":\"no such meeting\"}"));
    leaves(&app, app.authority(), &token, &calls);
    assert_eq!(again(&app, &token), (json!({"error": "no such meeting"}), false));
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(ledger(&app), (0, [0, 1, 0, 1]));
}

fn what_only_the_worker_prices(builder: Builder) {
    let (builder, calls) = before(builder.with("tail", UNPRICED), |number, stream| {
        let cost = if number == 4 { 7 } else { 30 };
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Portero-Cost: {cost}\r\n");
        let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes());
        let _ = stream.write_all(b"event: progress\ndata: {\"progress\":1}\n\n");
        if number < 3 {
            std::thread::sleep(Duration::from_millis(800));
        }
        let _ = stream.write_all(b"event: result\ndata: {\"done\":true}\n\n");
    });
    let app = builder.start();
    let token = app.pat(&app.person_on("ana", Some("metered")), &[]).token;
    // the first is not settled yet when the second begins, and the second is when the third does
    leaves(&app, app.authority(), &token, &calls);
    leaves(&app, app.authority(), &token, &calls);
    soon("the second is settled", || ended(&app, "left") == 1);
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(ledger(&app), (30, [0, 0, 1, 1]));
    let reply = delete(&app, &token, "k1", &json!({}));
    assert!(reply.text().contains("done"), "{reply:?}");
    assert_eq!(ledger(&app), (30, [1, 0, 0, 2]));
    // another key is another call
    delete(&app, &token, "k2", &json!({}));
    assert_eq!(ledger(&app), (37, [2, 0, 0, 2]));
}

fn on_another_node(builder: Builder) {
    let (app, calls, token) = slow(builder, 3, done);
    let node = app.node(Duration::ZERO);
    let there =
        |node: &Node| node.resource.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
    for to in [app.authority().to_owned(), there(&node), app.authority().to_owned()] {
        leaves(&app, &to, &token, &calls);
        assert_eq!(used(&app), 66);
    }
    let bearer = format!("Bearer {token}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
        ("host", app.authority()),
        ("idempotency-key", "k1"),
    ];
    let reply = request("POST", &node.resource, &headers, Some(&body(&json!(1), &json!({}))));
    assert_eq!(told(&reply), (json!({"n": 4}), false));
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(ledger(&app), (66, [1, 0, 0, 3]));
}

fn of_many_that_ask_again_one_pays(builder: Builder) {
    let (app, calls, token) = slow(builder, 1, done);
    leaves(&app, app.authority(), &token, &calls);
    let replies = together(24, |_| again(&app, &token));
    assert!(replies.iter().all(|(said, _)| *said == json!({"n": 2})), "{replies:?}");
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(ledger(&app), (66, [1, 0, 0, 1]));
}

/// Whoever leaves and comes back when the key is forgotten asks for something else: both are paid for.
#[test]
fn a_key_that_was_forgotten_is_another_call() {
    let builder = TestApp::builder();
    let (app, calls, token) = slow(builder, 1, done);
    leaves(&app, app.authority(), &token, &calls);
    soon("it is settled", || ended(&app, "left") == 1);
    app.advance(Duration::from_mins(11));
    let reply = delete(&app, &token, "k1", &json!({"other": "arguments"}));
    assert_eq!((reply.status, &reply.json()["code"]), (402, &json!("credits_exhausted")));
    assert_eq!((ledger(&app), count(&calls)), ((66, [0, 0, 1, 0]), 1));
}

/// Where the plan has become smaller meanwhile, what was sent stays charged and nothing more is sent.
#[test]
fn what_cannot_be_paid_again_is_not_sent_again() {
    let tail = format!("[plans.small]\nfeatures = [\"mcp\"]\ncredits_per_month = 10\n{METERED}");
    let (builder, calls) = before(TestApp::builder().with("tail", &tail), |number, stream| {
        std::thread::sleep(Duration::from_millis(600));
        done(number, stream);
    });
    let app = builder.start();
    let ana = app.person_on("ana", Some("metered"));
    let token = app.pat(&ana, &[]).token;
    leaves(&app, app.authority(), &token, &calls);
    app.cli(&["workspace", "set-plan", &ana.workspace, "small"], None);
    eventually("the new plan", || {
        app.call(&token, "list_meetings", &json!({}));
        (calls.lock().unwrap().last()?.header("x-portero-plan") == Some("small")).then_some(())
    });
    let sent = count(&calls);
    let reply = delete(&app, &token, "k1", &json!({}));
    assert_eq!((reply.status, &reply.json()["code"]), (402, &json!("credits_exhausted")), "{reply:?}");
    soon("it is settled", || ended(&app, "left") == 1);
    assert_eq!((ledger(&app), count(&calls)), ((66, [0, 0, 1, 0]), sent));
}
