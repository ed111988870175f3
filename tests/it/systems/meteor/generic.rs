//! Any operation of the API: found, described, called, under the operation's own policy.

use serde_json::{Value, json};

use super::confirmation::CONFIRMED;
use super::worker::table::Mark;
use super::{Caller, GENERIC, Meteor, code, example, names, scopes, statement, table, told};

/// The ids that a search finds, the best first.
fn found(caller: &Caller<'_>, query: &str) -> Vec<String> {
    let body = caller.ask("met_search_operations", json!({"query": query, "limit": 50}));
    let operations = body["operations"].as_array().unwrap();
    operations.iter().map(|own| own["operation"].as_str().unwrap().to_owned()).collect()
}

fn described(caller: &Caller<'_>, id: &str) -> Value {
    caller.ask("met_describe_operation", json!({"operation": id}))
}

/// What a call of an operation gives that goes well.
fn done(caller: &Caller<'_>, id: &str, arguments: &Value) -> Value {
    let (failed, body) = told(&caller.operation(id, arguments));
    assert!(!failed, "{id} {arguments}: {body}");
    body
}

/// What one is told that is refused.
fn refused(caller: &Caller<'_>, id: &str, arguments: &Value) -> Value {
    let (failed, body) = told(&caller.operation(id, arguments));
    assert!(failed, "{id} {arguments}: {body}");
    body
}

#[test]
fn t005_t047_t048_t064_t065_t067_find_describe_call() {
    let meteor = Meteor::start();
    let ana = meteor.as_ana();
    let tools = ana.tools();
    statement("T047", || assert_eq!(names(&tools)[112..], GENERIC));
    statement("T064", || {
        assert_eq!(GENERIC.map(|name| name.split('_').nth(1).unwrap()), ["search", "describe", "call"]);
        for (name, next) in [(GENERIC[0], GENERIC[1]), (GENERIC[0], GENERIC[2]), (GENERIC[2], GENERIC[0])] {
            let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
            assert!(tool["description"].as_str().unwrap().contains(next), "{name} names {next}");
        }
    });
    statement("T065", || {
        for query in ["factura", "facturas", "invoice", "invoices", "Ver una FACTURA"] {
            assert!(found(&ana, query)[..2].contains(&"listInvoices".to_owned()), "{query}");
        }
        assert_eq!(found(&ana, "contar items")[0], "countItems");
        assert_eq!(found(&ana, "count the items")[0], "countItems");
        let nothing = ana.ask("met_search_operations", json!({"query": "xilófono"}));
        assert_eq!((&nothing["operations"], &nothing["total"]), (&json!([]), &json!(0)));
    });
    let table = table();
    statement("T005", || {
        assert!(table.operations.iter().any(|own| own.id == "countItems" && own.tool.is_none()));
        assert_eq!(done(&ana, "countItems", &json!({"collection_id": "col_1"}))["count"], 5);
    });
    statement("T048", || {
        let id = found(&ana, "contar los items de una colección").remove(0);
        let own = described(&ana, &id);
        assert_eq!(
            (own["method"].as_str(), own["path"].as_str()),
            (Some("GET"), Some("/collections/{collection_id}/items/count"))
        );
        let call = own["example"].clone();
        assert_eq!(call["operation"], id.as_str());
        assert_eq!(ana.ask("met_call_operation", call)["count"], 5, "the example is a call");
    });
    statement("T067", || {
        let made = done(&ana, "createContact", &json!({"name": "Por la API", "phone": "+573000000000"}));
        assert_eq!(ana.ask("met_get_contact", json!({"contact_id": made["id"]})), made);
        let page = done(&ana, "listContacts", &json!({"limit": 2, "cursor": "cto_2"}));
        assert_eq!(super::ids(&page), ["cto_3", "cto_4"], "numbers and texts in the query");
        let cleared =
            done(&ana, "updateItem", &json!({"item_id": "ite_1", "data": {"total": "", "guia": null}}));
        assert_eq!(cleared["data"], json!({"cliente": "Lucía Mesa", "estado": "por despachar"}));
    });
}

#[test]
fn t066_what_an_operation_takes_and_an_example_of_it() {
    let meteor = Meteor::start();
    let (ana, table) = (meteor.as_ana(), table());
    let reached = || table.of(false).filter(|own| own.excluded.is_none());
    statement("T066", || {
        for own in reached() {
            let shown = described(&ana, &own.id);
            assert_eq!(shown["scope"], own.scope(), "{}", own.id);
            let asks = own.loses.is_some() || own.method == "DELETE";
            assert_eq!(shown["confirm"], asks, "{}", own.id);
            let properties = &shown["parameters"]["properties"];
            for take in &own.takes {
                assert!(
                    properties[&take.name]["description"].is_string(),
                    "{} {}: {shown}",
                    own.id,
                    take.name
                );
            }
            let schema = jsonschema::validator_for(&shown["parameters"]).unwrap();
            let arguments = &shown["example"]["arguments"];
            assert!(
                schema.is_valid(arguments),
                "{}: {arguments} does not fit {}",
                own.id,
                shown["parameters"]
            );
        }
        assert_eq!(reached().count(), 138);
    });
}

#[test]
fn t049_t051_a_call_goes_the_apis_own_way() {
    let recording = Meteor::recording();
    let ana = recording.as_ana();
    let write = json!({"name": "Uno"});
    statement("T049", || {
        ana.operation("createContact", &write);
        let seen = recording.app.worker.last();
        assert_eq!((seen.path.as_str(), seen.body.as_str()), ("/api/v1/contacts", "{\"name\":\"Uno\"}"));
        assert_eq!(seen.header("x-portero-workspace"), Some(recording.ana.workspace.as_str()));
        assert_eq!(seen.header("x-portero-token-kind"), Some("pat"));
        assert!(seen.header("idempotency-key").is_some_and(|key| !key.is_empty()));
        let all = format!("{:?}", seen.headers);
        assert!(!all.contains("met_live_") && seen.header("authorization").is_none(), "{all}");
    });
    statement("T051", || {
        let before = recording.seen();
        let arguments = json!({"operation": "createContact", "arguments": write});
        let call = || ana.call_as("again", "met_call_operation", &arguments);
        assert_eq!(told(&call()), told(&call()));
        assert_eq!(recording.seen(), before + 1, "one call");
    });
    let meteor = Meteor::start();
    let ana = meteor.as_ana();
    statement("T051", || {
        let total = || ana.ask("met_list_tags", json!({}))["pagination"]["total"].as_u64().unwrap();
        let before = total();
        let arguments = json!({"operation": "createTag", "arguments": {"name": "Una vez"}});
        let call = || told(&ana.call_as("again", "met_call_operation", &arguments));
        assert_eq!(call(), call());
        assert_eq!(total(), before + 1, "one effect");
    });
}

#[test]
fn t050_t090_t093_t095_t096_an_operation_has_its_permission_and_its_codes() {
    let meteor = Meteor::start();
    let few = meteor.key(&meteor.ana, "live", &["contacts:read".to_owned()]);
    for id in ["T050", "T090"] {
        statement(id, || {
            let body = refused(&few, "listInvoices", &json!({}));
            assert_eq!((body["code"].as_str(), body["status"].as_u64()), (Some("missing_scope"), Some(403)));
            assert!(body["error"].as_str().unwrap().contains("account:read"), "{body}");
            done(&few, "listContacts", &json!({}));
            assert_eq!(refused(&few, "createContact", &json!({"name": "X"}))["code"], "missing_scope");
            assert!(
                !found(&few, "facturas").contains(&"listInvoices".to_owned()),
                "what it finds may be called"
            );
        });
    }
    statement("T093", || {
        let body = refused(&few, "getContact", &json!({"contact_id": "cto_999"}));
        assert_eq!((body["code"].as_str(), body["status"].as_u64()), (Some("not_found"), Some(404)));
        assert!(body["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
        let unknown = few.operation("getContacts", &json!({}));
        assert_eq!(code(&unknown).as_deref(), Some("unknown_tool"), "{unknown:?}");
    });
    let ana = meteor.as_ana();
    meteor.app.cli(&["workspace", "set-status", &meteor.ana.workspace, "past_due"], None);
    crate::support::eventually("the overdue bill", || {
        told(&ana.operation("createTag", &json!({"name": "X"}))).0.then_some(())
    });
    statement("T095", || drop(done(&ana, "listInvoices", &json!({}))));
    statement("T096", || {
        let body = refused(&ana, "createTag", &json!({"name": "X"}));
        assert_eq!((body["code"].as_str(), body["status"].as_u64()), (Some("workspace_blocked"), Some(403)));
    });
}

#[test]
fn t072_to_t082_what_confirms_does_so_by_this_way_too() {
    let meteor = Meteor::recording();
    let ana = meteor.as_ana();
    let table = table();
    let unconfirmed = |id: &str, arguments: &Value| {
        let before = meteor.seen();
        let body = refused(&ana, id, arguments);
        assert_eq!(body["code"], "confirmation_required", "{id}: {body}");
        let truthy = json!({"operation": id, "arguments": arguments, "confirm": "true"});
        assert_eq!(ana.refused("met_call_operation", truthy)["code"], "confirmation_required", "{id}");
        assert_eq!(meteor.seen(), before, "{id} never came that far");
        body["error"].as_str().unwrap().to_owned()
    };
    for (statement_id, tool, lost) in CONFIRMED {
        let own = table.tool(tool).unwrap();
        statement(statement_id, || {
            let said = unconfirmed(&own.id, &example(own));
            assert!(said.contains(lost), "{tool}: {said}");
            ana.confirm("met_call_operation", json!({"operation": own.id, "arguments": example(own)}));
            assert_eq!(meteor.app.worker.last().header("x-portero-confirmed"), Some("true"));
        });
    }
    let deletes: Vec<_> = table.of(false).filter(|own| own.method == "DELETE").collect();
    statement("T080", || {
        assert!(deletes.len() > 12, "{}", deletes.len());
        for own in &deletes {
            let said = unconfirmed(&own.id, &example(own));
            let lost = own.loses.as_ref().map(|words| words.es.as_str()).unwrap_or_default();
            assert!(said.contains(lost), "{}: {said}", own.id);
            ana.confirm("met_call_operation", json!({"operation": own.id, "arguments": example(own)}));
        }
    });
}

/// A DELETE that nothing is said of in the configuration says what it does.
#[test]
fn t080_t082_a_delete_without_a_policy_says_what_it_does() {
    let mut builder = super::builder();
    let own = "[service.operation.deleteWebhook]\nconfirm = true\n";
    let at = builder.toml.find(own).expect("the policy of deleteWebhook");
    let end = at + builder.toml[at..].find("\n\n").unwrap();
    builder.toml.replace_range(at..end, "");
    let meteor = Meteor::on(builder, None);
    let ana = meteor.as_ana();
    let body = refused(&ana, "deleteWebhook", &json!({"webhook_id": "web_1"}));
    statement("T080", || assert_eq!(body["code"], "confirmation_required", "{body}"));
    statement("T082", || assert!(body["error"].as_str().unwrap().contains("Borrar un webhook"), "{body}"));
}

#[test]
fn t091_t111_a_test_key_reaches_no_effect_outside() {
    let meteor = Meteor::start();
    let test = meteor.key(&meteor.bruno, "test", &scopes());
    let table = table();
    statement("T091", || {
        for own in table.of(false).filter(|own| own.is(Mark::Outside)) {
            let reply = test.operation(&own.id, &json!({"conversation_id": "con_51", "text": "Hola"}));
            assert_eq!(code(&reply).as_deref(), Some("unknown_tool"), "{}: {reply:?}", own.id);
            assert!(!found(&test, &own.es).contains(&own.id), "{}", own.id);
        }
        let live = meteor.as_bruno();
        assert!(found(&live, "enviar un mensaje").contains(&"sendMessage".to_owned()));
        let page = done(&live, "listMessages", &json!({"conversation_id": "con_51"}));
        assert_eq!(page["pagination"]["total"], 2, "nothing was sent");
        done(&test, "createTag", &json!({"name": "De prueba"}));
    });
    let balance = || {
        let shown = meteor.app.cli(&["workspace", "show", &meteor.bruno.workspace], None);
        shown["credits"]["balance"].as_i64().unwrap()
    };
    let run = json!({"met_id": "met_51", "input": "Resume."});
    statement("T111", || {
        done(&test, "runMet", &run);
        assert_eq!(balance(), 500);
    });
    statement("T109", || {
        done(&meteor.as_bruno(), "runMet", &run);
        assert_eq!(balance(), 495, "a live key pays by this way too");
    });
}

#[test]
fn t099_to_t103_what_is_left_out_says_why_and_what_to_do() {
    let meteor = Meteor::start();
    let ana = meteor.as_ana();
    let table = table();
    let told_of = |id: &str, words: [&str; 2]| {
        let body = refused(&ana, id, &json!({}));
        assert_eq!(body["code"], "operation_excluded", "{id}: {body}");
        let (reason, instead) = (body["error"].as_str().unwrap(), body["hint"].as_str().unwrap());
        assert!(reason.contains(words[0]) && instead.contains(words[1]), "{id}: {body}");
    };
    statement("T099", || {
        told_of("uploadFile", ["bytes", "SDK"]);
        told_of("downloadFile", ["bytes", "met_get_file"]);
        let file = ana.ask("met_get_file", json!({"file_id": "fil_1"}));
        assert_eq!(file["url"], "https://archivos.example.com/catalogo-cafe.pdf");
        assert_eq!((&file["bytes"], &file["media_type"]), (&json!(48213), &json!("application/pdf")));
    });
    statement("T100", || {
        told_of("createWebhook", ["secreto", "panel"]);
        told_of("rotateWebhookSecret", ["secreto", "SDK"]);
    });
    statement("T101", || {
        told_of("purchaseEnergy", ["compras", "met_get_energy"]);
        told_of("changePlan", ["plan", "met_get_plan"]);
        assert_eq!(ana.ask("met_get_plan", json!({}))["plan"], "pro");
        assert_eq!(ana.ask("met_get_energy", json!({}))["left"], 5000);
        assert_eq!(ana.ask("met_get_usage", json!({}))["runs"], 1);
        assert_eq!(done(&ana, "listInvoices", &json!({}))["items"][0]["number"], "CA-0118");
    });
    statement("T102", || {
        for own in table.of(true) {
            told_of(&own.id, ["partners", "/mcp: allí son las tools met_partner_"]);
        }
    });
    statement("T103", || {
        let left_out = table.of(false).filter(|own| own.excluded.is_some());
        for own in left_out {
            let (reason, instead) = own.excluded.as_ref().unwrap();
            told_of(&own.id, [&reason.es, &instead.es]);
            assert!(!found(&ana, &own.es).contains(&own.id), "{} is not found", own.id);
        }
    });
}
