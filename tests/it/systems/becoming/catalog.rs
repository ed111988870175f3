//! Twenty tools, and what each asks for.

use serde_json::{Value, json};

use super::tools::{all, names};
use super::{Becoming, Caller, column, keys, statement};

fn listed(caller: &Caller<'_>) -> Value {
    let reply = caller.rpc("tools/list", &json!({}));
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()["result"].clone()
}

#[test]
fn b001_b002_b003_b004_twenty_tools_and_several_resources() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    let result = listed(&ana);
    let tools = result["tools"].as_array().unwrap();
    statement("B001", || {
        assert_eq!(tools.len(), 20);
        assert_eq!(column(&result, "tools", "name"), names(|_| true));
    });
    let hinted = |read: bool| -> Vec<Value> {
        let own = tools.iter().filter(|tool| tool["annotations"]["readOnlyHint"] == read);
        own.map(|tool| tool["name"].clone()).collect()
    };
    statement("B002", || {
        assert_eq!(hinted(true).len(), 12);
        assert_eq!(hinted(true), names(|tool| !tool.writes));
    });
    statement("B003", || {
        assert_eq!(hinted(false).len(), 8);
        assert_eq!(hinted(false), names(|tool| tool.writes));
    });
    statement("B004", || {
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}});
        let started = ana.rpc("initialize", &params).json()["result"].clone();
        let capabilities = started["capabilities"].as_object().unwrap();
        let mut own: Vec<_> = capabilities.keys().map(String::as_str).collect();
        own.sort_unstable();
        assert_eq!(own, ["resources", "tools"], "{started}");
        let resources = ana.rpc("resources/list", &json!({})).json();
        assert!(resources["result"]["resources"].as_array().unwrap().len() > 1, "{resources}");
    });
}

#[test]
fn b047_b053_what_writes_says_that_a_person_confirms() {
    let becoming = Becoming::start();
    let result = listed(&becoming.as_ana());
    for (tool, own) in result["tools"].as_array().unwrap().iter().zip(all()) {
        let schema = &tool["inputSchema"];
        let asks = |name: &str| {
            let required = schema["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
            (!schema["properties"][name].is_null(), required)
        };
        statement("B053", || {
            for name in ["confirm", "user_intent"] {
                assert_eq!(asks(name), (own.writes, own.writes), "{} {name}", own.name);
            }
            for name in keys(&own.arguments) {
                assert!(asks(name).0, "{} takes {name} beside them", own.name);
            }
        });
        statement("B047", || {
            let description = tool["description"].as_str().unwrap();
            let catalog: Value = serde_json::from_str(super::TOOLS).unwrap();
            let before =
                catalog.as_array().unwrap().iter().find(|before| before["name"] == own.name).unwrap();
            let before = before["description"].as_str().unwrap();
            assert_eq!(description != before, own.writes, "{}: {description}", own.name);
            assert!(description.starts_with(before), "{}", own.name);
        });
    }
}

/// Half of the table; `permissions` has the other: every permission alone.
#[test]
fn b005_b006_a_tool_needs_its_permission_and_what_writes_a_confirmation_each_time() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    let stranger = super::connected(&becoming.app, &becoming.ana, &["notes:read"]);
    for tool in all().into_iter().filter(|tool| tool.scope.is_some()) {
        let arguments = || tool.arguments.clone();
        if tool.writes {
            statement("B006", || {
                assert!(tool.scope.unwrap().ends_with(":write"), "{}", tool.name);
                assert_eq!(stranger.denied(tool.name, arguments()), -32002, "{}", tool.name);
                assert_eq!(ana.refused(tool.name, arguments()), -32011, "{} unconfirmed", tool.name);
                ana.write(tool.name, arguments());
                assert_eq!(ana.refused(tool.name, arguments()), -32011, "{}: each time", tool.name);
            });
        } else {
            statement("B005", || {
                assert!(tool.scope.unwrap().ends_with(":read"), "{}", tool.name);
                assert_eq!(stranger.refused(tool.name, arguments()), -32002, "{}", tool.name);
                let reply = ana.call(tool.name, &arguments());
                let absent = tool.name == "get_import";
                assert_eq!(super::code(&reply), absent.then_some(-32003), "{}: {reply:?}", tool.name);
            });
        }
    }
}
