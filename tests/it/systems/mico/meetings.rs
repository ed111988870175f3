//! The tools for one's own meetings and what is still to be done.

use serde_json::json;

use super::{Mico, assert_newest_first, column, ids, keys, statement};

const FACTS: [&str; 11] = [
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

#[test]
fn m001_everybody_reads_their_own_meetings() {
    let mico = Mico::start();
    let (ana, bruno) = (mico.as_ana(), mico.as_bruno());
    let carla = mico.app.person("carla");
    let carla = super::Caller { app: &mico.app, token: mico.pat(&carla).token };
    statement("M001", || {
        let all = json!({"limit": 200});
        let (hers, his) = (ana.ask("list_meetings", all.clone()), bruno.ask("list_meetings", all.clone()));
        assert_eq!((ids(&hers).len(), ids(&his).len()), (29, 10));
        assert!(ids(&hers).iter().all(|id| id.starts_with("mtg_a")), "{hers}");
        assert!(ids(&his).iter().all(|id| id.starts_with("mtg_b")), "{his}");
        assert!(ids(&carla.ask("list_meetings", all)).is_empty());
        let tasks = bruno.ask("list_pending_action_items", json!({"limit": 200}));
        assert!(column(&tasks, "action_items", "meeting_id").iter().all(|id| id.starts_with("mtg_b")));
    });
}

#[test]
fn m048_m049_m050_m051_m052_m053_m054_m055_list_meetings() {
    let mico = Mico::start();
    let ana = mico.as_ana();
    let list = |arguments| ana.ask("list_meetings", arguments);
    statement("M048", || {
        for (limit, used) in [(0, 1), (-1, 1), (99_999, 200)] {
            assert_eq!(list(json!({"limit": limit}))["pagination"]["limit"], used, "limit {limit}");
        }
        assert_eq!(list(json!({"offset": -5}))["pagination"]["offset"], 0);
        let beyond = list(json!({"offset": 1000}));
        assert_eq!((&beyond["meetings"], &beyond["pagination"]["next_offset"]), (&json!([]), &json!(null)));
    });
    statement("M049", || {
        let weekly = list(json!({"query": "WEEK", "limit": 200}));
        assert_eq!(ids(&weekly).len(), 15);
        assert!(column(&weekly, "meetings", "title").iter().all(|title| title.starts_with("Weekly")));
        assert_eq!(ids(&list(json!({"query": "G_A07"}))), ["mtg_a07"], "part of an id");
        assert!(ids(&list(json!({"query": "girasol"}))).is_empty(), "what only a summary says");
    });
    statement("M050", || {
        let series = list(json!({"series_id": "ser_weekly", "limit": 200}));
        assert_eq!(ids(&series).len(), 10);
        assert!(column(&series, "meetings", "series_id").iter().all(|id| *id == "ser_weekly"));
        for other in ["ser_week", "ser_weekly_", "SER_WEEKLY"] {
            assert!(ids(&list(json!({"series_id": other}))).is_empty(), "{other}");
        }
    });
    statement("M051", || {
        ana.adjusts_limit("list_meetings", &json!({}), 20, 200);
        assert_eq!(ids(&list(json!({}))).len(), 20);
        assert_eq!(ids(&list(json!({"limit": 500}))).len(), 29);
    });
    statement("M052", || ana.skips("list_meetings", &json!({}), "meetings"));
    statement("M053", || {
        let all = list(json!({"limit": 200}));
        assert_newest_first(&column(&all, "meetings", "started_at"));
        assert_eq!(ids(&all)[0], "mtg_a29");
        assert_eq!(keys(&all["meetings"][0]), FACTS);
    });
    statement("M054", || assert_eq!(keys(&list(json!({}))), ["meetings", "pagination"]));
    statement("M055", || {
        let first = list(json!({}))["pagination"].clone();
        assert_eq!(
            first,
            json!({"offset": 0, "limit": 20, "returned": 20, "total": null, "next_offset": 20})
        );
        let rest = list(json!({"offset": 20}))["pagination"].clone();
        assert_eq!(
            rest,
            json!({"offset": 20, "limit": 20, "returned": 9, "total": null, "next_offset": null})
        );
    });
}

#[test]
fn m056_m057_m058_m059_m060_get_meeting() {
    let mico = Mico::start();
    let ana = mico.as_ana();
    statement("M056", || {
        assert_eq!(ana.refused("get_meeting", json!({})), "meeting_id is required");
        assert_eq!(ana.refused("get_meeting", json!({"meeting_id": 7})), "meeting_id must be a string");
    });
    let meeting = ana.ask("get_meeting", json!({"meeting_id": "mtg_a17"}));
    statement("M057", || {
        assert_eq!(keys(&meeting)[..11], FACTS);
        assert_eq!(
            (&meeting["id"], &meeting["title"]),
            (&json!("mtg_a17"), &json!("Taller de mapa de ruta"))
        );
    });
    statement("M058", || {
        assert_eq!(keys(&meeting)[11..], ["note", "summaries", "participants", "action_items"]);
        assert_eq!(meeting["summaries"].as_array().unwrap().len(), 2);
        assert_eq!(meeting["action_items"].as_array().unwrap().len(), 4);
        assert!(!meeting["participants"].as_array().unwrap().is_empty());
    });
    statement("M059", || {
        assert!(meeting.get("words").is_none() && meeting.get("transcript").is_none());
        assert!(!meeting.to_string().contains("albatros"), "what was only said");
    });
    statement("M060", || {
        let all = ana.ask("list_meetings", json!({"limit": 200}));
        for id in ids(&all) {
            let meeting = ana.ask("get_meeting", json!({"meeting_id": id}));
            let summaries =
                meeting["summaries"].as_array().unwrap().iter().map(|summary| &summary["markdown"]);
            for text in meeting["note"].get("markdown").into_iter().chain(summaries) {
                let text = text.as_str().unwrap_or_else(|| panic!("{id}: no text"));
                assert!(!text.contains(['#', '*', '_', '`', '<']), "{id}: {text}");
                assert!(text.lines().all(|line| !line.trim().is_empty()), "{id}: {text}");
            }
        }
    });
}

#[test]
fn m068_m069_m070_m071_m072_get_recurring_meeting_history() {
    let mico = Mico::start();
    let ana = mico.as_ana();
    let history = |arguments| ana.ask("get_recurring_meeting_history", arguments);
    let series = json!({"meeting_id": "mtg_a04"});
    statement("M068", || {
        assert_eq!(
            ana.refused("get_recurring_meeting_history", json!({"limit": 3})),
            "meeting_id is required"
        );
        assert_eq!(ids(&history(series.clone())).len(), 10);
    });
    statement("M069", || ana.adjusts_limit("get_recurring_meeting_history", &series, 20, 200));
    statement("M070", || ana.skips("get_recurring_meeting_history", &series, "meetings"));
    statement("M071", || {
        let body = history(series.clone());
        assert_eq!(keys(&body), ["meetings", "pagination"]);
        assert_newest_first(&column(&body, "meetings", "started_at"));
        assert!(column(&body, "meetings", "series_id").iter().all(|id| *id == "ser_weekly"));
        assert!(ids(&body).contains(&"mtg_a04") && !ids(&body).contains(&"mtg_b04"), "{body}");
        assert_eq!(body["pagination"]["total"], 10);
    });
    statement("M072", || {
        let body = history(json!({"meeting_id": "mtg_a03"}));
        assert_eq!((&body["meetings"], &body["pagination"]["total"]), (&json!([]), &json!(0)));
    });
}

#[test]
fn m073_m074_m075_m076_m077_m078_search_meetings() {
    let mico = Mico::start();
    let ana = mico.as_ana();
    let search = |arguments| ana.ask("search_meetings", arguments);
    let weekly = json!({"query": "weekly"});
    statement("M073", || {
        assert_eq!(ana.refused("search_meetings", json!({})), "query is required");
        assert_eq!(ids(&search(json!({"query": "girasol"}))), ["mtg_a11"], "in a summary alone");
        assert_eq!(ids(&search(json!({"query": "taller de mapa"}))), ["mtg_a17"], "in a title");
        assert!(ids(&search(json!({"query": "albatros"}))).is_empty(), "in a transcript alone");
        assert!(ids(&mico.as_bruno().ask("search_meetings", json!({"query": "girasol"}))).is_empty());
    });
    statement("M074", || assert_eq!(ids(&search(json!({"query": "GIRASOL"}))), ["mtg_a11"]));
    statement("M075", || ana.adjusts_limit("search_meetings", &weekly, 20, 200));
    statement("M076", || ana.skips("search_meetings", &weekly, "meetings"));
    statement("M077", || {
        let body = search(weekly.clone());
        assert_eq!(keys(&body), ["meetings", "pagination"]);
        assert_newest_first(&column(&body, "meetings", "started_at"));
    });
    statement("M078", || {
        let body = search(json!({"query": "weekly", "limit": 1}));
        assert_eq!(
            body["pagination"],
            json!({"offset": 0, "limit": 1, "returned": 1, "total": 15, "next_offset": 1})
        );
    });
}

#[test]
fn m079_m080_m081_m082_m083_list_pending_action_items() {
    let mico = Mico::start();
    let ana = mico.as_ana();
    statement("M079", || {
        ana.adjusts_limit("list_pending_action_items", &json!({}), 20, 200);
        ana.skips("list_pending_action_items", &json!({}), "action_items");
    });
    let all = ana.ask("list_pending_action_items", json!({"limit": 200}));
    statement("M080", || {
        let states = column(&all, "action_items", "status");
        assert!(states.contains(&"todo") && states.contains(&"in_progress"), "{states:?}");
        assert!(states.iter().all(|state| matches!(*state, "todo" | "in_progress")), "{states:?}");
        assert_eq!(states.len(), 27);
    });
    statement("M081", || assert_newest_first(&column(&all, "action_items", "created_at")));
    statement("M082", || {
        for item in all["action_items"].as_array().unwrap() {
            let meeting = ana.ask("get_meeting", json!({"meeting_id": item["meeting_id"]}));
            assert_eq!(meeting["title"], item["meeting_title"]);
            assert!(meeting["action_items"].to_string().contains(item["text"].as_str().unwrap()));
        }
    });
    statement("M083", || {
        assert_eq!(keys(&all), ["action_items", "pagination"]);
        assert_eq!(
            all["pagination"],
            json!({"offset": 0, "limit": 200, "returned": 27, "total": 27, "next_offset": null})
        );
    });
}
