//! Redirect URIs: which may be registered, which registered one an asked one is, and how the answer goes there.

mod acceptable;
mod matching;

use serde_json::{Value, json};

use crate::support::flow::VERIFIER;
use crate::support::http::{get, query_value};
use crate::support::{Reply, TestApp};

pub fn register(app: &TestApp, uris: &[&str]) -> Reply {
    app.register_with(&json!({"client_name": "agent", "redirect_uris": uris}))
}

pub fn registered(app: &TestApp, uris: &[&str]) -> String {
    let reply = register(app, uris);
    assert_eq!(reply.status, 201, "{uris:?}: {reply:?}");
    assert_eq!(reply.json()["redirect_uris"], json!(uris), "echoed as sent");
    reply.json()["client_id"].as_str().unwrap().to_owned()
}

pub fn refused(app: &TestApp, uris: &Value) {
    let reply = app.register_with(&json!({"client_name": "agent", "redirect_uris": uris}));
    let body = reply.json();
    assert_eq!((reply.status, body["error"].as_str()), (400, Some("invalid_redirect_uri")), "{uris}: {body}");
    assert!(body["error_description"].as_str().is_some_and(|text| !text.is_empty()));
}

pub fn authorize(app: &TestApp, client: &str, uri: &str) -> Reply {
    get(&app.authorize_url(client, &[("redirect_uri", uri)]))
}

pub fn accepted(app: &TestApp, client: &str, uri: &str) {
    let reply = authorize(app, client, uri);
    assert_eq!(reply.status, 200, "{uri}: {reply:?}");
}

/// A page that says so, and nobody is sent anywhere.
pub fn assert_page(reply: &Reply) {
    assert_eq!(reply.status, 400, "{reply:?}");
    assert!(reply.header("location").is_none() && reply.header("refresh").is_none(), "{reply:?}");
    assert!(reply.header("content-type").unwrap().starts_with("text/html"), "{reply:?}");
    assert!(!reply.text().contains("http-equiv"), "{}", reply.text());
}

/// Where the answer to a consent goes.
pub fn sent_to(app: &TestApp, client: &str, uri: &str, pat: &str) -> String {
    let reply = app.consent(&app.authorize_url(client, &[("redirect_uri", uri)]), pat, "allow");
    assert_eq!(reply.status, 303, "{uri}: {reply:?}");
    reply.header("location").unwrap().to_owned()
}

pub fn redeem(app: &TestApp, client: &str, location: &str, uri: &str) -> Reply {
    app.token(&[
        ("grant_type", "authorization_code"),
        ("code", &query_value(location, "code").unwrap()),
        ("code_verifier", VERIFIER),
        ("client_id", client),
        ("redirect_uri", uri),
    ])
}
