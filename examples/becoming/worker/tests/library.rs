//! Sources, highlights, and adding to them.

use serde_json::{Value, json};

use super::{Bench, ids, keys, with_credits};

const SOURCE: [&str; 9] =
    ["id", "type", "title", "author", "url", "cover_url", "language", "added_at", "highlights_count"];

#[test]
fn b017_b030_a_highlight_says_all_about_itself() {
    let bench = Bench::new();
    let one = bench.ana("get_highlight", json!({"id": 1003}))["highlight"].clone();
    let expected =
        ["id", "content", "location", "timestamp_seconds", "highlighted_at", "source", "notes_count"];
    assert_eq!(keys(&one), expected);
    assert_eq!(keys(&one["source"]), ["id", "type", "title", "author", "url"]);
    assert_eq!((&one["notes_count"], &one["location"]), (&json!(2), &json!("p. 31")));
    let found = bench.ana("search_highlights", json!({"query": "sobrevive"}));
    assert_eq!(found["highlights"], json!([one]));
    let video = bench.ana("get_highlight", json!({"id": 1011}))["highlight"].clone();
    assert_eq!((&video["timestamp_seconds"], &video["location"]), (&json!(125), &Value::Null));
}

#[test]
fn b018_b020_b021_b024_sources_are_listed_and_filtered() {
    let bench = Bench::new();
    let all = bench.ana("list_sources", json!({"limit": 50}));
    assert_eq!(ids(&all, "sources"), (101..=123).rev().collect::<Vec<_>>(), "the newest first");
    for source in all["sources"].as_array().unwrap() {
        assert_eq!(keys(source), SOURCE);
        assert!(source["highlights_count"].as_u64().unwrap() > 0);
        assert!(source["cover_url"].as_str().unwrap().starts_with("https://"));
    }
    let by = |arguments: Value| ids(&bench.ana("list_sources", arguments), "sources");
    assert_eq!(by(json!({"q": "habitos DE BAJA"})), [102]);
    assert_eq!(by(json!({"q": "sendero"})), [117, 106], "by author");
    assert_eq!(by(json!({"type": "Podcast"})), [118, 112, 105]);
    assert_eq!(by(json!({"type": "Book", "q": "faro"})), [123, 114, 108, 101]);
    assert_eq!(bench.refused("list_sources", json!({"type": "book"})), 400);
}

#[test]
fn b025_b026_b027_b029_one_source_and_one_highlight() {
    let bench = Bench::new();
    let body = bench.ana("get_source", json!({"id": 102}));
    assert_eq!(keys(&body["source"]), SOURCE);
    assert_eq!(body["source"]["highlights_count"], 4);
    assert_eq!(ids(&body, "highlights"), [1004, 1005, 1006, 1007]);
    for tool in ["get_source", "get_highlight"] {
        for odd in
            [json!({}), json!({"id": "x"}), json!({"id": "102"}), json!({"id": 1.5}), json!({"id": null})]
        {
            assert_eq!(bench.refused(tool, odd.clone()), 400, "{tool} {odd}");
        }
        assert_eq!(bench.refused(tool, json!({"id": 999_999})), 404);
    }
}

#[test]
fn b054_b055_b056_highlights_are_kept_all_or_none() {
    let bench = Bench::new();
    let passages = |count: usize| vec![json!({"content": "Una frase."}); count];
    let kept = |arguments: Value| bench.ana("add_highlights", arguments);
    let body = kept(json!({"source_id": 101, "highlights": passages(20)}));
    assert_eq!((ids(&body, "highlights").len(), &body["source"]["highlights_count"]), (20, &json!(23)));
    assert_eq!(body["source_created"], false);
    let one = json!({"content": "Mirar dos veces.", "location": "p. 2", "timestamp_seconds": 0});
    let book =
        json!({"type": "Book", "title": "Libro nuevo", "author": "Colectivo Sendero", "language": "es"});
    let body = kept(json!({"source": book, "highlights": [one]}));
    assert_eq!((&body["source_created"], &body["source"]["title"]), (&json!(true), &json!("Libro nuevo")));
    assert_eq!(body["highlights"][0]["location"], "p. 2");
    let again =
        kept(json!({"source": {"type": "Book", "title": "LIBRO NUEVO", "author": "colectivo sendero"},
        "highlights": passages(1)}));
    assert_eq!((&again["source_created"], &again["source"]["id"]), (&json!(false), &body["source"]["id"]));
    let article = json!({"type": "Article", "title": "Nota", "url": "https://lecturas.example.com/nota"});
    assert_eq!(kept(json!({"source": article, "highlights": passages(1)}))["source"]["type"], "Article");
    let count = || ids(&bench.ana("list_sources", json!({"limit": 50})), "sources").len();
    let before = (count(), bench.ana("get_source", json!({"id": 101})));
    for odd in [
        json!({"source_id": 101, "highlights": passages(21)}),
        json!({"source_id": 101, "highlights": []}),
        json!({"source_id": 101}),
        json!({"source_id": 101, "highlights": [{"content": "bien"}, {"content": " "}]}),
        json!({"source_id": 101, "highlights": [{"location": "p. 1"}]}),
        json!({"source_id": 101, "highlights": ["bien"]}),
        json!({"source_id": 101, "highlights": [{"content": "bien", "timestamp_seconds": -1}]}),
        json!({"highlights": passages(1)}),
        json!({"source_id": 101, "source": article, "highlights": passages(1)}),
        json!({"source": {"type": "Book", "title": "Sin autor"}, "highlights": passages(1)}),
        json!({"source": {"type": "Article", "title": "Sin dirección"}, "highlights": passages(1)}),
        json!({"source": {"type": "Video", "title": "No", "url": "https://x.example"}, "highlights": passages(1)}),
        json!({"source": {"title": "Sin tipo", "author": "A"}, "highlights": passages(1)}),
        json!({"source": {"type": "Book", "author": "Sin título"}, "highlights": passages(1)}),
    ] {
        assert_eq!(bench.refused("add_highlights", odd.clone()), 400, "{odd}");
    }
    assert_eq!(bench.refused("add_highlights", json!({"source_id": 9, "highlights": passages(1)})), 404);
    assert_eq!((count(), bench.ana("get_source", json!({"id": 101}))), before, "nothing was kept");
}

#[test]
fn b057_b058_b059_b067_b068_b069_a_source_and_what_it_costs() {
    let bench = Bench::new();
    let add = |arguments: Value| bench.call(with_credits("ana", 40), "add_source", arguments).unwrap();
    for (arguments, cost) in [
        (json!({"url": "https://lecturas.example.com/una-pagina"}), 1),
        (json!({"url": "https://www.youtube.com/watch?v=orilla-100"}), 4),
        (json!({"url": "https://youtu.be/orilla-101"}), 1),
        (json!({"url": "https://m.youtube.com/watch?t=3&v=alba-050"}), 7),
        (json!({"url": "https://youtu.be/sin-transcripcion"}), 0),
        (json!({"book": {"title": "Otra orilla", "author": "Cuadernos del Faro"}}), 0),
    ] {
        let done = add(arguments.clone());
        assert_eq!(done.cost, Some(cost), "{arguments}");
        assert_eq!(keys(&done.body), ["import_id", "status"]);
    }
    let listed = bench.ana("list_sources", json!({"limit": 5}));
    let column = |key: &str| -> Vec<Value> {
        listed["sources"].as_array().unwrap().iter().map(|source| source[key].clone()).collect()
    };
    assert_eq!(column("type"), ["Book", "Video", "Video", "Video", "Article"]);
    assert_eq!(column("title")[4], "una pagina");
    for odd in [
        json!({}),
        json!({"url": "https://a.example/x", "book": {"title": "T", "author": "A"}}),
        json!({"url": "nada"}),
        json!({"url": "ftp://a.example/x"}),
        json!({"url": "javascript:alert(1)"}),
        json!({"url": ""}),
        json!({"book": {"title": "T"}}),
        json!({"book": {"author": "A"}}),
        json!({"book": {"title": " ", "author": "A"}}),
    ] {
        assert_eq!(bench.refused("add_source", odd.clone()), 400, "{odd}");
    }
    let twice = json!({"url": "https://youtu.be/orilla-101"});
    assert_eq!(bench.refused("add_source", twice), 409, "it is there already");
}

#[test]
fn fragments_are_quarters_of_an_hour_that_have_begun() {
    for (minutes, fragments) in [(0, 1), (1, 1), (15, 1), (16, 2), (30, 2), (60, 4), (61, 5), (100, 7)] {
        assert_eq!(super::super::sources::fragments_of(minutes), fragments, "{minutes}");
    }
}
