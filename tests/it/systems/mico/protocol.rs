//! The endpoint and the protocol.

use serde_json::{Value, json};

use super::{Mico, NAMES, statement};
use crate::support::http::request;
use crate::support::{Reply, TestApp};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn initialize(version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": version,
        "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
}

fn code(reply: &Reply) -> Option<i64> {
    reply.json()["error"]["code"].as_i64()
}

#[test]
fn m002_m017_m023_one_revision_is_spoken_and_only_tools_are_declared() {
    let mico = Mico::start();
    let (app, token) = (&mico.app, mico.pat(&mico.ana).token);
    for asked in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2099-01-01"] {
        let reply = app.rpc(&token, &initialize(asked));
        let result = reply.json()["result"].clone();
        statement("M002", || assert_eq!(result["protocolVersion"], "2025-03-26", "asked for {asked}"));
        statement("M017", || {
            assert_eq!(reply.status, 200);
            assert_eq!(
                (&result["serverInfo"]["name"], &result["serverInfo"]["version"]),
                (&json!("mico-mcp"), &json!("1.0.0"))
            );
            assert!(result["instructions"].as_str().unwrap().starts_with("Lee las reuniones"));
        });
        statement("M023", || {
            assert_eq!(super::keys(&result["capabilities"]), ["tools"]);
        });
    }
    statement("M002", || {
        let discover = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}});
        assert_eq!(code(&app.rpc(&token, &discover)), Some(-32601));
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}});
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
        let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
        let reply = app.rpc_with(&token, &headers, &list.to_string());
        assert_eq!((reply.status, code(&reply)), (400, Some(-32022)));
        assert_eq!(reply.json()["error"]["data"]["supported"], json!(["2025-03-26"]));
    });
}

/// The requests that the official SDKs' transport makes, in its order and with its headers.
#[test]
fn m003_the_streamable_http_transport_connects() {
    let mico = Mico::start();
    let (app, token) = (&mico.app, mico.pat(&mico.ana).token);
    statement("M003", || {
        let opened = app.rpc_with(&token, &[], &initialize("2025-11-25").to_string());
        assert_eq!((opened.status, opened.header("content-type")), (200, Some("application/json")));
        let version = opened.json()["result"]["protocolVersion"].as_str().unwrap().to_owned();
        let headers = [("mcp-protocol-version", version.as_str())];
        let told =
            app.rpc_with(&token, &headers, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert_eq!(told.status, 202);
        let bearer = format!("Bearer {token}");
        let all = [("authorization", bearer.as_str()), ("accept", "text/event-stream"), headers[0]];
        let channel = request("GET", &app.resource, &all, None);
        assert_eq!(channel.status, 405, "what the transport takes for: no such channel");
        let listed =
            app.rpc_with(&token, &headers, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#);
        assert_eq!(listed.json()["result"]["tools"].as_array().unwrap().len(), 8);
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "list_meetings", "arguments": {"limit": 1}}});
        let called = app.rpc_with(&token, &headers, &call.to_string());
        assert_eq!(called.json()["result"]["isError"], false);
    });
}

#[test]
fn m008_the_endpoint_has_this_path_and_no_other() {
    let mico = Mico::start();
    let (app, token) = (&mico.app, mico.pat(&mico.ana).token);
    statement("M008", || {
        assert_eq!(app.resource, format!("{}/functions/v1/mcp", app.base));
        assert_eq!(app.rpc_with(&token, &[], PING).status, 200);
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        for path in
            ["/", "/mcp", "/functions/v1", "/functions/v1/mcpx", "/functions/v1/mcp/x", "/functions/v2/mcp"]
        {
            let reply = request("POST", &format!("{}{path}", app.base), &headers, Some(PING));
            // The front page is somebody's, but nobody posts to it.
            assert_eq!(reply.status, if path == "/" { 405 } else { 404 }, "{path}");
            assert_eq!(reply.header("content-type"), Some("application/json"), "{path}");
            assert!(reply.json().is_object(), "{path}");
        }
    });
}

#[test]
fn m010_m016_m109_whatever_is_no_post_is_405() {
    let mico = Mico::start();
    let token = mico.pat(&mico.ana).token;
    let bearer = format!("Bearer {token}");
    for method in ["GET", "PUT", "PATCH", "DELETE"] {
        let headers = [("authorization", bearer.as_str()), ("accept", "text/event-stream")];
        let reply = request(method, &mico.app.resource, &headers, (method != "GET").then_some(""));
        let id = if method == "GET" { "M016" } else { "M109" };
        statement(id, || {
            assert_eq!((reply.status, reply.header("allow")), (405, Some("POST, OPTIONS")), "{method}");
        });
        statement("M010", || assert!(reply.json()["error"].is_object(), "{method} is answered by no event"));
    }
    statement("M010", || assert_eq!(mico.app.rpc_with(&token, &[], PING).status, 200));
}

#[test]
fn m011_m012_m013_one_message_and_one_json_answer() {
    let mico = Mico::start();
    let (app, token) = (&mico.app, mico.pat(&mico.ana).token);
    statement("M011", || {
        let reply = app.rpc_with(&token, &[], PING);
        assert_eq!((reply.status, reply.json()), (200, json!({"jsonrpc": "2.0", "id": 1, "result": {}})));
    });
    statement("M012", || {
        let json = Some("application/json");
        for accept in
            ["application/json, text/event-stream", "application/json", "*/*", "application/*;q=0.5"]
        {
            for (token, body, status) in [
                (token.as_str(), PING, 200),
                (&token, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, 200),
                (&token, r#"{"jsonrpc":"2.0","id":1,"method":"foo/bar"}"#, 200),
                (&token, "{", 400),
                ("", PING, 401),
            ] {
                let reply = app.rpc_with(token, &[("accept", accept)], body);
                assert_eq!((reply.status, reply.header("content-type")), (status, json), "{accept} {body}");
                assert!(reply.json().is_object());
            }
        }
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        let reply = request("POST", &app.resource, &headers, Some(PING));
        assert_eq!((reply.status, reply.header("content-type")), (200, json), "without Accept");
    });
    statement("M013", || {
        let batch = format!("[{PING}]");
        for version in ["2025-03-26", ""] {
            let headers = [("mcp-protocol-version", version)];
            let reply = app.rpc_with(&token, if version.is_empty() { &[] } else { &headers }, &batch);
            assert_eq!((reply.status, code(&reply)), (400, Some(-32600)), "{version}");
            assert!(reply.json().is_object(), "one answer, not a list");
        }
    });
}

#[test]
fn m014_m015_nothing_is_kept_between_requests() {
    let mico = Mico::start();
    let (app, token) = (&mico.app, mico.pat(&mico.ana).token);
    statement("M014", || {
        let reply = app.call(&token, "list_meetings", &json!({}));
        assert_eq!((reply.status, reply.json()["result"]["isError"].clone()), (200, json!(false)));
    });
    statement("M015", || {
        let bodies = [
            initialize("2025-03-26").to_string(),
            PING.to_owned(),
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned(),
        ];
        for body in &bodies {
            for headers in [&[][..], &[("mcp-session-id", "made-up")]] {
                let reply = app.rpc_with(&token, headers, body);
                assert!(matches!(reply.status, 200 | 202), "{body} {headers:?}: {reply:?}");
                assert!(reply.header("mcp-session-id").is_none(), "{body}");
            }
        }
    });
}

#[test]
fn m004_m018_m019_m020_m021_m022_m024_the_methods() {
    let mico = Mico::start();
    let (app, token) = (&mico.app, mico.pat(&mico.ana).token);
    let send = |app: &TestApp, body: Value| app.rpc(&token, &body);
    statement("M018", || {
        let reply = send(app, json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}));
        assert_eq!((reply.status, reply.json()), (200, json!({"jsonrpc": "2.0", "id": "p", "result": {}})));
    });
    let listed = send(app, json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let tools = listed.json()["result"]["tools"].as_array().cloned().unwrap_or_default();
    statement("M019", || {
        assert_eq!(listed.status, 200);
        assert_eq!(tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>(), NAMES);
        assert!(tools.iter().all(|tool| tool["inputSchema"]["type"] == "object"));
    });
    statement("M004", || {
        for tool in &tools {
            let hints = &tool["annotations"];
            assert_eq!(
                (&hints["readOnlyHint"], &hints["idempotentHint"]),
                (&json!(true), &json!(true)),
                "{tool}"
            );
        }
        assert_eq!(tools.len(), 8);
    });
    statement("M020", || {
        let reply = app.call(&token, "get_meeting", &json!({"meeting_id": "mtg_a17"}));
        assert_eq!((reply.status, reply.json()["id"].clone()), (200, json!(1)));
        assert_eq!(reply.json()["result"]["isError"], false);
    });
    for method in ["notifications/initialized", "notifications/cancelled", "notifications/nobody/knows"] {
        let reply = send(app, json!({"jsonrpc": "2.0", "method": method}));
        statement("M021", || assert_eq!(reply.status, 202, "{method}"));
        statement("M022", || {
            assert!(reply.body.is_empty(), "{method}");
            assert!(reply.header("content-type").is_none(), "{method}");
        });
    }
    statement("M024", || {
        for method in [
            "resources/list",
            "resources/templates/list",
            "prompts/list",
            "logging/setLevel",
            "completion/complete",
        ] {
            let reply = send(app, json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}));
            assert_eq!((reply.status, code(&reply)), (200, Some(-32601)), "{method}");
        }
    });
}
