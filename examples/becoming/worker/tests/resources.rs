//! What is read by URI.

use serde_json::{Value, json};

use super::super::resources::{COLLECTIONS, TEMPLATES};
use super::{Bench, ids, keys};

fn read(bench: &Bench, owner: &str, uri: &str) -> Value {
    let body = bench.state.read(owner, uri).unwrap();
    let contents = body["contents"].as_array().unwrap();
    assert_eq!(contents.len(), 1);
    assert_eq!(keys(&contents[0]), ["uri", "mimeType", "text"]);
    assert_eq!((&contents[0]["uri"], &contents[0]["mimeType"]), (&json!(uri), &json!("application/json")));
    serde_json::from_str(contents[0]["text"].as_str().unwrap()).unwrap()
}

#[test]
fn b074_b075_three_collections_and_a_template_for_each() {
    let bench = Bench::new();
    let collections: Value = serde_json::from_str(COLLECTIONS).unwrap();
    let templates: Value = serde_json::from_str(TEMPLATES).unwrap();
    let names = ["highlights", "sources", "notes"];
    for (index, name) in names.iter().enumerate() {
        let uri = format!("becoming://{name}");
        assert_eq!(collections["resources"][index]["uri"], uri.as_str());
        assert_eq!(templates["resourceTemplates"][index]["uriTemplate"], format!("{uri}/{{id}}").as_str());
        let mine = read(&bench, "ana", &uri);
        assert!(ids(&mine, name).len() > 1 && ids(&mine, name).is_sorted_by(|a, b| a > b), "newest first");
        assert_eq!(read(&bench, "carla", &uri)[*name], json!([]));
    }
    assert_eq!(read(&bench, "ana", "becoming://highlights/1001")["highlight"]["id"], 1001);
    assert_eq!(ids(&read(&bench, "ana", "becoming://sources/101"), "highlights"), [1001, 1002, 1003]);
    let note = read(&bench, "ana", "becoming://notes/501")["note"].clone();
    assert_eq!(keys(&note), ["id", "highlight_id", "body", "created_at"]);
}

#[test]
fn what_is_not_there_and_what_is_somebody_elses_reads_the_same() {
    let bench = Bench::new();
    for uri in [
        "becoming://highlights/1049",
        "becoming://highlights/9",
        "becoming://highlights/",
        "becoming://highlights/+1001",
        "becoming://highlights/01001",
        "becoming://highlights/1001/x",
        "becoming://sources/124",
        "becoming://notes/509",
        "becoming://themes/301",
        "becoming://",
        "becoming:highlights",
        "file:///etc/passwd",
        "",
    ] {
        let (status, body) = bench.state.read("ana", uri).unwrap_err().answer();
        assert_eq!((status, body), (404, json!({"error": format!("resource {uri} not found")})));
    }
}
