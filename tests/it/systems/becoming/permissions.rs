//! Eleven permissions, chosen one by one.

use std::collections::BTreeSet;

use scraper::{Html, Selector};
use serde_json::{Value, json};

use super::tools::{RESOURCES, all};
use super::{Becoming, Caller, SCOPES, allow, code, confirmed, connected, number, statement};
use crate::pages::Browser;
use crate::support::http::get;

/// Every permission with its statement and what it opens; resources by the first part of their URI.
const OPENS: [(&str, &str, &[&str]); 11] = [
    ("B085", "highlights:read", &["search_highlights", "get_highlight", "becoming://highlights"]),
    ("B086", "highlights:write", &["add_highlights"]),
    ("B087", "sources:read", &["list_sources", "get_source", "get_import", "becoming://sources"]),
    ("B088", "sources:write", &["add_source"]),
    ("B089", "notes:read", &["becoming://notes"]),
    ("B090", "themes:read", &["list_themes", "get_theme_timeline", "get_theme_generation"]),
    ("B091", "themes:write", &["start_theme_generation", "complete_theme"]),
    ("B092", "practices:read", &["list_theme_practices", "get_today_practices"]),
    ("B093", "practices:write", &["generate_theme_practices", "complete_practice", "skip_practice"]),
    ("B094", "reflections:read", &["get_practice_reflection"]),
    ("B095", "reflections:write", &["log_practice_reflection"]),
];

/// What a connection can do of everything there is; all else answers that the permission is missing.
fn works(caller: &Caller<'_>) -> BTreeSet<String> {
    let mut works = BTreeSet::new();
    for tool in all() {
        let arguments = if tool.writes { confirmed(tool.arguments) } else { tool.arguments };
        let reply = caller.call(tool.name, &arguments);
        match code(&reply) {
            Some(-32002) => {
                assert_eq!(reply.json()["error"]["data"]["code"], "missing_scope", "{}", tool.name);
            }
            // The import that nobody has begun.
            Some(-32003) if tool.name == "get_import" => drop(works.insert(tool.name.to_owned())),
            None => {
                assert_eq!(reply.json()["result"]["isError"], false, "{}: {reply:?}", tool.name);
                works.insert(tool.name.to_owned());
            }
            Some(_) => panic!("{}: {reply:?}", tool.name),
        }
    }
    for (uri, _) in RESOURCES {
        let reply = caller.read(uri);
        if code(&reply).is_none() {
            assert!(reply.json()["result"]["contents"].is_array(), "{uri}: {reply:?}");
            works.insert(uri.to_owned());
        } else {
            assert_eq!(number(&reply, uri), -32002, "{uri}");
        }
    }
    works
}

/// What is listed to a connection: tools, collections and the templates of their items.
fn listed(caller: &Caller<'_>) -> BTreeSet<String> {
    let list = |method: &str, list: &str, key: &str| {
        let reply = caller.rpc(method, &json!({})).json();
        super::column(&reply["result"], list, key)
    };
    let all = [
        list("tools/list", "tools", "name"),
        list("resources/list", "resources", "uri"),
        list("resources/templates/list", "resourceTemplates", "uriTemplate"),
    ];
    all.concat().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn b084_to_b095_a_permission_alone_opens_exactly_what_it_says() {
    let becoming = Becoming::start();
    for (id, scope, opens) in OPENS {
        let alone = connected(&becoming.app, &becoming.ana, &[scope]);
        let (works, listed) = (works(&alone), listed(&alone));
        let expected = |item: &dyn Fn(&str) -> String| -> BTreeSet<String> {
            let named = opens.iter().flat_map(|name| {
                let item = name.starts_with("becoming://").then(|| item(name));
                [Some((*name).to_owned()), item].into_iter().flatten()
            });
            named.chain(["get_academy_status".to_owned()]).collect()
        };
        let item_of = |name: &str| {
            let own = RESOURCES.iter().find(|(uri, _)| uri.starts_with(&format!("{name}/"))).unwrap();
            own.0.to_owned()
        };
        statement(id, || {
            assert_eq!(works, expected(&item_of), "{scope}");
            assert_eq!(listed, expected(&|name| format!("{name}/{{id}}")), "{scope}: what is listed works");
        });
        statement("B084", || assert!(works.contains("get_academy_status"), "{scope}"));
    }
}

#[test]
fn b082_b083_eleven_permissions_are_offered_on_the_page() {
    let becoming = Becoming::start();
    let app = &becoming.app;
    statement("B082", || {
        let resource = get(&format!("{}/.well-known/oauth-protected-resource/becoming/mcp", app.base));
        assert_eq!(resource.json()["scopes_supported"], json!(SCOPES), "{resource:?}");
        let server = get(&format!("{}/.well-known/oauth-authorization-server", app.issuer));
        assert_eq!(server.json()["scopes_supported"], json!(SCOPES), "{server:?}");
    });
    statement("B083", || {
        let mut browser = Browser::signed_in(app, &becoming.ana);
        browser.language = "es-ES";
        let client = app.register("agente");
        let page = browser.get(&app.authorize_url(&client, &[("scope", "")]));
        let html = Html::parse_document(page.text());
        let boxes = Selector::parse("input[type=checkbox][name=scope]").unwrap();
        let offered: Vec<_> = html.select(&boxes).map(|own| own.attr("value").unwrap()).collect();
        assert_eq!(offered, SCOPES);
        for title in ["Buscar y leer tus subrayados", "Leer tus notas", "Guardar reflexiones"] {
            assert!(page.text().contains(title), "{title}");
        }
        let connection = allow(&mut browser, &client, &["notes:read", "themes:read"]);
        assert_eq!(connection.scope, "notes:read themes:read", "what was ticked and no more");
    });
}

#[test]
fn b096_granting_less_is_fine() {
    let becoming = Becoming::start();
    let app = &becoming.app;
    let client = app.register("agente");
    let mut browser = Browser::signed_in(app, &becoming.ana);
    let connection = allow(&mut browser, &client, &["sources:read"]);
    let agent = Caller { app, token: connection.access };
    statement("B096", || {
        assert_eq!(connection.scope, "sources:read", "the answer says what was granted");
        agent.ask("list_sources", json!({}));
        for (tool, arguments, scope) in [
            ("search_highlights", json!({"query": "x"}), "highlights:read"),
            ("add_source", confirmed(json!({"url": "https://a.example/x"})), "sources:write"),
        ] {
            let reply = agent.call(tool, &arguments);
            assert_eq!(number(&reply, tool), -32002);
            let data = reply.json()["error"]["data"].clone();
            assert_eq!((&data["code"], &data["scope"]), (&json!("missing_scope"), &json!(scope)));
        }
        let reply = agent.read("becoming://notes");
        assert_eq!(number(&reply, "notes"), -32002);
        assert_eq!(reply.json()["error"]["data"]["code"], "missing_scope");
    });
}

#[test]
fn b097_permissions_to_write_apply_where_the_plan_includes_it() {
    let becoming = Becoming::start();
    let bruno = becoming.as_bruno();
    let denied = |tool: &str, arguments: Value| bruno.denied(tool, arguments);
    statement("B097", || {
        let page = json!({"source_id": 124, "highlights": [{"content": "Una frase."}]});
        bruno.write("add_highlights", page);
        bruno.write("add_source", json!({"url": "https://lecturas.example.com/pagina"}));
        for tool in all().into_iter().filter(|tool| tool.academy) {
            assert_eq!(denied(tool.name, tool.arguments.clone()), -32010, "{}", tool.name);
        }
        for (tool, arguments) in [
            ("list_themes", json!({})),
            ("get_today_practices", json!({})),
            ("get_practice_reflection", json!({"practice_id": 713})),
        ] {
            bruno.ask(tool, arguments);
        }
        let listed = bruno.rpc("tools/list", &json!({})).json()["result"]["tools"].clone();
        let locked = |tool: &&Value| !tool["_meta"]["io.portero/locked"].is_null();
        let locked: Vec<_> =
            listed.as_array().unwrap().iter().filter(locked).map(|tool| &tool["name"]).collect();
        assert_eq!(locked, super::tools::names(|tool| tool.academy), "they are shown as locked");
    });
}
