//! `prompt`: consent is asked whatever it says; `login` asks for a sign-in besides.

use super::holds;
use crate::pages::Browser;
use crate::support::TestApp;
use crate::support::answer::{assert_page, sent_on};
use crate::support::callers::PASSWORD;
use crate::support::flow::{REDIRECT, form_with};
use crate::support::http::{get, query_value};

#[test]
fn consent_cannot_be_skipped() {
    let app = TestApp::start();
    let person = app.person("ana");
    let client = app.register("agent");
    let url = |prompt: &str| app.authorize_url(&client, &[("prompt", prompt)]);
    let mut browser = Browser::signed_in(&app, &person);
    let page = browser.get(&url("consent"));
    let form = form_with(&page, "transaction").set("decision", "allow");
    assert!(sent_on(&browser.post(&form.action, &form.pairs()), REDIRECT).is_some(), "allowed once");
    holds("C108", "prompt=consent and words that mean nothing ask as always; twice is a page", || {
        for prompt in ["consent", "select_account consent", "select_account", "create", "consent consent"] {
            let page = browser.get(&url(prompt));
            assert_eq!(page.status, 200, "{prompt}");
            form_with(&page, "transaction");
        }
        assert_page(&get(&format!("{}&prompt=consent", url("consent"))), 400);
    });
    holds(
        "N-077",
        "prompt=none shows no question: consent_required, signed in or not (rules: section 2)",
        || {
            assert_eq!(app.told(&url("none")), "consent_required");
            let page = browser.get(&url("none"));
            assert_eq!(page.status, 400);
            assert!(!page.text().contains("name=\"decision\"") && !page.text().contains("type=\"password\""));
            let link = sent_on(&page, REDIRECT).expect("the link that carries the same");
            assert_eq!(query_value(&link, "error").as_deref(), Some("consent_required"));
        },
    );
}

#[test]
fn a_sign_in_of_its_own_can_be_asked_for() {
    let app = TestApp::start();
    let person = app.person("ana");
    let client = app.register("agent");
    let mut browser = Browser::signed_in(&app, &person);
    app.advance(std::time::Duration::from_secs(5));
    let url = app.authorize_url(&client, &[("prompt", "login")]);
    holds(
        "A-13",
        "none stands alone; login asks to sign in again; max_age and login_hint are ignored",
        || {
            for prompt in ["none login", "consent none", "none none"] {
                assert_eq!(
                    app.told(&app.authorize_url(&client, &[("prompt", prompt)])),
                    "invalid_request",
                    "{prompt}"
                );
            }
            let ignored =
                app.authorize_url(&client, &[("max_age", "0"), ("login_hint", "bruno@example.com")]);
            assert!(browser.get(&ignored).text().contains("ana@example.com"));

            let page = browser.get(&url);
            assert_eq!(page.status, 200);
            assert!(!page.text().contains(&person.email), "nobody is signed in for this");
            let decide = form_with(&page, "transaction").set("decision", "allow");
            let early = browser.post(&decide.action, &decide.pairs());
            assert_eq!(early.status, 400, "{early:?}");
            assert!(sent_on(&early, REDIRECT).is_none());
            assert_eq!(browser.get("/settings/apps").status, 200, "the session itself is untouched");

            let form = form_with(&page, "password").set("email", &person.email).set("password", PASSWORD);
            let back = browser.post(&form.action, &form.pairs());
            let page = browser.get(back.header("location").unwrap());
            assert!(page.text().contains(&person.email), "{}", page.text());
            let decide = form_with(&page, "transaction").set("decision", "allow");
            let done = browser.post(&decide.action, &decide.pairs());
            let code = query_value(&sent_on(&done, REDIRECT).expect("allowed"), "code").unwrap();
            assert_eq!(app.redeem(&client, &code).status, 200);
        },
    );
}
