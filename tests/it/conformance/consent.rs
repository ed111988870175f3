//! The decision: one, by the person who saw the page, of what was asked, while everything it hangs on is there.

use std::time::Duration;

use super::holds;
use crate::pages::Browser;
use crate::support::TestApp;
use crate::support::answer::{assert_page, sent_on};
use crate::support::callers::PASSWORD;
use crate::support::flow::{Form, REDIRECT, form_with};
use crate::support::http::{Reply, get, post_form, query_value, request};

const HTML: (&str, &str) = ("accept", "text/html,application/xhtml+xml");

/// The page's form, filled with a token, and the cookies it goes with.
fn filled(page: &Reply, pat: &str, decision: &str) -> (Form, String) {
    let form =
        form_with(page, "personal_access_token").set("personal_access_token", pat).set("decision", decision);
    (form, page.cookies())
}

fn post(app: &TestApp, (form, cookies): &(Form, String)) -> Reply {
    post_form(&app.absolute(&form.action), &[("cookie", cookies)], &form.pairs())
}

/// No code, whatever else.
fn assert_nothing(reply: &Reply) {
    assert!(reply.status >= 400 || reply.status == 200, "{reply:?}");
    assert!(reply.header("location").is_none() && !reply.text().contains("code="), "{reply:?}");
}

#[test]
fn a_page_may_be_loaded_as_often_as_one_likes() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]).token;
    let url = app.authorize_url(&client, &[]);
    holds("C100", "two loads of a request are two good pages; loading has no effect of its own", || {
        let first = request("GET", &url, &[HTML], None);
        let second = request("GET", &url, &[("user-agent", "python-httpx/0.28")], None);
        assert_eq!((first.status, second.status), (200, 200));
        let mut browser = Browser::new(&app);
        let (one, link) = (browser.get(&url), browser.get("/login"));
        let id = form_with(&one, "transaction")
            .fields
            .into_iter()
            .find(|(name, _)| name == "transaction")
            .unwrap()
            .1;
        let (two, _) = (browser.get(&format!("{}/authorize?transaction={id}", app.issuer)), link);
        for page in [&first, &second] {
            assert_eq!(post(&app, &filled(page, &pat, "allow")).status, 303);
        }
        let (form, _) = filled(&one, &pat, "allow");
        assert!(sent_on(&browser.post(&form.action, &form.pairs()), REDIRECT).is_some(), "the first render");
        let (form, _) = filled(&two, &pat, "allow");
        assert_eq!(browser.post(&form.action, &form.pairs()).status, 409, "of a request decided by now");
        assert_page(&get(&app.authorize_url("nobody", &[])), 400);
    });
}

#[test]
fn a_decision_is_taken_once_and_in_time() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]).token;
    let page = || get(&app.authorize_url(&client, &[]));
    holds("N-088", "twice, after a no, or after an hour (rules: section 2) there is no code", || {
        let allowed = filled(&page(), &pat, "allow");
        assert_eq!(post(&app, &allowed).status, 303);
        assert_page(&post(&app, &allowed), 409);
        let denied = page();
        assert_eq!(post(&app, &filled(&denied, "", "deny")).status, 303);
        assert_page(&post(&app, &filled(&denied, &pat, "allow")), 409);
        let late = filled(&page(), &pat, "allow");
        app.advance(Duration::from_secs(3599));
        let in_time = page();
        app.advance(Duration::from_secs(2));
        assert_page(&post(&app, &late), 400);
        assert_eq!(post(&app, &filled(&in_time, &pat, "allow")).status, 303);
        assert_eq!(app.sql_number("SELECT COUNT(*) FROM grants"), 2);
    });
    holds("U-03", "yes and no are posted with a proof bound to browser and request, and count once", || {
        let (form, cookies) = filled(&page(), &pat, "allow");
        let by_get = get(&format!("{}?{}", app.absolute(&form.action), query(&form)));
        assert_nothing(&by_get);
        for decision in ["allow", "deny"] {
            let bare = form.clone().set("csrf", "").set("decision", decision);
            assert_page(&post(&app, &(bare, cookies.clone())), 403);
        }
        for (name, value) in [
            ("origin", "https://evil.example"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            let headers = [("cookie", cookies.as_str()), (name, value)];
            assert_page(&post_form(&app.absolute(&form.action), &headers, &form.pairs()), 403);
        }
        assert_eq!(post(&app, &(form.clone(), cookies.clone())).status, 303);
        assert_nothing(&post(&app, &(form, cookies)));
    });
}

#[test]
fn a_form_counts_with_its_proof_and_for_what_was_asked() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]).token;
    let page = || get(&app.authorize_url(&client, &[]));
    holds("N-087", "a form without this browser's proof for this request is 403, and gives no code", || {
        let (form, cookies) = filled(&page(), &pat, "allow");
        let (other, other_cookies) = filled(&page(), &pat, "allow");
        let csrf = |form: &Form| form.fields.iter().find(|(name, _)| name == "csrf").unwrap().1.clone();
        for (csrf, cookies) in [
            ("", cookies.as_str()),
            ("forged", &cookies),
            (&csrf(&other), &cookies),
            (&csrf(&form), &other_cookies),
            (&csrf(&form), ""),
        ] {
            assert_page(&post(&app, &(form.clone().set("csrf", csrf), cookies.to_owned())), 403);
        }
        let own_other = (form.clone().set("csrf", &csrf(&other)), other_cookies);
        assert_page(&post(&app, &own_other), 403);
        assert_eq!(post(&app, &(form, cookies)).status, 303, "the right one still can");
    });
    holds("N-089", "of an edited form only the decision and a part of what was asked count", || {
        let (mut form, cookies) = filled(&page(), &pat, "allow");
        for (name, value) in [
            ("scope", "mico:write"),
            ("scope", "admin"),
            ("redirect_uri", "https://evil.example/"),
            ("client_id", "other"),
            ("resource", "https://other.example/"),
            ("code_challenge", &"x".repeat(43)),
            ("state", "other"),
        ] {
            form.fields.push((name.to_owned(), value.to_owned()));
        }
        let reply = post(&app, &(form, cookies));
        let location = reply.header("location").unwrap();
        assert!(
            location.starts_with(REDIRECT) && query_value(location, "state").as_deref() == Some("st+1/=%&")
        );
        let token = app.redeem(&client, &query_value(location, "code").unwrap());
        assert_eq!(token.json()["scope"], "mico:read", "{token:?}");
    });
}

fn query(form: &Form) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(form.pairs()).finish()
}

fn sign_in(browser: &mut Browser<'_>, page: &Reply, email: &str) -> Reply {
    let form = form_with(page, "password").set("email", email).set("password", PASSWORD);
    let back = browser.post(&form.action, &form.pairs());
    assert_eq!(back.status, 303, "{back:?}");
    browser.get(back.header("location").unwrap())
}

/// Signs out, and in as somebody else.
fn change_person(browser: &mut Browser<'_>, email: &str) {
    let out = form_with(&browser.get("/logout"), "csrf");
    assert_eq!(browser.post("/logout", &out.pairs()).status, 303);
    let form = form_with(&browser.get("/login"), "password").set("email", email).set("password", PASSWORD);
    assert_eq!(browser.post("/login", &form.pairs()).status, 303);
}

#[test]
fn who_decides_is_who_saw_the_page() {
    let app = TestApp::start();
    let (ana, bruno) = (app.person("ana"), app.person("bruno"));
    let client = app.register("agent");
    let mut browser = Browser::new(&app);
    let page = browser.get(&app.authorize_url(&client, &[]));
    let page = sign_in(&mut browser, &page, &ana.email);
    let form = form_with(&page, "transaction").set("decision", "allow");
    // In a second tab of the same browser.
    change_person(&mut browser, &bruno.email);
    holds(
        "N-091",
        "after another person signed in beside it, the click on the open page gives nothing",
        || {
            assert_page(&browser.post(&form.action, &form.pairs()), 403);
            let shown = browser.get(&format!("{}/authorize?transaction={}", app.issuer, transaction(&form)));
            assert_page(&shown, 403);
        },
    );
    holds("U-08", "a request belongs to the person who signed in on it, whoever signs in later", || {
        for decision in ["allow", "deny"] {
            let other = form.clone().set("decision", decision);
            assert_nothing(&browser.post(&other.action, &other.pairs()));
        }
        change_person(&mut browser, &ana.email);
        assert!(sent_on(&browser.post(&form.action, &form.pairs()), REDIRECT).is_some(), "ana still can");
    });
}

fn transaction(form: &Form) -> String {
    form.fields.iter().find(|(name, _)| name == "transaction").unwrap().1.clone()
}

#[test]
fn a_request_is_handed_on_to_another_account_and_is_one_all_the_time() {
    let app = TestApp::start();
    let (ana, bruno) = (app.person("ana"), app.person("bruno"));
    let client = app.register("agent");
    let mut browser = Browser::signed_in(&app, &ana);
    let page = browser.get(&app.authorize_url(&client, &[]));
    let old = form_with(&page, "transaction").set("decision", "allow");
    let switch = form_with(&page, "next");
    let before = browser.cookies.clone();
    holds("C111", "consent is asked of each person, who may change the account on the page", || {
        assert_eq!(switch.action, "/logout");
        let away = browser.post(&switch.action, &switch.pairs());
        assert_eq!(away.status, 303, "{away:?}");
        let page = browser.get(away.header("location").unwrap());
        assert!(!page.text().contains(&ana.email));
        let page = sign_in(&mut browser, &page, &bruno.email);
        assert!(
            page.text().contains(&bruno.email) && page.text().contains("First time you connect"),
            "{}",
            page.text()
        );
        let form = form_with(&page, "transaction").set("decision", "allow");
        assert_ne!(transaction(&form), transaction(&old));
        // Whoever left cannot decide it any more, signed in again or not, so there is one decision.
        let mut behind = Browser { app: &app, cookies: before.clone(), language: "en" };
        assert_page(&behind.post(&old.action, &old.pairs()), 400);
        let mut ana_again = Browser::signed_in(&app, &ana);
        assert_page(
            &ana_again.get(&format!("{}/authorize?transaction={}", app.issuer, transaction(&old))),
            400,
        );
        assert!(sent_on(&browser.post(&form.action, &form.pairs()), REDIRECT).is_some());
        let of =
            |user: &str| app.sql_number(&format!("SELECT COUNT(*) FROM grants WHERE user_id = '{user}'"));
        assert_eq!((of(&ana.id), of(&bruno.id)), (0, 1));
    });
}

#[test]
fn a_request_is_handed_on_by_its_owner_and_undecided_alone() {
    let app = TestApp::start();
    let (ana, bruno) = (app.person("ana"), app.person("bruno"));
    let client = app.register("agent");
    // Decided already, it is not handed on: the page says what became of it.
    let mut browser = Browser::signed_in(&app, &ana);
    let page = browser.get(&app.authorize_url(&client, &[]));
    let (decide, switch) =
        (form_with(&page, "transaction").set("decision", "allow"), form_with(&page, "next"));
    assert!(sent_on(&browser.post(&decide.action, &decide.pairs()), REDIRECT).is_some());
    let away = browser.post(&switch.action, &switch.pairs());
    let after = browser.get(away.header("location").unwrap());
    assert!(after.text().contains("Already connected") && !after.text().contains("name=\"decision\""));
    // And whoever only knows its id takes it from nobody.
    let mut browser = Browser::signed_in(&app, &ana);
    let page = browser.get(&app.authorize_url(&client, &[]));
    let form = form_with(&page, "transaction").set("decision", "allow");
    for mut stranger in [Browser::new(&app), Browser::signed_in(&app, &bruno)] {
        let own = stranger.get("/logout");
        let csrf = if own.status == 200 {
            form_with(&own, "csrf")
        } else {
            Form { action: String::new(), fields: vec![] }
        };
        let reply = stranger.post("/logout", &csrf.set("next", &transaction(&form)).pairs());
        assert_eq!(reply.status, 303, "{reply:?}");
        assert!(reply.header("location").unwrap().ends_with(&transaction(&form)), "no new id");
    }
    assert!(sent_on(&browser.post(&form.action, &form.pairs()), REDIRECT).is_some());
}

#[test]
fn allowing_and_leaving_at_once_is_one_of_the_two() {
    let app = TestApp::start();
    let ana = app.person("ana");
    let client = app.register("agent");
    for round in 1..=8 {
        let mut browser = Browser::signed_in(&app, &ana);
        let page = browser.get(&app.authorize_url(&client, &[]));
        let forms = [form_with(&page, "transaction").set("decision", "allow"), form_with(&page, "next")];
        let barrier = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (app, barrier, form) = (&app, &barrier, &forms[number % 2]);
                let mut tab = Browser { app, cookies: browser.cookies.clone(), language: "en" };
                scope.spawn(move || {
                    barrier.wait();
                    tab.post(&form.action, &form.pairs());
                });
            }
        });
        assert_eq!(app.sql_number("SELECT COUNT(*) FROM transactions"), round, "never two of one");
        let decided = app.sql_number("SELECT COUNT(*) FROM transactions WHERE decision = 'allow'");
        assert_eq!(app.sql_number("SELECT COUNT(*) FROM grants"), decided);
    }
}

#[test]
fn what_ends_between_page_and_click_is_not_allowed_any_more() {
    let mut app = TestApp::start();
    let ana = app.person("ana");
    let pat = app.pat(&ana, &[]).token;
    let clients = ["deleted", "disabled", "kept", "unlisted"].map(|name| app.register(name));
    let pages = clients.clone().map(|client| filled(&get(&app.authorize_url(&client, &[])), &pat, "allow"));
    let bruno = app.person("bruno");
    let mut browser = Browser::signed_in(&app, &bruno);
    let page = browser.get(&app.authorize_url(&clients[2], &[]));
    let form = form_with(&page, "transaction").set("decision", "allow");
    app.cli(&["client", "delete", &clients[0]], None);
    app.cli(&["client", "disable", &clients[1]], None);
    app.cli(&["user", "lock", &bruno.email], None);
    let toml = std::fs::read_to_string(&app.config).unwrap();
    holds("N-092", "client or person gone, or the redirect off the operator's list: no code", || {
        assert_page(&post(&app, &pages[0]), 400);
        assert_page(&post(&app, &pages[1]), 400);
        assert_nothing(&browser.post(&form.action, &form.pairs()));
        assert_eq!(post(&app, &pages[2]).status, 303, "what has not ended still can be allowed");
    });
    let listed = toml.replacen("[oauth]", "[oauth]\nredirect_allowlist = [\"https://client.example/cb\"]", 1);
    std::fs::write(&app.config, listed).unwrap();
    app.restart();
    holds("N-092", "a redirect that went off the operator's list meanwhile gets no code", || {
        assert_page(&post(&app, &pages[3]), 400);
        assert_eq!(app.sql_number("SELECT COUNT(*) FROM grants"), 1);
    });
}
