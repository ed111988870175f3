//! Finding highlights.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Becoming, Caller, ids, keys, statement};

const HIGHLIGHT: [&str; 7] =
    ["id", "content", "location", "timestamp_seconds", "highlighted_at", "source", "notes_count"];

fn found(caller: &Caller<'_>, query: &str, mode: &str) -> (Vec<i64>, Value) {
    let body = caller.ask("search_highlights", json!({"query": query, "mode": mode, "limit": 50}));
    (ids(&body, "highlights"), body["meta"]["mode"].clone())
}

#[test]
fn b008_b009_b010_by_words_by_meaning_and_by_both() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    let (words, meaning) = (found(&ana, "atención", "fulltext"), found(&ana, "atención", "semantic"));
    let both = found(&ana, "atención", "hybrid");
    statement("B008", || {
        assert_eq!(
            (&words.1, &meaning.1, &both.1),
            (&json!("fulltext"), &json!("semantic"), &json!("hybrid"))
        );
        assert!(words.0.contains(&1001) && !words.0.contains(&1002), "1002 has not the word: {words:?}");
        assert!(meaning.0.contains(&1002), "but speaks of it: {meaning:?}");
        assert!(both.0.contains(&1001) && both.0.contains(&1002), "{both:?}");
    });
    statement("B009", || {
        let mut scores: BTreeMap<i64, f64> = BTreeMap::new();
        for list in [&words.0, &meaning.0] {
            for (place, id) in (1..).zip(list) {
                *scores.entry(*id).or_default() += 1.0 / (60.0 + f64::from(place));
            }
        }
        let mut fused: Vec<_> = scores.into_iter().collect();
        fused.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        assert_eq!(both.0, fused.into_iter().map(|(id, _)| id).collect::<Vec<_>>());
        let usual = ana.ask("search_highlights", json!({"query": "atención", "limit": 50}));
        assert_eq!((ids(&usual, "highlights"), usual["meta"]["mode"].clone()), both, "hybrid unless told");
    });
    statement("B010", || {
        let words = found(&ana, "zapatillas", "fulltext");
        assert_eq!(words, (vec![1004], json!("fulltext")));
        assert_eq!(found(&ana, "zapatillas", "hybrid"), words, "no idea of it: its words are left");
    });
}

#[test]
fn b011_b012_b013_b014_b015_b016_b017_what_a_search_takes_and_gives() {
    let becoming = Becoming::start();
    let (ana, bruno) = (becoming.as_ana(), becoming.as_bruno());
    let refused = |arguments: Value| ana.refused("search_highlights", arguments);
    statement("B011", || {
        let without = super::connected(&becoming.app, &becoming.ana, &["sources:read"]);
        assert_eq!(without.refused("search_highlights", json!({"query": "x"})), -32002);
        ana.ask("search_highlights", json!({"query": "x"}));
    });
    statement("B012", || {
        for arguments in [json!({}), json!({"query": ""}), json!({"query": " "}), json!({"query": 7})] {
            assert_eq!(refused(arguments.clone()), -32011, "{arguments}");
        }
    });
    statement("B013", || {
        for mode in [json!("vector"), json!("Hybrid"), json!("")] {
            assert_eq!(refused(json!({"query": "x", "mode": mode})), -32011, "{mode}");
        }
    });
    statement("B014", || {
        let asked = |source: i64| json!({"query": "hábito", "source_id": source, "limit": 50});
        let body = ana.ask("search_highlights", asked(102));
        let highlights = body["highlights"].as_array().unwrap();
        assert!(highlights.len() > 1 && highlights.iter().all(|own| own["source"]["id"] == 102), "{body}");
        assert_eq!(ana.ask("search_highlights", asked(124))["highlights"], json!([]), "bruno's source");
        assert_eq!(ids(&bruno.ask("search_highlights", asked(124)), "highlights").len(), 1);
        assert_eq!(refused(json!({"query": "x", "source_id": "102"})), -32011);
    });
    statement("B015", || {
        let page = |arguments: Value| ids(&ana.ask("search_highlights", arguments), "highlights").len();
        assert_eq!(page(json!({"query": "tiempo"})), 10, "unless told");
        assert_eq!(page(json!({"query": "tiempo", "limit": 1})), 1);
        assert!(page(json!({"query": "tiempo", "limit": 50})) > 10);
        for limit in [0, 51, -1] {
            assert_eq!(refused(json!({"query": "x", "limit": limit})), -32011, "{limit}");
        }
    });
    statement("B016", || {
        let first = ana.ask("search_highlights", json!({"query": "hábito", "limit": 3}));
        let cursor = first["meta"]["next_cursor"].as_str().expect("more");
        let second = ana.ask("search_highlights", json!({"query": "hábito", "limit": 3, "cursor": cursor}));
        let all = ana.ask("search_highlights", json!({"query": "hábito", "limit": 6}));
        assert_eq!([ids(&first, "highlights"), ids(&second, "highlights")].concat(), ids(&all, "highlights"));
        assert_eq!(refused(json!({"query": "tiempo", "cursor": cursor})), -32011, "another search's");
    });
    statement("B017", || {
        let body = ana.ask("search_highlights", json!({"query": "sobrevive"}));
        assert_eq!(keys(&body["highlights"][0]), HIGHLIGHT);
        assert_eq!(keys(&body["highlights"][0]["source"]), ["id", "type", "title", "author", "url"]);
        assert_eq!(body["highlights"][0]["notes_count"], 2);
        assert_eq!(keys(&body["meta"]), ["limit", "returned", "next_cursor", "mode", "total"]);
    });
}

#[test]
fn b028_b029_b030_one_highlight() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    statement("B028", || {
        let one = ana.ask("get_highlight", json!({"id": 1003}))["highlight"].clone();
        assert_eq!(one["source"]["title"], "La mañana despacio");
        let without = super::connected(&becoming.app, &becoming.ana, &["highlights:write"]);
        assert_eq!(without.refused("get_highlight", json!({"id": 1003})), -32002);
    });
    statement("B029", || {
        for arguments in [json!({}), json!({"id": "x"}), json!({"id": 1.5})] {
            assert_eq!(ana.refused("get_highlight", arguments.clone()), -32011, "{arguments}");
        }
        for id in [999_999, 1049] {
            assert_eq!(ana.refused("get_highlight", json!({"id": id})), -32003, "{id}: none, or bruno's");
        }
    });
    statement("B030", || {
        let one = ana.ask("get_highlight", json!({"id": 1011}))["highlight"].clone();
        assert_eq!(keys(&one), HIGHLIGHT);
        assert_eq!((&one["timestamp_seconds"], &one["notes_count"]), (&json!(125), &json!(0)));
    });
}
