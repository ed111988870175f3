//! The words of a meeting.

use serde_json::{Value, json};

use super::{ana, clamps, keys, pages};

#[test]
fn m062_transcript_offset_counts_words() {
    let from =
        |offset: u64| ana("get_meeting_transcript", json!({ "meeting_id": "mtg_a17", "offset": offset }));
    assert_eq!(from(0)["words"][5], from(5)["words"][0]);
    assert_eq!(from(0)["words"][0]["word"], "Gracias");
    assert!(from(0)["text"].as_str().unwrap().starts_with("Gracias por venir, hoy"));
}

#[test]
fn m063_transcript_limit_is_clamped() {
    clamps("get_meeting_transcript", &json!({ "meeting_id": "mtg_a17" }), 200, 500);
    assert_eq!(pages("get_meeting_transcript", json!({ "meeting_id": "mtg_a17" }), "words").len(), 5);
    let most = json!({ "meeting_id": "mtg_a17", "limit": 900 });
    assert_eq!(pages("get_meeting_transcript", most, "words")[0], 500);
}

#[test]
fn m064_m065_m066_transcript_pages_say_what_they_hold() {
    let body = ana("get_meeting_transcript", json!({ "meeting_id": "mtg_a01" }));
    assert_eq!(keys(&body), ["meeting_id", "text", "words", "pagination"]);
    let words = body["words"].as_array().unwrap();
    assert_eq!(body["pagination"]["total"], words.len());
    assert_eq!(body["pagination"]["next_offset"], Value::Null);
    assert_eq!(body["text"].as_str().unwrap().split_whitespace().count(), words.len());
    assert_eq!(keys(&words[0]), ["word", "start_ms", "end_ms", "speaker"]);
    assert!(words.iter().all(|word| word["start_ms"].as_u64() < word["end_ms"].as_u64()));
    assert!(words.windows(2).all(|pair| pair[0]["end_ms"].as_u64() <= pair[1]["start_ms"].as_u64()));
}

#[test]
fn m067_text_without_word_times_comes_whole_on_the_first_page() {
    let page = |offset: u64| {
        ana("get_meeting_transcript", json!({ "meeting_id": "mtg_a14", "offset": offset, "limit": 3 }))
    };
    let (first, second) = (page(0), page(3));
    let text = first["text"].as_str().unwrap();
    assert!(text.starts_with("Apunto esto"));
    assert_eq!(first["words"], json!([]));
    assert_eq!(first["pagination"]["total"], text.split_whitespace().count());
    assert_eq!(first["pagination"]["next_offset"], Value::Null);
    assert_eq!((&second["text"], &second["words"]), (&json!(""), &json!([])));
    let none = ana("get_meeting_transcript", json!({ "meeting_id": "mtg_a26" }));
    assert_eq!((&none["text"], &none["pagination"]["total"]), (&json!(""), &json!(0)));
}
