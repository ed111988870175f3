//! Calls without a key of the client's, where policy takes them for repeats.

use super::*;

on_both_databases!(what_a_client_sends_again_is_the_same_call_for_a_minute);

fn what_a_client_sends_again_is_the_same_call_for_a_minute(builder: Builder) {
    let (builder, calls) = counting(builder.with("tail", "idempotency = \"derived\""));
    let app = builder.start();
    let person = app.person("ana");
    let (token, other) = (app.pat(&person, &[]).token, app.pat(&person, &[]).token);
    let call = |token: &str, headers: &[(&str, &str)], id: Value, arguments: &str| {
        let body = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"delete_meeting\",\
             \"arguments\":{arguments}}}}}"
        );
        told(&app.rpc_with(token, headers, &body))
    };
    let one = r#"{"meeting_id":"m1","why":"old"}"#;
    assert_eq!(call(&token, &[], json!(1), one), (json!({"n": 1}), false));
    assert_eq!(call(&token, &[], json!(1), r#"{"why":"old", "meeting_id":"m1"}"#), (json!({"n": 1}), true));
    let session = ("mcp-session-id", "s2");
    for (index, (token, headers, id, arguments)) in [
        (&token, &[][..], json!(2), one),
        (&token, &[], json!("1"), one),
        (&token, &[], json!(1), r#"{"meeting_id":"m2","why":"old"}"#),
        (&token, &[session], json!(1), one),
        (&other, &[], json!(1), one),
        (&token, &[("idempotency-key", "own")], json!(1), one),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(call(token, headers, id, arguments), (json!({"n": index + 2}), false), "{index}");
    }
    let before = keys(&calls);
    assert_eq!(before[6], "own");
    for (index, key) in before.iter().enumerate() {
        assert!(!key.is_empty() && !before[..index].contains(key), "each has its own: {before:?}");
    }
    app.advance(Duration::from_secs(59));
    assert_eq!(call(&token, &[], json!(1), one), (json!({"n": 1}), true));
    app.advance(Duration::from_secs(1));
    assert_eq!(call(&token, &[], json!(1), one), (json!({"n": 8}), false));
    assert_eq!(keys(&calls)[7], before[0], "the worker is told that it is the same");
}

/// Two people without a token may say the same thing at the same time.
#[test]
fn anonymous_calls_are_never_taken_for_each_other() {
    let policy = "idempotency = \"derived\"\npublic = true";
    let (builder, calls) = counting(TestApp::builder().with("tail", policy));
    let app = builder.start();
    for round in 1..=2 {
        assert_eq!(told(&app.call("", "delete_meeting", &json!({}))), (json!({"n": round}), false));
    }
    assert_eq!(told(&delete(&app, "", "own", &json!({}))), (json!({"n": 3}), false));
    assert_eq!(told(&delete(&app, "", "own", &json!({}))), (json!({"n": 3}), true), "but by their own key");
    assert_eq!(count(&calls), 3);
}
