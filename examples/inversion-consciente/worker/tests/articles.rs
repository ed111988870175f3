//! What anybody may read.

use serde_json::{Value, json};

use super::super::Fault;
use super::{anybody, asks, catalog, column, keys, newest_first, refused};

const ALL: [(&str, usize); 5] = [("Cripto", 7), ("IA", 12), ("Economía", 4), ("Mercados", 4), ("Ahorro", 4)];

#[test]
fn v030_v037_v065_articles_are_listed_by_category_newest_first() {
    for (category, count) in ALL {
        let found = anybody("list_articles", json!({ "category": category, "limit": 50 }));
        assert_eq!(found.as_array().unwrap().len(), count, "{category}");
        assert!(column(&found, "category").iter().all(|own| *own == category));
        assert!(newest_first(&column(&found, "published_at")));
    }
    let every = anybody("list_articles", json!({ "limit": 50 }));
    assert_eq!(every.as_array().unwrap().len(), 31);
    assert!(newest_first(&column(&every, "published_at")));
    assert_eq!(keys(&every[0]), ["slug", "headline", "standfirst", "category", "published_at"]);
    let enumerated = catalog()[0]["inputSchema"]["properties"]["category"]["enum"].clone();
    assert_eq!(enumerated, json!(ALL.map(|(category, _)| category)));
    assert_eq!(
        refused("", "list_articles", json!({ "category": "Coches" })),
        Fault::NoCategory("Coches".to_owned())
    );
    assert_eq!(every, asks("ana", "list_articles", json!({ "limit": 50 })), "the same for everybody");
}

#[test]
fn v037_v038_v039_drafts_are_nowhere() {
    let every = anybody("list_articles", json!({ "limit": 50 })).to_string();
    assert!(!every.contains("borrador"));
    assert_eq!(anybody("search_articles", json!({ "query": "borrador" })), json!([]));
    let slug = "borrador-ia-y-seguros";
    assert_eq!(refused("ana", "get_article", json!({ "slug": slug })), Fault::NoArticle(slug.to_owned()));
}

#[test]
fn v038_an_article_is_read_whole_by_its_slug() {
    let every = anybody("list_articles", json!({ "limit": 50 }));
    for head in every.as_array().unwrap() {
        let whole = anybody("get_article", json!({ "slug": head["slug"] }));
        assert_eq!(
            keys(&whole),
            ["slug", "headline", "standfirst", "category", "published_at", "body_markdown"]
        );
        let body = whole["body_markdown"].as_str().unwrap();
        assert!(body.starts_with(&format!("# {}\n\n", head["headline"].as_str().unwrap())), "{body}");
    }
    let fault = refused("", "get_article", json!({ "slug": "nada" }));
    assert_eq!(fault.sentence(), "No hay ningún artículo publicado con el slug «nada».");
    assert_eq!(refused("", "get_article", json!({})), Fault::Missing("slug"));
    assert_eq!(refused("", "get_article", json!({ "slug": 7 })), Fault::NotText("slug"));
}

#[test]
fn v039_headline_and_standfirst_are_searched_and_the_body_is_not() {
    let slugs = |query: &str| -> Vec<String> {
        let found: Value = anybody("search_articles", json!({ "query": query, "limit": 30 }));
        column(&found, "slug").into_iter().map(str::to_owned).collect()
    };
    assert_eq!(slugs("DIVERSIFICAR no"), ["diversificar-no-es-coleccionar"], "in a headline");
    assert_eq!(slugs("cesto que COTIZA"), ["que-es-un-etf"], "in a standfirst");
    assert_eq!(slugs("inflacion"), ["inflacion-de-tu-casa"], "without the accent");
    assert!(slugs("frase de recuperación").is_empty(), "in a body alone");
    assert!(
        anybody("get_article", json!({ "slug": "guardar-claves-sin-perderlas" }))["body_markdown"]
            .as_str()
            .unwrap()
            .contains("frase de recuperación")
    );
    for short in ["a", " a ", "ñ"] {
        assert_eq!(refused("", "search_articles", json!({ "query": short })), Fault::TooShort, "{short:?}");
    }
    assert_eq!(refused("", "search_articles", json!({ "query": "  " })), Fault::Missing("query"));
}
