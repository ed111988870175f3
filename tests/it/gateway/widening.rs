//! What a client says of a call never makes it wider: not that a person confirmed, not that the tool only reads, not
//! who calls.

use serde_json::json;

use crate::support::TestApp;

const FORGED: [(&str, &str); 8] = [
    ("X-Portero-Confirmed", "true"),
    ("X_Portero_Confirmed", "true"),
    ("X-Portero-User-Intent", "delete it"),
    ("X-Portero-Scopes", "mico:read mico:write"),
    ("X-Portero-Mode", "test"),
    ("X-Portero-Plan", "flow"),
    ("X-Portero-User", "usr_somebody"),
    ("X-Portero-Credits", "1000000"),
];

#[test]
fn neither_arguments_nor_annotations_nor_headers_widen_a_call() {
    let app = TestApp::builder().with("tail", "confirm = true").start();
    let ana = app.person("ana");
    let (full, narrow) = (app.pat(&ana, &[]).token, app.pat(&ana, &["mico:read"]).token);
    let due = app.person("dina");
    let due_token = app.pat(&due, &[]).token;
    app.cli(&["workspace", "set-status", &due.workspace, "past_due"], None);
    let free = app.pat(&app.person_on("caro", Some("free")), &[]).token;
    let params = [
        json!({"arguments": {}}),
        json!({"arguments": {}, "confirm": true}),
        json!({"arguments": {"Confirm": true, "CONFIRM": true}}),
        json!({"arguments": {"nested": {"confirm": true}}}),
        json!({"arguments": {"confirm": [true]}}),
        json!({"arguments": {"confirm": "true"}}),
        json!({"arguments": {}, "annotations": {"readOnlyHint": true, "destructiveHint": false}}),
        json!({"arguments": {}, "_meta": {"confirm": true, "readOnlyHint": true, "io.portero/confirmed": true}}),
    ];
    for params in params {
        for (token, code) in [
            (&full, "confirmation_required"),
            (&narrow, "missing_scope"),
            (&due_token, "workspace_blocked"),
            (&free, "feature_not_included"),
        ] {
            let mut params = params.clone();
            params["name"] = json!("delete_meeting");
            let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
            let reply = app.rpc_with(token, &FORGED, &body.to_string());
            assert!(reply.text().contains(code), "{code}: {params} {reply:?}");
        }
    }
    // Of two members of one name no reader may take the one that suits.
    for arguments in [r#"{"confirm":false,"confirm":true}"#, r#"{"confirm":true,"confirm":false}"#] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"delete_meeting","arguments":{arguments}}}}}"#
        );
        let reply = app.rpc_with(&full, &[], &body);
        assert!(reply.json()["result"]["isError"].as_bool().unwrap_or(true), "{reply:?}");
    }
    assert!(app.worker.seen().is_empty());
    let confirmed = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "delete_meeting", "arguments": {"confirm": true}}});
    let reply = app.rpc_with(&full, &FORGED, &confirmed.to_string());
    assert_eq!(reply.json()["result"]["isError"], false, "{reply:?}");
    let seen = app.worker.last();
    assert_eq!(seen.header("x-portero-user"), Some(ana.id.as_str()));
    assert_eq!(
        (seen.header("x-portero-confirmed"), seen.header("x-portero-mode"), seen.header("x-portero-credits")),
        (Some("true"), Some("live"), None)
    );
    assert_eq!(seen.header("x-portero-user-intent"), None);
    assert_eq!(seen.header("x_portero_confirmed"), None);
}
