//! The tools that anybody may use, and the form of results.

use serde_json::{Value, json};

use super::{PUBLIC, Site, assert_newest_first, column, keys, samples, statement};

const DRAFT: &str = "borrador-ia-y-seguros";

#[test]
fn v027_v028_v029_a_public_tool_is_called_by_nobody_in_particular() {
    let site = Site::recording();
    let reply = site.post("", samples::LIST_ARTICLES);
    statement("V027", || {
        assert_eq!(reply.status, 200, "{reply:?}");
        for tool in PUBLIC {
            let arguments = json!({"slug": "que-es-un-etf", "query": "etf"});
            let own = match tool {
                "get_article" => json!({"slug": arguments["slug"]}),
                "search_articles" => json!({"query": arguments["query"]}),
                _ => json!({}),
            };
            assert_eq!(site.result("", tool, &own)["isError"], false, "{tool}");
        }
    });
    let calls = site.app.worker.seen();
    statement("V028", || {
        assert_eq!(calls.len(), 4);
        for seen in &calls {
            assert_eq!(seen.header("x-portero-token-kind"), Some("anonymous"));
            for absent in ["user", "workspace", "subject", "plan", "grant", "client"] {
                assert_eq!(seen.header(&format!("x-portero-{absent}")), None, "{absent}");
            }
        }
        let forged = [("x-portero-subject", "ana"), ("x-portero-user", "ana"), ("x_portero_subject", "ana")];
        site.app.rpc_with("", &forged, samples::LIST_ARTICLES);
        let seen = site.app.worker.last();
        assert!(!seen.headers.iter().any(|(_, value)| value == "ana"), "{seen:?}");
    });
    statement("V029", || {
        let seen = &calls[0];
        assert_eq!(seen.path, "/tools/list_articles");
        assert_eq!(
            serde_json::from_str::<Value>(&seen.body).unwrap(),
            json!({"category": "Cripto", "limit": 5})
        );
    });
}

#[test]
fn v030_v033_v034_v035_the_form_of_a_result() {
    let site = Site::start();
    let token = site.token("ana");
    let result = site.post("", samples::LIST_ARTICLES).json()["result"].clone();
    statement("V033", || {
        assert_eq!(keys(&result), ["content", "structuredContent", "isError"]);
        assert_eq!(keys(&result["content"][0]), ["type", "text"]);
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert!(text.is_array(), "{text}");
        assert_eq!(keys(&text[0])[..2], ["slug", "headline"]);
    });
    statement("V030", || {
        let articles = &result["structuredContent"]["articles"];
        assert_eq!(column(articles, "category"), ["Cripto"; 5]);
    });
    statement("V034", || {
        for (tool, arguments, key) in [
            ("list_articles", json!({}), Some("articles")),
            ("search_articles", json!({"query": "etf"}), Some("articles")),
            ("get_article", json!({"slug": "que-es-un-etf"}), None),
            ("my_ai_usage", json!({}), None),
            ("my_recent_messages", json!({}), Some("messages")),
        ] {
            let result = site.result(&token, tool, &arguments);
            let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
            let structured = match key {
                Some(key) => json!({ key: text }),
                None => text,
            };
            assert_eq!(result["structuredContent"], structured, "{tool}");
            statement("V035", || assert_eq!(result.get("isError"), Some(&json!(false)), "{tool}"));
        }
    });
}

#[test]
fn v037_v065_list_articles() {
    let site = Site::start();
    let list = |arguments: Value| site.ask("", "list_articles", arguments);
    let schema = site.tools("")[0]["inputSchema"].clone();
    statement("V037", || {
        let categories = &schema["properties"]["category"]["enum"];
        assert_eq!(categories, &json!(["Cripto", "IA", "Economía", "Mercados", "Ahorro"]));
        let limit = &schema["properties"]["limit"];
        assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(1), &json!(50)));
        assert!(schema.get("required").is_none());
        let every = list(json!({"limit": 50}));
        assert_eq!(every.as_array().unwrap().len(), 31);
        assert_newest_first(&column(&every, "published_at"));
        assert!(!column(&every, "slug").contains(&DRAFT), "what is not published");
        for category in categories.as_array().unwrap() {
            let found = list(json!({"category": category, "limit": 50}));
            assert!(column(&found, "category").iter().all(|own| own == category), "{found}");
        }
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_articles"}}"#;
        assert_eq!(site.post("", call).json()["result"]["isError"], false, "without any arguments");
        for (arguments, name) in [
            (json!({"limit": 0}), "limit"),
            (json!({"limit": 51}), "limit"),
            (json!({"limit": 2.5}), "limit"),
            (json!({"category": "Coches"}), "category"),
            (json!({"categoria": "IA"}), "categoria"),
        ] {
            let said = site.refused("", "list_articles", arguments.clone());
            assert!(said.contains(name), "{arguments}: {said}");
        }
    });
    statement("V065", || {
        let found = list(json!({"category": "IA", "limit": 10}));
        assert_eq!(column(&found, "category"), ["IA"; 10]);
    });
}

#[test]
fn v038_get_article() {
    let site = Site::start();
    statement("V038", || {
        let article = site.ask("", "get_article", json!({"slug": "que-es-un-etf"}));
        let body = article["body_markdown"].as_str().unwrap();
        assert!(body.starts_with("# Qué es un ETF y qué hay dentro\n\n"), "{body}");
        assert!(body.ends_with("pueden contener cosas distintas."), "to its end: {body}");
        for slug in ["nada", DRAFT, "../que-es-un-etf"] {
            let said = site.refused("", "get_article", json!({"slug": slug}));
            assert_eq!(said, format!("No hay ningún artículo publicado con el slug «{slug}»."));
        }
        assert!(site.refused("", "get_article", json!({})).contains("slug"));
    });
}

#[test]
fn v039_search_articles() {
    let site = Site::start();
    let found = |query: &str| {
        let found = site.ask("", "search_articles", json!({"query": query, "limit": 30}));
        column(&found, "slug").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    statement("V039", || {
        assert_eq!(found("diversificar"), ["diversificar-no-es-coleccionar"], "a headline");
        assert_eq!(found("cesto que COTIZA"), ["que-es-un-etf"], "a standfirst");
        assert_eq!(found("inflacion"), ["inflacion-de-tu-casa"], "without the accent");
        assert!(found("frase de recuperación").is_empty(), "what only a body says");
        assert!(found("ia").len() > 1);
        let most = site.ask("", "search_articles", json!({"query": "ia", "limit": 1}));
        assert_eq!(most.as_array().unwrap().len(), 1);
        for arguments in [
            json!({"query": "a"}),
            json!({"query": ""}),
            json!({"query": "el", "limit": 31}),
            json!({"query": "el", "limit": 0}),
            json!({"limit": 5}),
        ] {
            let said = site.refused("", "search_articles", arguments.clone());
            assert!(!said.is_empty(), "{arguments}");
        }
    });
}
