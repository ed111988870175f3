//! Credits.

use serde_json::{Value, json};

use super::tools::all;
use super::{Becoming, Caller, SCOPES, builder, connected, ids, statement};
use crate::support::TestApp;
use crate::support::callers::Person;

/// Spends credits as the company's own program does.
pub fn spend(app: &TestApp, person: &Person, credits: u64) {
    let id = format!("app-{}-{credits}", person.id);
    let workspace = portero::domain::ids::WorkspaceId::from(person.workspace.clone());
    let spent = app.app.identity.spend_credits(&id, &workspace, credits, Some("app"));
    assert!(actix_web::rt::System::new().block_on(spent).unwrap());
}

/// What a person has left.
fn balance(app: &TestApp, person: &Person) -> i64 {
    let shown = app.cli(&["workspace", "show", &person.workspace], None);
    shown["credits"]["balance"].as_i64().unwrap_or_else(|| panic!("no balance: {shown}"))
}

/// What a call is charged.
fn charged(becoming: &Becoming, person: &Person, call: impl FnOnce() -> Value) -> i64 {
    let before = balance(&becoming.app, person);
    call();
    before - balance(&becoming.app, person)
}

#[test]
fn b066_the_allowance_is_the_one_of_the_apps() {
    let app = builder().start();
    let bruno = app.person_on("bruno", Some("libre"));
    let agent = connected(&app, &bruno, &SCOPES);
    let left = |page: &str| {
        agent.call("add_source", &super::confirmed(json!({"url": format!("https://a.example/{page}")})));
        app.worker.last().header("x-portero-credits").map(str::to_owned)
    };
    statement("B066", || {
        assert_eq!(balance(&app, &bruno), 40);
        assert_eq!(left("a").as_deref(), Some("40"));
        spend(&app, &bruno, 5);
        assert_eq!(left("b").as_deref(), Some("34"), "5 less, and 1 for the page");
        assert_eq!(balance(&app, &bruno), 33);
    });
}

#[test]
fn b067_b068_b069_what_a_source_costs() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    let add = |arguments: Value| charged(&becoming, &becoming.ana, || ana.write("add_source", arguments));
    statement("B067", || assert_eq!(add(json!({"url": "https://lecturas.example.com/x"})), 1));
    statement("B068", || {
        for (video, credits) in [("orilla-101", 1), ("orilla-100", 4), ("alba-050", 7), ("nada", 0)] {
            let url = format!("https://www.youtube.com/watch?v={video}");
            assert_eq!(add(json!({"url": url})), credits, "{video}");
        }
    });
    statement("B069", || {
        assert_eq!(add(json!({"book": {"title": "Otra orilla", "author": "Cuadernos del Faro"}})), 0);
    });
}

#[test]
fn b070_b071_what_an_area_of_interest_costs() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    let cost = |tool: &'static str, arguments: Value| {
        charged(&becoming, &becoming.ana, || ana.write(tool, arguments))
    };
    statement("B070", || {
        assert_eq!(cost("start_theme_generation", json!({})), 66);
        assert_eq!(cost("start_theme_generation", json!({"seed_highlight_id": 1001})), 10);
        assert_eq!(cost("start_theme_generation", json!({"intent": "dormir mejor"})), 10);
        let refused = charged(&becoming, &becoming.ana, || {
            ana.denied("start_theme_generation", json!({"seed_highlight_id": 9})).into()
        });
        assert_eq!(refused, 0, "what failed is not charged");
        // 400 − 66 − 10 − 10 = 314; with 40 left there is enough for a guided one alone.
        spend(&becoming.app, &becoming.ana, 274);
        let whole = charged(&becoming, &becoming.ana, || {
            let reply = ana.call("start_theme_generation", &super::confirmed(json!({})));
            let (failed, body) = super::told(&reply);
            assert!(failed && body["error"].as_str().unwrap().contains("66"), "{body}");
            body
        });
        assert_eq!(whole, 0);
        assert_eq!(cost("start_theme_generation", json!({"intent": "leer"})), 10);
        spend(&becoming.app, &becoming.ana, 21);
        assert_eq!(ana.denied("start_theme_generation", json!({"intent": "leer"})), -32002, "9 are left");
    });
    statement("B071", || {
        let arguments = json!({"theme_id": 305, "context": "both", "mix": "act"});
        assert_eq!(cost("generate_theme_practices", arguments), 0, "and 9 do not matter");
    });
}

#[test]
fn b072_everything_else_is_free() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    let whole = balance(&becoming.app, &becoming.ana);
    statement("B072", || {
        for tool in all() {
            let costs = ["add_source", "start_theme_generation"].contains(&tool.name);
            if !costs {
                let arguments = if tool.writes { super::confirmed(tool.arguments) } else { tool.arguments };
                assert_eq!(ana.call(tool.name, &arguments).status, 200, "{}", tool.name);
            }
        }
        for (uri, _) in super::tools::RESOURCES {
            assert_eq!(ana.read(uri).status, 200, "{uri}");
        }
        assert_eq!(balance(&becoming.app, &becoming.ana), whole);
    });
}

#[test]
fn b073_without_credits_a_source_is_kept_all_the_same() {
    let becoming = Becoming::start();
    let bruno = becoming.as_bruno();
    spend(&becoming.app, &becoming.bruno, 40);
    let titles = |caller: &Caller<'_>| ids(&caller.ask("list_sources", json!({})), "sources").len();
    statement("B073", || {
        assert_eq!(balance(&becoming.app, &becoming.bruno), 0);
        let before = titles(&bruno);
        for url in ["https://lecturas.example.com/x", "https://youtu.be/orilla-100"] {
            let added = bruno.write("add_source", json!({"url": url}));
            becoming.pass(120);
            let import = bruno.ask("get_import", json!({"id": added["import_id"]}));
            assert_eq!(
                (&import["status"], &import["failure_reason"]),
                (&json!("failed"), &json!("out_of_credits"))
            );
            assert_eq!(import["counts"], json!({"sources": 1, "highlights": 0}), "{url}");
            let source = bruno.ask("get_source", json!({"id": import["source_id"]}));
            assert_eq!(source["source"]["url"], url, "it is kept");
        }
        assert_eq!((titles(&bruno), balance(&becoming.app, &becoming.bruno)), (before + 2, 0));
        becoming.pass(86_400);
        let listed = bruno.ask("list_sources", json!({"type": "Article"}));
        assert_eq!(listed["sources"][0]["highlights_count"], 1, "the highlights only had to wait");
    });
}
