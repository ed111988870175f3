//! What the tools do: in whose workspace, to what, and what they never show.

use serde_json::json;

use super::{Meteor, example, ids, statement, table};

#[test]
fn t002_a_call_works_in_the_workspace_of_its_key() {
    let recording = Meteor::recording();
    let ana = recording.as_ana();
    statement("T002", || {
        ana.call("met_list_contacts", &json!({}));
        let seen = recording.app.worker.last();
        assert_eq!(seen.path, "/tools/met_list_contacts");
        assert_eq!(seen.header("x-portero-workspace"), Some(recording.ana.workspace.as_str()));
        assert_eq!(seen.header("x-portero-subject"), Some("ana"));
        assert_eq!(seen.header("authorization"), None, "the key stays with the gateway");
    });
    let meteor = Meteor::start();
    let (ana, bruno) = (meteor.as_ana(), meteor.as_bruno());
    statement("T002", || {
        assert_eq!(ids(&ana.ask("met_search_contacts", json!({"search": "lucia"}))), ["cto_1"]);
        assert_eq!(ids(&bruno.ask("met_search_contacts", json!({"search": "lucia"}))), [""; 0]);
        assert_eq!(bruno.ask("met_get_workspace", json!({}))["id"], meteor.bruno.workspace.as_str());
        let refused = bruno.refused("met_get_contact", json!({"contact_id": "cto_1"}));
        assert_eq!(refused["code"], "not_found", "somebody else's is not there");
        let dora = meteor.app.person_on("dora", Some("pro"));
        let dora = meteor.key(&dora, "live", &super::scopes());
        assert_eq!(dora.ask("met_list_contacts", json!({}))["pagination"]["total"], 0);
    });
}

#[test]
fn t003_it_operates() {
    let meteor = Meteor::start();
    let ana = meteor.as_ana();
    statement("T003", || {
        let page = ana.ask("met_list_conversations", json!({"status": "open"}));
        assert_eq!(ids(&page), ["con_4", "con_3", "con_2", "con_1"]);
        let sent = ana.ask("met_send_message", json!({"conversation_id": "con_1", "text": "Ya salió."}));
        let messages = ana.ask("met_list_messages", json!({"conversation_id": "con_1", "limit": 1}));
        assert_eq!((&messages["items"][0], &messages["pagination"]["total"]), (&sent, &json!(4)));
        let found = ana.ask("met_search_contacts", json!({"search": "velez paula"}));
        assert_eq!(ids(&found), ["cto_3"], "whatever its accents");
        let due = json!({"title": "Llamar", "due_at": "2026-07-01T15:00:00Z", "contact_id": "cto_3"});
        let made = ana.ask("met_create_reminder", due);
        assert_eq!(made["status"], "pending");
        let kept = ana.ask("met_list_reminders", json!({"contact_id": "cto_3"}));
        assert_eq!(ids(&kept), ["rem_2", made["id"].as_str().unwrap()]);
        let ran = ana.ask("met_run_met", json!({"met_id": "met_1", "input": "Resume los pedidos."}));
        assert_eq!((ran["status"].as_str(), ran["energy"].as_u64()), (Some("completed"), Some(5)));
        let runs = ana.ask("met_list_met_runs", json!({"met_id": "met_1"}));
        assert_eq!(ids(&runs), [ran["id"].as_str().unwrap(), "run_1"]);
    });
}

#[test]
fn t004_it_builds() {
    let meteor = Meteor::start();
    let ana = meteor.as_ana();
    statement("T004", || {
        let met = ana.ask("met_create_met", json!({"name": "Cobros", "instructions": "Recuerda pagos."}));
        let with = ana.ask("met_attach_skill", json!({"met_id": met["id"], "skill_id": "ski_1"}));
        assert_eq!(with["skill_ids"], json!(["ski_1"]));
        let flow = ana.ask("met_create_flow", json!({"name": "Cobro"}));
        let step = json!({"flow_id": flow["id"], "type": "message", "settings": {"text": "Hola"}});
        ana.ask("met_add_flow_step", step);
        let published = ana.confirm("met_publish_flow", json!({"flow_id": flow["id"]}));
        assert_eq!(
            (published["status"].as_str(), published["version"].as_u64()),
            (Some("published"), Some(1))
        );
        assert_eq!(published["published"], json!([{"type": "message", "settings": {"text": "Hola"}}]));
        let made = json!({"name": "Cada lunes", "trigger": "schedule", "schedule": "0 8 * * 1", "flow_id": flow["id"]});
        let automation = ana.ask("met_create_automation", made);
        assert_eq!(automation["status"], "disabled");
        let on = ana.ask("met_enable_automation", json!({"automation_id": automation["id"]}));
        assert_eq!(on["status"], "enabled");
        let collection = ana.ask("met_create_collection", json!({"name": "Pagos"}));
        let field =
            json!({"collection_id": collection["id"], "key": "valor", "name": "Valor", "type": "number"});
        ana.ask("met_create_field", field);
        let item =
            ana.ask("met_create_item", json!({"collection_id": collection["id"], "data": {"valor": 5}}));
        let listed = ana.ask("met_list_items", json!({"collection_id": collection["id"]}));
        assert_eq!(listed["items"], json!([item]));
    });
}

/// Every tool goes well with the examples of its arguments: first those that read, then those that write, then those
/// that delete, what belongs to something before what it belongs to.
#[test]
fn t061_t108_every_tool_works_and_none_shows_a_credential() {
    let meteor = Meteor::start();
    let ana = meteor.as_ana();
    let table = table();
    let rank = |tool: &str| match tool {
        "met_replace_flow_draft" => 3,
        "met_delete_flow" | "met_delete_collection" => 4,
        "met_install_snapshot" => 5,
        _ if tool.starts_with("met_delete") => 2,
        _ => 1,
    };
    let mut operations: Vec<_> = table.of(false).filter(|own| own.tool.is_some()).collect();
    operations.sort_by_key(|own| if own.writes() { rank(own.tool.as_deref().unwrap()) } else { 0 });
    let secrets = ["sk-tienda-8J2kQ0", "whsec-andino-44Zt", "valor-nuevo"];
    for own in operations {
        let tool = own.tool.as_deref().unwrap();
        let mut arguments = example(own);
        if own.id == "sendMessage" {
            arguments["conversation_id"] = "con_1".into();
        }
        if own.loses.is_some() {
            arguments["confirm"] = true.into();
        }
        let answer = ana.call(tool, &arguments);
        statement("T061", || assert!(!super::told(&answer).0, "{tool} {arguments}: {}", answer.text()));
        statement("T108", || {
            for secret in secrets {
                assert!(!answer.text().contains(secret), "{tool} shows {secret}");
            }
        });
    }
    statement("T108", || {
        let integration = ana.ask("met_get_integration", json!({"integration_id": "int_1"}));
        assert_eq!(integration["name"], "Tienda en línea");
        assert!(integration.get("credentials").is_none(), "{integration}");
    });
}

#[test]
fn t104_a_message_is_not_sent_while_a_person_attends() {
    let meteor = Meteor::start();
    let ana = meteor.as_ana();
    let sent = |conversation: &str| {
        let page = ana.ask("met_list_messages", json!({"conversation_id": conversation}));
        page["pagination"]["total"].as_u64().unwrap()
    };
    statement("T104", || {
        for (conversation, why) in [("con_2", "apagado"), ("con_3", "pausa"), ("con_4", "pidió hablar")] {
            let before = sent(conversation);
            let arguments = json!({"conversation_id": conversation, "text": "Hola"});
            let reply = ana.call("met_send_message", &arguments);
            let (failed, body) = super::told(&reply);
            assert!(failed, "{conversation}");
            assert_eq!(
                (body["status"].as_u64(), body["code"].as_str()),
                (Some(409), Some("autopilot_silenced"))
            );
            assert!(body["error"].as_str().unwrap().contains(why), "{body}");
            assert_eq!(reply.json()["result"]["_meta"]["io.portero/status"], 409);
            assert_eq!(sent(conversation), before, "nothing is sent");
        }
        ana.ask("met_resume_autopilot", json!({"conversation_id": "con_4"}));
        ana.ask("met_send_message", json!({"conversation_id": "con_4", "text": "Hola"}));
        ana.ask("met_pause_autopilot", json!({"conversation_id": "con_4", "minutes": 30}));
        ana.refused("met_send_message", json!({"conversation_id": "con_4", "text": "Hola"}));
    });
}

#[test]
fn t105_t106_an_item_is_merged_and_an_empty_value_clears() {
    let meteor = Meteor::start();
    let ana = meteor.as_ana();
    let update = |data| ana.ask("met_update_item", json!({"item_id": "ite_1", "data": data}))["data"].clone();
    statement("T105", || {
        let merged = update(json!({"estado": "despachado", "guia": "A-1"}));
        let expected =
            json!({"cliente": "Lucía Mesa", "total": 48000, "estado": "despachado", "guia": "A-1"});
        assert_eq!(merged, expected);
        assert_eq!(ana.ask("met_get_item", json!({"item_id": "ite_1"}))["data"], expected);
    });
    statement("T106", || {
        assert_eq!(
            update(json!({"guia": "", "total": null})),
            json!({"cliente": "Lucía Mesa", "estado": "despachado"})
        );
    });
    let recording = Meteor::recording();
    statement("T106", || {
        let arguments = json!({"item_id": "ite_1", "data": {"guia": "", "total": null}});
        recording.as_ana().call("met_update_item", &arguments);
        assert_eq!(recording.app.worker.last().body, arguments.to_string(), "empty values arrive");
    });
}
