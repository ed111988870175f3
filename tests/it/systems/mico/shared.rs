//! What others share.

use serde_json::json;

use super::{Caller, Mico, assert_newest_first, column, keys, statement};

fn found(caller: &Caller, query: &str) -> Vec<String> {
    let body = caller.ask("search_shared_notes", json!({"query": query}));
    column(&body, "results", "share_id").into_iter().map(str::to_owned).collect()
}

#[test]
fn m084_m085_m086_m087_m088_search_shared_notes() {
    let mico = Mico::start();
    let (ana, bruno) = (mico.as_ana(), mico.as_bruno());
    statement("M084", || {
        assert_eq!(ana.refused("search_shared_notes", json!({})), "query is required");
        assert_eq!(found(&ana, "jacaranda"), ["shr_01"]);
        assert_eq!(found(&ana, "FLORECE jacaranda"), ["shr_01"], "all words, in any order and case");
        assert!(found(&ana, "jacaranda girasol").is_empty(), "one of them is absent");
    });
    statement("M085", || {
        ana.adjusts_limit("search_shared_notes", &json!({"query": "acuerdo"}), 10, 20);
        assert_eq!(found(&ana, "acuerdo").len(), 10);
        let most = ana.ask("search_shared_notes", json!({"query": "acuerdo", "limit": 500}));
        assert_eq!(most["results"].as_array().unwrap().len(), 20);
    });
    statement("M086", || {
        for (word, to_ana, to_bruno) in [
            ("jacaranda", true, false), // with ana herself
            ("magnolia", true, false),  // with her team
            ("limonero", false, true),  // with his team
            ("tulipan", false, true),   // by ana with bruno: not hers to find
            ("verano", true, true),     // with a team of both
        ] {
            assert_eq!(
                (!found(&ana, word).is_empty(), !found(&bruno, word).is_empty()),
                (to_ana, to_bruno),
                "{word}"
            );
        }
    });
    statement("M087", || {
        let body = ana.ask("search_shared_notes", json!({"query": "amapola"}));
        let result = &body["results"][0];
        assert_eq!(keys(result), ["share_id", "title", "team", "published_at", "snippet"]);
        assert_eq!((&result["share_id"], &result["team"]), (&json!("shr_04"), &json!("Diseño")));
        assert!(result["snippet"].as_str().unwrap().contains("amapola"), "{result}");
        let all = ana.ask("search_shared_notes", json!({"query": "acuerdo", "limit": 20}));
        assert_newest_first(&column(&all, "results", "published_at"));
    });
    statement("M088", || {
        for caller in [&ana, &bruno] {
            assert!(found(caller, "albatros").is_empty(), "what was only said");
        }
        let said = ana.ask("get_meeting_transcript", json!({"meeting_id": "mtg_a17", "limit": 500}));
        let rest =
            ana.ask("get_meeting_transcript", json!({"meeting_id": "mtg_a17", "limit": 500, "offset": 500}));
        assert!(format!("{said}{rest}").contains("albatros"), "and was said");
    });
}

#[test]
fn m089_m090_get_shared_note() {
    let mico = Mico::start();
    let ana = mico.as_ana();
    let read = |id: &str| ana.ask("get_shared_note", json!({"share_id": id}));
    statement("M089", || {
        assert_eq!(ana.refused("get_shared_note", json!({})), "share_id is required");
        let id = found(&ana, "magnolia").pop().unwrap();
        let note = read(&id);
        assert_eq!(note["share_id"], id.as_str());
        assert!(note["text"].as_str().unwrap().contains("magnolia"));
        let hidden = mico.as_bruno().refused("get_shared_note", json!({"share_id": "shr_01"}));
        assert_eq!(hidden, "shared note 'shr_01' not found");
    });
    statement("M090", || {
        let (short, long) = (read("shr_01"), read("shr_04"));
        assert_eq!(keys(&short), ["share_id", "title", "team", "published_at", "text", "truncated"]);
        assert_eq!((&short["truncated"], &short["team"]), (&json!(false), &json!(null)));
        assert_eq!(long["truncated"], true);
        assert_eq!(long["text"].as_str().unwrap().chars().count(), 12_000);
    });
}
