//! What people see.

use scraper::{Html, Selector};
use serde_json::json;

use super::{Caller, Mico, NAMES, statement};
use crate::support::callers::{PASSWORD, Person};
use crate::support::flow::form_with;
use crate::support::http::{get, post_form, request};
use crate::support::{Reply, TestApp};

/// A browser in Spain.
const BROWSER: [(&str, &str); 2] =
    [("accept", "text/html,application/xhtml+xml"), ("accept-language", "es-ES,es;q=0.9")];

/// The text of the elements that a selector finds, each with its spaces made single.
fn texts(page: &Reply, selector: &str) -> Vec<String> {
    let html = Html::parse_document(page.text());
    let selector = Selector::parse(selector).unwrap();
    let plain = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    html.select(&selector).map(|element| plain(element.text().collect())).collect()
}

/// Signs in with a password and gives the session's cookies.
fn sign_in(app: &TestApp, person: &Person) -> String {
    let page = get(&format!("{}/login", app.base));
    let form = form_with(&page, "password").set("email", &person.email).set("password", PASSWORD);
    let headers = [("cookie", &*page.cookies()), ("origin", &*app.base)];
    let reply = post_form(&app.absolute(&form.action), &headers, &form.pairs());
    assert_eq!(reply.status, 303, "{reply:?}");
    reply.cookies()
}

fn open(app: &TestApp, path: &str, cookies: &str) -> Reply {
    let headers = [BROWSER[0], BROWSER[1], ("cookie", cookies)];
    let page = request("GET", &format!("{}{path}", app.base), &headers, None);
    assert_eq!(page.status, 200, "{page:?}");
    page
}

#[test]
fn m009_the_settings_show_the_exact_url() {
    let mico = Mico::start();
    let app = &mico.app;
    statement("M009", || {
        let page = open(app, "/settings/connect", &sign_in(app, &mico.ana));
        assert_eq!(texts(&page, "html[lang=es] nav.trail"), ["Ajustes › Desarrolladores › MCP"]);
        let endpoints = texts(&page, ".endpoint code");
        assert_eq!(endpoints, [app.resource.as_str()]);
    });
}

#[test]
fn m026_m027_the_settings_make_a_token_that_does_not_expire() {
    let mico = Mico::start();
    let app = &mico.app;
    let cookies = sign_in(app, &mico.ana);
    let page = open(app, "/settings/tokens/new", &cookies);
    statement("M026", || assert_eq!(texts(&page, "nav.trail"), ["Ajustes › Desarrolladores › MCP"]));
    let form = form_with(&page, "name").set("name", "portátil");
    statement("M027", || {
        let expires: Vec<_> = form.fields.iter().filter(|(name, _)| name == "expires").collect();
        assert_eq!(expires, [&("expires".to_owned(), "never".to_owned())], "what is chosen unless changed");
    });
    let headers = [BROWSER[0], BROWSER[1], ("cookie", cookies.as_str()), ("origin", app.base.as_str())];
    let made = post_form(&app.absolute(&form.action), &headers, &form.pairs());
    let token = texts(&made, "[data-secret]").pop().unwrap_or_else(|| panic!("no token on {}", made.text()));
    statement("M026", || {
        assert!(token.starts_with("mico_pat_"));
        let ana = Caller { app, token: token.clone() };
        let listed = ana.rpc("tools/list", &json!({})).json();
        assert_eq!(super::column(&listed["result"], "tools", "name"), NAMES);
        ana.ask("get_meeting", json!({"meeting_id": "mtg_a01"}));
        let again = open(app, "/settings/tokens", &cookies);
        assert!(again.text().contains("portátil") && !again.text().contains(&token), "shown once");
    });
    statement("M027", || {
        app.advance(std::time::Duration::from_hours(24 * 3653));
        app.assert_alive(&token);
    });
}
