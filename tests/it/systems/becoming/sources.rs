//! Sources, and adding to the library.

use serde_json::{Value, json};

use super::{Becoming, column, ids, keys, statement};

const SOURCE: [&str; 9] =
    ["id", "type", "title", "author", "url", "cover_url", "language", "added_at", "highlights_count"];

#[test]
fn b018_b019_b020_b021_b022_b023_b024_sources_are_listed() {
    let becoming = Becoming::start();
    let (ana, bruno) = (becoming.as_ana(), becoming.as_bruno());
    let by = |arguments: Value| ids(&ana.ask("list_sources", arguments), "sources");
    statement("B018", || {
        assert_eq!(by(json!({"limit": 50})), (101..=123).rev().collect::<Vec<_>>());
        assert_eq!(ids(&bruno.ask("list_sources", json!({})), "sources"), [127, 126, 125, 124]);
    });
    statement("B019", || {
        let without = super::connected(&becoming.app, &becoming.ana, &["sources:write"]);
        assert_eq!(without.refused("list_sources", json!({})), -32002);
    });
    statement("B020", || {
        assert_eq!(by(json!({"q": "HABITOS de baja"})), [102], "by title");
        assert_eq!(by(json!({"q": "sendero"})), [117, 106], "by author");
    });
    statement("B021", || {
        let mut all = Vec::new();
        for kind in ["Book", "Article", "Video", "Podcast"] {
            let body = ana.ask("list_sources", json!({"type": kind, "limit": 50}));
            assert!(column(&body, "sources", "type").iter().all(|own| own == kind), "{body}");
            all.extend(ids(&body, "sources"));
        }
        assert_eq!(all.len(), 23);
        assert_eq!(ana.refused("list_sources", json!({"type": "book"})), -32011);
    });
    statement("B022", || {
        assert_eq!(by(json!({})).len(), 20, "unless told");
        assert_eq!(by(json!({"limit": 1})).len(), 1);
        for limit in [0, 51] {
            assert_eq!(ana.refused("list_sources", json!({"limit": limit})), -32011, "{limit}");
        }
    });
    statement("B023", || {
        let first = ana.ask("list_sources", json!({"limit": 15}));
        let cursor = first["meta"]["next_cursor"].clone();
        assert_eq!(by(json!({"limit": 15, "cursor": cursor})), (101..=108).rev().collect::<Vec<_>>());
        assert_eq!(ana.refused("list_sources", json!({"cursor": "x"})), -32011);
    });
    statement("B024", || {
        for source in ana.ask("list_sources", json!({"limit": 50}))["sources"].as_array().unwrap() {
            assert_eq!(keys(source), SOURCE);
            assert!(source["cover_url"].as_str().unwrap().starts_with("https://"), "{source}");
            assert!(source["highlights_count"].as_u64().unwrap() > 0, "{source}");
        }
    });
}

#[test]
fn b025_b026_b027_one_source() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    let body = ana.ask("get_source", json!({"id": 102}));
    statement("B025", || {
        assert_eq!(body["source"]["title"], "Hábitos de baja mar");
        let without = super::connected(&becoming.app, &becoming.ana, &["highlights:read"]);
        assert_eq!(without.refused("get_source", json!({"id": 102})), -32002);
    });
    statement("B026", || {
        for arguments in [json!({}), json!({"id": "x"}), json!({"id": "102"})] {
            assert_eq!(ana.refused("get_source", arguments.clone()), -32011, "{arguments}");
        }
        assert_eq!(ana.refused("get_source", json!({"id": 124})), -32003, "bruno's");
    });
    statement("B027", || {
        assert_eq!(keys(&body["source"]), SOURCE);
        assert_eq!(ids(&body, "highlights"), [1004, 1005, 1006, 1007]);
        let expected = ["id", "content", "location", "timestamp_seconds", "highlighted_at", "notes_count"];
        assert_eq!(keys(&body["highlights"][0]), expected);
    });
}

#[test]
fn b054_b055_b056_passages_are_kept() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    let passages = |count: usize| vec![json!({"content": "Una frase."}); count];
    let denied = |arguments: Value| ana.denied("add_highlights", arguments);
    statement("B054", || {
        let body = ana.write("add_highlights", json!({"source_id": 101, "highlights": passages(20)}));
        assert_eq!(ids(&body, "highlights").len(), 20);
        for count in [0, 21] {
            let arguments = json!({"source_id": 101, "highlights": passages(count)});
            assert_eq!(denied(arguments), -32011, "{count}");
        }
        assert_eq!(ids(&ana.ask("get_source", json!({"id": 101})), "highlights").len(), 23);
    });
    statement("B055", || {
        let with = |source: Value| json!({"source": source, "highlights": passages(1)});
        for source in [
            json!({"type": "Book", "title": "Sin autor"}),
            json!({"type": "Article", "title": "Sin dirección"}),
            json!({"type": "Video", "title": "No", "url": "https://a.example/v"}),
            json!({"type": "Book", "author": "Sin título"}),
        ] {
            assert_eq!(denied(with(source.clone())), -32011, "{source}");
        }
        assert_eq!(denied(json!({"highlights": passages(1)})), -32011, "neither");
        let book =
            json!({"type": "Book", "title": "Libro nuevo", "author": "Colectivo Sendero", "language": "es"});
        let made = ana.write("add_highlights", with(book.clone()));
        assert_eq!((&made["source_created"], &made["source"]["language"]), (&json!(true), &json!("es")));
        let found = ana.write("add_highlights", with(book));
        assert_eq!(
            (&found["source_created"], &found["source"]["id"]),
            (&json!(false), &made["source"]["id"])
        );
        let article = json!({"type": "Article", "title": "Nota", "url": "https://lecturas.example.com/nota"});
        assert_eq!(ana.write("add_highlights", with(article))["source"]["type"], "Article");
        assert_eq!(denied(json!({"source_id": 124, "highlights": passages(1)})), -32003, "bruno's");
    });
    statement("B056", || {
        let passage = json!({"content": "Mirar dos veces.", "location": "p. 2", "timestamp_seconds": 61});
        let body = ana.write("add_highlights", json!({"source_id": 102, "highlights": [passage]}));
        let kept = ana.ask("get_highlight", json!({"id": body["highlights"][0]["id"]}))["highlight"].clone();
        assert_eq!((&kept["content"], &kept["location"]), (&json!("Mirar dos veces."), &json!("p. 2")));
        assert_eq!(kept["timestamp_seconds"], 61);
        for passage in [json!({"location": "p. 1"}), json!({"content": ""})] {
            let arguments = json!({"source_id": 102, "highlights": [passage]});
            assert_eq!(denied(arguments.clone()), -32011, "{arguments}");
        }
    });
}

#[test]
fn b057_b058_b059_a_source_is_added() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    let kinds = [
        (json!({"url": "https://www.youtube.com/watch?v=orilla-101"}), "Video"),
        (json!({"url": "https://lecturas.example.com/una-pagina"}), "Article"),
        (json!({"book": {"title": "Otra orilla", "author": "Cuadernos del Faro", "language": "es"}}), "Book"),
    ];
    for (arguments, kind) in kinds {
        let body = ana.write("add_source", arguments.clone());
        statement("B059", || {
            assert_eq!(body["status"], "pending", "{body}");
            assert_eq!(ana.ask("get_import", json!({"id": body["import_id"]}))["status"], "pending");
        });
        becoming.pass(60);
        statement("B057", || {
            let import = ana.ask("get_import", json!({"id": body["import_id"]}));
            assert_eq!(import["status"], "completed", "{arguments}");
            let source = ana.ask("get_source", json!({"id": import["source_id"]}));
            assert_eq!(source["source"]["type"], kind);
            assert_eq!(ids(&source, "highlights").is_empty(), kind == "Book", "{kind} is read");
        });
    }
    statement("B058", || {
        let book = json!({"title": "T", "author": "A"});
        for arguments in [
            json!({}),
            json!({"url": "https://a.example/x", "book": book}),
            json!({"book": {"title": "T"}}),
            json!({"book": {"author": "A"}}),
            json!({"url": "nada"}),
        ] {
            assert_eq!(ana.denied("add_source", arguments.clone()), -32011, "{arguments}");
        }
    });
}
