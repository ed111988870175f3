//! What is kept of an answer, and how it is said again.

use super::*;
use crate::support::mcp;

#[test]
fn each_caller_is_answered_in_its_own_revision() {
    let own = json!({"content": [{"type": "text", "text": "done"}], "_meta": {"own": 1}}).to_string();
    let (builder, calls) = before(TestApp::builder(), move |number, stream| match number {
        1 => say(stream, 200, "application/json", "{\"n\": 1.10}"),
        2 => say(stream, 200, "application/vnd.mcp.result+json", &own),
        _ => say(stream, 404, "application/json", "{\"error\":\"no such meeting\"}"),
    });
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let bearer = format!("Bearer {token}");
    let modern = |key: &str| {
        let params = json!({"name": "delete_meeting", "arguments": {}});
        let over = [("idempotency-key", key), ("authorization", bearer.as_str())];
        let (headers, body) = mcp::modern("tools/call", &params, &over);
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        request("POST", &app.resource, &headers, Some(&body)).json()
    };
    for (key, text, meta) in [
        ("json", "{\"n\": 1.10}", json!({})),
        ("result", "done", json!({"own": 1})),
        ("refused", "{\"error\":\"no such meeting\"}", json!({"io.portero/status": 404})),
    ] {
        let first = delete(&app, &token, key, &json!({})).json();
        assert!(first["result"]["_meta"].get("io.portero/replayed").is_none(), "{first}");
        let (old, new) = (delete(&app, &token, key, &json!({})).json(), modern(key));
        assert_eq!((&old["id"], &new["id"]), (&json!(1), &json!(7)));
        for reply in [&old, &new] {
            let result = &reply["result"];
            assert_eq!(result["content"][0]["text"], text);
            assert_eq!(result["isError"], key == "refused");
            assert_eq!(result["_meta"]["io.portero/replayed"], true, "{reply}");
            for (name, value) in meta.as_object().unwrap() {
                assert_eq!(&result["_meta"][name], value, "{reply}");
            }
        }
        assert_eq!(new["result"]["resultType"], "complete");
        assert!(old["result"].get("resultType").is_none());
    }
    assert_eq!(count(&calls), 3);
}

#[test]
fn a_streamed_result_is_repeated_as_json() {
    let (builder, calls) = before(TestApp::builder(), |number, stream| {
        let events = format!(
            "event: progress\ndata: {{\"progress\":1}}\n\nevent: result\ndata: {{\"n\":{number}}}\n\n"
        );
        say(stream, 200, "text/event-stream", &events);
    });
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let first = delete(&app, &token, "k1", &json!({}));
    assert_eq!(first.header("content-type"), Some("text/event-stream"));
    assert!(first.text().contains("{\\\"n\\\":1}"), "{first:?}");
    let second = delete(&app, &token, "k1", &json!({}));
    assert_eq!(second.header("content-type"), Some("application/json"));
    assert_eq!(told(&second), (json!({"n": 1}), true));
    let only = [("idempotency-key", "k1"), ("accept", "text/event-stream")];
    let third = app.rpc_with(&token, &only, &body(&json!(1), &json!({})));
    assert_eq!(third.header("content-type"), Some("text/event-stream"), "who takes nothing else");
    assert!(third.text().contains("io.portero/replayed"));
    // a client that takes no stream
    let json = [("idempotency-key", "k2"), ("accept", "application/json")];
    for replayed in [false, true] {
        let reply = app.rpc_with(&token, &json, &body(&json!(1), &json!({})));
        assert_eq!(told(&reply), (json!({"n": 2}), replayed));
    }
    assert_eq!(count(&calls), 2);
}

#[test]
fn an_answer_that_is_too_long_to_keep_is_not_made_twice() {
    let (builder, calls) = before(TestApp::builder(), |_, stream| {
        say(stream, 200, "application/json", &json!({"x": "a".repeat(300 << 10)}).to_string());
    });
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    assert_eq!(told(&delete(&app, &token, "k1", &json!({}))).0["x"].as_str().unwrap().len(), 300 << 10);
    let again = delete(&app, &token, "k1", &json!({}));
    let said = told(&again).0;
    assert_eq!(again.json()["result"]["isError"], true);
    assert!(said["error"].as_str().unwrap().starts_with("This call was done before."), "{said}");
    assert!(said["hint"].as_str().unwrap().starts_with("Do not call it again under another key"), "{said}");
    assert_eq!(count(&calls), 1);
}
