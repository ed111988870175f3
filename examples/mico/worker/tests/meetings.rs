//! Listing, showing and searching meetings.

use serde_json::json;

use super::{ana, clamps, column, ids, keys, newest_first, ok, pages};

#[test]
fn m049_query_is_part_of_title_or_id_whatever_the_case() {
    assert_eq!(ids(&ana("list_meetings", json!({ "query": "WEEK" }))).len(), 15);
    assert_eq!(ids(&ana("list_meetings", json!({ "query": "G_A07" }))), ["mtg_a07"]);
    assert_eq!(ids(&ana("list_meetings", json!({ "query": "Sesion DE" }))), ["mtg_a29"]);
    assert!(ids(&ana("list_meetings", json!({ "query": "girasol" }))).is_empty());
    assert_eq!(ids(&ana("list_meetings", json!({ "query": "" }))).len(), 20);
}

#[test]
fn m050_series_id_is_exact() {
    assert_eq!(ids(&ana("list_meetings", json!({ "series_id": "ser_weekly" }))).len(), 10);
    assert_eq!(ids(&ana("list_meetings", json!({ "series_id": "ser_weekly_design" }))).len(), 5);
    for other in ["ser_week", "SER_WEEKLY", "ser_ventas", ""] {
        assert!(ids(&ana("list_meetings", json!({ "series_id": other }))).is_empty(), "{other}");
    }
    let both = json!({ "series_id": "ser_weekly", "query": "a04" });
    assert_eq!(ids(&ana("list_meetings", both)), ["mtg_a04"]);
}

#[test]
fn m051_limit_is_clamped() {
    clamps("list_meetings", &json!({}), 20, 200);
}

#[test]
fn m052_offset_skips_the_newest() {
    let first = ana("list_meetings", json!({}));
    let second = ana("list_meetings", json!({ "offset": 1 }));
    assert_eq!(ids(&first)[1..], ids(&second)[..19]);
}

#[test]
fn m053_meetings_come_newest_first() {
    let body = ana("list_meetings", json!({ "limit": 200 }));
    assert!(newest_first(&column(&body, "meetings", "started_at")));
    assert!(newest_first(&column(&body, "meetings", "created_at")));
    assert_eq!(ids(&body)[0], "mtg_a29");
}

#[test]
fn m055_total_is_null_and_next_offset_is_right() {
    let body = ana("list_meetings", json!({}));
    let expected = json!({ "offset": 0, "limit": 20, "returned": 20, "total": null, "next_offset": 20 });
    assert_eq!(body["pagination"], expected);
    assert_eq!(pages("list_meetings", json!({}), "meetings"), [20, 9]);
    assert_eq!(pages("list_meetings", json!({ "limit": 29 }), "meetings"), [29]);
}

#[test]
fn m057_m058_m059_a_meeting_has_its_fifteen_members_and_no_words() {
    let meeting = ana("get_meeting", json!({ "meeting_id": "mtg_a17" }));
    let facts = [
        "id",
        "title",
        "kind",
        "status",
        "created_at",
        "updated_at",
        "started_at",
        "ended_at",
        "series_id",
        "timezone",
        "language",
    ];
    assert_eq!(keys(&meeting)[..11], facts);
    assert_eq!(keys(&meeting)[11..], ["note", "summaries", "participants", "action_items"]);
    assert!(!meeting.to_string().contains("albatros"));
    let live = ana("get_meeting", json!({ "meeting_id": "mtg_a29" }));
    assert_eq!(
        (&live["ended_at"], &live["note"], &live["series_id"]),
        (&json!(null), &json!(null), &json!(null))
    );
    assert_eq!(keys(&ana("list_meetings", json!({}))["meetings"][0]), facts);
}

#[test]
fn m060_notes_and_summaries_are_plain_lines() {
    for id in ids(&ana("list_meetings", json!({ "limit": 200 }))) {
        let meeting = ana("get_meeting", json!({ "meeting_id": id }));
        let note = meeting["note"].get("markdown").into_iter();
        for text in note.chain(meeting["summaries"].as_array().unwrap().iter().map(|s| &s["markdown"])) {
            let text = text.as_str().unwrap();
            assert!(!text.contains(['#', '*', '_', '`', '<']), "{text}");
            assert!(text.lines().all(|line| !line.trim().is_empty() && !line.starts_with("- ")), "{text}");
        }
    }
}

#[test]
fn m069_m070_history_limit_is_clamped() {
    clamps("get_recurring_meeting_history", &json!({ "meeting_id": "mtg_a01" }), 20, 200);
    let pages =
        pages("get_recurring_meeting_history", json!({ "meeting_id": "mtg_a01", "limit": 4 }), "meetings");
    assert_eq!(pages, [4, 4, 2]);
}

#[test]
fn m071_history_is_the_same_series_of_the_same_owner_newest_first() {
    let body = ana("get_recurring_meeting_history", json!({ "meeting_id": "mtg_a04" }));
    assert!(newest_first(&column(&body, "meetings", "started_at")));
    assert_eq!(ids(&body)[0], "mtg_a27");
    assert!(column(&body, "meetings", "series_id").iter().all(|id| *id == "ser_weekly"));
    assert_eq!(body["pagination"]["total"], 10);
    let theirs = ok("bruno", "get_recurring_meeting_history", json!({ "meeting_id": "mtg_b04" }));
    assert_eq!(ids(&theirs), ["mtg_b04"]);
}

#[test]
fn m072_a_meeting_of_no_series_has_an_empty_history() {
    let body = ana("get_recurring_meeting_history", json!({ "meeting_id": "mtg_a03" }));
    assert_eq!(body["meetings"], json!([]));
    assert_eq!(body["pagination"]["total"], 0);
}

#[test]
fn m073_m074_search_reads_titles_and_summaries() {
    assert_eq!(ids(&ana("search_meetings", json!({ "query": "girasol" }))), ["mtg_a11"]);
    assert_eq!(ids(&ana("search_meetings", json!({ "query": "GIRASOL" }))), ["mtg_a11"]);
    assert_eq!(ids(&ana("search_meetings", json!({ "query": "LUCÍA" }))).len(), 3);
    assert!(ids(&ana("search_meetings", json!({ "query": "lavanda" }))).is_empty(), "only in a note");
    assert!(ids(&ana("search_meetings", json!({ "query": "albatros" }))).is_empty(), "only spoken");
    assert!(ids(&ok("bruno", "search_meetings", json!({ "query": "girasol" }))).is_empty());
}

#[test]
fn m075_m076_search_limit_is_clamped() {
    clamps("search_meetings", &json!({ "query": "weekly" }), 20, 200);
    assert_eq!(pages("search_meetings", json!({ "query": "weekly", "limit": 6 }), "meetings"), [6, 6, 3]);
}

#[test]
fn m077_m078_search_counts_all_its_hits() {
    let body = ana("search_meetings", json!({ "query": "weekly", "limit": 1 }));
    let expected = json!({ "offset": 0, "limit": 1, "returned": 1, "total": 15, "next_offset": 1 });
    assert_eq!(body["pagination"], expected);
    let all = ana("search_meetings", json!({ "query": "weekly" }));
    assert!(newest_first(&column(&all, "meetings", "started_at")));
}
