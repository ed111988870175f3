//! The tools, and what is said of them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{DOMAINS, GENERIC, Meteor, TOOLS, names, reading, scopes, statement, table};

#[test]
fn t042_t043_t060_t069_the_catalog_of_a_live_key() {
    let meteor = Meteor::start();
    let tools = meteor.as_ana().tools();
    let table = table();
    statement("T042", || assert_eq!(tools.len(), 115));
    statement("T043", || {
        let domains: Vec<_> = table.domains.iter().filter(|own| !own.partner).map(|own| own.id).collect();
        assert_eq!(domains, DOMAINS);
        let listed = names(&tools);
        for domain in DOMAINS {
            let own = table.of(false).filter(|own| own.domain == domain);
            let own: Vec<_> = own.filter_map(|own| own.tool.as_deref()).collect();
            assert!(!own.is_empty(), "{domain}");
            for tool in own {
                assert!(listed.contains(&tool), "{tool}");
            }
        }
    });
    statement("T069", || {
        for tool in &tools {
            for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                assert!(tool["annotations"][hint].is_boolean(), "{} {hint}", tool["name"]);
            }
        }
        let hint = |name: &str, hint: &str| {
            tools.iter().find(|tool| tool["name"] == name).unwrap()["annotations"][hint] == true
        };
        assert!(hint("met_list_contacts", "readOnlyHint") && !hint("met_create_contact", "readOnlyHint"));
        assert!(
            hint("met_delete_flow", "destructiveHint") && hint("met_replace_flow_draft", "destructiveHint")
        );
        assert!(!hint("met_create_flow", "destructiveHint"));
        assert!(
            hint("met_close_conversation", "idempotentHint") && !hint("met_create_item", "idempotentHint")
        );
        for tool in ["met_send_message", "met_send_template", "met_create_broadcast", "met_run_integration"] {
            assert!(hint(tool, "openWorldHint"), "{tool}");
        }
        assert!(!hint("met_create_item", "openWorldHint"));
    });
}

#[test]
fn t044_a_key_sees_what_its_permissions_open_and_nothing_else() {
    let meteor = Meteor::start();
    let table = table();
    let all = scopes();
    let opened = |scopes: &[String]| -> Vec<String> {
        let own = table.of(false).filter(|own| scopes.contains(&own.scope()));
        own.filter_map(|own| own.tool.clone()).collect()
    };
    statement("T044", || {
        let mut seen = BTreeSet::new();
        for scope in &all {
            let alone = meteor.key(&meteor.ana, "live", std::slice::from_ref(scope)).tools();
            let alone: Vec<_> =
                names(&alone).into_iter().filter(|name| !GENERIC.contains(name)).map(str::to_owned).collect();
            assert_eq!(alone, opened(std::slice::from_ref(scope)), "{scope}");
            seen.extend(alone);
        }
        assert_eq!(seen.len(), 112, "every tool is opened by one of them");
        let reading = meteor.key(&meteor.ana, "live", &reading()).tools();
        assert!(reading.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true
            || GENERIC.contains(&tool["name"].as_str().unwrap())));
    });
}

#[test]
fn t042_t060_t062_curated_tools_come_first_and_say_when_to_use_them() {
    let meteor = Meteor::start();
    let tools = meteor.as_ana().tools();
    let catalog: Vec<Value> = serde_json::from_str(TOOLS).unwrap();
    statement("T060", || {
        let listed = names(&tools);
        assert_eq!(listed[..112], names(&catalog), "curated tools first, in the catalog's order");
        assert_eq!(listed[112..], GENERIC, "generic ones last");
    });
    statement("T062", || {
        let known = names(&catalog);
        for tool in &catalog {
            let (name, text) = (tool["name"].as_str().unwrap(), tool["description"].as_str().unwrap());
            assert!(text.contains("Úsala "), "{name} says when: {text}");
            let pair = text.split("Va en pareja con ").nth(1).and_then(|rest| rest.split('.').next());
            assert!(pair.is_some_and(|pair| known.contains(&pair) && pair != name), "{name}: {text}");
            let (free, spends) = (text.contains("No gasta Energía."), text.contains("de Energía."));
            assert!(free != spends, "{name} says whether it spends Energía: {text}");
        }
        let meta: Vec<_> = catalog
            .iter()
            .filter(|tool| tool["description"].as_str().unwrap().contains("Tiene costo con Meta."))
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(meta, ["met_send_template", "met_provision_channel", "met_create_broadcast"]);
    });
}
