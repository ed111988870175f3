//! What is read by URI.

use serde_json::{Value, json};

use super::tools::RESOURCES;
use super::{Becoming, Caller, SCOPES, column, connected, ids, keys, number, statement};

/// The JSON in a resource's one content.
fn content(reply: &crate::support::Reply, uri: &str) -> Value {
    assert_eq!(reply.status, 200, "{reply:?}");
    let contents = reply.json()["result"]["contents"].clone();
    let contents = contents.as_array().unwrap_or_else(|| panic!("no contents: {}", reply.text()));
    assert_eq!(contents.len(), 1);
    assert_eq!(contents[0]["uri"], uri);
    serde_json::from_str(contents[0]["text"].as_str().unwrap()).unwrap()
}

#[test]
fn b074_b075_stable_uris_of_collections_and_their_items() {
    let becoming = Becoming::start();
    let (ana, bruno) = (becoming.as_ana(), becoming.as_bruno());
    statement("B075", || {
        let list = |method: &str| ana.rpc(method, &json!({})).json()["result"].clone();
        let resources = list("resources/list");
        let uris = ["becoming://highlights", "becoming://sources", "becoming://notes"];
        assert_eq!(column(&resources, "resources", "uri"), uris);
        let templates = list("resources/templates/list");
        let expected = uris.map(|uri| format!("{uri}/{{id}}"));
        assert_eq!(column(&templates, "resourceTemplates", "uriTemplate"), expected);
    });
    statement("B074", || {
        for (uri, _) in RESOURCES {
            let first = ana.read(uri);
            let own = first.json()["result"]["contents"][0].clone();
            assert_eq!(
                (own["uri"].as_str(), own["mimeType"].as_str()),
                (Some(uri), Some("application/json"))
            );
            assert_eq!(content(&first, uri), content(&ana.read(uri), uri), "the same at every time");
        }
        let theirs = content(&bruno.read("becoming://highlights"), "becoming://highlights");
        assert_eq!(ids(&theirs, "highlights"), [1053, 1052, 1051, 1050, 1049], "each reads their own");
    });
}

/// One statement a resource: with its permission, without it, and a URI that is nobody's.
fn guarded(becoming: &Becoming, ana: &Caller<'_>, uri: &str, scope: &str, absent: &[&str]) -> Value {
    let others: Vec<_> = SCOPES.into_iter().filter(|own| *own != scope).collect();
    let without = connected(&becoming.app, &becoming.ana, &others);
    let with = connected(&becoming.app, &becoming.ana, &[scope]);
    let refused = without.read(uri);
    assert_eq!(number(&refused, uri), -32002, "without {scope}");
    assert_eq!(refused.json()["error"]["data"]["code"], "missing_scope");
    for uri in absent {
        assert_eq!(number(&ana.read(uri), uri), -32003, "{uri}");
    }
    content(&with.read(uri), uri)
}

#[test]
fn b076_b077_b078_b079_b080_b081_each_is_guarded_by_its_permission() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    statement("B076", || {
        let absent = ["becoming://highlight", "becoming://themes"];
        let body = guarded(&becoming, &ana, "becoming://highlights", "highlights:read", &absent);
        assert_eq!(ids(&body, "highlights").len(), 48);
    });
    statement("B077", || {
        let absent =
            ["becoming://highlights/999999", "becoming://highlights/1049", "becoming://highlights/x"];
        let body = guarded(&becoming, &ana, "becoming://highlights/1001", "highlights:read", &absent);
        assert_eq!(body["highlight"]["id"], 1001);
    });
    statement("B078", || {
        let body = guarded(&becoming, &ana, "becoming://sources", "sources:read", &["becoming://source"]);
        assert_eq!(ids(&body, "sources").len(), 23);
    });
    statement("B079", || {
        let absent = ["becoming://sources/999999", "becoming://sources/124"];
        let body = guarded(&becoming, &ana, "becoming://sources/101", "sources:read", &absent);
        assert_eq!((ids(&body, "highlights"), &body["source"]["id"]), (vec![1001, 1002, 1003], &json!(101)));
    });
    statement("B080", || {
        let body = guarded(&becoming, &ana, "becoming://notes", "notes:read", &["becoming://note"]);
        assert!(ids(&body, "notes").len() > 1);
    });
    statement("B081", || {
        let absent = ["becoming://notes/999999", "becoming://notes/510"];
        let body = guarded(&becoming, &ana, "becoming://notes/501", "notes:read", &absent);
        assert_eq!(keys(&body["note"]), ["id", "highlight_id", "body", "created_at"]);
    });
}
