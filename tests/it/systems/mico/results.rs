//! The form of results, and calls that cannot be answered.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Caller, Mico, builder, keys, statement};

/// A call of every tool that goes well.
fn calls() -> [(&'static str, Value); 8] {
    [
        ("list_meetings", json!({})),
        ("get_meeting", json!({"meeting_id": "mtg_a17"})),
        ("get_meeting_transcript", json!({"meeting_id": "mtg_a17"})),
        ("get_recurring_meeting_history", json!({"meeting_id": "mtg_a01"})),
        ("search_meetings", json!({"query": "weekly"})),
        ("list_pending_action_items", json!({})),
        ("search_shared_notes", json!({"query": "acuerdo"})),
        ("get_shared_note", json!({"share_id": "shr_04"})),
    ]
}

#[test]
fn m091_m092_results_are_one_text_that_holds_json() {
    let mico = Mico::start();
    let ana = mico.as_ana();
    statement("M091", || {
        for (tool, arguments) in calls() {
            let reply = mico.app.call(&ana.token, tool, &arguments);
            let result = reply.json()["result"].clone();
            assert_eq!(keys(&result), ["content", "isError"], "{tool}: {result}");
            assert_eq!(result["content"].as_array().unwrap().len(), 1, "{tool}");
            assert_eq!(keys(&result["content"][0]), ["type", "text"], "{tool}");
            let text = result["content"][0]["text"].as_str().unwrap();
            assert!(serde_json::from_str::<Value>(text).unwrap().is_object(), "{tool}");
        }
    });
    statement("M092", || {
        for (tool, mut arguments) in calls() {
            if matches!(tool, "get_meeting" | "get_shared_note") {
                continue;
            }
            arguments["limit"] = 200.into();
            let body = ana.ask(tool, arguments);
            let pagination = &body["pagination"];
            assert_eq!(keys(pagination), ["offset", "limit", "returned", "total", "next_offset"], "{tool}");
            let list = body.as_object().unwrap().values().find(|value| value.is_array()).unwrap();
            assert_eq!(pagination["returned"], list.as_array().unwrap().len(), "{tool}");
        }
        let note = ana.ask("get_shared_note", json!({"share_id": "shr_04"}));
        assert_eq!(note["text"].as_str().unwrap().chars().count(), 12_000, "nothing is cut on the way");
    });
}

#[test]
fn m093_m094_m095_m096_m097_what_cannot_be_answered_is_a_normal_result() {
    let mico = Mico::start();
    let (ana, bruno) = (mico.as_ana(), mico.as_bruno());
    let odd = [
        ("get_meeting", json!({})),
        ("get_meeting", json!({"meeting_id": ""})),
        ("get_meeting", json!({"meeting_id": ["mtg_a01"]})),
        ("get_meeting", json!({"meeting_id": "nope"})),
        ("get_meeting_transcript", json!({"meeting_id": null})),
        ("get_recurring_meeting_history", json!({"meeting_id": "mtg_b01"})),
        ("search_meetings", json!({"query": {}})),
        ("search_shared_notes", json!({"query": "  "})),
        ("get_shared_note", json!({"share_id": "nope"})),
    ];
    for (tool, arguments) in &odd {
        let reply = mico.app.call(&ana.token, tool, arguments);
        statement("M093", || {
            assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
            assert_eq!(keys(&reply.json()), ["jsonrpc", "id", "result"], "{tool} {arguments}");
            assert_eq!(reply.json()["result"]["isError"], true, "{tool} {arguments}");
        });
        statement("M094", || assert!(!ana.refused(tool, arguments.clone()).is_empty(), "{tool} {arguments}"));
    }
    statement("M095", || {
        for (tool, name) in [
            ("get_meeting", "meeting_id"),
            ("get_meeting_transcript", "meeting_id"),
            ("get_recurring_meeting_history", "meeting_id"),
            ("search_meetings", "query"),
            ("search_shared_notes", "query"),
            ("get_shared_note", "share_id"),
        ] {
            assert_eq!(ana.refused(tool, json!({})), format!("{name} is required"), "{tool}");
        }
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_meeting"}});
        let reply = mico.app.rpc(&ana.token, &body);
        assert_eq!(reply.json()["result"]["isError"], true, "without any arguments: {reply:?}");
    });
    let by_id = ["get_meeting", "get_meeting_transcript", "get_recurring_meeting_history"];
    statement("M096", || {
        for tool in by_id {
            for id in ["nope", "mtg_a99", "' or 1=1"] {
                assert_eq!(ana.refused(tool, json!({"meeting_id": id})), format!("meeting '{id}' not found"));
            }
        }
    });
    statement("M097", || {
        for tool in by_id {
            let bytes = |id: &str| {
                let reply = mico.app.call(&bruno.token, tool, &json!({"meeting_id": id}));
                (reply.status, reply.text().replace(id, "ID"))
            };
            assert_eq!(bytes("mtg_a01"), bytes("mtg_x01"), "{tool}: hers, and nobody's");
            assert_eq!(bruno.refused(tool, json!({"meeting_id": "mtg_a01"})), "meeting 'mtg_a01' not found");
        }
    });
}

#[test]
fn m098_a_failure_while_reading_is_a_normal_result_too() {
    let mut mico = Mico::start();
    let token = mico.pat(&mico.ana).token;
    mico.app.assert_alive(&token);
    drop(mico.meetings.take().unwrap());
    let ana = Caller { app: &mico.app, token };
    statement("M098", || {
        assert!(!ana.refused("list_meetings", json!({})).is_empty(), "stopped");
        assert_eq!(ana.rpc("ping", &json!({})).status, 200, "the rest goes on");
    });
}

/// Before a worker that fails as it is told, and with a deadline that a test can wait for.
#[test]
fn m001_m048_m098_a_worker_that_fails_or_takes_too_long() {
    let mut builder = builder();
    assert!(builder.toml.contains("timeout = \"30s\""));
    builder.toml = builder.toml.replace("timeout = \"30s\"", "timeout = \"500ms\"");
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let ana = Caller { app: &app, token };
    statement("M098", || {
        for (status, kind, body) in [
            (500, "application/json", r#"{"error":"the meetings could not be read"}"#),
            (500, "text/html", "<h1>Internal Server Error</h1>"),
            (502, "application/json", "{}"),
            (503, "text/plain", ""),
            (200, "application/json", "{broken"),
        ] {
            app.worker.answers(status, kind, body);
            let error = ana.refused("list_meetings", json!({}));
            assert!(!error.is_empty() && !error.contains('<'), "{status} {body}: {error}");
            if body.contains("could not be read") {
                assert_eq!(error, "the meetings could not be read");
            }
        }
        app.worker.answers(200, "application/json", "{}");
        app.worker.takes(Duration::from_millis(1500));
        assert!(!ana.refused("list_meetings", json!({})).is_empty(), "too slow");
        app.worker.takes(Duration::ZERO);
        ana.ask("list_meetings", json!({"limit": -1}));
    });
    let seen = app.worker.last();
    statement("M001", || {
        assert_eq!(seen.header("x-portero-subject"), Some("ana"), "whose meetings it reads");
    });
    statement("M048", || {
        assert_eq!(
            (seen.path.as_str(), seen.body.as_str()),
            ("/tools/list_meetings", r#"{"limit":-1}"#),
            "untouched"
        );
    });
}
