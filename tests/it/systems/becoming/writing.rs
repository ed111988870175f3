//! What writes: the confirmation, the intent, and what a plan includes.

use serde_json::{Value, json};

use super::tools::all;
use super::{Becoming, Caller, SCOPES, builder, connected, number, statement};

/// What is no confirmation, or no intent.
fn lacking(arguments: &Value) -> Vec<(&'static str, Value)> {
    let with = |confirm: Value, intent: Value| {
        let mut own = arguments.clone();
        for (name, value) in [("confirm", confirm), ("user_intent", intent)] {
            if !value.is_null() {
                own[name] = value;
            }
        }
        own
    };
    let intent = || json!("Lo pidió la persona.");
    vec![
        ("neither", with(Value::Null, Value::Null)),
        ("no confirm", with(Value::Null, intent())),
        ("no user_intent", with(json!(true), Value::Null)),
        ("confirm: false", with(json!(false), intent())),
        ("confirm: \"true\"", with(json!("true"), intent())),
        ("confirm: 1", with(json!(1), intent())),
        ("an empty intent", with(json!(true), json!(""))),
        ("a blank intent", with(json!(true), json!("  "))),
        ("an intent that is no text", with(json!(true), json!(true))),
        ("a long intent", with(json!(true), json!("x".repeat(2000)))),
    ]
}

/// Before a worker that writes down what it is asked.
#[test]
fn b047_b049_b050_unconfirmed_is_refused_and_nothing_is_written() {
    let app = builder().start();
    let ana = app.person_on("ana", Some("academia"));
    let ana = connected(&app, &ana, &SCOPES);
    let asked = |tool: &str| app.worker.seen().iter().filter(|seen| seen.path.ends_with(tool)).count();
    for tool in all().into_iter().filter(|tool| tool.writes) {
        for (what, arguments) in lacking(&tool.arguments) {
            let reply = ana.call(tool.name, &arguments);
            statement("B049", || {
                assert_eq!(number(&reply, what), -32011, "{} {what}", tool.name);
                assert_eq!(reply.json()["error"]["data"]["code"], "confirmation_required", "{what}");
                let hint = reply.json()["error"]["data"]["hint"].as_str().unwrap().to_owned();
                assert!(hint.contains("confirm") && hint.contains("user_intent"), "{hint}");
            });
        }
        statement("B050", || assert_eq!(asked(tool.name), 0, "{} never came that far", tool.name));
        statement("B047", || {
            assert_eq!(ana.call(tool.name, &super::confirmed(tool.arguments.clone())).status, 200);
            let seen = app.worker.last();
            assert_eq!(seen.path, format!("/tools/{}", tool.name));
            assert_eq!(seen.header("x-portero-confirmed"), Some("true"), "the worker is told");
            assert!(seen.header("x-portero-user-intent").is_some_and(|text| text.starts_with("Lo%20que")));
            assert_eq!(seen.body, tool.arguments.to_string(), "and gets what the tool takes alone");
        });
    }
}

#[test]
fn b048_each_needs_its_own_permission() {
    let becoming = Becoming::start();
    for tool in all().into_iter().filter(|tool| tool.writes) {
        let scope = tool.scope.unwrap();
        let others: Vec<_> = SCOPES.into_iter().filter(|own| *own != scope).collect();
        let without = connected(&becoming.app, &becoming.ana, &others);
        let with = connected(&becoming.app, &becoming.ana, &[scope]);
        statement("B048", || {
            assert_eq!(without.denied(tool.name, tool.arguments.clone()), -32002, "{}", tool.name);
            with.write(tool.name, tool.arguments.clone());
        });
    }
}

#[test]
fn b051_b052_two_write_in_any_plan_and_six_in_la_academia_alone() {
    let becoming = Becoming::start();
    let app = &becoming.app;
    let carla = connected(app, &app.person_on("carla", None), &SCOPES);
    let bruno = becoming.as_bruno();
    let book = json!({"type": "Book", "title": "Libro nuevo", "author": "Colectivo Sendero"});
    let pages = json!({"source": book, "highlights": [{"content": "Una frase."}]});
    let refused = |caller: &Caller<'_>, tool: &str, arguments: &Value| {
        let reply = caller.call(tool, &super::confirmed(arguments.clone()));
        (number(&reply, tool), reply.json()["error"]["data"].clone())
    };
    for (caller, code) in [(&bruno, "feature_not_included"), (&carla, "no_plan")] {
        statement("B051", || {
            caller.write("add_highlights", pages.clone());
            caller.write("add_source", json!({"book": {"title": "Otro", "author": "Cuadernos del Faro"}}));
            caller.write("add_source", json!({"url": "https://lecturas.example.com/pagina"}));
        });
        statement("B052", || {
            let locked: Vec<_> = all().into_iter().filter(|tool| tool.academy).collect();
            assert_eq!(locked.len(), 6);
            for tool in locked {
                let (number, data) = refused(caller, tool.name, &tool.arguments);
                assert_eq!((number, data["code"].as_str()), (-32010, Some(code)), "{}", tool.name);
                assert_eq!(data["feature"], "academia");
                assert_eq!(data["upgrade_url"], "https://becoming.example/academia");
            }
        });
    }
    statement("B052", || {
        app.cli(&["workspace", "set-plan", &becoming.bruno.workspace, "academia"], None);
        crate::support::eventually("the new plan", || {
            let status = bruno.ask("get_academy_status", json!({}));
            (status["academy_access"] == true).then_some(())
        });
        bruno.write("complete_practice", json!({"practice_id": 714}));
    });
}
