//! Refusals over real HTTP: three styles, five revisions, personal and OAuth tokens.

use serde_json::{Value, json};

use crate::support::{Reply, TestApp};

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Status, the form and its number: of a result the `status` it tells.
#[derive(Debug, PartialEq)]
enum Said {
    Status(u16, i64),
    Error(i64),
    Result(i64),
}
use Said::{Error, Result as Tool, Status};

fn said(reply: &Reply, code: &str) -> Said {
    let body = reply.json();
    if body.get("result").is_some() {
        assert_eq!((reply.status, &body["result"]["isError"]), (200, &json!(true)), "{body}");
        let text: Value =
            serde_json::from_str(body["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!((&text["code"], &text["error"]), (&json!(code), &text["message"]));
        return Tool(text["status"].as_i64().unwrap());
    }
    assert_eq!(body["error"]["data"]["code"], code, "{body}");
    assert!(!body["error"]["data"]["hint"].as_str().unwrap().is_empty());
    let number = body["error"]["code"].as_i64().unwrap();
    if reply.status == 200 { Error(number) } else { Status(reply.status, number) }
}

#[test]
fn each_style_says_no_in_its_own_way_in_every_revision() {
    for style in ["http", "jsonrpc", "tool"] {
        let app = TestApp::builder()
            .with("service", &format!("errors = \"{style}\""))
            .with("tail", "confirm = true")
            .start();
        let ana = app.person("ana");
        let full = app.pat(&ana, &[]).token;
        let narrow = app.pat(&ana, &["mico:read"]).token;
        let oauth = app.connect(&narrow).access;
        let free = app.pat(&app.person_on("caro", Some("free")), &[]).token;
        let due = app.person("dina");
        let due_token = app.pat(&due, &[]).token;
        app.cli(&["workspace", "set-status", &due.workspace, "past_due"], None);
        let by_style = |status: u16, number: i64| match style {
            "http" => Status(status, number),
            "jsonrpc" => Error(number),
            _ => Tool(i64::from(status)),
        };
        let result = |status: i64, number: i64| if style == "jsonrpc" { Error(number) } else { Tool(status) };
        for version in LEGACY.into_iter().chain(["2026-07-28"]) {
            let modern = version == "2026-07-28";
            let own = |number: i64| if modern { number + 1000 } else { number };
            let call = |token: &str, tool: &str| {
                let params = json!({"name": tool, "arguments": {}});
                if modern {
                    app.modern(token, "tools/call", &params, &[])
                } else {
                    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
                    app.rpc_with(token, &[("mcp-protocol-version", version)], &body.to_string())
                }
            };
            let cases = [
                (&free, "list_meetings", "feature_not_included", by_style(402, own(-32002))),
                (&oauth, "delete_meeting", "missing_scope", by_style(403, own(-32002))),
                (&narrow, "delete_meeting", "missing_scope", result(403, own(-32002))),
                (&due_token, "delete_meeting", "workspace_blocked", result(403, own(-32002))),
                (&full, "delete_meeting", "confirmation_required", result(428, own(-32011))),
                (&full, "no_such_tool", "unknown_tool", Error(-32602)),
            ];
            for (token, tool, code, expected) in cases {
                let reply = call(token, tool);
                assert_eq!(said(&reply, code), expected, "{style} {version} {code}");
            }
            assert_eq!(
                said(&call("garbage", "list_meetings"), "invalid_token"),
                Status(401, own(-32001)),
                "{style}"
            );
        }
        assert!(app.worker.seen().is_empty());
    }
}
