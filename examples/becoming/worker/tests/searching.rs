//! Finding highlights.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Bench, ids};

fn found(bench: &Bench, query: &str, mode: &str) -> (Vec<i64>, Value) {
    let body = bench.ana("search_highlights", json!({"query": query, "mode": mode, "limit": 50}));
    (ids(&body, "highlights"), body["meta"]["mode"].clone())
}

#[test]
fn b008_three_modes_find_different_things() {
    let bench = Bench::new();
    let (words, _) = found(&bench, "atención", "fulltext");
    let (meaning, mode) = found(&bench, "atención", "semantic");
    assert_eq!(mode, "semantic");
    assert!(words.contains(&1001) && !words.contains(&1002), "{words:?}");
    assert!(meaning.contains(&1001) && meaning.contains(&1002), "silence and notifications: {meaning:?}");
    assert_eq!(found(&bench, "ATENCION", "fulltext").0, words, "neither case nor accents matter");
}

#[test]
fn b009_hybrid_is_usual_and_fuses_the_ranks_of_both() {
    let bench = Bench::new();
    for query in ["hábito", "atención", "escuchar una pregunta", "el tiempo de la semana"] {
        let mut scores: BTreeMap<i64, f64> = BTreeMap::new();
        for mode in ["fulltext", "semantic"] {
            for (place, id) in (1..).zip(found(&bench, query, mode).0) {
                *scores.entry(id).or_default() += 1.0 / (60.0 + f64::from(place));
            }
        }
        let mut fused: Vec<_> = scores.into_iter().collect();
        fused.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        let fused: Vec<i64> = fused.into_iter().map(|(id, _)| id).collect();
        assert_eq!(found(&bench, query, "hybrid").0, fused, "{query}");
        let usual = bench.ana("search_highlights", json!({"query": query, "limit": 50}));
        assert_eq!((ids(&usual, "highlights"), usual["meta"]["mode"].clone()), (fused, json!("hybrid")));
    }
    let (hybrid, _) = found(&bench, "hábito", "hybrid");
    let (words, meaning) = (found(&bench, "hábito", "fulltext").0, found(&bench, "hábito", "semantic").0);
    assert!(hybrid != words && hybrid != meaning, "the order is neither list's");
}

#[test]
fn b010_without_an_embedding_only_words_count() {
    let bench = Bench::new();
    for query in ["zapatillas", "precio", "kilómetros por hora? no: kilómetros"] {
        let words = found(&bench, query, "fulltext");
        if query == "zapatillas" {
            assert_eq!(words.0, [1004]);
        }
        if query != "kilómetros por hora? no: kilómetros" {
            assert_eq!(found(&bench, query, "hybrid"), words, "{query}");
            assert_eq!(words.1, "fulltext");
        }
    }
}

#[test]
fn b012_b013_b014_what_a_search_takes() {
    let bench = Bench::new();
    for odd in [
        json!({}),
        json!({"query": ""}),
        json!({"query": "  "}),
        json!({"query": null}),
        json!({"query": 7}),
        json!({"query": "x".repeat(1001)}),
        json!({"query": "x", "mode": "vector"}),
        json!({"query": "x", "source_id": "101"}),
    ] {
        assert_eq!(bench.refused("search_highlights", odd.clone()), 400, "{odd}");
    }
    let body = bench.ana("search_highlights", json!({"query": "hábito", "source_id": 102, "limit": 50}));
    let sources: Vec<_> =
        body["highlights"].as_array().unwrap().iter().map(|own| own["source"]["id"].clone()).collect();
    assert!(sources.len() > 1 && sources.iter().all(|id| *id == 102), "{sources:?}");
    let other = bench.ana("search_highlights", json!({"query": "hábito", "source_id": 124}));
    assert_eq!(other["highlights"], json!([]), "somebody else's source");
}
