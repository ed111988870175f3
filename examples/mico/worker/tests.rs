//! What Mico's tools promise, one test for each promise. The numbers are those of the statements
//! that the end-to-end test of the whole system follows too.

#![expect(clippy::needless_pass_by_value, reason = "arguments are written where they are passed")]

mod actions;
mod http;
mod meetings;
mod shared;
mod transcript;

use serde_json::{Value, json};

use super::{Answer, call};

const TOOLS: [&str; 8] = [
    "list_meetings",
    "get_meeting",
    "get_meeting_transcript",
    "get_recurring_meeting_history",
    "search_meetings",
    "list_pending_action_items",
    "search_shared_notes",
    "get_shared_note",
];

fn ok(subject: &str, tool: &str, arguments: Value) -> Value {
    let Answer { status, body } = call(subject, tool, &arguments);
    assert_eq!(status, 200, "{tool} {arguments}: {body}");
    body
}

fn ana(tool: &str, arguments: Value) -> Value {
    ok("ana", tool, arguments)
}

fn refused(subject: &str, tool: &str, arguments: Value) -> (u16, String) {
    let Answer { status, body } = call(subject, tool, &arguments);
    assert_eq!(keys(&body), ["error"]);
    (status, body["error"].as_str().unwrap().to_owned())
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn column<'a>(body: &'a Value, list: &str, key: &str) -> Vec<&'a str> {
    body[list].as_array().unwrap().iter().map(|item| item[key].as_str().unwrap()).collect()
}

fn ids(body: &Value) -> Vec<&str> {
    column(body, "meetings", "id")
}

fn newest_first(times: &[&str]) -> bool {
    times.len() > 1 && times.windows(2).all(|pair| pair[0] >= pair[1])
}

fn limit_of(tool: &str, mut arguments: Value, limit: Value) -> Value {
    arguments["limit"] = limit;
    ana(tool, arguments)["pagination"]["limit"].clone()
}

fn clamps(tool: &str, arguments: &Value, default: u64, most: u64) {
    for (asked, used) in [(0, 1), (-5, 1), (1, 1), (7, 7), (99_999, most)] {
        assert_eq!(limit_of(tool, arguments.clone(), json!(asked)), used, "{tool} {asked}");
    }
    assert_eq!(ana(tool, arguments.clone())["pagination"]["limit"], default);
    for (odd, used) in [
        (json!("7"), 7),
        (json!(" -1 "), 1),
        (json!(7.9), 7),
        (json!(1e300), most),
        (json!(u64::MAX), most),
        (json!("nan"), default),
        (json!("inf"), default),
        (json!("many"), default),
        (json!(null), default),
        (json!(true), default),
        (json!([3]), default),
    ] {
        assert_eq!(limit_of(tool, arguments.clone(), odd.clone()), used, "{tool} {odd}");
    }
}

/// Follows `next_offset` to the end and gives the sizes of the pages.
fn pages(tool: &str, mut arguments: Value, list: &str) -> Vec<usize> {
    let mut sizes = Vec::new();
    loop {
        let body = ana(tool, arguments.clone());
        let pagination = &body["pagination"];
        assert_eq!(keys(pagination), ["offset", "limit", "returned", "total", "next_offset"]);
        assert_eq!(pagination["returned"], body[list].as_array().unwrap().len());
        sizes.push(body[list].as_array().unwrap().len());
        if pagination["next_offset"].is_null() {
            return sizes;
        }
        arguments["offset"] = pagination["next_offset"].clone();
    }
}

#[test]
fn m001_each_owner_sees_their_own_meetings_and_a_stranger_none() {
    let all = json!({ "limit": 200 });
    assert_eq!(ids(&ana("list_meetings", all.clone())).len(), 29);
    assert_eq!(ids(&ok("bruno", "list_meetings", all.clone())).len(), 10);
    for stranger in ["", "carla", "ANA"] {
        assert!(ids(&ok(stranger, "list_meetings", all.clone())).is_empty());
        assert_eq!(ok(stranger, "list_pending_action_items", json!({}))["action_items"], json!([]));
    }
}

#[test]
fn m004_the_catalog_has_the_eight_tools_all_read_only_and_idempotent() {
    let catalog: Value = serde_json::from_str(include_str!("../mico-tools.json")).unwrap();
    let names: Vec<_> =
        catalog.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS);
    for tool in catalog.as_array().unwrap() {
        assert_eq!(keys(tool), ["name", "title", "description", "inputSchema", "annotations"]);
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert_eq!(tool["annotations"]["idempotentHint"], true);
        let arguments = tool["inputSchema"]["properties"].as_object().unwrap();
        for argument in arguments.values() {
            assert!(argument.get("minimum").or(argument.get("maximum")).is_none(), "clamped, not refused");
        }
        for name in tool["inputSchema"]["required"].as_array().into_iter().flatten() {
            let (status, error) = refused("ana", tool["name"].as_str().unwrap(), json!({}));
            assert_eq!((status, error), (400, format!("{} is required", name.as_str().unwrap())));
        }
    }
}

#[test]
fn m048_offsets_out_of_range_are_clamped() {
    for (asked, used) in
        [(json!(-5), 0), (json!("2"), 2), (json!("x"), 0), (json!(null), 0), (json!(500), 500)]
    {
        let body = ana("list_meetings", json!({ "offset": asked }));
        assert_eq!(body["pagination"]["offset"], used);
    }
}

#[test]
fn m048_an_offset_past_the_end_gives_an_empty_last_page() {
    for offset in [json!(29), json!(1000), json!(1e300), json!(i64::MAX)] {
        let body = ana("list_meetings", json!({ "offset": offset }));
        assert_eq!(body["meetings"], json!([]));
        assert_eq!(body["pagination"]["returned"], 0);
        assert_eq!(body["pagination"]["next_offset"], Value::Null);
    }
}

#[test]
fn m096_m097_absent_and_somebody_elses_meetings_read_the_same() {
    for tool in ["get_meeting", "get_meeting_transcript", "get_recurring_meeting_history"] {
        for id in ["mtg_b04", "nope", "' or 1=1"] {
            let expected = (404, format!("meeting '{id}' not found"));
            assert_eq!(refused("ana", tool, json!({ "meeting_id": id })), expected);
        }
    }
}

#[test]
fn m094_every_odd_call_gets_an_error_and_none_panics() {
    let odd = [json!(null), json!([]), json!("x"), json!(1), json!(true)];
    for tool in TOOLS {
        for arguments in &odd {
            assert_eq!(refused("ana", tool, arguments.clone()).0, 400);
        }
        for value in [json!(1), json!([]), json!({}), json!(true)] {
            let arguments =
                json!({ "meeting_id": value, "query": value, "share_id": value, "series_id": value });
            let answer = call("ana", tool, &arguments);
            assert_eq!(answer.status == 200, tool == "list_pending_action_items");
        }
    }
    assert_eq!(refused("ana", "get_meeting", json!({ "meeting_id": 7 })).1, "meeting_id must be a string");
    assert_eq!(
        refused("ana", "delete_meeting", json!({})),
        (404, "unknown tool 'delete_meeting'".to_owned())
    );
}
