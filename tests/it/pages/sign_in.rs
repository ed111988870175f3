use super::Browser;
use crate::support::callers::PASSWORD;
use crate::support::flow::{REDIRECT, form_with};
use crate::support::http::query_value;
use crate::support::{Builder, on_both_databases};

on_both_databases! {
    a_person_signs_in_on_the_authorization_page_and_allows,
    a_wrong_password_and_an_unknown_person_look_the_same,
    signing_in_makes_a_new_session_and_signing_out_ends_it,
    cookies_are_out_of_reach_of_scripts_and_other_sites,
    guessing_passwords_is_slowed_down,
    many_guesses_at_once_are_no_way_around_the_limit,
    a_password_is_right_as_a_whole_or_not_at_all,
}

fn a_person_signs_in_on_the_authorization_page_and_allows(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let client = app.register("Agent of Ana");
    let mut browser = Browser::new(&app);
    let page = browser.get(&app.authorize_url(&client, &[]));
    assert!(page.text().contains("Agent of Ana"));
    let form = form_with(&page, "password").set("email", &person.email).set("password", PASSWORD);
    let back = browser.post(&form.action, &form.pairs());
    assert_eq!(back.status, 303, "{back:?}");
    let page = browser.get(back.header("location").unwrap());
    assert_eq!(page.status, 200);
    assert!(page.text().contains("ana"), "as whom");
    let form = form_with(&page, "transaction").set("decision", "allow");
    let done = browser.post(&form.action, &form.pairs());
    assert_eq!(done.status, 200, "{done:?}");
    let html = scraper::Html::parse_document(done.text());
    let link = scraper::Selector::parse("a[href]").unwrap();
    let onward =
        html.select(&link).filter_map(|a| a.attr("href")).find(|href| href.starts_with(REDIRECT)).unwrap();
    assert_eq!(query_value(onward, "state").as_deref(), Some("st+1/=%&"));
    let token = app.redeem(&client, &query_value(onward, "code").unwrap());
    assert_eq!(token.status, 200, "{token:?}");
    app.assert_alive(token.json()["access_token"].as_str().unwrap());
}

fn a_wrong_password_and_an_unknown_person_look_the_same(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let mut texts = Vec::new();
    for (email, password) in [(person.email.as_str(), "wrong"), ("nobody@example.com", PASSWORD)] {
        let mut browser = Browser::new(&app);
        let form =
            form_with(&browser.get("/login"), "password").set("email", email).set("password", password);
        let reply = browser.post(&form.action, &form.pairs());
        assert!((400..500).contains(&reply.status), "{reply:?}");
        assert!(!browser.cookies.iter().any(|(name, _)| name.contains("session")));
        assert!(!reply.text().contains(password));
        let html = scraper::Html::parse_document(reply.text());
        let alert = scraper::Selector::parse("[role=alert]").unwrap();
        texts.push(html.select(&alert).next().expect("an alert").text().collect::<String>());
    }
    assert_eq!(texts[0], texts[1]);
    app.cli(&["user", "lock", &person.email], None);
    let mut browser = Browser::new(&app);
    let form =
        form_with(&browser.get("/login"), "password").set("email", &person.email).set("password", PASSWORD);
    assert!((400..500).contains(&browser.post(&form.action, &form.pairs()).status));
}

fn signing_in_makes_a_new_session_and_signing_out_ends_it(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let mut browser = Browser::new(&app);
    browser.cookies.push(("portero_session".to_owned(), "fixed-by-somebody-else".to_owned()));
    let form =
        form_with(&browser.get("/login"), "password").set("email", &person.email).set("password", PASSWORD);
    browser.post(&form.action, &form.pairs());
    let session = browser.cookies.iter().find(|(name, _)| name.contains("session")).unwrap().1.clone();
    assert!(session.starts_with("portero_ses_"));
    assert_eq!(browser.get("/settings/tokens").status, 200);
    let form = form_with(&browser.get("/logout"), "csrf");
    let out = browser.post(if form.action.is_empty() { "/logout" } else { &form.action }, &form.pairs());
    assert_eq!(out.status, 303, "{out:?}");
    browser.cookies.push(("portero_session".to_owned(), session));
    assert_eq!(browser.get("/settings/tokens").status, 303, "the row is gone, not just the cookie");
}

fn cookies_are_out_of_reach_of_scripts_and_other_sites(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let mut browser = Browser::new(&app);
    let page = browser.get("/login");
    let form = form_with(&page, "password").set("email", &person.email).set("password", PASSWORD);
    let reply = browser.post(&form.action, &form.pairs());
    for cookie in page.headers("set-cookie").into_iter().chain(reply.headers("set-cookie")) {
        assert!(
            cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && cookie.contains("Path=/"),
            "{cookie}"
        );
    }
}

fn guessing_passwords_is_slowed_down(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let mut browser = Browser::new(&app);
    let page = browser.get("/login");
    let statuses: Vec<u16> = (0..22)
        .map(|_| {
            let form =
                form_with(&page, "password").set("email", &person.email).set("password", "wrong wrong wrong");
            browser.post(&form.action, &form.pairs()).status
        })
        .collect();
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
    let mut browser = Browser::new(&app);
    let form =
        form_with(&browser.get("/login"), "password").set("email", &person.email).set("password", PASSWORD);
    assert_eq!(browser.post(&form.action, &form.pairs()).status, 429, "the right one waits as well");
    app.advance(std::time::Duration::from_mins(5));
    assert_eq!(browser.post(&form.action, &form.pairs()).status, 303);
}

/// All at once, so that none can be counted before another is checked.
fn many_guesses_at_once_are_no_way_around_the_limit(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let mut browser = Browser::new(&app);
    let form = form_with(&browser.get("/login"), "password").set("email", &person.email);
    let cookies = browser.cookies.clone();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let guesses: Vec<_> = (0..60)
            .map(|number| {
                let (form, cookies, app) = (form.clone(), cookies.clone(), &app);
                scope.spawn(move || {
                    let form = form.set("password", &format!("a wrong password {number}"));
                    let mut browser = Browser { app, cookies, language: "en" };
                    browser.post("/login", &form.pairs()).status
                })
            })
            .collect();
        guesses.into_iter().map(|guess| guess.join().unwrap()).collect()
    });
    let checked = statuses.iter().filter(|status| **status == 400).count();
    assert!(checked <= 20, "{checked} were checked: {statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, 400 | 429)), "{statuses:?}");
}

fn a_password_is_right_as_a_whole_or_not_at_all(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let long = "p".repeat(1024);
    let set =
        app.command(&["user", "password", &person.email, "--password-stdin"], Some(&format!("{long}\n")));
    assert!(set.status.success(), "{set:?}");
    let mut browser = Browser::new(&app);
    let page = browser.get("/login");
    let mut enter = |password: &str| {
        let form = form_with(&page, "password").set("email", &person.email).set("password", password);
        browser.post("/login", &form.pairs()).status
    };
    assert_eq!(enter(&format!("{long}x")), 400);
    assert_eq!(enter(&long), 303);
}
