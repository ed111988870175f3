//! What stands on the authorization page, and that it is shown every time.

use std::collections::BTreeSet;

use scraper::{Html, Selector};
use serde_json::json;

use super::holds;
use crate::pages::Browser;
use crate::support::TestApp;
use crate::support::answer::{members, sent_on};
use crate::support::callers::PASSWORD;
use crate::support::flow::{REDIRECT, form_with};
use crate::support::http::{Reply, get, query_value};

fn client(app: &TestApp, name: &str, redirects: &[&str]) -> String {
    let reply = app.register_with(&json!({"client_name": name, "redirect_uris": redirects}));
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.json()["client_id"].as_str().unwrap().to_owned()
}

/// The words on a page, with their spaces made single.
fn words(page: &Reply) -> String {
    let html = Html::parse_document(page.text());
    let body = Selector::parse("body").unwrap();
    let text: String = html.select(&body).next().unwrap().text().collect::<Vec<_>>().join(" ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The names of what a page's forms send.
fn names(page: &Reply) -> BTreeSet<String> {
    let html = Html::parse_document(page.text());
    let fields = Selector::parse("form [name]").unwrap();
    html.select(&fields).map(|field| field.attr("name").unwrap().to_owned()).collect()
}

fn allow(browser: &mut Browser<'_>, page: &Reply, redirect: &str) -> String {
    let form = form_with(page, "transaction").set("decision", "allow");
    let done = browser.post(&form.action, &form.pairs());
    sent_on(&done, redirect).unwrap_or_else(|| panic!("not allowed: {}", done.text()))
}

#[test]
fn the_request_stays_here_and_the_page_holds_its_number() {
    let app = TestApp::start();
    let person = app.person("ana");
    let client = app.register("agent");
    let mut browser = Browser::new(&app);
    let resource: String = form_urlencoded::byte_serialize(app.resource.as_bytes()).collect();
    let url = app.authorize_url(&client, &[("scope", "mico:write mico:read"), ("state", "a+b/c=")]);
    let page = browser.get(&format!("{url}&resource={resource}%2F"));
    let login = form_with(&page, "password").set("email", &person.email).set("password", PASSWORD);
    let signed_out = names(&page);
    let back = browser.post(&login.action, &login.pairs());
    let page = browser.get(back.header("location").unwrap());
    holds(
        "U-02",
        "the forms carry the request's number, the proof, the decision and chosen scopes alone",
        || {
            let own = |fields: &[&str]| fields.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
            let consent = own(&["transaction", "csrf", "decision", "scope", "next"]);
            let identity = own(&["personal_access_token", "email", "password"]);
            assert_eq!(signed_out, &consent | &identity);
            assert_eq!(names(&page), consent);
            let number = form_with(&page, "transaction")
                .fields
                .into_iter()
                .find(|(name, _)| name == "transaction")
                .unwrap()
                .1;
            assert!(number.starts_with("txn_") && number.len() >= 26, "{number}");
            assert_eq!(Browser::new(&app).post(&login.action, &[("transaction", &number)]).status, 403);
        },
    );
    holds("C112", "what was asked survives the sign-in as it was, repeated values and order too", || {
        let text = words(&page);
        assert!(text.contains("mico:write mico:read") && text.contains(&app.resource), "{text}");
        let location = allow(&mut browser, &page, REDIRECT);
        assert_eq!(members(&location)["state"], "a+b/c=");
        let token = app.redeem(&client, &query_value(&location, "code").unwrap()).json();
        assert_eq!(token["scope"], "mico:read mico:write", "{token}");
        app.assert_alive(token["access_token"].as_str().unwrap());
    });
}

#[test]
fn the_page_says_who_asks_for_what_and_where_the_answer_goes() {
    let app = TestApp::start();
    let person = app.person("ana");
    let mut browser = Browser::signed_in(&app, &person);
    holds(
        "U-05",
        "name and that it is unproven, the place the answer goes, scopes in words, for how long",
        || {
            for (redirect, said) in [
                ("https://agent.example:8443/cb", "you will be sent to agent.example:8443"),
                ("http://127.0.0.1:5000/cb", "an app on this computer ( 127.0.0.1 , port 5000 )"),
                ("com.example.agent:/cb", "an app on this device will open ( com.example.agent: )"),
                (
                    "https://xn--bcher-kva.example/cb",
                    "you will be sent to xn--bcher-kva.example (written bücher.example",
                ),
            ] {
                let client = client(&app, "Agent Smith", &[redirect]);
                let page =
                    browser.get(&app.authorize_url(&client, &[("redirect_uri", redirect), ("scope", "")]));
                let text = words(&page);
                for part in [
                    "Agent Smith",
                    "Unverified – this app chose its own name",
                    said,
                    "Read your meetings",
                    "Change your meetings",
                    "ana@example.com",
                    &app.resource,
                    &client,
                    redirect,
                    "goes unused for 30 days",
                ] {
                    assert!(text.contains(part), "no {part:?} in {text}");
                }
                let html = Html::parse_document(page.text());
                let buttons = Selector::parse("form button[name=decision]").unwrap();
                let first = html.select(&buttons).next().unwrap();
                assert_eq!(first.attr("value"), Some("deny"), "what the return key presses");
                assert!(!page.text().contains("autofocus"));
            }
        },
    );
}

#[test]
fn a_name_is_what_an_app_says_of_itself() {
    let app = TestApp::start();
    let person = app.person("ana");
    let mut browser = Browser::signed_in(&app, &person);
    holds("N-093", "a name is cleaned and escaped, and never believed; one too big is refused", || {
        let shown = |name: &str| {
            let client = client(&app, name, &["https://evil.example/cb"]);
            browser.get(&app.authorize_url(&client, &[("redirect_uri", "https://evil.example/cb")]))
        };
        let mut shown = shown;
        let script = shown("<script>alert(1)</script>");
        assert!(
            !script.text().contains("<script>alert") && words(&script).contains("<script>alert(1)</script>")
        );
        let hidden = shown("Cl\u{202e}au\u{200b}de\u{0007}");
        assert!(
            words(&hidden).contains("“ Claude ”") || words(&hidden).contains("“Claude”"),
            "{}",
            words(&hidden)
        );
        assert!(!hidden.text().contains(['\u{202e}', '\u{200b}', '\u{0007}']));
        let famous = words(&shown("Anthropic Claude"));
        assert!(
            famous.contains("Unverified – this app chose its own name") && famous.contains("evil.example")
        );
        let long = shown(&"n".repeat(5000));
        assert!(!long.text().contains(&"n".repeat(101)), "cut");
        let huge =
            app.register_with(&json!({"client_name": "x".repeat(1 << 20), "redirect_uris": [REDIRECT]}));
        assert_eq!(huge.status, 413, "{huge:?}");
    });
}

#[test]
fn consent_is_asked_every_time() {
    let app = TestApp::start();
    let (ana, bruno) = (app.person("ana"), app.person("bruno"));
    let site = "https://client.example/cb";
    let one = client(&app, "agent", &[REDIRECT, site]);
    let mut browser = Browser::signed_in(&app, &ana);
    let first = browser.get(&app.authorize_url(&one, &[]));
    assert!(words(&first).contains("First time you connect this app"), "{}", words(&first));
    let location = allow(&mut browser, &first, REDIRECT);
    assert_eq!(app.redeem(&one, &query_value(&location, "code").unwrap()).status, 200);
    let asked = |browser: &mut Browser<'_>, client: &str, over: &[(&str, &str)]| {
        let page = browser.get(&app.authorize_url(client, over));
        assert_eq!(page.status, 200, "{page:?}");
        assert!(sent_on(&page, "http://127").is_none() && sent_on(&page, "https://client").is_none());
        form_with(&page, "transaction");
        words(&page)
    };
    let short = "the same as before";
    holds("U-06", "what was allowed before shortens the page and never answers it", || {
        let again = asked(&mut browser, &one, &[]);
        assert!(again.contains(short) && again.contains("Connected before"), "{again}");
        assert_eq!(app.told(&app.authorize_url(&one, &[("prompt", "none")])), "consent_required");
        assert_eq!(app.sql_number("SELECT COUNT(*) FROM grants"), 1, "pages grant nothing");
    });
    holds("N-096", "another redirect or more scopes are asked in full", || {
        let elsewhere = asked(&mut browser, &one, &[("redirect_uri", site)]);
        assert!(!elsewhere.contains(short) && elsewhere.contains("client.example"), "{elsewhere}");
        let more = asked(&mut browser, &one, &[("scope", "mico:read mico:write")]);
        assert!(!more.contains(short) && more.contains("1 permission you allowed before"), "{more}");
    });
    holds("N-097", "another program that asks by the same client id is asked about like any", || {
        // Programs share the id that is derived from what they register.
        assert_eq!(client(&app, "agent", &[REDIRECT, site]), one);
        asked(&mut browser, &one, &[("redirect_uri", "http://127.0.0.1:6666/callback")]);
        let two = client(&app, "agent two", &[REDIRECT]);
        assert!(!asked(&mut browser, &two, &[]).contains(short));
    });
    holds("C111", "what one person allowed is nothing to another in the same browser", || {
        let mut shared = Browser { app: &app, cookies: browser.cookies.clone(), language: "en" };
        let out = form_with(&shared.get("/logout"), "csrf");
        shared.post("/logout", &out.pairs());
        let login =
            form_with(&shared.get("/login"), "password").set("email", &bruno.email).set("password", PASSWORD);
        assert_eq!(shared.post("/login", &login.pairs()).status, 303);
        let page = asked(&mut shared, &one, &[]);
        assert!(!page.contains(short) && page.contains("First time you connect this app"), "{page}");
        assert!(page.contains("Use another account"));
    });
}

#[test]
fn people_and_operators_end_what_was_allowed() {
    let app = TestApp::start();
    let ana = app.person("ana");
    let mut browser = Browser::signed_in(&app, &ana);
    let connect = |browser: &mut Browser<'_>, name: &str| {
        let client = app.register(name);
        let page = browser.get(&app.authorize_url(&client, &[]));
        let location = allow(browser, &page, REDIRECT);
        let reply = app.redeem(&client, &query_value(&location, "code").unwrap());
        crate::support::flow::connection(&client, &reply)
    };
    let (one, two) = (connect(&mut browser, "Agent one"), connect(&mut browser, "Agent two"));
    holds("U-09", "people see and end their connections, operators those of all, and clients", || {
        let list = words(&browser.get("/settings/apps"));
        assert!(list.contains("Agent one") && list.contains("Agent two"), "{list}");
        let grants = app.cli(&["grant", "list", "--client", &one.client], None);
        let grant = grants[0]["id"].as_str().unwrap();
        let form = form_with(&browser.get(&format!("/settings/apps/disconnect?grant={grant}")), "grant");
        assert_eq!(browser.post(&form.action, &form.pairs()).status, 303);
        app.assert_dead(&one.access);
        app.assert_alive(&two.access);

        let three = connect(&mut browser, "Agent three");
        let grants = app.cli(&["grant", "list", "--client", &three.client], None);
        app.cli(&["grant", "revoke", grants[0]["id"].as_str().unwrap()], None);
        crate::support::eventually("ended by the operator", || {
            (app.call(&three.access, "list_meetings", &json!({})).status == 401).then_some(())
        });
        assert!(app.cli(&["client", "list"], None).as_array().unwrap().len() >= 3);
        app.cli(&["client", "disable", &two.client], None);
        crate::support::eventually("ended with its client", || {
            (app.call(&two.access, "list_meetings", &json!({})).status == 401).then_some(())
        });
        assert_eq!(get(&app.authorize_url(&two.client, &[])).status, 400);
    });
}
