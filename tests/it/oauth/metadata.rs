use serde_json::json;

use crate::support::http::{get, request};
use crate::support::{Reply, TestApp};

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";
const PATH: &str = "/functions/v1/mcp";

fn assert_document(reply: &Reply) {
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert!(reply.header("set-cookie").is_none());
    for (name, value) in reply.json().as_object().unwrap() {
        assert!(!value.is_null() && *value != json!("") && *value != json!([]), "{name} is empty");
    }
}

#[test]
fn the_resource_document_stands_in_every_place_clients_look() {
    let app = TestApp::start();
    let places = [format!("{RESOURCE}{PATH}"), format!("{PATH}{RESOURCE}"), RESOURCE.to_owned()];
    for place in places {
        let reply = get(&format!("{}{place}", app.base));
        assert_document(&reply);
        assert_eq!(
            reply.json(),
            json!({
                "resource": app.resource, "authorization_servers": [app.issuer],
                "scopes_supported": ["mico:read"], "bearer_methods_supported": ["header"],
            }),
            "{place}"
        );
    }
}

#[test]
fn the_twin_spelling_is_named_as_it_was_asked() {
    let app = TestApp::start();
    let reply = get(&format!("{}{RESOURCE}{PATH}/", app.base));
    assert_eq!(reply.json()["resource"], format!("{}/", app.resource));
}

#[test]
fn the_issuers_document_stands_in_every_place_and_is_the_same() {
    let app = TestApp::start();
    let places = [format!("{SERVER}{PATH}"), format!("{PATH}{SERVER}"), SERVER.to_owned()];
    for place in places {
        let reply = get(&format!("{}{place}", app.base));
        assert_document(&reply);
        let body = reply.json();
        assert_eq!(body["issuer"], app.issuer);
        assert_eq!(body["code_challenge_methods_supported"], json!(["S256"]));
        assert_eq!(body["authorization_response_iss_parameter_supported"], json!(true));
        assert_eq!(body["response_types_supported"], json!(["code"]));
        assert_eq!(body["grant_types_supported"], json!(["authorization_code", "refresh_token"]));
        assert_eq!(body["scopes_supported"], json!(["mico:read", "mico:write"]));
    }
}

/// M-12: nothing is advertised that does not answer.
#[test]
fn every_advertised_endpoint_answers() {
    let app = TestApp::start();
    let body = get(&format!("{}{SERVER}{PATH}", app.base)).json();
    for name in ["token_endpoint", "registration_endpoint", "revocation_endpoint", "introspection_endpoint"] {
        let reply = get(body[name].as_str().unwrap());
        assert_eq!(reply.status, 405, "{name}");
        assert!(reply.header("allow").unwrap().contains("POST"));
        assert_eq!(reply.header("content-type"), Some("application/json"));
    }
    assert_eq!(get(body["authorization_endpoint"].as_str().unwrap()).status, 400);
}

#[test]
fn openid_forms_and_unknown_paths_are_json_404() {
    let app = TestApp::start();
    for path in [
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/functions/v1/mcp",
        "/.well-known/nothing",
        "/functions/v1/mcp/nothing",
        "/functions/v1/mcp/token/more",
        "/functions/v1/nothing",
        "/nothing",
    ] {
        let reply = get(&format!("{}{path}", app.base));
        assert_eq!(reply.status, 404, "{path}");
        assert_eq!(reply.header("content-type"), Some("application/json"), "{path}");
        assert!(reply.json()["error"].is_string());
    }
}

#[test]
fn discovery_works_from_browsers_and_by_head() {
    let app = TestApp::start();
    let url = format!("{}{RESOURCE}{PATH}", app.base);
    let asks = [
        ("origin", "http://localhost:6274"),
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "mcp-protocol-version,authorization"),
    ];
    let preflight = request("OPTIONS", &url, &asks, None);
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.header("access-control-allow-headers"), Some("mcp-protocol-version, authorization"));
    let head = request("HEAD", &url, &[], None);
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn a_host_that_nothing_is_configured_for_is_421() {
    let app = TestApp::start();
    for path in [PATH, RESOURCE, "/login", "/functions/v1/mcp/authorize"] {
        let answer = crate::support::http::raw(
            app.authority(),
            format!("GET {path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n").as_bytes(),
        );
        assert!(answer.starts_with("HTTP/1.1 421"), "{answer}");
        assert!(answer.contains("content-type: application/json"), "{answer}");
        assert!(!answer.contains("evil.example"));
    }
}
