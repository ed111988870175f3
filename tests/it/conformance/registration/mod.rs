//! Dynamic registration: liberal in, exact out; nothing that a client says of itself is believed further than that.

mod answers;
mod claims;
mod limits;
mod refusals;

use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::flow::REDIRECT;
use crate::support::http::{Reply, request};

pub const JSON: (&str, &str) = ("content-type", "application/json");

pub fn post(app: &TestApp, headers: &[(&str, &str)], body: &str) -> Reply {
    request("POST", &format!("{}/register", app.issuer), headers, Some(body))
}

/// What is registered of `metadata`.
pub fn made(app: &TestApp, metadata: &Value) -> Value {
    let reply = app.register_with(metadata);
    assert_eq!(reply.status, 201, "{metadata}: {reply:?}");
    let body = reply.json();
    for (name, value) in body.as_object().unwrap() {
        assert!(!value.is_null() && *value != json!("") && *value != json!([]), "{name} is empty: {body}");
    }
    body
}

/// `metadata` with one redirect URI.
pub fn with(metadata: &Value) -> Value {
    let mut own = json!({"redirect_uris": [REDIRECT]});
    own.as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
    own
}

pub fn error(reply: &Reply) -> String {
    let body = reply.json();
    assert!(body["error_description"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    body["error"].as_str().unwrap().to_owned()
}

pub fn assert_refused(reply: &Reply, code: &str) {
    assert_eq!((reply.status, error(reply).as_str()), (400, code), "{reply:?}");
}

pub fn clients(app: &TestApp) -> usize {
    app.cli(&["client", "list"], None).as_array().unwrap().len()
}

/// The members a registration answers with, in order.
pub fn names(body: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}
