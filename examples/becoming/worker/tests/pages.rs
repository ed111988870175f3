//! Pages and cursors.

use serde_json::{Value, json};

use super::{Bench, ids, keys};

/// Follows `next_cursor` to the end: the ids of every page.
fn walk(bench: &Bench, tool: &str, list: &str, mut arguments: Value) -> Vec<Vec<i64>> {
    let mut pages = Vec::new();
    loop {
        let body = bench.ana(tool, arguments.clone());
        pages.push(ids(&body, list));
        assert_eq!(body["meta"]["returned"], pages.last().unwrap().len());
        assert!(body["meta"].as_object().unwrap().contains_key("next_cursor"));
        if body["meta"]["next_cursor"].is_null() {
            return pages;
        }
        arguments["cursor"] = body["meta"]["next_cursor"].clone();
    }
}

#[test]
fn b015_b022_limits_are_kept_or_refused() {
    let bench = Bench::new();
    for (tool, list, usual) in [("search_highlights", "highlights", 10), ("list_sources", "sources", 20)] {
        let arguments = json!({"query": "tiempo"});
        let body = bench.ana(tool, arguments.clone());
        assert_eq!(body["meta"]["limit"], usual);
        assert_eq!(ids(&body, list).len(), usual, "{tool} has more than a page");
        for (limit, good) in [(1, true), (50, true), (0, false), (51, false), (-1, false), (1_000_000, false)]
        {
            let mut arguments = arguments.clone();
            arguments["limit"] = limit.into();
            if good {
                assert_eq!(bench.ana(tool, arguments)["meta"]["limit"], limit);
            } else {
                assert_eq!(bench.refused(tool, arguments), 400, "{tool} {limit}");
            }
        }
    }
}

#[test]
fn b016_b023_b111_b112_b113_cursors_lead_to_the_end_and_nothing_comes_twice() {
    let bench = Bench::new();
    for (tool, list, arguments) in [
        ("search_highlights", "highlights", json!({"query": "hábito", "limit": 3})),
        ("search_highlights", "highlights", json!({"query": "tiempo", "mode": "semantic", "limit": 4})),
        ("list_sources", "sources", json!({"limit": 7})),
        ("list_sources", "sources", json!({"limit": 2, "type": "Video"})),
    ] {
        let mut whole = arguments.clone();
        whole["limit"] = 50.into();
        let whole = ids(&bench.ana(tool, whole), list);
        let pages = walk(&bench, tool, list, arguments.clone());
        assert!(pages.len() > 1, "{arguments}");
        assert_eq!(pages.concat(), whole, "{arguments}");
    }
    assert_eq!(walk(&bench, "search_highlights", "highlights", json!({"query": "zapatillas"})), [[1004]]);
    assert_eq!(walk(&bench, "list_sources", "sources", json!({"q": "nada así"})), [Vec::<i64>::new()]);
}

#[test]
fn a_source_that_is_added_meanwhile_moves_no_page() {
    let bench = Bench::new();
    let first = bench.ana("list_sources", json!({"limit": 5}));
    bench.ana("add_source", json!({"book": {"title": "Otra orilla", "author": "Cuadernos del Faro"}}));
    let next = first["meta"]["next_cursor"].clone();
    let second = bench.ana("list_sources", json!({"limit": 5, "cursor": next}));
    assert_eq!(ids(&second, "sources"), [118, 117, 116, 115, 114]);
}

#[test]
fn a_cursor_of_another_list_is_refused() {
    let bench = Bench::new();
    let first = bench.ana("search_highlights", json!({"query": "hábito", "limit": 2}));
    let cursor = first["meta"]["next_cursor"].clone();
    for (tool, arguments) in [
        ("search_highlights", json!({"query": "tiempo", "cursor": cursor})),
        ("search_highlights", json!({"query": "hábito", "mode": "fulltext", "cursor": cursor})),
        ("list_sources", json!({"cursor": cursor})),
        ("list_sources", json!({"cursor": "x"})),
        ("list_sources", json!({"cursor": ""})),
        ("list_sources", json!({"cursor": 3})),
    ] {
        assert_eq!(bench.refused(tool, arguments.clone()), 400, "{arguments}");
    }
    assert_eq!(keys(&first["meta"]), ["limit", "returned", "next_cursor", "mode", "total"]);
}
