//! The documents clients start from: where they stand, what they say, and what stands elsewhere.

mod advertised;
mod documents;
pub mod places;

use serde_json::{Value, json};

use crate::support::http::request;
use crate::support::{Reply, TestApp};

pub const RESOURCE: &str = "/.well-known/oauth-protected-resource";
pub const SERVER: &str = "/.well-known/oauth-authorization-server";
pub const OPENID: &str = "/.well-known/openid-configuration";
pub const PATH: &str = "/functions/v1/mcp";

pub fn document(app: &TestApp, path: &str) -> Reply {
    let reply = request(
        "GET",
        &format!("{}{path}", app.base),
        &[("accept", "*/*"), ("mcp-protocol-version", "2025-11-25")],
        None,
    );
    assert_eq!(reply.status, 200, "{path}: {reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/json"), "{path}");
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"), "{path}");
    assert!(reply.header("set-cookie").is_none() && reply.header("location").is_none(), "{path}");
    for (name, value) in reply.json().as_object().unwrap() {
        assert!(!value.is_null() && *value != json!("") && *value != json!([]), "{path}: {name} is empty");
    }
    reply
}

pub fn server_document(app: &TestApp) -> Value {
    document(app, &format!("{SERVER}{PATH}")).json()
}

pub fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|item| item.as_str().unwrap()).collect()
}

pub fn assert_json_404(app: &TestApp, path: &str) {
    for accept in ["*/*", "text/html,application/xhtml+xml"] {
        let headers = [("accept", accept), ("authorization", "Bearer nothing")];
        let reply = request("GET", &format!("{}{path}", app.base), &headers, None);
        assert_eq!((reply.status, reply.header("content-type")), (404, Some("application/json")), "{path}");
        let body = reply.json();
        assert_eq!(body["error"], "not_found", "{path}");
        assert!(body["error_description"].as_str().is_some_and(|text| !text.is_empty()), "{path}");
        assert!(reply.header("www-authenticate").is_none() && reply.header("location").is_none(), "{path}");
    }
}
