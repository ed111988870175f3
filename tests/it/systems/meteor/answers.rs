//! How long answers are, and calls that come twice.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Caller, Meteor, statement, told};

/// The text of a call's result.
fn text(caller: &Caller<'_>, tool: &str, arguments: &Value) -> String {
    let reply = caller.call(tool, arguments);
    reply.json()["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply:?}")).to_owned()
}

#[test]
fn t084_t085_t086_t087_a_long_answer_is_cut_as_valid_json() {
    let meteor = Meteor::start();
    let ana = meteor.as_ana();
    let rows: Vec<Value> =
        (0..100).map(|number| json!({"nota": format!("{number} {}", "café ".repeat(80))})).collect();
    ana.confirm("met_import_items", json!({"collection_id": "col_1", "rows": rows}));
    let page = json!({"collection_id": "col_1", "limit": 100, "search": "café"});
    let cut = text(&ana, "met_list_items", &page);
    let body: Value = serde_json::from_str(&cut).unwrap();
    statement("T084", || {
        assert!(cut.chars().count() <= 20_000, "{}", cut.chars().count());
        assert!(cut.chars().count() > 15_000, "what fits is shown: {}", cut.chars().count());
    });
    let shown = body["data"]["items"].as_array().unwrap().len();
    statement("T086", || {
        assert_eq!(super::super::keys(&body), ["truncated", "note", "data"]);
        assert_eq!(body["truncated"], true);
        assert_eq!(super::super::keys(&body["data"]), ["items", "pagination"]);
    });
    statement("T085", || {
        assert!((10..100).contains(&shown), "{shown}");
        for item in body["data"]["items"].as_array().unwrap() {
            assert_eq!(item["data"]["nota"].as_str().unwrap().matches("café").count(), 80, "lists first");
        }
    });
    statement("T087", || {
        let note = body["note"].as_str().unwrap();
        let words: BTreeSet<&str> = note.split(|sign: char| !sign.is_alphanumeric()).collect();
        assert!(words.contains(shown.to_string().as_str()) && words.contains("100"), "{shown}: {note}");
        assert!(note.contains("páginas") && note.contains("filtro"), "{note}");
    });
    let long = json!({"collection_id": "col_1", "data": {"nota": "largo ".repeat(8000)}});
    let item = ana.call("met_create_item", &long);
    statement("T085", || {
        let (failed, body) = told(&item);
        assert!(!failed && body["truncated"] == true, "{body}");
        let note = body["data"]["data"]["nota"].as_str().unwrap();
        assert!(note.starts_with("largo largo") && note.chars().count() < 20_000, "then long texts");
        let kept = ana.ask("met_list_items", json!({"collection_id": "col_1", "search": "largo"}));
        let kept = if kept["truncated"] == true { &kept["data"] } else { &kept };
        assert_eq!(kept["pagination"]["total"], 1, "what is kept is whole");
    });
}

#[test]
fn t088_a_write_carries_a_key_of_tool_arguments_and_request() {
    let meteor = Meteor::recording();
    let (ana, other) = (meteor.as_ana(), meteor.as_ana());
    let sent = |caller: &Caller<'_>, id: &str, tool: &str, name: &str| {
        caller.call_as(id, tool, &json!({"name": name}));
        meteor.app.worker.last().header("idempotency-key").map(str::to_owned)
    };
    statement("T088", || {
        let calls = [
            (&ana, "1", "met_create_contact", "Uno"),
            (&ana, "2", "met_create_contact", "Uno"),
            (&ana, "1", "met_create_contact", "Dos"),
            (&ana, "1", "met_create_tag", "Uno"),
            (&other, "1", "met_create_contact", "Uno"),
        ];
        let keys: BTreeSet<String> =
            calls.iter().map(|(caller, id, tool, name)| sent(caller, id, tool, name).unwrap()).collect();
        assert_eq!(keys.len(), calls.len(), "{keys:?}");
        let before = meteor.seen();
        ana.call_as("1", "met_create_contact", &json!({"name": "Uno"}));
        assert_eq!(meteor.seen(), before, "the same call is not sent again");
        ana.call_as("1", "met_list_contacts", &json!({}));
        assert_eq!(meteor.app.worker.last().header("idempotency-key"), None, "reads need none");
    });
}

#[test]
fn t089_the_same_call_again_is_given_the_first_answer() {
    let meteor = Meteor::start();
    let ana = meteor.as_ana();
    let total = || ana.ask("met_list_contacts", json!({}))["pagination"]["total"].as_u64().unwrap();
    statement("T089", || {
        let before = total();
        let call = || ana.call_as("retry", "met_create_contact", &json!({"name": "Una vez"}));
        let (first, again) = (call(), call());
        assert_eq!(told(&first), told(&again));
        let mut result = again.json()["result"].clone();
        assert_eq!(result["_meta"]["io.portero/replayed"], true);
        result.as_object_mut().unwrap().shift_remove("_meta");
        let mut before_meta = first.json()["result"].clone();
        before_meta.as_object_mut().unwrap().shift_remove("_meta");
        assert_eq!(result, before_meta);
        assert_eq!(total(), before + 1, "one effect");
        ana.call_as("another", "met_create_contact", &json!({"name": "Una vez"}));
        assert_eq!(total(), before + 2, "another request is another contact");
    });
    let recording = Meteor::recording();
    let ana = recording.as_ana();
    let call = || ana.call_as("retry", "met_create_contact", &json!({"name": "Una vez"}));
    statement("T089", || {
        recording.app.worker.answers(503, "text/plain", "away");
        assert_eq!(told(&call()).1["code"], "upstream_unavailable");
        let key = recording.app.worker.last().header("idempotency-key").map(str::to_owned);
        recording.app.worker.answers(200, "application/json", "{\"id\":\"cto_1\"}");
        assert_eq!(told(&call()), (false, json!({"id": "cto_1"})), "what failed is done");
        assert_eq!(recording.app.worker.last().header("idempotency-key").map(str::to_owned), key);
    });
}
