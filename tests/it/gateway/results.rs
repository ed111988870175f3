//! Answers that are too long for a model, and arguments that are no good.

use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::http::Reply;

fn text(reply: &Reply) -> String {
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply:?}")).to_owned()
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

fn meetings(count: usize) -> Value {
    json!((0..count).map(|id| json!({"id": id, "title": format!("Reunión {id}")})).collect::<Vec<_>>())
}

#[test]
fn a_long_answer_is_shortened_as_json_and_says_so() {
    let policy = "[service.tool.\"list_*\"]\nresponse_cap_chars = 1000\nstructured = true\nstructured_key = \"meetings\"";
    let app = TestApp::builder().with("service", "response_cap_chars = 5000").with("tail", policy).start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let call = |tool: &str| {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool}});
        app.rpc_with(&token, &[("mcp-protocol-version", "2025-06-18")], &call.to_string())
    };
    for (tool, cap) in [("list_meetings", 1000), ("delete_meeting", 5000)] {
        app.worker.answers(
            200,
            "application/json",
            &json!({"total": 900, "meetings": meetings(900)}).to_string(),
        );
        let reply = call(tool);
        let said = text(&reply);
        assert!(chars(&said) <= cap && chars(&said) > cap / 2, "{}", chars(&said));
        let envelope: Value = serde_json::from_str(&said).unwrap();
        let shown = envelope["data"]["meetings"].as_array().unwrap();
        assert!(meetings(900).as_array().unwrap().starts_with(shown) && !shown.is_empty());
        assert_eq!((&envelope["truncated"], &envelope["data"]["total"]), (&json!(true), &json!(900)));
        let note = envelope["note"].as_str().unwrap();
        assert!(
            note.starts_with(&format!("Respuesta acortada: meetings, {} de 900. Pide el resto", shown.len())),
            "{note}"
        );
        let structured = &reply.json()["result"]["structuredContent"];
        assert_eq!(*structured, if tool == "list_meetings" { envelope["data"].clone() } else { Value::Null });
    }
    // A list at the top: the same items stand under their key.
    app.worker.answers(200, "application/json", &meetings(900).to_string());
    let reply = call("list_meetings");
    let envelope: Value = serde_json::from_str(&text(&reply)).unwrap();
    assert_eq!(reply.json()["result"]["structuredContent"], json!({"meetings": envelope["data"]}));
    // What fits is not touched.
    app.worker.answers(200, "application/json", "{\"n\": 1.10}");
    assert_eq!(text(&call("list_meetings")), "{\"n\": 1.10}");
}

#[test]
fn results_of_a_workers_own_and_its_refusals_are_shortened_too() {
    let app = TestApp::builder()
        .with("top", "languages = [\"en\", \"es\"]")
        .with("service", "response_cap_chars = 1000")
        .start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let call = || app.call(&token, "list_meetings", &json!({}));
    let own = json!({"content": [{"type": "text", "text": "palabra ñ ".repeat(900)},
        {"type": "text", "text": meetings(300).to_string()}]});
    app.worker.answers(200, "application/vnd.mcp.result+json", &own.to_string());
    let reply = call();
    let said = text(&reply);
    assert!(chars(&said) <= 1000 && said.starts_with("palabra ñ ") && said.ends_with("filter.]"), "{said}");
    assert!(said.contains("[Shortened answer: the first 610 of 9000 characters."), "{said}");
    let json = reply.json();
    let second = json["result"]["content"][1]["text"].as_str().unwrap();
    assert!(chars(second) <= 1000);
    assert_eq!(serde_json::from_str::<Value>(second).unwrap()["truncated"], true);
    app.worker.answers(422, "application/json", &json!({"error": "no", "rows": meetings(300)}).to_string());
    let reply = call();
    let said: Value = serde_json::from_str(&text(&reply)).unwrap();
    assert_eq!((&said["data"]["error"], &reply.json()["result"]["isError"]), (&json!("no"), &json!(true)));
    assert!(chars(&said.to_string()) <= 1000);
    let events = format!("event: result\ndata: {}\n\n", json!({"rows": meetings(300)}));
    app.worker.answers(200, "text/event-stream", &events);
    let reply = call();
    let event = reply.text().lines().find_map(|line| line.strip_prefix("data: ")).unwrap().to_owned();
    let event: Value = serde_json::from_str(&event).unwrap();
    let said = event["result"]["content"][0]["text"].as_str().unwrap();
    assert!(chars(said) <= 1000 && said.starts_with("{\"truncated\":true"), "{said}");
}

#[test]
fn arguments_are_checked_before_a_worker_is_asked() {
    for (style, number) in [("http", None), ("tool", None), ("jsonrpc", Some(-32011))] {
        let service = format!("validate_arguments = true\nerrors = \"{style}\"");
        let app = TestApp::builder().with("service", &service).with("tail", "confirm = true").start();
        let token = app.pat(&app.person("ana"), &[]).token;
        let refused = |tool: &str, arguments: Value| {
            let reply = app.call(&token, tool, &arguments);
            assert_eq!(reply.status, 200, "{reply:?}");
            let error = &reply.json()["error"];
            if let Some(number) = number {
                assert_eq!(
                    (&error["code"], &error["data"]["code"]),
                    (&json!(number), &json!("invalid_arguments"))
                );
                return error["message"].as_str().unwrap().to_owned();
            }
            let said: Value = serde_json::from_str(&text(&reply)).unwrap();
            assert_eq!(
                (&said["code"], &reply.json()["result"]["isError"]),
                (&json!("invalid_arguments"), &json!(true))
            );
            said["error"].as_str().unwrap().to_owned()
        };
        assert_eq!(
            refused("list_meetings", json!({"limit": "s3cret"})),
            "arguments/limit: the value is not of type \"integer\"."
        );
        assert_eq!(
            refused("delete_meeting", json!({"confirm": true})),
            "arguments: \"meeting_id\" is a required property."
        );
        assert!(app.worker.seen().is_empty());
        for arguments in [json!({}), Value::Null, json!({"limit": 3, "more": [1]})] {
            assert_eq!(app.call(&token, "list_meetings", &arguments).json()["result"]["isError"], false);
        }
        let sure = app.call(&token, "delete_meeting", &json!({"meeting_id": "m1", "confirm": true}));
        assert_eq!(sure.json()["result"]["isError"], false, "the gateway's own question is no argument");
    }
    let lax = TestApp::start();
    let token = lax.pat(&lax.person("ana"), &[]).token;
    assert_eq!(lax.call(&token, "list_meetings", &json!({"limit": "x"})).json()["result"]["isError"], false);
}
