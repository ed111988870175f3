//! Requests that wait for their decision, while somebody asks without end.

use super::holds;
use crate::pages::Browser;
use crate::support::TestApp;
use crate::support::answer::sent_on;
use crate::support::flow::{REDIRECT, form_with};
use crate::support::http::{get, post_form};

/// Fifty thousand requests of one address, younger than everything before them.
fn flood(app: &TestApp, address: &str) {
    let now = app.now().millis();
    let text = format!(
        "INSERT INTO transactions (id, request, address, created_at, expires_at)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
         SELECT 'txn_{address}' || i, '{{}}', '{address}', {now} + i, {now} + 3600000 FROM n"
    );
    assert_eq!(app.sql(&text).unwrap(), 50_000);
}

#[test]
fn a_flood_of_requests_pushes_nobody_out_who_is_deciding() {
    let mut app = TestApp::start();
    let client = app.register("agent");
    let person = app.person("ana");
    let pat = app.pat(&person, &[]).token;
    let url = app.authorize_url(&client, &[]);
    let by_token = get(&url);
    let cookies = {
        let mut browser = Browser::signed_in(&app, &person);
        let page = browser.get(&url);
        (browser.cookies.clone(), form_with(&page, "transaction").set("decision", "allow"))
    };
    flood(&app, "192.0.2.1");
    // It counts what waits when it starts, and again every few hundred requests.
    app.restart();
    let waits = || app.sql_number("SELECT COUNT(*) FROM transactions WHERE decided_at IS NULL");
    holds("C100", "whoever asks without end pushes out their own requests, not those of others", || {
        let newest = get(&url);
        assert_eq!(newest.status, 200, "{newest:?}");
        let left = waits();
        assert!((49_000..=50_000).contains(&left), "{left} wait");
        let oldest = "SELECT COUNT(*) FROM transactions WHERE id = 'txn_192.0.2.11'";
        assert_eq!(app.sql_number(oldest), 0, "the oldest of the address that holds most");

        for page in [&by_token, &newest] {
            let form = form_with(page, "personal_access_token")
                .set("personal_access_token", &pat)
                .set("decision", "allow");
            let reply = post_form(&app.absolute(&form.action), &[("cookie", &page.cookies())], &form.pairs());
            assert_eq!(reply.status, 303, "{reply:?}");
        }
        let mut browser = Browser { app: &app, cookies: cookies.0.clone(), language: "en" };
        let done = browser.post(&cookies.1.action, &cookies.1.pairs());
        assert!(sent_on(&done, REDIRECT).is_some(), "{}", done.text());
    });
}
