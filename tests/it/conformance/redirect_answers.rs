//! Where an answer goes and what it carries: the code or the error, `state`, `iss`, each once.

use serde_json::json;

use super::holds;
use crate::pages::Browser;
use crate::support::answer::{assert_page, members, sent_on};
use crate::support::flow::{REDIRECT, VERIFIER, form_with};
use crate::support::http::{Reply, get, post_form, query_value, request};
use crate::support::{TestApp, callers::PASSWORD};

const HTML: (&str, &str) = ("accept", "text/html,application/xhtml+xml");

fn client(app: &TestApp, name: &str, redirect: &str) -> String {
    let reply = app.register_with(&json!({"client_name": name, "redirect_uris": [redirect]}));
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.json()["client_id"].as_str().unwrap().to_owned()
}

/// A browser's answer to the page's form, by personal access token.
fn decide(app: &TestApp, url: &str, pat: &str, decision: &str) -> Reply {
    let page = request("GET", url, &[HTML], None);
    let form =
        form_with(&page, "personal_access_token").set("personal_access_token", pat).set("decision", decision);
    post_form(&app.absolute(&form.action), &[HTML, ("cookie", &page.cookies())], &form.pairs())
}

#[test]
fn every_answer_names_its_issuer_once() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]).token;
    let url = |over: &[(&str, &str)]| app.authorize_url(&client, over);
    let metadata = get(&format!("{}/.well-known/oauth-authorization-server", app.issuer)).json();
    let issuer = metadata["issuer"].as_str().unwrap();
    let sent = |reply: &Reply| reply.header("location").unwrap().to_owned();
    let allowed = sent(&app.consent(&url(&[]), &pat, "allow"));
    let mut all = vec![
        allowed.clone(),
        sent(&app.consent(&url(&[]), "", "deny")),
        sent_on(&decide(&app, &url(&[]), &pat, "allow"), REDIRECT).expect("a link"),
        sent_on(&decide(&app, &url(&[]), "", "deny"), REDIRECT).expect("a link"),
    ];
    for over in
        [("prompt", "none"), ("scope", "x"), ("resource", "x"), ("code_challenge", ""), ("request", "x")]
    {
        all.push(sent(&get(&url(&[over]))));
        let page = request("GET", &url(&[over]), &[HTML], None);
        all.push(sent_on(&page, REDIRECT).expect("a link"));
    }
    let answers: Vec<_> = all.iter().map(|location| members(location)).collect();
    holds(
        "C095",
        "iss is on every answer: allowed, denied, refused, prompt=none, by program and browser",
        || {
            assert_eq!(metadata["authorization_response_iss_parameter_supported"], true);
            assert!(answers.iter().all(|answer| answer["iss"] == issuer), "{answers:?}");
        },
    );
    holds("N-083", "each redirect carries exactly one iss, the metadata's, escaped", || {
        let escaped: String = form_urlencoded::byte_serialize(issuer.as_bytes()).collect();
        for location in &all {
            assert_eq!(location.matches("iss=").count(), 1, "{location}");
            assert!(location.ends_with(&format!("&iss={escaped}")), "{location}");
        }
    });
    holds("A-14", "iss is the issuer of the metadata, to the byte", || {
        assert_eq!((members(&allowed)["iss"].as_str(), issuer), (app.issuer.as_str(), app.issuer.as_str()));
    });
    holds("A-08", "a code or an error, with state and iss, each exactly once", || {
        for answer in &answers {
            let names: Vec<_> = answer.keys().map(String::as_str).collect();
            let code = names == ["code", "iss", "state"];
            assert!(code || names == ["error", "error_description", "iss", "state"], "{names:?}");
            assert_eq!(answer["state"], "st+1/=%&");
            assert!(code || answer["error_description"].bytes().all(|b| b == b' ' || b.is_ascii_graphic()));
        }
    });
    holds("C094", "a code is letters, digits and underscores: nothing a URL has to escape", || {
        for answer in answers.iter().filter(|answer| answer.contains_key("code")) {
            assert!(answer["code"].bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{answer:?}");
        }
    });
}

#[test]
fn a_form_is_answered_without_what_was_posted() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]).token;
    holds("C102", "after a form 303 alone: nothing that was posted travels on", || {
        for decision in ["allow", "deny"] {
            let reply = app.consent(&app.authorize_url(&client, &[]), &pat, decision);
            assert_eq!((reply.status, reply.body.len()), (303, 0));
            assert_eq!(reply.header("cache-control"), Some("no-store"));
            assert!(!reply.header("location").unwrap().contains(&pat));
        }
    });
}

#[test]
fn the_issuer_is_that_of_the_request_whichever_host_answers() {
    let mut builder = TestApp::builder();
    builder.toml = builder
        .toml
        .replace("resource = \"{base}/functions/v1/mcp\"", "resource = \"https://tools.example/mcp\"");
    let app = builder.start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]).token;
    holds(
        "C096",
        "iss is the issuer that was asked, also where another host of ours took the decision",
        || {
            let url = app.authorize_url(&client, &[]);
            let query = url.split_once('?').unwrap().1;
            let there = ("host", "tools.example");
            for (asked, headers) in
                [(url.clone(), vec![]), (format!("{}/authorize?{query}", app.base), vec![there])]
            {
                let page = request("GET", &asked, &headers, None);
                assert_eq!(page.status, 200, "{page:?}");
                let form = form_with(&page, "personal_access_token")
                    .set("personal_access_token", &pat)
                    .set("decision", "allow");
                let cookies = page.cookies();
                let headers = [there, ("cookie", cookies.as_str()), ("origin", "https://tools.example")];
                let reply = post_form(&format!("{}/authorize", app.base), &headers, &form.pairs());
                assert_eq!(reply.status, 303, "{reply:?}");
                assert_eq!(members(reply.header("location").unwrap())["iss"], app.issuer);
            }
        },
    );
}

#[test]
fn two_issuers_do_not_answer_for_each_other() {
    let other = r#"
[brand.notes]
name = "Notes"
issuer = "{base}/notes"
tokens = { pat = "notes_pat_", oauth = "notes_oat_", refresh = "notes_ort_" }
authorize_with_pat = true
[[service]]
id = "notes"
brand = "notes"
name = "Notes"
resource = "{base}/notes"
accept = ["pat", "oauth"]
[service.scopes."mico:read"]
title = { es = "Leer", en = "Read" }
[[service.upstream]]
id = "notes"
kind = "worker"
url = "{worker}"
catalog = "notes.json"
"#;
    let app = TestApp::builder().with("tail", other).file("notes.json", "[]").start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]).token;
    let reply = app.consent(&app.authorize_url(&client, &[]), &pat, "allow");
    let answer = members(reply.header("location").unwrap());
    holds("N-084", "an answer names one issuer, and its code and verifier are good there alone", || {
        let notes = format!("{}/notes", app.base);
        assert_eq!(get(&format!("{notes}/.well-known/oauth-authorization-server")).json()["issuer"], notes);
        assert_ne!(answer["iss"], notes, "a client that checks stops here");
        let mixed = [
            ("grant_type", "authorization_code"),
            ("code", &answer["code"]),
            ("client_id", &client),
            ("code_verifier", VERIFIER),
        ];
        let reply = post_form(&format!("{notes}/token"), &[], &mixed);
        assert_eq!((reply.status, reply.json()["error"].as_str()), (400, Some("invalid_grant")));
        let stolen = app.token(&[mixed[0], mixed[1], mixed[2], ("code_verifier", &"v".repeat(43))]);
        assert_eq!(stolen.json()["error"], "invalid_grant", "the verifier of another request");
        assert_eq!(app.redeem(&client, &answer["code"]).status, 200, "the right one still can");
    });
}

#[test]
fn a_browser_is_sent_on_by_a_page_of_ours() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let lands = |name: &str, redirect: &str| {
        let client = client(&app, name, redirect);
        let url = app.authorize_url(&client, &[("redirect_uri", redirect)]);
        let done = decide(&app, &url, &pat, "allow");
        assert_eq!((done.status, done.header("location")), (200, None), "{done:?}");
        let policy = done.header("content-security-policy").unwrap();
        assert!(policy.contains("form-action 'self'") && policy.contains("default-src 'none'"), "{policy}");
        assert!(done.text().contains("http-equiv=\"refresh\""), "{}", done.text());
        let link =
            sent_on(&done, redirect).unwrap_or_else(|| panic!("no link to {redirect}: {}", done.text()));
        let token = app.token(&[
            ("grant_type", "authorization_code"),
            ("code", &query_value(&link, "code").unwrap()),
            ("client_id", &client),
            ("code_verifier", VERIFIER),
            ("redirect_uri", redirect),
        ]);
        assert_eq!(token.status, 200, "{token:?}");
    };
    holds(
        "C098",
        "the form's answer is a page with a link and a refresh, so no policy stands in the way",
        || {
            lands("loopback", "http://localhost:51234/callback");
            lands("six", "http://[::1]:51234/callback");
            lands("desktop", "cursor://anysphere.cursor-mcp/oauth/callback");
            lands("app", "com.example.app:/callback");
            lands("site", "https://client.example/callback");
        },
    );
    holds("C099", "a site that itself leads on to a private scheme is reached the same way", || {
        lands("Claude", "https://claude.ai/api/mcp/auth_callback");
    });
    holds("C097", "RFC 9207 is advertised, and both forms of ChatGPT's callback are taken", || {
        let metadata = get(&format!("{}/.well-known/oauth-authorization-server", app.issuer)).json();
        assert_eq!(metadata["authorization_response_iss_parameter_supported"], true);
        lands("ChatGPT", "https://chatgpt.com/connector_platform_oauth_redirect");
        lands("ChatGPT", "https://chatgpt.com/connector/oauth/aB3dE5fG7hI9");
    });
}

#[test]
fn a_sign_in_leads_on_without_the_password() {
    let app = TestApp::start();
    let person = app.person("ana");
    let client = app.register("agent");
    let mut browser = Browser::new(&app);
    let page = browser.get(&app.authorize_url(&client, &[]));
    let form = form_with(&page, "password").set("email", &person.email).set("password", PASSWORD);
    let reply = browser.post(&form.action, &form.pairs());
    holds("N-101", "the answer to a sign-in is 303, and nothing of it is in the address", || {
        assert_eq!((reply.status, reply.body.len()), (303, 0), "{reply:?}");
        let location = reply.header("location").unwrap();
        let (path, query) = location.split_once('?').unwrap();
        assert!(path.ends_with("/authorize") && query.starts_with("transaction=txn_"), "{location}");
        assert!(!location.contains("correct") && !location.contains("ana"));
        assert_page(&browser.get("/login?next=a&next=b"), 400);
    });
}
