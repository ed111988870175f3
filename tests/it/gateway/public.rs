//! Public tools beside protected ones, on one URL.

use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::app::Builder;
use crate::support::http::request;

fn mixed(service: &str) -> Builder {
    TestApp::builder().with("service", service).with("tail", "[service.tool.\"list_*\"]\npublic = true")
}

fn message(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn call(tool: &str) -> String {
    message("tools/call", &json!({"name": tool, "arguments": {}}))
}

#[test]
fn nobody_may_do_all_that_is_public() {
    let app = mixed("").start();
    let started = message(
        "initialize",
        &json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "a", "version": "1"}}),
    );
    for body in [started, message("ping", &json!({})), call("list_meetings")] {
        let reply = app.rpc_with("", &[], &body);
        assert_eq!((reply.status, reply.json().get("error")), (200, None), "{body}: {reply:?}");
    }
    let seen = app.worker.last();
    assert_eq!(seen.header("x-portero-token-kind"), Some("anonymous"));
    for absent in ["user", "workspace", "plan", "subject", "client", "grant"] {
        assert_eq!(seen.header(&format!("x-portero-{absent}")), None);
    }
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(app.rpc_with("", &[], &note).status, 202);
    let discover = app.modern_anonymous("server/discover", &json!({}));
    assert_eq!(
        (discover.status, discover.json()["result"]["supportedVersions"][0].as_str()),
        (200, Some("2026-07-28"))
    );
    let list = app.rpc_with("", &[], &message("tools/list", &json!({}))).json();
    let tools = list["result"]["tools"].as_array().unwrap();
    assert_eq!((tools.len(), &tools[0]["name"]), (1, &json!("list_meetings")));
    assert_eq!(tools[0]["securitySchemes"], json!([{"type": "noauth"}]));
    for method in ["GET", "HEAD", "DELETE", "PUT"] {
        assert_eq!(request(method, &app.resource, &[], None).status, 405, "{method}");
    }
}

#[test]
fn what_is_protected_asks_for_a_sign_in_in_the_way_that_was_chosen() {
    let chatgpt = ("user-agent", "openai-mcp/1.0.0 (ChatGPT)");
    let claude = ("user-agent", "Claude-User");
    for (chosen, agent, status) in
        [("auto", claude, 401), ("auto", chatgpt, 200), ("http", chatgpt, 401), ("result", claude, 200)]
    {
        let app = mixed(&format!("anonymous_challenge = \"{chosen}\"")).start();
        // what is not there is asked for like what is: nobody learns which names exist
        for tool in ["delete_meeting", "no_such_tool"] {
            let reply = app.rpc_with("", &[agent], &call(tool));
            assert_eq!(reply.status, status, "{chosen} {agent:?} {tool}: {reply:?}");
            let metadata = format!("resource_metadata=\"{}/.well-known/oauth-protected-resource", app.base);
            let body = reply.json();
            let challenge = if status == 401 {
                reply.header("www-authenticate").unwrap()
            } else {
                assert_eq!(
                    (&body["result"]["isError"], reply.header("www-authenticate")),
                    (&json!(true), None)
                );
                body["result"]["_meta"]["mcp/www_authenticate"][0].as_str().unwrap()
            };
            assert!(challenge.starts_with("Bearer ") && challenge.contains(&metadata), "{challenge}");
        }
        // a method that is no call has no result to say it in
        assert!(app.worker.seen().is_empty());
    }
}

#[test]
fn credentials_that_are_sent_are_checked_and_the_form_is_asked_first() {
    let app = mixed("require_accept = true").start();
    for token in ["garbage", "mico_pat_000"] {
        let reply = app.rpc_with(token, &[], &call("list_meetings"));
        assert_eq!((reply.status, reply.json()["code"].as_str()), (401, Some("invalid_token")), "{reply:?}");
    }
    let pat = app.pat(&app.person("ana"), &[]);
    app.cli(&["token", "revoke", &pat.id], None);
    app.assert_dead(&pat.token);
    for tool in ["list_meetings", "delete_meeting"] {
        for accept in ["*/*", "application/json", "text/event-stream"] {
            let reply = app.rpc_with("", &[("accept", accept)], &call(tool));
            assert_eq!((reply.status, reply.json()["id"].clone()), (406, json!(1)), "{tool} {accept}");
        }
    }
    assert!(app.worker.seen().is_empty());
}

impl TestApp {
    fn modern_anonymous(&self, method: &str, params: &Value) -> crate::support::Reply {
        let (headers, body) = crate::support::mcp::modern(method, params, &[]);
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        request("POST", &self.resource, &headers, Some(&body))
    }
}
