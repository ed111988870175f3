//! What cannot be undone is confirmed first.

use serde_json::{Value, json};

use super::{Meteor, TOOLS, example, names, statement, table};

/// Every statement with the tools that it is about, and a word of what would be lost.
pub const CONFIRMED: [(&str, &str, &str); 16] = [
    ("T071", "met_delete_flow", "borrador"),
    ("T071", "met_delete_automation", "calendario"),
    ("T071", "met_delete_collection", "items"),
    ("T071", "met_delete_field", "valor"),
    ("T071", "met_delete_item", "valores"),
    ("T071", "met_delete_flow_step", "paso"),
    ("T071", "met_delete_quick_reply", "atajo"),
    ("T072", "met_publish_flow", "publicada"),
    ("T073", "met_replace_flow_draft", "pasos"),
    ("T074", "met_run_automation", "inmediato"),
    ("T075", "met_install_snapshot", "reemplazan"),
    ("T076", "met_import_items", "importación"),
    ("T076", "met_import_contacts", "importación"),
    ("T077", "met_tag_contacts_bulk", "etiqueta"),
    ("T078", "met_create_broadcast", "Meta"),
    ("T079", "met_replace_credentials", "credenciales"),
];

#[test]
fn t071_to_t082_unconfirmed_nothing_happens_and_what_would_be_lost_is_said() {
    let meteor = Meteor::recording();
    let ana = meteor.as_ana();
    let table = table();
    for (id, tool, lost) in CONFIRMED {
        let arguments = example(table.tool(tool).unwrap());
        let before = meteor.seen();
        for confirm in [Value::Null, json!(false), json!("true"), json!(1)] {
            let mut arguments = arguments.clone();
            if !confirm.is_null() {
                arguments["confirm"] = confirm.clone();
            }
            let params = json!({"name": tool, "arguments": arguments});
            let body =
                json!({"jsonrpc": "2.0", "id": super::fresh(), "method": "tools/call", "params": params});
            let reply = ana.post(&meteor.app.resource, &[("accept-language", "es")], &body);
            let (failed, body) = super::told(&reply);
            statement(id, || {
                assert!(failed && body["code"] == "confirmation_required", "{tool} {confirm}: {body}");
                assert!(body["hint"].as_str().unwrap().contains("confirm"), "{body}");
            });
            statement("T082", || assert!(body["error"].as_str().unwrap().contains(lost), "{tool}: {body}"));
        }
        statement("T081", || assert_eq!(meteor.seen(), before, "{tool} never came that far"));
        statement(id, || {
            ana.confirm(tool, arguments.clone());
            let seen = meteor.app.worker.last();
            assert_eq!(seen.path, format!("/tools/{tool}"));
            assert_eq!(
                (seen.header("x-portero-confirmed"), &seen.body),
                (Some("true"), &arguments.to_string())
            );
        });
    }
}

#[test]
fn t081_nothing_is_touched() {
    let meteor = Meteor::start();
    let ana = meteor.as_ana();
    statement("T081", || {
        let item = ana.ask("met_get_item", json!({"item_id": "ite_1"}));
        ana.refused("met_delete_item", json!({"item_id": "ite_1"}));
        assert_eq!(ana.ask("met_get_item", json!({"item_id": "ite_1"})), item);
        ana.confirm("met_delete_item", json!({"item_id": "ite_1"}));
        assert_eq!(ana.refused("met_get_item", json!({"item_id": "ite_1"}))["code"], "not_found");
    });
}

#[test]
fn t071_t083_what_confirms_says_so_and_nothing_else_does() {
    let meteor = Meteor::start();
    let tools = meteor.as_ana().tools();
    let catalog: Vec<Value> = serde_json::from_str(TOOLS).unwrap();
    let mut confirming = Vec::new();
    for before in &catalog {
        let name = before["name"].as_str().unwrap();
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let (text, own) = (tool["description"].as_str().unwrap(), before["description"].as_str().unwrap());
        let asks = !tool["inputSchema"]["properties"]["confirm"].is_null();
        statement("T083", || {
            assert!(text.starts_with(own), "{name}: {text}");
            let sentence = text.strip_prefix(own).unwrap();
            assert_eq!(sentence.contains("confirm"), asks, "{name}: {sentence}");
            let person =
                sentence.contains("confírmalo con la persona") && sentence.contains("Antes de repetir");
            assert_eq!(person, asks, "{name} asks to confirm with the person before repeating: {sentence}");
        });
        confirming.extend(asks.then_some(name));
    }
    statement("T071", || {
        let mut expected: Vec<_> = CONFIRMED.iter().map(|(_, tool, _)| *tool).collect();
        expected.sort_unstable();
        confirming.sort_unstable();
        assert_eq!(confirming, expected);
        assert!(names(&tools).len() > confirming.len());
    });
}
