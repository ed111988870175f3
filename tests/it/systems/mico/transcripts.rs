//! The words of a meeting.

use serde_json::{Value, json};

use super::{Mico, keys, statement};

#[test]
fn m061_m062_m063_m064_m065_m066_m067_get_meeting_transcript() {
    let mico = Mico::start();
    let ana = mico.as_ana();
    let read = |arguments| ana.ask("get_meeting_transcript", arguments);
    let long = json!({"meeting_id": "mtg_a17"});
    statement("M061", || {
        assert_eq!(ana.refused("get_meeting_transcript", json!({"limit": 5})), "meeting_id is required");
    });
    statement("M062", || {
        let (all, later) = (read(long.clone()), read(json!({"meeting_id": "mtg_a17", "offset": 5})));
        assert_eq!(all["words"][5], later["words"][0], "the sixth word");
        assert_eq!((&all["pagination"]["offset"], &later["pagination"]["offset"]), (&json!(0), &json!(5)));
        let first = all["text"].as_str().unwrap().split_whitespace().nth(5);
        assert_eq!(later["text"].as_str().unwrap().split_whitespace().next(), first);
        ana.skips("get_meeting_transcript", &long, "words");
    });
    statement("M063", || {
        ana.adjusts_limit("get_meeting_transcript", &long, 200, 500);
        let words = |body: &Value| body["words"].as_array().unwrap().len();
        assert_eq!(words(&read(long.clone())), 200);
        assert_eq!(words(&read(json!({"meeting_id": "mtg_a17", "limit": 900}))), 500);
    });
    statement("M064", || {
        let body = read(long.clone());
        assert_eq!(keys(&body), ["meeting_id", "text", "words", "pagination"]);
        assert_eq!(body["meeting_id"], "mtg_a17");
        assert_eq!(body["text"].as_str().unwrap().split_whitespace().count(), 200, "the page's own text");
    });
    statement("M065", || {
        let mut all = Vec::new();
        let mut offset = json!(0);
        while !offset.is_null() {
            let body = read(json!({"meeting_id": "mtg_a17", "limit": 500, "offset": offset}));
            assert_eq!(body["pagination"]["total"], 966);
            all.extend(body["words"].as_array().unwrap().clone());
            offset = body["pagination"]["next_offset"].clone();
        }
        assert_eq!(all.len(), 966);
    });
    statement("M066", || {
        let next = |offset: u64| {
            read(json!({"meeting_id": "mtg_a17", "limit": 500, "offset": offset}))["pagination"]["next_offset"].clone()
        };
        assert_eq!((next(0), next(500), next(466)), (json!(500), Value::Null, Value::Null));
        assert_eq!(next(465), 965);
    });
    statement("M067", || {
        let first = read(json!({"meeting_id": "mtg_a14"}));
        assert!(first["text"].as_str().unwrap().starts_with("Apunto esto"), "{first}");
        assert_eq!((&first["words"], &first["pagination"]["next_offset"]), (&json!([]), &Value::Null));
        let second = read(json!({"meeting_id": "mtg_a14", "offset": 1}));
        assert_eq!((&second["text"], &second["words"]), (&json!(""), &json!([])), "on the first page alone");
    });
}
