//! What other people share.

use serde_json::json;

use super::{ana, clamps, column, keys, newest_first, ok, pages, refused};

#[test]
fn m084_every_word_must_be_in_the_note() {
    let found = |query: &str| {
        let body = ana("search_shared_notes", json!({ "query": query }));
        column(&body, "results", "share_id").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found("FLORECE jacaranda"), ["shr_01"]);
    assert!(found("jacaranda girasol").is_empty());
    assert_eq!(refused("ana", "search_shared_notes", json!({ "query": "  " })).1, "query is required");
}

#[test]
fn m085_shared_limit_is_clamped() {
    clamps("search_shared_notes", &json!({ "query": "acuerdo" }), 10, 20);
    assert_eq!(pages("search_shared_notes", json!({ "query": "acuerdo" }), "results"), [10, 10, 4]);
}

#[test]
fn m086_notes_reach_whom_they_are_shared_with() {
    let sees = |reader: &str, word: &str| {
        let body = ok(reader, "search_shared_notes", json!({ "query": word }));
        !body["results"].as_array().unwrap().is_empty()
    };
    for (word, by_ana, by_bruno) in [
        ("jacaranda", true, false),
        ("magnolia", true, false),
        ("limonero", false, true),
        ("camelia", false, true),
        ("tulipan", false, true),
        ("verano", true, true),
    ] {
        assert_eq!(
            (sees("ana", word), sees("bruno", word), sees("zoe", word)),
            (by_ana, by_bruno, false),
            "{word}"
        );
    }
}

#[test]
fn m087_results_have_five_members_and_a_snippet_around_the_hit() {
    let body = ana("search_shared_notes", json!({ "query": "amapola" }));
    let result = &body["results"][0];
    assert_eq!(keys(result), ["share_id", "title", "team", "published_at", "snippet"]);
    assert_eq!(result["team"], "Diseño");
    let snippet = result["snippet"].as_str().unwrap();
    assert!(snippet.contains("la amapola del margen") && snippet.starts_with('…'), "{snippet}");
    assert!(snippet.chars().count() < 200 && !snippet.contains('\n'));
    assert_eq!(
        ana("search_shared_notes", json!({ "query": "jacaranda" }))["results"][0]["team"],
        json!(null)
    );
    let all = ana("search_shared_notes", json!({ "query": "acuerdo", "limit": 20 }));
    assert!(newest_first(&column(&all, "results", "published_at")));
}

#[test]
fn m088_words_only_spoken_are_never_found() {
    for reader in ["ana", "bruno"] {
        assert_eq!(ok(reader, "search_shared_notes", json!({ "query": "albatros" }))["results"], json!([]));
    }
}

#[test]
fn m089_m090_a_shared_note_is_read_by_the_id_that_search_gave() {
    let found = ana("search_shared_notes", json!({ "query": "magnolia" }));
    let note = ana("get_shared_note", json!({ "share_id": found["results"][0]["share_id"] }));
    assert_eq!(keys(&note), ["share_id", "title", "team", "published_at", "text", "truncated"]);
    assert_eq!(note["truncated"], false);
    assert!(note["text"].as_str().unwrap().contains("magnolia"));
    let hidden = refused("bruno", "get_shared_note", json!({ "share_id": "shr_01" }));
    assert_eq!(hidden, (404, "shared note 'shr_01' not found".to_owned()));
}

#[test]
fn m090_a_long_note_is_cut_at_12000_characters() {
    let note = ana("get_shared_note", json!({ "share_id": "shr_04" }));
    assert_eq!(note["text"].as_str().unwrap().chars().count(), 12_000);
    assert_eq!(note["truncated"], true);
}
