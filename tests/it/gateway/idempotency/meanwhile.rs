//! What happens to a caller while a call of theirs waits for one like it.

use super::*;
use crate::support::callers::Person;
use crate::support::eventually;

on_both_databases!(
    whose_token_is_revoked_is_told_nothing_more,
    whose_token_is_revoked_makes_no_call,
    whose_plan_ends_is_asked_to_pay,
);

/// A person with a token whose call is under way, and their second call, which waits for it. Then `change` happens, and
/// the replies of both come back.
fn waiting(app: &TestApp, calls: &Calls, change: impl FnOnce(&TestApp, &Person, &str)) -> [Reply; 2] {
    let ana = app.person("ana");
    let pat = app.pat(&ana, &[]);
    let call = || delete(app, &pat.token, "k1", &json!({"meeting_id": "m1"}));
    std::thread::scope(|scope| {
        let first = scope.spawn(call);
        eventually("the first call", || (count(calls) == 1).then_some(()));
        let second = scope.spawn(call);
        std::thread::sleep(Duration::from_millis(300));
        change(app, &ana, &pat.id);
        [first.join().unwrap(), second.join().unwrap()]
    })
}

fn revoke(app: &TestApp, _: &Person, id: &str) {
    app.cli(&["token", "revoke", id], None);
}

/// A worker that takes its time, for the commands that change something meanwhile.
fn slow(
    builder: Builder,
    answer: impl Fn(usize, &mut TcpStream) + Send + Sync + 'static,
) -> (TestApp, Calls) {
    let (builder, calls) = before(builder, move |number, stream| {
        std::thread::sleep(Duration::from_millis(2500));
        answer(number, stream);
    });
    (builder.start(), calls)
}

fn done(number: usize, stream: &mut TcpStream) {
    say(stream, 200, "application/json", &json!({"n": number}).to_string());
}

fn is_thrown_out(reply: &Reply) {
    assert_eq!((reply.status, reply.json()["code"].as_str()), (401, Some("invalid_token")), "{reply:?}");
    assert!(reply.header("www-authenticate").is_some_and(|line| line.contains("invalid_token")));
}

fn whose_token_is_revoked_is_told_nothing_more(builder: Builder) {
    let (app, calls) = slow(builder, done);
    let [first, second] = waiting(&app, &calls, revoke);
    assert_eq!(told(&first), (json!({"n": 1}), false), "it was under way");
    is_thrown_out(&second);
    assert_eq!(count(&calls), 1);
}

fn whose_token_is_revoked_makes_no_call(builder: Builder) {
    // the first breaks off, and would be the second's to make
    let (app, calls) = slow(builder, |_, _| {});
    let [first, second] = waiting(&app, &calls, revoke);
    assert_eq!(code(&first), "upstream_unavailable");
    is_thrown_out(&second);
    assert_eq!(count(&calls), 1);
    let free = "SELECT COUNT(*) FROM idempotency WHERE lease_until = 0 AND outcome IS NULL";
    assert_eq!(app.sql_number(free), 1, "nobody holds it");
}

fn whose_plan_ends_is_asked_to_pay(builder: Builder) {
    let (app, calls) = slow(builder, done);
    let [first, second] = waiting(&app, &calls, |app, ana, _| {
        app.cli(&["workspace", "set-plan", &ana.workspace, "free"], None);
    });
    assert_eq!(told(&first), (json!({"n": 1}), false));
    assert_eq!((second.status, &second.json()["code"]), (402, &json!("feature_not_included")), "{second:?}");
    assert_eq!(count(&calls), 1);
}

#[test]
fn who_waits_is_sent_as_what_they_are_now() {
    let (app, calls) = slow(
        TestApp::builder().with("top", "[plans.more]\nfeatures = [\"mcp\", \"more\"]"),
        |number, stream| {
            if number > 1 {
                done(number, stream);
            }
        },
    );
    let [first, second] = waiting(&app, &calls, |app, ana, _| {
        app.cli(&["workspace", "set-plan", &ana.workspace, "more"], None);
    });
    assert_eq!(code(&first), "upstream_unavailable");
    assert_eq!(told(&second), (json!({"n": 2}), false));
    let calls = calls.lock().unwrap();
    let plans: Vec<_> = calls.iter().map(|seen| seen.header("x-portero-plan").unwrap()).collect();
    assert_eq!(plans, ["flow", "more"]);
}
