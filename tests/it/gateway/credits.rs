//! Credits: what is charged, what is not, and what the worker and the caller are told.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::app::Builder;
use crate::support::callers::Pat;
use crate::support::http::Reply;
use crate::support::mcp::{code, modern};
use crate::support::{TestApp, on_both_databases, patiently, together};

on_both_databases!(
    of_64_at_once_one_takes_the_last_credit,
    the_worker_says_what_it_really_cost,
    what_failed_is_not_charged,
    a_new_month_has_new_credits,
    a_call_that_nobody_settles_is_given_back,
);

/// A hundred credits a month, and a tool that costs 66 of them.
const METERED: &str = r#"
[plans.metered]
features = ["mcp"]
credits_per_month = 100
[service.tool."delete_*"]
cost = 66
"#;

fn ana(app: &TestApp) -> Pat {
    app.pat(&app.person_on("ana", Some("metered")), &[])
}

fn priced(app: &TestApp, token: &str) -> Reply {
    app.call(token, "delete_meeting", &json!({"meeting_id": "1"}))
}

/// What was used, of all months together.
fn used(app: &TestApp) -> i64 {
    app.sql_number("SELECT CAST(COALESCE(SUM(used), 0) AS BIGINT) FROM credits")
}

/// Lines of the ledger that ended in this way.
fn ended(app: &TestApp, outcome: &str) -> i64 {
    app.sql_number(&format!("SELECT COUNT(*) FROM credit_entries WHERE outcome = '{outcome}'"))
}

fn is_exhausted(reply: &Reply) -> bool {
    match reply.status {
        402 => reply.json()["code"] == "credits_exhausted",
        200 => false,
        _ => panic!("{reply:?}"),
    }
}

fn of_64_at_once_one_takes_the_last_credit(builder: Builder) {
    let app = builder.with("tail", METERED).start();
    let pat = ana(&app);
    let replies = together(64, |_| priced(&app, &pat.token));
    assert_eq!(replies.iter().filter(|reply| !is_exhausted(reply)).count(), 1);
    assert_eq!((used(&app), ended(&app, "done"), app.worker.seen().len()), (66, 1, 1));
}

#[test]
fn two_nodes_count_together() {
    let tail = METERED.replace("cost = 66", "cost = 10");
    let nodes = TestApp::builder().on_postgres().with("tail", &tail).nodes(2);
    let pat = nodes.pat(&nodes.person_on("ana", Some("metered")), &[]);
    let replies = together(64, |_| nodes.call(&pat.token, "delete_meeting", &json!({"meeting_id": "1"})));
    assert_eq!(replies.iter().filter(|reply| !is_exhausted(reply)).count(), 10);
    assert_eq!(nodes.sql_number("SELECT CAST(SUM(used) AS BIGINT) FROM credits"), 100);
}

fn the_worker_says_what_it_really_cost(builder: Builder) {
    let app = builder.with("tail", METERED).start();
    let pat = ana(&app);
    let mut expected = 0;
    for (lines, cost) in [(&["10"][..], 10), (&["0"], 0), (&[" 7 "], 7)] {
        app.worker.costs(lines);
        assert_eq!(priced(&app, &pat.token).status, 200);
        expected += cost;
        assert_eq!(used(&app), expected, "{lines:?}");
    }
    // more than was reserved and more than is there: the next call is refused
    app.worker.costs(&["166"]);
    assert_eq!(priced(&app, &pat.token).status, 200);
    assert_eq!(used(&app), 183);
    app.worker.costs(&["0"]);
    assert!(is_exhausted(&priced(&app, &pat.token)));
    assert_eq!(app.call(&pat.token, "list_meetings", &json!({})).status, 200, "what costs nothing passes");
    assert_eq!(app.sql_number("SELECT CAST(SUM(amount) AS BIGINT) FROM credit_entries"), 183);
}

#[test]
fn what_is_no_number_is_no_price() {
    for lines in [&["-1"][..], &["1.5"], &["x"], &[""], &["1", "2"], &["99999999999999999999"]] {
        let app = TestApp::builder().with("tail", METERED).start();
        let pat = ana(&app);
        app.worker.costs(lines);
        assert_eq!(priced(&app, &pat.token).status, 200);
        assert_eq!(used(&app), 66, "{lines:?}");
    }
}

fn what_failed_is_not_charged(builder: Builder) {
    let app = builder.with("tail", METERED).with("upstream", "timeout = \"300ms\"").start();
    let pat = ana(&app);
    app.worker.costs(&["5"]);
    let stream = "text/event-stream";
    for (index, (status, kind, body)) in [
        (500, "text/plain", "oops"),
        (500, "application/json", r#"{"error":"no"}"#),
        (404, "application/json", r#"{"error":"no such meeting"}"#),
        (200, "application/json", "not json"),
        (200, "application/vnd.mcp.result+json", r#"{"content":[],"isError":true}"#),
        (200, "application/vnd.mcp.result+json", "[]"),
        (200, stream, "event: error\ndata: {\"error\":\"no\"}\n\n"),
        (200, stream, "event: result\ndata: not json\n\n"),
        (200, stream, "event: progress\ndata: {\"progress\":1}\n\n"),
    ]
    .into_iter()
    .enumerate()
    {
        app.worker.answers(status, kind, body);
        let reply = priced(&app, &pat.token);
        assert!(reply.text().contains("\"isError\":true") || body == "[]", "{body}: {reply:?}");
        assert_eq!(used(&app), 0, "{status} {kind} {body}");
        assert_eq!(ended(&app, "failed"), i64::try_from(index).unwrap() + 1);
    }
    app.worker.answers(200, "application/json", "{}");
    app.worker.takes(Duration::from_millis(700));
    assert!(priced(&app, &pat.token).text().contains("upstream_timeout"));
    assert_eq!((used(&app), ended(&app, "done")), (0, 0));
    app.worker.takes(Duration::ZERO);
    app.worker.answers(200, stream, "event: progress\ndata: {\"progress\":1}\n\nevent: result\ndata: {}\n\n");
    assert_eq!(priced(&app, &pat.token).status, 200);
    assert_eq!((used(&app), ended(&app, "done")), (5, 1), "a stream says its cost in its head");
}

#[test]
fn a_worker_that_is_not_there_costs_nothing() {
    let mut builder = TestApp::builder().with("tail", METERED);
    builder.toml = builder.toml.replace("{worker}", "http://127.0.0.1:1");
    let app = builder.start();
    let pat = ana(&app);
    assert!(priced(&app, &pat.token).text().contains("upstream_unavailable"));
    assert_eq!((used(&app), ended(&app, "failed")), (0, 1));
}

/// Sends a call and leaves once the worker has it.
fn leaves(app: &TestApp, token: &str, headers: &[(String, String)], body: &str) {
    let before = app.worker.seen().len();
    let path = app.resource.strip_prefix(&app.base).unwrap();
    let lines: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let text = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n{}Content-Length: {}\r\n\r\n{body}",
        app.authority(),
        lines.concat(),
        body.len()
    );
    let mut stream = TcpStream::connect(app.authority()).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    soon("the worker has the call", || app.worker.seen().len() > before);
}

fn soon(what: &str, look: impl Fn() -> bool) {
    patiently(Duration::from_secs(5), what, || look().then_some(()));
}

#[test]
fn who_leaves_before_the_answer_is_charged() {
    let app = TestApp::builder().with("tail", METERED).start();
    let pat = ana(&app);
    app.worker.takes(Duration::from_secs(1));
    let call = json!({"name": "delete_meeting", "arguments": {"meeting_id": "1"}});
    let (headers, body) = modern("tools/call", &call, &[]);
    leaves(&app, &pat.token, &headers, &body);
    assert_eq!(used(&app), 66, "reserved");
    soon("the call is settled", || ended(&app, "left") == 1);
    assert_eq!(used(&app), 66);
}

/// Up to 2025-11-25 a lost connection is no cancellation: what writes is seen through, and costs what it cost.
#[test]
fn a_write_that_is_seen_through_costs_what_its_worker_says() {
    for (status, cost, outcome) in [(200, 7, "done"), (500, 0, "failed")] {
        let app = TestApp::builder().with("tail", METERED).start();
        let pat = ana(&app);
        app.worker.takes(Duration::from_millis(500));
        app.worker.answers(status, "application/json", r#"{"error":"x"}"#);
        app.worker.costs(&["7"]);
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "delete_meeting", "arguments": {"meeting_id": "1"}}});
        let headers =
            [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        leaves(&app, &pat.token, &headers, &body.to_string());
        soon("the call is settled", || ended(&app, outcome) == 1);
        assert_eq!(used(&app), cost);
    }
}

#[test]
fn test_tokens_spend_nothing() {
    let app = TestApp::builder().with("tail", METERED).start();
    let person = app.person_on("ana", Some("metered"));
    let made = app.cli(
        &["token", "create", "--user", &person.email, "--brand", "mico", "--name", "t", "--mode", "test"],
        None,
    );
    app.worker.costs(&["500"]);
    for _ in 0..3 {
        assert_eq!(priced(&app, made["token"].as_str().unwrap()).status, 200);
    }
    assert_eq!(app.worker.last().header("x-portero-mode"), Some("test"));
    assert_eq!(app.worker.last().header("x-portero-credits"), None);
    assert_eq!((used(&app), app.sql_number("SELECT COUNT(*) FROM credit_entries")), (0, 0));
}

#[test]
fn the_worker_is_told_what_there_was() {
    let tail = format!("{METERED}[service.tool.\"list_*\"]\ncost = 40\ncost_required = false");
    let app = TestApp::builder().with("tail", &tail).start();
    let pat = ana(&app);
    let told = |token: &str, tool: &str| {
        let reply = app.call(token, tool, &json!({"meeting_id": "1"}));
        assert_eq!(reply.status, 200, "{reply:?}");
        app.worker.last().header("x-portero-credits").map(str::to_owned)
    };
    assert_eq!(told(&pat.token, "delete_meeting").as_deref(), Some("100"));
    // less than it costs: the worker sees that it passed free
    assert_eq!(told(&pat.token, "list_meetings").as_deref(), Some("34"));
    assert_eq!(used(&app), 66);
    // and may charge all the same
    app.worker.costs(&["50"]);
    assert_eq!(told(&pat.token, "list_meetings").as_deref(), Some("34"));
    assert_eq!(used(&app), 116);
    assert_eq!(told(&pat.token, "list_meetings").as_deref(), Some("-16"));
    assert_eq!(used(&app), 166);
    // what a client says of it does not get through
    let flat = app.pat(&app.person("bea"), &[]).token;
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_meetings"}});
    app.rpc_with(&flat, &[("x-portero-credits", "9"), ("x-portero-cost", "9")], &body.to_string());
    let seen = app.worker.last();
    assert_eq!((seen.header("x-portero-credits"), seen.header("x-portero-cost")), (None, None));
    assert_eq!(used(&app), 166, "unmetered");
}

#[test]
fn the_refusal_says_what_would_help() {
    let service = "upgrade_url = \"https://mico.example/plans\"";
    for (style, status) in [("http", 402), ("jsonrpc", 200), ("tool", 200)] {
        let app = TestApp::builder()
            .with("service", &format!("{service}\nerrors = \"{style}\""))
            .with("tail", METERED)
            .start();
        let pat = ana(&app);
        priced(&app, &pat.token);
        let reply = priced(&app, &pat.token);
        assert_eq!(reply.status, status, "{reply:?}");
        if style == "tool" {
            let text = reply.json()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
            let text: Value = serde_json::from_str(&text).unwrap();
            assert_eq!((&text["code"], &text["status"]), (&json!("credits_exhausted"), &json!(402)));
            continue;
        }
        let body = reply.json();
        assert_eq!(code(&reply), Some(-32002));
        assert_eq!(
            body["error"]["message"],
            "Not enough credits: this costs 66, and this month has 34 left."
        );
        let data = body["error"]["data"].as_object().unwrap();
        assert_eq!(data.keys().collect::<Vec<_>>(), ["code", "hint", "plan", "feature", "upgrade_url"]);
        assert_eq!((&data["code"], &data["plan"]), (&json!("credits_exhausted"), &json!("metered")));
        assert_eq!(
            (&data["feature"], &data["upgrade_url"]),
            (&Value::Null, &json!("https://mico.example/plans"))
        );
        let call = json!({"name": "delete_meeting", "arguments": {"meeting_id": "1"}});
        assert_eq!(code(&app.modern(&pat.token, "tools/call", &call, &[])), Some(-31002));
        let listed = app.rpc_with(&pat.token, &[], crate::support::mcp::LIST);
        assert!(listed.text().contains("delete_meeting"), "credits change no catalog");
    }
}

fn a_new_month_has_new_credits(builder: Builder) {
    let app = builder.with("tail", METERED).start();
    let pat = ana(&app);
    app.worker.costs(&["500"]);
    assert_eq!(priced(&app, &pat.token).status, 200);
    assert!(is_exhausted(&priced(&app, &pat.token)));
    app.advance(Duration::from_hours(31 * 24));
    app.worker.costs(&["1"]);
    assert_eq!(
        priced(&app, &pat.token).status,
        200,
        "neither what was left nor what was owed is carried over"
    );
    assert_eq!(app.worker.last().header("x-portero-credits"), Some("100"));
    assert_eq!(app.sql_number("SELECT COUNT(*) FROM credits"), 2);
}

#[test]
fn what_costs_nothing_asks_nothing() {
    let app = TestApp::builder().with("tail", METERED).start();
    let (metered, flat) = (ana(&app), app.pat(&app.person("bea"), &[]));
    app.sql("DROP TABLE credits").unwrap();
    app.sql("DROP TABLE credit_entries").unwrap();
    assert_eq!(app.call(&metered.token, "list_meetings", &json!({})).status, 200);
    assert_eq!(priced(&app, &flat.token).status, 200);
    let calls = app.worker.seen().len();
    let reply = priced(&app, &metered.token);
    assert_eq!((reply.status, code(&reply)), (503, Some(-32099)), "{reply:?}");
    assert!(reply.header("retry-after").is_some());
    assert_eq!(app.worker.seen().len(), calls, "what cannot be counted is not sent");
}

#[test]
fn a_tool_without_a_cost_is_charged_if_its_worker_says_so() {
    let app = TestApp::builder().with("tail", METERED).start();
    let pat = ana(&app);
    app.worker.costs(&["30"]);
    assert_eq!(app.call(&pat.token, "list_meetings", &json!({})).status, 200);
    assert_eq!((used(&app), ended(&app, "done")), (30, 1));
    app.worker.answers(404, "application/json", r#"{"error":"no"}"#);
    app.call(&pat.token, "list_meetings", &json!({}));
    assert_eq!(used(&app), 30);
}

/// As a node leaves it that dies in the middle of a call.
fn a_call_that_nobody_settles_is_given_back(builder: Builder) {
    let app = builder.with("tail", METERED).start();
    let pat = ana(&app);
    assert_eq!(priced(&app, &pat.token).status, 200);
    app.sql("UPDATE credit_entries SET amount = NULL, outcome = NULL, settled_at = NULL").unwrap();
    let sweep = || actix_web::rt::System::new().block_on(portero::jobs::sweep::run_once(&app.app));
    sweep();
    assert_eq!(used(&app), 66, "it may still come to its end");
    app.advance(Duration::from_mins(11));
    sweep();
    assert_eq!((used(&app), ended(&app, "abandoned")), (0, 1));
    sweep();
    assert_eq!(used(&app), 0, "once");
}

#[test]
fn the_operator_sees_the_balance() {
    let app = TestApp::builder().with("tail", METERED).start();
    let person = app.person_on("ana", Some("metered"));
    let pat = app.pat(&person, &[]);
    let show = || app.cli(&["workspace", "show", &person.workspace], None)["credits"].clone();
    let fresh = show();
    assert_eq!(
        (&fresh["per_month"], &fresh["used"], &fresh["balance"]),
        (&json!(100), &json!(0), &json!(100))
    );
    priced(&app, &pat.token);
    let now = show();
    assert_eq!((&now["used"], &now["balance"], &now["month"]), (&json!(66), &json!(34), &fresh["month"]));
    app.cli(&["workspace", "set-plan", &person.workspace, "flow"], None);
    assert_eq!(show(), Value::Null, "unmetered");
    app.cli(&["workspace", "set-plan", &person.workspace, "metered"], None);
    let text = app.command(&["workspace", "show", &person.workspace], None);
    assert!(String::from_utf8_lossy(&text.stdout).contains("34 of 100 left in "), "{text:?}");
}

/// The answer is not held back, and what could not be written is written as soon as it can be.
#[test]
fn a_database_that_goes_away_meanwhile_costs_nobody_anything() {
    let mut app = TestApp::builder().with("tail", METERED).start();
    let pat = ana(&app);
    app.worker.costs(&["7"]);
    app.worker.takes(Duration::from_secs(1));
    let reply = std::thread::scope(|scope| {
        let call = scope.spawn(|| priced(&app, &pat.token));
        soon("the worker has the call", || !app.worker.seen().is_empty());
        app.sql("ALTER TABLE credit_entries RENAME TO away").unwrap();
        call.join().unwrap()
    });
    assert_eq!((reply.status, used(&app)), (200, 66), "{reply:?}");
    app.sql("ALTER TABLE away RENAME TO credit_entries").unwrap();
    // what waits is written before a server stops
    app.restart();
    assert_eq!((used(&app), ended(&app, "done")), (7, 1));
}

#[test]
fn the_headers_have_the_configured_prefix() {
    let tail = format!("{METERED}[headers]\nprefix = \"X-Acme-\"");
    let app = TestApp::builder().with("tail", &tail).start();
    let pat = ana(&app);
    app.worker.costs(&["5\r\nx-acme-cost: 9"]);
    assert_eq!(priced(&app, &pat.token).status, 200);
    let seen = app.worker.last();
    assert_eq!((seen.header("x-acme-credits"), seen.header("x-portero-credits")), (Some("100"), None));
    assert_eq!(used(&app), 9, "the other name is nobody's");
}

#[test]
fn what_is_answered_again_is_not_charged_again() {
    let app = TestApp::builder().with("tail", METERED).start();
    let pat = ana(&app);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "delete_meeting", "arguments": {"meeting_id": "1"}}})
    .to_string();
    let call = |key: &str| app.rpc_with(&pat.token, &[("idempotency-key", key)], &body);
    assert_eq!(call("one").status, 200);
    let again = call("one");
    assert_eq!(again.json()["result"]["_meta"]["io.portero/replayed"], true, "{again:?}");
    assert_eq!((used(&app), app.worker.seen().len()), (66, 1));
    // what was refused for want of credits was not done, and may be asked for again when there are some
    assert!(is_exhausted(&call("two")));
    app.advance(Duration::from_hours(31 * 24));
    assert_eq!(call("two").status, 200);
    assert_eq!(app.worker.seen().len(), 2);
}

#[test]
fn each_message_of_a_batch_is_charged_alone() {
    let app = TestApp::builder().with("tail", METERED).with("service", "batches = true").start();
    let pat = ana(&app);
    let call = |id: u8| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "delete_meeting", "arguments": {"meeting_id": "1"}}})
    };
    let reply = app.rpc(&pat.token, &json!([call(1), call(2)]));
    let answers = reply.json();
    assert_eq!(answers[0]["result"]["isError"], false, "{reply:?}");
    assert_eq!(answers[1]["error"]["data"]["code"], "credits_exhausted", "{reply:?}");
    assert_eq!((used(&app), app.worker.seen().len()), (66, 1));
}
