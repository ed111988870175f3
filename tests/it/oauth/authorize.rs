use crate::support::TestApp;
use crate::support::flow::{REDIRECT, form_with};
use crate::support::http::{get, post_form, query_value, request};

const HTML: [(&str, &str); 1] = [("accept", "text/html,application/xhtml+xml")];

#[test]
fn an_unknown_client_or_a_foreign_redirect_is_a_page_and_never_a_redirect() {
    let app = TestApp::start();
    let client = app.register("agent");
    for over in [
        vec![("client_id", "nobody")],
        vec![("client_id", "")],
        vec![("redirect_uri", "https://evil.example/cb")],
        vec![("redirect_uri", "http://127.0.0.1:51234/callback/")],
        vec![("redirect_uri", "http://127.0.0.1:51234/callback?x=1")],
        vec![("redirect_uri", "http://127.0.0.1.evil:51234/callback")],
        vec![("redirect_uri", "http://127.0.0.1:51234@evil/callback")],
        vec![("redirect_uri", "https://127.0.0.1:51234/callback")],
        vec![("redirect_uri", "http://localhost:51234/callback")],
    ] {
        let reply = get(&app.authorize_url(&client, &over));
        assert_eq!(reply.status, 400, "{over:?}");
        assert!(reply.header("location").is_none(), "{over:?}");
        assert!(reply.header("content-type").unwrap().starts_with("text/html"), "{over:?}");
    }
    let twice = format!("{}&state=other", app.authorize_url(&client, &[]));
    assert_eq!(get(&twice).status, 400, "a repeated state");
}

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
fn other_faults_are_told_to_the_client_with_state_and_issuer() {
    let app = TestApp::start();
    let client = app.register("agent");
    for (over, error) in [
        (("response_type", ""), "invalid_request"),
        (("response_type", "token"), "unsupported_response_type"),
        (("response_mode", "fragment"), "invalid_request"),
        (("code_challenge", ""), "invalid_request"),
        (("code_challenge", "short"), "invalid_request"),
        (("code_challenge_method", ""), "invalid_request"),
        (("code_challenge_method", "plain"), "invalid_request"),
        (("code_challenge_method", "s256"), "invalid_request"),
        (("scope", "nothing:here"), "invalid_scope"),
        (("resource", "https://other.example/mcp"), "invalid_target"),
        (("resource", "mcp"), "invalid_target"),
        (("request", "eyJ"), "request_not_supported"),
        (("request_uri", "http://169.254.169.254/"), "request_uri_not_supported"),
        (("prompt", "none"), "consent_required"),
    ] {
        let url = app.authorize_url(&client, &[over]);
        let reply = get(&url);
        assert_eq!(reply.status, 303, "{over:?}");
        let location = reply.header("location").unwrap();
        assert!(location.starts_with(REDIRECT), "{location}");
        assert_eq!(query_value(location, "error").as_deref(), Some(error), "{over:?}");
        assert_eq!(query_value(location, "state").as_deref(), Some("st+1/=%&"));
        assert_eq!(query_value(location, "iss").as_deref(), Some(app.issuer.as_str()));
        assert_eq!(location.matches("iss=").count(), 1);

        let page = request("GET", &url, &HTML, None);
        assert_eq!(page.status, 400, "{over:?}");
        assert!(page.header("location").is_none());
        assert!(page.text().contains("127.0.0.1"), "the host is named");
    }
}

#[test]
fn loopback_ports_are_free_and_scopes_are_narrowed() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]);
    for over in [
        ("redirect_uri", "http://127.0.0.1:9/callback"),
        ("scope", "mico:read openid profile offline_access"),
        ("resource", ""),
        ("state", ""),
        ("prompt", "consent"),
    ] {
        assert_eq!(get(&app.authorize_url(&client, &[over])).status, 200, "{over:?}");
    }
    let reply = app.consent(&app.authorize_url(&client, &[("scope", "")]), &pat.token, "allow");
    let code = query_value(reply.header("location").unwrap(), "code").unwrap();
    let token = app.redeem(&client, &code).json();
    assert_eq!(token["scope"], "mico:read", "the defaults are ticked");
    let with_twin = format!("{}/", app.resource);
    assert_eq!(get(&app.authorize_url(&client, &[("resource", &with_twin)])).status, 200);
}

#[test]
fn pages_are_guarded_and_open_to_no_other_origin() {
    let app = TestApp::start();
    let client = app.register("agent");
    let reply = request("GET", &app.authorize_url(&client, &[]), &[("origin", "https://evil.example")], None);
    let policy = reply.header("content-security-policy").unwrap();
    for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert_eq!(reply.header("x-frame-options"), Some("DENY"));
    assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert!(!reply.headers.iter().any(|(name, _)| name.to_ascii_lowercase().starts_with("access-control")));
    assert!(!reply.text().contains("<script>"));
}

#[test]
fn allowing_needs_the_browser_that_was_shown_the_page() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]);
    let url = app.authorize_url(&client, &[]);
    let (page, other) = (get(&url), get(&url));
    let form = form_with(&page, "personal_access_token")
        .set("personal_access_token", &pat.token)
        .set("decision", "allow");
    let cookies = page.cookies();
    let own = [("cookie", cookies.as_str())];
    let action = app.absolute(&form.action);
    let other_csrf =
        form_with(&other, "csrf").fields.iter().find(|(name, _)| name == "csrf").unwrap().1.clone();
    for (headers, form) in [
        (vec![], form.clone()),
        (own.to_vec(), form.clone().set("csrf", "")),
        (own.to_vec(), form.clone().set("csrf", &other_csrf)),
        (vec![("cookie", other.cookies().leak() as &str)], form.clone()),
        (vec![own[0], ("origin", "https://evil.example")], form.clone()),
        (vec![own[0], ("sec-fetch-site", "cross-site")], form.clone()),
    ] {
        let reply = post_form(&action, &headers, &form.pairs());
        assert_eq!(reply.status, 403, "{headers:?}");
        assert!(reply.header("location").is_none());
    }
    assert_eq!(post_form(&action, &own, &form.pairs()).status, 303, "the right one still can");
    let again = post_form(&action, &own, &form.pairs());
    assert!(again.header("location").is_none(), "once: {again:?}");
}

#[test]
fn a_form_cannot_widen_what_was_asked() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]);
    let page = get(&app.authorize_url(&client, &[]));
    let mut form = form_with(&page, "personal_access_token")
        .set("personal_access_token", &pat.token)
        .set("decision", "allow");
    form.fields.push(("scope".to_owned(), "mico:write".to_owned()));
    form.fields.push(("redirect_uri".to_owned(), "https://evil.example/".to_owned()));
    form.fields.push(("client_id".to_owned(), "other".to_owned()));
    let reply = post_form(&app.absolute(&form.action), &[("cookie", &page.cookies())], &form.pairs());
    let location = reply.header("location").unwrap();
    assert!(location.starts_with(REDIRECT));
    let token = app.redeem(&client, &query_value(location, "code").unwrap()).json();
    assert_eq!(token["scope"], "mico:read");
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
fn no_means_access_denied() {
    let app = TestApp::start();
    let client = app.register("agent");
    let reply = app.consent(&app.authorize_url(&client, &[]), "", "deny");
    let location = reply.header("location").unwrap();
    assert_eq!(query_value(location, "error").as_deref(), Some("access_denied"));
    assert_eq!(query_value(location, "iss").as_deref(), Some(app.issuer.as_str()));
    assert!(query_value(location, "code").is_none());
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

#[test]
fn an_old_request_can_no_longer_be_answered() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]);
    let page = get(&app.authorize_url(&client, &[]));
    let form = form_with(&page, "personal_access_token")
        .set("personal_access_token", &pat.token)
        .set("decision", "allow");
    app.advance(std::time::Duration::from_secs(3601));
    let reply = post_form(&app.absolute(&form.action), &[("cookie", &page.cookies())], &form.pairs());
    assert!(reply.header("location").is_none(), "{reply:?}");
}
