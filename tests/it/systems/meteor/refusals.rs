//! The forms of a no: a code, a hint, a status, in the language that was asked for.

use serde_json::{Value, json};

use super::{Caller, Meteor, TOOLS, builder, code, statement, told};
use crate::support::callers::Person;
use crate::support::eventually;
use crate::support::http::request;

fn set_status(meteor: &Meteor, person: &Person, status: &str) {
    meteor.app.cli(&["workspace", "set-status", &person.workspace, status], None);
}

/// What a call is told, in a language.
fn said(caller: &Caller<'_>, language: &str, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    let body = json!({"jsonrpc": "2.0", "id": super::fresh(), "method": "tools/call", "params": params});
    let (failed, body) = told(&caller.post(&caller.app.resource, &[("accept-language", language)], &body));
    assert!(failed, "{tool}: {body}");
    body
}

#[test]
fn t090_t093_t094_a_no_has_a_code_and_a_hint() {
    let meteor = Meteor::start();
    let few = meteor.key(&meteor.bruno, "live", &["contacts:read".to_owned()]);
    statement("T090", || {
        let body = few.refused("met_create_contact", json!({"name": "X"}));
        assert_eq!((body["code"].as_str(), body["status"].as_u64()), (Some("missing_scope"), Some(403)));
        assert!(body["error"].as_str().unwrap().contains("contacts:write"), "{body}");
    });
    let absent = json!({"contact_id": "cto_999"});
    statement("T093", || {
        assert_eq!(few.refused("met_list_flows", json!({}))["code"], "missing_scope");
        let body = few.refused("met_get_contact", absent.clone());
        assert_eq!((body["code"].as_str(), body["status"].as_u64()), (Some("not_found"), Some(404)));
        let body = few.refused("met_list_contacts", json!({"limit": 0}));
        assert_eq!((body["code"].as_str(), body["status"].as_u64()), (Some("invalid_arguments"), Some(400)));
    });
    statement("T094", || {
        for (tool, arguments) in [("met_list_flows", json!({})), ("met_get_contact", absent.clone())] {
            assert!(few.refused(tool, arguments)["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
        }
        for language in ["es", "en"] {
            let hint = said(&few, language, "met_list_flows", &json!({}))["hint"].clone();
            assert!(hint.as_str().is_some_and(|hint| !hint.is_empty()), "{language}: {hint}");
        }
    });
    statement("T093", || {
        while !told(&few.call("met_list_contacts", &json!({}))).0 {}
        let body = few.refused("met_list_contacts", json!({}));
        assert_eq!((body["code"].as_str(), body["status"].as_u64()), (Some("rate_limited"), Some(429)));
    });
}

#[test]
fn t095_t096_t097_an_overdue_bill_lets_read_and_not_write() {
    // One tool without hints: nobody knows that it only reads.
    let running = super::running();
    let mut catalog: Vec<Value> = serde_json::from_str(TOOLS).unwrap();
    let tags = catalog.iter_mut().find(|tool| tool["name"] == "met_list_tags").unwrap();
    tags.as_object_mut().unwrap().shift_remove("annotations");
    let mut builder = builder().file("meteor-tools.json", &json!(catalog).to_string());
    builder.toml = builder.toml.replace("{worker}", &running.url);
    let meteor = Meteor::on(builder, Some(running));
    let ana = meteor.as_ana();
    let before = ana.tools();
    set_status(&meteor, &meteor.ana, "past_due");
    let write = json!({"name": "Nuevo"});
    eventually("the overdue bill", || told(&ana.call("met_create_contact", &write)).0.then_some(()));
    statement("T095", || {
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}});
        assert!(ana.rpc("initialize", &hello).json()["result"]["serverInfo"].is_object());
        for tool in ["met_list_contacts", "met_list_flows", "met_get_energy"] {
            ana.ask(tool, json!({}));
        }
        assert_eq!(
            ana.refused("met_list_tags", json!({}))["code"],
            "workspace_blocked",
            "no hint: it writes"
        );
    });
    statement("T096", || {
        assert_eq!(ana.tools(), before, "the catalog stays as it was");
        for (tool, arguments) in [
            ("met_create_contact", write.clone()),
            ("met_delete_item", json!({"item_id": "ite_1", "confirm": true})),
            ("met_send_message", json!({"conversation_id": "con_1", "text": "Hola"})),
        ] {
            let body = ana.refused(tool, arguments);
            assert_eq!(
                (body["code"].as_str(), body["status"].as_u64()),
                (Some("workspace_blocked"), Some(403))
            );
        }
    });
    statement("T097", || {
        let body = ana.refused("met_create_contact", write.clone());
        let hint = body["hint"].as_str().unwrap();
        assert!(hint.contains("Tell the person") && hint.contains("Do not retry"), "{hint}");
    });
    set_status(&meteor, &meteor.ana, "active");
    eventually("the bill is paid", || (!told(&ana.call("met_create_contact", &write)).0).then_some(()));
}

#[test]
fn t098_without_a_subscription_there_is_no_access() {
    let meteor = Meteor::start();
    let ana = meteor.as_ana();
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let requests = [
        ("initialize", hello),
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "met_list_contacts", "arguments": {}})),
        ("tools/call", json!({"name": "met_create_contact", "arguments": {"name": "X"}})),
    ];
    let bearer = format!("Bearer {}", ana.token);
    let api =
        || request("GET", &format!("{}/verify", meteor.app.resource), &[("authorization", &bearer)], None);
    for (status, open) in [("inactive", false), ("trialing", true), ("inactive", false), ("active", true)] {
        set_status(&meteor, &meteor.ana, status);
        eventually(status, || (code(&ana.rpc("ping", &json!({}))).is_none() == open).then_some(()));
        statement("T098", || {
            for (method, params) in &requests {
                let refused = code(&ana.rpc(method, params));
                assert_eq!(
                    refused.as_deref(),
                    (!open).then_some("subscription_inactive"),
                    "{status} {method}"
                );
            }
            assert_eq!(api().status, if open { 200 } else { 402 }, "{status}: the API alike");
        });
    }
    set_status(&meteor, &meteor.ana, "inactive");
    statement("T098", || {
        let body = eventually("inactive", || {
            let (failed, body) = told(&ana.call("met_list_contacts", &json!({})));
            failed.then_some(body)
        });
        assert_eq!(body["status"], 402, "{body}");
    });
}
