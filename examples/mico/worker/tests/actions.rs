//! What is still to be done.

use serde_json::json;

use super::{ana, clamps, column, newest_first, pages};

#[test]
fn m079_pending_limit_is_clamped() {
    clamps("list_pending_action_items", &json!({}), 20, 200);
    assert_eq!(pages("list_pending_action_items", json!({}), "action_items"), [20, 7]);
}

#[test]
fn m080_m081_m082_pending_items_are_open_newest_first_and_know_their_meeting() {
    let body = ana("list_pending_action_items", json!({ "limit": 200 }));
    let states = column(&body, "action_items", "status");
    assert!(states.contains(&"todo") && states.contains(&"in_progress"));
    assert!(states.iter().all(|state| ["todo", "in_progress"].contains(state)));
    assert!(newest_first(&column(&body, "action_items", "created_at")));
    let meetings = column(&body, "action_items", "meeting_id");
    let late = meetings.iter().position(|id| *id == "mtg_a03").unwrap();
    let earlier = meetings.iter().position(|id| *id == "mtg_a25").unwrap();
    assert!(late < earlier, "by the item's own time, not its meeting's");
    for item in body["action_items"].as_array().unwrap() {
        let meeting = ana("get_meeting", json!({ "meeting_id": item["meeting_id"] }));
        assert_eq!(meeting["title"], item["meeting_title"]);
    }
}
