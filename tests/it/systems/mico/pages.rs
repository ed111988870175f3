//! What people see.

use std::collections::BTreeMap;

use scraper::{Html, Selector};
use serde_json::json;

use super::{Caller, Mico, NAMES, statement};
use crate::support::callers::{PASSWORD, Person};
use crate::support::flow::{Form, form_with};
use crate::support::http::request;
use crate::support::{Reply, TestApp};

/// The text of the elements that a selector finds, each with its spaces made single.
fn texts(page: &Reply, selector: &str) -> Vec<String> {
    let html = Html::parse_document(page.text());
    let selector = Selector::parse(selector).unwrap();
    let plain = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    html.select(&selector).map(|element| plain(element.text().collect())).collect()
}

/// A browser in Spain, which keeps its cookies.
struct Browser<'a> {
    app: &'a TestApp,
    cookies: BTreeMap<String, String>,
}

impl<'a> Browser<'a> {
    /// One in which somebody has signed in with their password.
    fn of(app: &'a TestApp, person: &Person) -> Self {
        let mut browser = Self { app, cookies: BTreeMap::new() };
        let form = form_with(&browser.open("/login"), "password");
        let reply = browser.send(&form.set("email", &person.email).set("password", PASSWORD));
        assert_eq!(reply.status, 303, "{reply:?}");
        browser
    }

    fn open(&mut self, path: &str) -> Reply {
        let page = self.request("GET", path, None);
        assert_eq!(page.status, 200, "{page:?}");
        page
    }

    fn send(&mut self, form: &Form) -> Reply {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(form.pairs()).finish();
        self.request("POST", &form.action, Some(&body))
    }

    fn request(&mut self, method: &str, path: &str, body: Option<&str>) -> Reply {
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookies = cookies.join("; ");
        let mut headers = vec![
            ("accept", "text/html,application/xhtml+xml"),
            ("accept-language", "es-ES,es;q=0.9"),
            ("cookie", &cookies),
        ];
        if body.is_some() {
            headers
                .extend([("content-type", "application/x-www-form-urlencoded"), ("origin", &self.app.base)]);
        }
        let reply = request(method, &self.app.absolute(path), &headers, body);
        for pair in reply.cookies().split("; ").filter_map(|pair| pair.split_once('=')) {
            self.cookies.insert(pair.0.to_owned(), pair.1.to_owned());
        }
        reply
    }
}

#[test]
fn m009_the_settings_show_the_exact_url() {
    let mico = Mico::start();
    let app = &mico.app;
    statement("M009", || {
        let page = Browser::of(app, &mico.ana).open("/settings/connect");
        assert_eq!(texts(&page, "html[lang=es] nav.trail"), ["Ajustes › Desarrolladores › MCP"]);
        let endpoints = texts(&page, ".endpoint code");
        assert_eq!(endpoints, [app.resource.as_str()]);
    });
}

#[test]
fn m026_m027_the_settings_make_a_token_that_does_not_expire() {
    let mico = Mico::start();
    let app = &mico.app;
    let mut browser = Browser::of(app, &mico.ana);
    let page = browser.open("/settings/tokens/new");
    statement("M026", || assert_eq!(texts(&page, "nav.trail"), ["Ajustes › Desarrolladores › MCP"]));
    let form = form_with(&page, "name").set("name", "portátil");
    statement("M027", || {
        let expires: Vec<_> = form.fields.iter().filter(|(name, _)| name == "expires").collect();
        assert_eq!(expires, [&("expires".to_owned(), "never".to_owned())], "what is chosen unless changed");
    });
    let made = browser.send(&form);
    let token = texts(&made, "[data-secret]").pop().unwrap_or_else(|| panic!("no token on {}", made.text()));
    statement("M026", || {
        assert!(token.starts_with("mico_pat_"));
        let ana = Caller { app, token: token.clone() };
        let listed = ana.rpc("tools/list", &json!({})).json();
        assert_eq!(super::column(&listed["result"], "tools", "name"), NAMES);
        ana.ask("get_meeting", json!({"meeting_id": "mtg_a01"}));
        let again = browser.open("/settings/tokens");
        assert!(again.text().contains("portátil") && !again.text().contains(&token), "shown once");
    });
    statement("M027", || {
        app.advance(std::time::Duration::from_hours(24 * 3653));
        app.assert_alive(&token);
    });
}
