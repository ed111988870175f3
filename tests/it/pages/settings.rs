use std::time::Duration;

use super::Browser;
use crate::support::flow::form_with;
use crate::support::{Builder, on_both_databases};

on_both_databases! {
    a_token_is_made_shown_once_used_and_revoked_with_what_hangs_on_it,
    an_app_is_disconnected_and_the_reason_is_shown,
    another_persons_things_are_not_there,
    nothing_changes_without_the_pages_own_proof,
    settings_ask_who_you_are,
    the_trail_and_the_endpoint_stand_on_the_page_in_both_languages,
}

fn token_on(page: &str) -> String {
    let at = page.find("mico_pat_").expect("the token is shown");
    page[at..].chars().take("mico_pat_".len() + 49).collect()
}

fn a_token_is_made_shown_once_used_and_revoked_with_what_hangs_on_it(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let mut browser = Browser::signed_in(&app, &person);
    let form = form_with(&browser.get("/settings/tokens/new"), "name").set("name", "My laptop");
    assert!(
        form.fields.contains(&("expires".to_owned(), "never".to_owned())),
        "no expiry is preselected: {form:?}"
    );
    let created = browser.post("/settings/tokens/new", &form.pairs());
    assert_eq!(created.status, 200, "{created:?}");
    assert_eq!(created.header("cache-control"), Some("no-store"));
    let token = token_on(created.text());
    app.assert_alive(&token);
    app.advance(Duration::from_hours(10 * 365 * 24));
    // Sessions end long before that; the token does not.
    app.assert_alive(&token);

    let mut browser = Browser::signed_in(&app, &person);
    let list = browser.get("/settings/tokens");
    assert!(list.text().contains("My laptop") && !list.text().contains(&token));
    let own = app.connect_as(&app.register("Agent one"), &token);
    app.assert_alive(&own.access);
    let list = browser.get("/settings/tokens");
    assert!(list.text().contains("Agent one"), "what hangs on it");
    let id = app.cli(&["token", "list", "--user", &person.email], None)[0]["id"].as_str().unwrap().to_owned();
    let confirm = browser.get(&format!("/settings/tokens/revoke?id={id}"));
    assert!(confirm.text().contains("Agent one"), "said before");
    let form = form_with(&confirm, "id");
    let done = browser.post("/settings/tokens/revoke", &form.pairs());
    assert_eq!(done.status, 303, "{done:?}");
    app.assert_dead(&token);
    app.assert_dead(&own.access);
    assert_eq!(app.refresh(&own.client, &own.refresh).json()["error"], "invalid_grant");
    let after = browser.get(done.header("location").unwrap());
    assert!(after.text().contains("Agent one") && after.text().contains("role=\"status\""), "said after");
}

fn an_app_is_disconnected_and_the_reason_is_shown(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let (one, two) = (
        app.connect_as(&app.register("Agent one"), &pat.token),
        app.connect_as(&app.register("Agent two"), &pat.token),
    );
    let mut browser = Browser::signed_in(&app, &person);
    let apps = browser.get("/settings/apps");
    assert!(apps.text().contains("Agent one") && apps.text().contains("Agent two"));
    let grants = app.cli(&["grant", "list", "--user", &person.email], None);
    let grant =
        grants.as_array().unwrap().iter().find(|grant| grant["client"] == one.client.as_str()).unwrap();
    let grant = grant["id"].as_str().unwrap();
    let form = form_with(&browser.get(&format!("/settings/apps/disconnect?grant={grant}")), "grant");
    let done = browser.post("/settings/apps/disconnect", &form.pairs());
    assert_eq!(done.status, 303, "{done:?}");
    app.assert_dead(&one.access);
    app.assert_alive(&two.access);
    app.assert_alive(&pat.token);
    let apps = browser.get("/settings/apps");
    assert!(apps.text().contains("Agent one"), "among those that ended");
}

fn another_persons_things_are_not_there(builder: Builder) {
    let app = builder.start();
    let (ana, bruno) = (app.person("ana"), app.person("bruno"));
    let pat = app.pat(&ana, &[]);
    let own = app.connect(&pat.token);
    let grants = app.cli(&["grant", "list", "--user", &ana.email], None);
    let grant = grants[0]["id"].as_str().unwrap();
    let mut browser = Browser::signed_in(&app, &bruno);
    assert!(!browser.get("/settings/tokens").text().contains(&pat.id));
    for path in
        [format!("/settings/tokens/revoke?id={}", pat.id), format!("/settings/apps/disconnect?grant={grant}")]
    {
        assert_eq!(browser.get(&path).status, 404, "{path}");
    }
    let csrf = form_with(&browser.get("/settings/tokens/new"), "csrf");
    let csrf = csrf.fields.iter().find(|(name, _)| name == "csrf").unwrap().1.clone();
    assert_eq!(browser.post("/settings/tokens/revoke", &[("id", &pat.id), ("csrf", &csrf)]).status, 404);
    assert_eq!(browser.post("/settings/apps/disconnect", &[("grant", grant), ("csrf", &csrf)]).status, 404);
    app.assert_alive(&pat.token);
    app.assert_alive(&own.access);
}

fn nothing_changes_without_the_pages_own_proof(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let mut browser = Browser::signed_in(&app, &person);
    for csrf in ["", "forged"] {
        let revoke = browser.post("/settings/tokens/revoke", &[("id", &pat.id), ("csrf", csrf)]);
        assert_eq!(revoke.status, 403, "{revoke:?}");
        let create = browser.post(
            "/settings/tokens/new",
            &[("name", "x"), ("scope", "mico:read"), ("expires", "never"), ("csrf", csrf)],
        );
        assert_eq!(create.status, 403);
    }
    app.assert_alive(&pat.token);
    assert_eq!(app.cli(&["token", "list", "--user", &person.email], None).as_array().unwrap().len(), 1);
}

fn settings_ask_who_you_are(builder: Builder) {
    let app = builder.start();
    let mut browser = Browser::new(&app);
    for path in ["/settings/connect", "/settings/tokens", "/settings/tokens/new", "/settings/apps"] {
        let reply = browser.get(path);
        assert_eq!(reply.status, 303, "{path}");
        assert!(reply.header("location").unwrap().starts_with("/login"), "{path}");
    }
}

fn the_trail_and_the_endpoint_stand_on_the_page_in_both_languages(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let mut browser = Browser::signed_in(&app, &person);
    for (language, trail, lang) in [
        ("es", "Ajustes › Desarrolladores › MCP", "<html lang=\"es\""),
        ("en", "Settings › Developers › MCP", "<html lang=\"en\""),
    ] {
        browser.language = language;
        let page = browser.get("/settings/connect");
        assert!(page.text().contains(lang), "{language}");
        let html = scraper::Html::parse_document(page.text());
        let text: String = html.root_element().text().collect::<Vec<_>>().join(" ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(trail), "{text}");
        assert!(text.contains(&app.resource), "{text}");
    }
}
