//! The form of refusals.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Becoming, Caller, SCOPES, builder, code, confirmed, connected, keys, number, statement, told};
use crate::support::mcp::PING;
use crate::support::{Reply, eventually};

/// The revisions that know these numbers.
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn call_in(caller: &Caller<'_>, revision: &str, method: &str, params: &Value) -> Reply {
    caller.app.advance(Duration::from_secs(1));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    caller.app.rpc_with(&caller.token, &[("mcp-protocol-version", revision)], &body.to_string())
}

#[test]
fn b098_b101_b103_b105_b106_b107_protocol_failures_are_json_rpc_errors() {
    let becoming = Becoming::start();
    let (ana, bruno) = (becoming.as_ana(), becoming.as_bruno());
    let reader = connected(&becoming.app, &becoming.ana, &["notes:read"]);
    let book = json!({"source": {"type": "Book", "title": "Sin autor"}, "highlights": [{"content": "x"}]});
    let many = json!({"source_id": 101, "highlights": vec![json!({"content": "x"}); 21]});
    let empty = json!({"practice_id": 705, "body": ""});
    let practice = json!({"practice_id": 714});
    let call = |tool: &str, arguments: Value| ("tools/call", json!({"name": tool, "arguments": arguments}));
    let read = |uri: &str| ("resources/read", json!({"uri": uri}));
    let cases = [
        ("B101", &reader, call("list_sources", json!({})), -32002, "missing_scope"),
        ("B101", &reader, read("becoming://sources"), -32002, "missing_scope"),
        ("B103", &ana, call("get_source", json!({"id": 999_999})), -32003, "resource_not_found"),
        ("B103", &ana, read("becoming://sources/999999"), -32003, "resource_not_found"),
        ("B103", &ana, read("becoming://nada"), -32003, "resource_not_found"),
        ("B105", &bruno, call("skip_practice", confirmed(practice)), -32010, "feature_not_included"),
        ("B106", &ana, call("skip_practice", json!({"practice_id": 706})), -32011, "confirmation_required"),
        ("B107", &ana, call("add_highlights", confirmed(book)), -32011, "invalid_arguments"),
        ("B107", &ana, call("add_highlights", confirmed(many)), -32011, "invalid_arguments"),
        ("B107", &ana, call("log_practice_reflection", confirmed(empty)), -32011, "invalid_arguments"),
    ];
    for (id, caller, (method, params), expected, word) in &cases {
        for revision in LEGACY {
            let reply = call_in(caller, revision, method, params);
            statement(id, || {
                assert_eq!(number(&reply, method), *expected, "{revision} {params}");
                assert_eq!(reply.json()["error"]["data"]["code"], *word, "{revision} {params}");
            });
            // What an SDK makes an McpError of: number and message, and nothing beside them that it would not read.
            statement("B098", || {
                assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
                assert_eq!(keys(&reply.json()), ["jsonrpc", "id", "error"], "{revision} {params}");
                let error = reply.json()["error"].clone();
                assert!(error["code"].is_i64() && error["message"].is_string(), "{error}");
            });
        }
    }
}

#[test]
fn b099_what_the_application_will_not_do_is_a_result() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    ana.write("complete_practice", json!({"practice_id": 704}));
    ana.write("add_source", json!({"url": "https://lecturas.example.com/x"}));
    for (tool, arguments, word) in [
        ("complete_practice", json!({"practice_id": 704}), "already"),
        ("skip_practice", json!({"practice_id": 704}), "already"),
        ("complete_theme", json!({"theme_id": 303}), "past"),
        ("log_practice_reflection", json!({"practice_id": 704, "body": "x"}), "reflect"),
        ("generate_theme_practices", json!({"theme_id": 301, "context": "work", "mix": "act"}), "already"),
        ("add_source", json!({"url": "https://lecturas.example.com/x"}), "already"),
    ] {
        let reply = ana.call(tool, &confirmed(arguments));
        statement("B099", || {
            let (failed, body) = told(&reply);
            assert!(failed && body["error"].as_str().unwrap().contains(word), "{tool}: {body}");
            assert_eq!(reply.json()["result"]["_meta"]["io.portero/status"], 409, "{tool}");
        });
    }
}

#[test]
fn b100_a_token_that_is_not_valid() {
    let becoming = Becoming::start();
    let app = &becoming.app;
    let invalid = |token: &str| {
        let reply = app.rpc_with(token, &[], PING);
        statement("B100", || {
            assert_eq!((reply.status, code(&reply)), (401, Some(-32001)), "{reply:?}");
            assert!(reply.header("www-authenticate").is_some_and(|text| text.starts_with("Bearer ")));
        });
    };
    let live = becoming.as_ana();
    assert_eq!(app.rpc_with(&live.token, &[], PING).status, 200);
    for token in ["", "nonsense", "bec_oat_x", "mico_oat_x"] {
        invalid(token);
    }
    let revoked = becoming.as_ana();
    let grants = app.cli(&["grant", "list", "--user", &becoming.ana.email], None);
    for grant in grants.as_array().unwrap() {
        app.cli(&["grant", "revoke", grant["id"].as_str().unwrap()], None);
    }
    for token in [&revoked.token, &live.token] {
        eventually("401", || (app.rpc_with(token, &[], PING).status == 401).then_some(()));
        invalid(token);
    }
    let expired = becoming.as_ana();
    app.advance(Duration::from_mins(59));
    assert_eq!(app.rpc_with(&expired.token, &[], PING).status, 200);
    app.advance(Duration::from_mins(2));
    invalid(&expired.token);
}

#[test]
fn b102_a_subscription_that_is_required() {
    let becoming = Becoming::start();
    let (app, ana) = (&becoming.app, becoming.as_ana());
    let becomes = |status: &str, word: &str, call: &dyn Fn() -> Reply| {
        app.cli(&["workspace", "set-status", &becoming.ana.workspace, status], None);
        let word_of = |reply: &Reply| reply.json()["error"]["data"]["code"].as_str().map(str::to_owned);
        eventually(word, || (word_of(&call()).as_deref() == Some(word)).then_some(()));
        assert_eq!(number(&call(), word), -32002);
    };
    statement("B102", || {
        becomes("inactive", "subscription_inactive", &|| ana.call("list_sources", &json!({})));
        becomes("past_due", "workspace_blocked", &|| {
            ana.call("skip_practice", &confirmed(json!({"practice_id": 706})))
        });
        ana.ask("list_sources", json!({}));
    });
}

#[test]
fn b108_a_backend_that_fails() {
    let mut becoming = Becoming::start();
    let ana = becoming.as_ana();
    ana.ask("list_sources", json!({}));
    let token = ana.token.clone();
    drop(becoming.library.take().unwrap());
    let ana = Caller { app: &becoming.app, token };
    statement("B108", || {
        assert_eq!(ana.refused("list_sources", json!({})), -32099, "stopped");
        assert_eq!(number(&ana.read("becoming://notes"), "stopped"), -32099);
        assert_eq!(ana.rpc("ping", &json!({})).status, 200, "the rest goes on");
    });
    let app = builder().start();
    let ana = connected(&app, &app.person_on("ana", Some("academia")), &SCOPES);
    statement("B108", || {
        for (status, kind, body) in [
            (500, "text/html", "<h1>Internal Server Error</h1>"),
            (500, "application/json", "{}"),
            (503, "text/plain", ""),
            (200, "application/json", "{broken"),
        ] {
            app.worker.answers(status, kind, body);
            let reply = ana.call("list_sources", &json!({}));
            assert_eq!(number(&reply, body), -32099, "{status} {body}");
            assert!(!reply.text().contains('<'), "{reply:?}");
        }
    });
}
