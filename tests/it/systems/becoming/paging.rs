//! Pages by cursor.

use serde_json::{Value, json};

use super::{Becoming, Caller, ids, statement};

/// Follows `meta.next_cursor` as the document says, and gives the ids of every page.
fn walk(caller: &Caller<'_>, tool: &str, list: &str, mut arguments: Value) -> Vec<Vec<i64>> {
    let mut pages = Vec::new();
    loop {
        let body = caller.ask(tool, arguments.clone());
        pages.push(ids(&body, list));
        let next = body["meta"].as_object().unwrap().get("next_cursor").expect("next_cursor is always said");
        if next.is_null() {
            return pages;
        }
        statement("B112", || assert!(next.as_str().is_some_and(|cursor| !cursor.is_empty()), "{next}"));
        arguments["cursor"] = next.clone();
    }
}

#[test]
fn b111_b112_b113_pages_lead_to_the_end() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    for (tool, list, arguments) in [
        ("search_highlights", "highlights", json!({"query": "hábito", "limit": 4})),
        ("list_sources", "sources", json!({"limit": 9})),
        ("list_sources", "sources", json!({"limit": 2, "type": "Podcast"})),
    ] {
        let mut whole = arguments.clone();
        whole["limit"] = 50.into();
        let whole = ids(&ana.ask(tool, whole), list);
        let pages = walk(&ana, tool, list, arguments.clone());
        let limit = usize::try_from(arguments["limit"].as_i64().unwrap()).unwrap();
        statement("B111", || {
            assert!(pages.len() > 1, "{arguments}");
            assert!(pages[..pages.len() - 1].iter().all(|page| page.len() == limit), "{pages:?}");
        });
        statement("B112", || {
            assert_eq!(pages.concat(), whole, "{arguments}: nothing twice, nothing left out");
        });
        statement("B113", || {
            let last = pages.last().unwrap();
            assert!((1..=limit).contains(&last.len()), "the end is not an empty page: {pages:?}");
        });
    }
}
