//! Keys: what they begin with, what they open, and what a test key does not.

use serde_json::json;

use super::worker::table::Mark;
use super::{Caller, GENERIC, Meteor, key, names, reading, scopes, statement, table, told};
use crate::support::Reply;
use crate::support::http::{post_form, request};

#[test]
fn t009_t013_t022_t023_a_key_in_the_header() {
    let meteor = Meteor::start();
    let app = &meteor.app;
    let made = app.cli(&["introspection-key", "create", "--name", "api"], None);
    let introspect = |token: &str| {
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        let form = [("token", token), ("client_id", &text("id")), ("client_secret", &text("secret"))];
        let reply = post_form(&format!("{}/introspect", app.issuer), &[], &form);
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()
    };
    let (live, test) = (meteor.as_ana(), meteor.key(&meteor.ana, "test", &reading()));
    statement("T009", || {
        let facts = introspect(&live.token);
        assert_eq!(facts["active"], true);
        assert_eq!(facts["scope"].as_str().unwrap().split(' ').collect::<Vec<_>>(), scopes());
        for (name, value) in [("workspace", meteor.ana.workspace.as_str()), ("plan", "pro"), ("mode", "live")]
        {
            assert_eq!(facts[name], value, "{name} in {facts}");
        }
        assert_eq!(introspect(&test.token)["mode"], "test");
    });
    statement("T013", || {
        assert!(app.resource.ends_with("/api/v1/mcp"), "{}", app.resource);
        assert_eq!(live.rpc("ping", &json!({})).status, 200);
    });
    statement("T022", || {
        assert!(live.token.starts_with("met_live_"));
        assert_eq!(live.ask("met_get_workspace", json!({}))["mode"], "live");
    });
    statement("T023", || {
        assert!(test.token.starts_with("met_test_"));
        for tool in test.tools() {
            let name = tool["name"].as_str().unwrap();
            assert!(tool["annotations"]["readOnlyHint"] == true || name == GENERIC[2], "{name}");
        }
        assert_eq!(test.ask("met_get_workspace", json!({}))["mode"], "test");
        let refused = test.refused("met_create_contact", json!({"name": "X"}));
        assert_eq!(refused["code"], "missing_scope");
    });
}

#[test]
fn t024_t025_t112_t113_a_test_key_writes_and_has_no_effect_outside() {
    let meteor = Meteor::start();
    let (live, test) = (meteor.as_ana(), meteor.key(&meteor.ana, "test", &scopes()));
    let table = table();
    let outside: Vec<&str> =
        table.of(false).filter(|own| own.is(Mark::Outside)).filter_map(|own| own.tool.as_deref()).collect();
    statement("T112", || {
        assert!(outside.len() >= 7, "{outside:?}");
        let (all, seen) = (live.tools(), test.tools());
        let expected: Vec<_> = names(&all).into_iter().filter(|name| !outside.contains(name)).collect();
        assert_eq!(names(&seen), expected);
    });
    let unknown = test.call("met_no_such_tool", &json!({})).text().replace("met_no_such_tool", "X");
    let id = |text: &str| text.split("\"id\":").nth(1).unwrap().split(',').next().unwrap().to_owned();
    for tool in outside {
        let reply = test.call(tool, &json!({"confirm": true, "conversation_id": "con_1", "text": "Hola"}));
        statement("T024", || {
            let answer = reply.text().replace(tool, "X");
            assert_eq!(
                answer.replace(&id(&answer), ""),
                unknown.replace(&id(&unknown), ""),
                "as if there were none"
            );
        });
    }
    statement("T024", || {
        let page = live.ask("met_list_messages", json!({"conversation_id": "con_1"}));
        assert_eq!(page["pagination"]["total"], 3, "nothing was sent");
    });
    let few = meteor.key(
        &meteor.ana,
        "test",
        &["items:read", "items:write", "contacts:write", "contacts:read"].map(str::to_owned),
    );
    for (id, tool, arguments, read, from) in [
        ("T025", "met_create_contact", json!({"name": "Prueba"}), "met_get_contact", "contact_id"),
        (
            "T113",
            "met_create_item",
            json!({"collection_id": "col_1", "data": {"total": 1}}),
            "met_get_item",
            "item_id",
        ),
    ] {
        let made = few.ask(tool, arguments);
        statement(id, || {
            assert_eq!(live.ask(read, json!({from: made["id"]})), made, "a live key reads what was written");
        });
    }
}

#[test]
fn t032_t033_t034_t107_two_keys_and_two_lists() {
    let meteor = Meteor::start();
    let contacts = meteor.key(&meteor.ana, "live", &["contacts:read".to_owned()]);
    let flows = meteor.key(&meteor.ana, "live", &["flows:read".to_owned(), "flows:write".to_owned()]);
    let bruno = meteor.key(&meteor.bruno, "live", &["contacts:read".to_owned()]);
    // What the printed program sends: the SDK's handshake, then the list, then a call.
    let connect = |caller: &Caller<'_>| {
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "mi-agente", "version": "1.0.0"}});
        let reply = caller.rpc("initialize", &hello);
        assert_eq!(reply.json()["result"]["serverInfo"]["name"], "meteor-mcp", "{reply:?}");
    };
    statement("T032", || [&contacts, &flows].into_iter().for_each(connect));
    statement("T033", || {
        let (first, second) = (contacts.tools(), flows.tools());
        assert_eq!(
            names(&first)[..4],
            ["met_list_contacts", "met_search_contacts", "met_get_contact", "met_list_contact_conversations"]
        );
        assert_eq!(names(&second)[..2], ["met_list_flows", "met_get_flow"]);
    });
    statement("T034", || {
        assert_eq!(contacts.ask("met_get_contact", json!({"contact_id": "cto_1"}))["name"], "Lucía Mesa");
        assert_eq!(flows.refused("met_get_contact", json!({"contact_id": "cto_1"}))["code"], "missing_scope");
    });
    statement("T107", || {
        let names = |caller: &Caller<'_>| {
            let page = caller.ask("met_list_contacts", json!({}));
            page["items"].as_array().unwrap().iter().map(|own| own["name"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&contacts)[0], "Lucía Mesa");
        assert_eq!(names(&bruno)[0], "Iván Soto");
        assert_eq!(bruno.refused("met_create_contact", json!({"name": "X"}))["code"], "missing_scope");
    });
}

/// Calls without letting any time pass.
fn now(caller: &Caller<'_>) -> Reply {
    caller.call("met_list_tags", &json!({}))
}

#[test]
fn t052_t092_each_key_has_the_rate_of_its_plan() {
    let meteor = Meteor::start();
    let tags = ["tags:read".to_owned()];
    let (first, second) =
        (meteor.key(&meteor.bruno, "live", &tags), meteor.key(&meteor.bruno, "live", &tags));
    let spend = |caller: &Caller<'_>, calls: usize| {
        for number in 0..calls {
            let (failed, body) = told(&now(caller));
            assert!(!failed, "call {number}: {body}");
        }
        let (failed, body) = told(&now(caller));
        assert!(failed && body["code"] == "rate_limited" && body["status"] == 429, "{body}");
    };
    statement("T052", || {
        spend(&first, 60);
        let generic = told(&first.operation("listTags", &json!({}))).1;
        assert_eq!(generic["code"], "rate_limited", "whichever way it is called");
    });
    statement("T092", || spend(&second, 60));
    statement("T052", || {
        meteor.app.advance(std::time::Duration::from_secs(1));
        assert!(!told(&now(&first)).0, "one a second");
        spend(&meteor.key(&meteor.ana, "live", &tags), 600);
    });
}

/// The API asks the gateway about a key, so that both decide alike.
#[test]
fn t009_the_same_key_is_good_for_the_api() {
    let meteor = Meteor::start();
    let app = &meteor.app;
    let made = key(app, &meteor.ana, "live", &scopes());
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let url = format!("{}/verify", app.resource);
    statement("T009", || {
        let reply = request("GET", &url, &[("authorization", &bearer)], None);
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(reply.header("x-portero-workspace"), Some(meteor.ana.workspace.as_str()));
        assert_eq!(reply.header("x-portero-mode"), Some("live"));
    });
}
