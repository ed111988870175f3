//! The form of refusals.

use serde_json::json;

use super::{Mico, keys, statement};

#[test]
fn m099_m100_m101_m102_m103_protocol_errors_have_their_codes() {
    let mico = Mico::start();
    let (app, token) = (&mico.app, mico.pat(&mico.ana).token);
    let send = |body: &str| {
        let reply = app.rpc_with(&token, &[], body);
        (reply.status, reply.json()["error"]["code"].as_i64().unwrap_or_default(), reply)
    };
    let call = |name: &str| {
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": {}}})
            .to_string()
    };
    statement("M099", || {
        for body in [call("delete_meeting"), r#"{"jsonrpc":"2.0","id":7,"method":"foo/bar"}"#.to_owned()] {
            let (status, _, reply) = send(&body);
            assert_eq!(status, 200);
            let body = reply.json();
            assert_eq!(keys(&body), ["jsonrpc", "id", "error"]);
            assert_eq!((&body["jsonrpc"], &body["id"]), (&json!("2.0"), &json!(7)));
            assert!(body["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
        }
    });
    statement("M100", || {
        for body in ["{", "", "not json", "{\"jsonrpc\":\"2.0\",}"] {
            let (status, code, reply) = send(body);
            assert_eq!((status, code), (400, -32700), "{body}");
            assert!(reply.json()["id"].is_null(), "{body}");
        }
    });
    statement("M101", || {
        for body in [
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            "[]",
            "3",
            "\"ping\"",
            "null",
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#,
        ] {
            let (status, code, _) = send(body);
            assert_eq!((status, code), (400, -32600), "{body}");
        }
    });
    statement("M102", || {
        for method in ["foo/bar", "tools/delete", "Ping", "resources/read", ""] {
            let body = json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
            let (status, code, _) = send(&body);
            assert_eq!((status, code), (200, -32601), "{method}");
        }
    });
    statement("M103", || {
        for name in ["delete_meeting", "List_meetings", "list_meetings ", ""] {
            let (status, code, reply) = send(&call(name));
            assert_eq!((status, code), (200, -32602), "{name}: {reply:?}");
        }
    });
}

/// An HTTP error says its code twice: for readers of JSON-RPC, and at the top for all others.
#[test]
fn m104_http_errors_come_in_place_of_an_answer() {
    let mico = Mico::start();
    let (app, ana) = (&mico.app, mico.pat(&mico.ana).token);
    let free = mico.pat(&app.person_on("carla", Some("free"))).token;
    statement("M104", || {
        for (token, body, status, code) in [
            ("", "{", 401, "unauthorized"),
            ("nonsense", "{", 401, "invalid_token"),
            (&free, "{", 402, "feature_not_included"),
            (&free, r#"{"jsonrpc":"2.0","id":7,"method":"foo/bar"}"#, 402, "feature_not_included"),
            (&ana, "{", 400, "parse_error"),
        ] {
            let reply = app.rpc_with(token, &[], body);
            assert_eq!((reply.status, reply.json()["code"].as_str()), (status, Some(code)), "{body}");
            assert!(reply.json().get("result").is_none());
        }
        let reply = app.rpc_with(&free, &[], r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
        assert_eq!(
            (reply.status, reply.json()["id"].clone()),
            (402, json!(7)),
            "the id is echoed all the same"
        );
    });
}

#[test]
fn m110_what_cannot_be_verified_is_503_and_no_fault_of_the_token() {
    let mico = Mico::start();
    let (app, token) = (&mico.app, mico.pat(&mico.ana).token);
    actix_web::rt::System::new().block_on(app.app.identity.store.close());
    statement("M110", || {
        let reply = app.call(&token, "list_meetings", &json!({}));
        assert_eq!((reply.status, reply.json()["code"].as_str()), (503, Some("verification_unavailable")));
        let wait: u64 = reply.header("retry-after").expect("Retry-After").parse().unwrap();
        assert!((1..=60).contains(&wait), "in a moment: {wait}");
        assert!(reply.header("www-authenticate").is_none(), "signing in again would not help");
        assert!(!reply.text().contains("invalid_token"));
        let message = reply.json()["message"].as_str().unwrap().to_owned();
        assert!(!message.contains("sql") && !message.contains("pool"), "{message}");
    });
}
