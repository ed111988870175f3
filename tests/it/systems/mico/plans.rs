//! What a plan includes.

use serde_json::{Value, json};

use super::{Mico, statement};
use crate::support::{Reply, TestApp, eventually};

/// One of each kind of message.
const MESSAGES: [&str; 7] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_meetings","arguments":{}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"foo/bar"}"#,
    "{",
];

fn refused(reply: &Reply, code: &str) {
    assert_eq!(reply.status, 402, "{reply:?}");
    let body = reply.json();
    assert_eq!(body["code"], code, "{body}");
    assert_eq!(body["error"]["data"]["code"], code, "{body}");
    assert!(body["message"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert!(reply.header("www-authenticate").is_none(), "the token is not the problem");
}

fn status_becomes(app: &TestApp, token: &str, status: u16) {
    eventually(&format!("{status}"), || {
        (app.call(token, "list_meetings", &json!({})).status == status).then_some(())
    });
}

#[test]
fn m005_m106_m107_m108_without_the_feature_there_is_402_with_a_code() {
    let mico = Mico::start();
    let app = &mico.app;
    let call = |token: &str| app.call(token, "list_meetings", &json!({}));
    let (free, none) = (app.person_on("carla", Some("free")), app.person_on("diego", None));
    let (free, none) = (mico.pat(&free).token, mico.pat(&none).token);
    statement("M005", || {
        assert_eq!(call(&mico.pat(&mico.ana).token).status, 200);
        assert_eq!(call(&free).status, 402);
    });
    statement("M106", || assert_eq!((call(&free).status, call(&none).status), (402, 402)));
    statement("M107", || refused(&call(&free), "feature_not_included"));
    statement("M108", || refused(&call(&none), "no_plan"));
}

#[test]
fn m006_m104_the_plan_is_asked_at_every_request_before_anything_of_the_message() {
    let mico = Mico::start();
    let app = &mico.app;
    let diego = app.person_on("diego", None);
    let token = mico.pat(&diego).token;
    for message in MESSAGES {
        let reply = app.rpc_with(&token, &[], message);
        statement("M006", || refused(&reply, "no_plan"));
    }
    statement("M104", || {
        let reply = app.rpc_with(&token, &[], "{");
        assert_eq!((reply.status, reply.json()["code"].clone()), (402, json!("no_plan")), "and not -32700");
        assert_eq!(reply.json()["id"], Value::Null);
    });
    statement("M006", || {
        app.cli(&["workspace", "set-plan", &diego.workspace, "flow"], None);
        status_becomes(app, &token, 200);
        for (message, status) in MESSAGES.iter().zip([200, 200, 200, 200, 202, 200, 400]) {
            assert_eq!(app.rpc_with(&token, &[], message).status, status, "{message}");
        }
        app.cli(&["workspace", "set-plan", &diego.workspace, "free"], None);
        status_becomes(app, &token, 402);
        refused(&app.rpc_with(&token, &[], MESSAGES[0]), "feature_not_included");
        app.cli(&["workspace", "set-plan", &diego.workspace, "none"], None);
        eventually("no_plan", || {
            (app.rpc_with(&token, &[], MESSAGES[1]).json()["code"] == "no_plan").then_some(())
        });
        app.cli(&["workspace", "set-plan", &diego.workspace, "flow"], None);
        status_becomes(app, &token, 200);
    });
}
