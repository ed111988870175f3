//! The proof of who somebody is by a pasted token, and the page that sends on. The request itself: `conformance`.

use crate::support::TestApp;
use crate::support::flow::{REDIRECT, form_with};
use crate::support::http::{post_form, query_value, request};

const HTML: [(&str, &str); 1] = [("accept", "text/html,application/xhtml+xml")];

/// mcp-remote asks with what it remembers before it opens a browser; it registers again only on this answer.
#[test]
fn a_program_that_asks_for_json_is_told_in_json_where_a_person_gets_a_page() {
    let app = TestApp::start();
    let client = app.register("agent");
    let unread = format!("{}&state=other", app.authorize_url(&client, &[]));
    for (url, code) in [
        (app.authorize_url(&client, &[("client_id", "gone")]), "invalid_client"),
        (app.authorize_url(&client, &[("redirect_uri", "https://evil.example/cb")]), "invalid_request"),
        (unread, "invalid_request"),
    ] {
        for (accept, json) in [
            ("application/json", true),
            ("application/json, text/event-stream", true),
            ("text/html, application/json", false),
            ("*/*", false),
        ] {
            let reply = request("GET", &url, &[("accept", accept)], None);
            assert_eq!(reply.status, 400, "{accept}");
            assert!(reply.header("location").is_none(), "{accept}");
            let kind = reply.header("content-type").unwrap();
            assert_eq!(kind.starts_with("application/json"), json, "{accept}: {kind}");
            if json {
                assert_eq!(reply.json()["error"], code, "{accept}");
                assert!(reply.json()["error_description"].is_string(), "{accept}");
                assert_eq!(reply.header("cache-control"), Some("no-store"));
            }
        }
    }
}

#[test]
fn a_token_is_the_ceiling_of_what_it_authorizes() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &["mico:read"]);
    let reply =
        app.consent(&app.authorize_url(&client, &[("scope", "mico:read mico:write")]), &pat.token, "allow");
    let token = app.redeem(&client, &query_value(reply.header("location").unwrap(), "code").unwrap()).json();
    assert_eq!(token["scope"], "mico:read");
    let none = app.consent(&app.authorize_url(&client, &[("scope", "mico:write")]), &pat.token, "allow");
    assert!(none.header("location").is_none(), "{none:?}");
}

#[test]
fn only_a_live_token_of_this_brand_proves_identity() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    let mut wrong = pat.token.clone();
    wrong.replace_range(12..13, if &wrong[12..13] == "A" { "B" } else { "A" });
    let dead = app.pat(&app.person("bruno"), &[]);
    app.cli(&["token", "revoke", &dead.id], None);
    for token in [own.access.as_str(), &own.refresh, &wrong, &dead.token, "nonsense", ""] {
        let reply = app.consent(&app.authorize_url(&client, &[]), token, "allow");
        assert!(matches!(reply.status, 400 | 401), "{reply:?}");
        assert!(reply.header("location").is_none());
        if !token.is_empty() {
            assert!(!reply.text().contains(token), "echoed");
        }
        assert!(!reply.cookies().contains("session"), "no session");
    }
    let padded = format!("  Bearer {} ", pat.token);
    assert_eq!(app.consent(&app.authorize_url(&client, &[]), &padded, "allow").status, 303);
}

#[test]
fn guessing_tokens_is_slowed_down() {
    let app = TestApp::start();
    let client = app.register("agent");
    let wrong = format!("mico_pat_{}", "a".repeat(49));
    let statuses: Vec<u16> =
        (0..25).map(|_| app.consent(&app.authorize_url(&client, &[]), &wrong, "allow").status).collect();
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
}

#[test]
fn a_browser_is_sent_on_by_a_page_and_a_reload_says_so() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]);
    let page = request("GET", &app.authorize_url(&client, &[]), &HTML, None);
    let form = form_with(&page, "personal_access_token")
        .set("personal_access_token", &pat.token)
        .set("decision", "allow");
    let cookies = page.cookies();
    let headers = [HTML[0], ("cookie", cookies.as_str())];
    let done = post_form(&app.absolute(&form.action), &headers, &form.pairs());
    assert_eq!(done.status, 200, "{done:?}");
    assert!(done.text().contains("http-equiv=\"refresh\""), "{}", done.text());
    assert!(done.text().contains(REDIRECT));
    let reload = post_form(&app.absolute(&form.action), &headers, &form.pairs());
    assert!(!reload.text().contains("code="), "the code is shown once");
    assert!(!reload.text().contains("http-equiv=\"refresh\""));
}
