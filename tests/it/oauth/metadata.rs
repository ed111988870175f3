use crate::conformance::holds;
use crate::support::TestApp;
use crate::support::http::get;

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";
const PATH: &str = "/functions/v1/mcp";

#[test]
fn every_advertised_endpoint_answers() {
    let app = TestApp::start();
    let body = get(&format!("{}{SERVER}{PATH}", app.base)).json();
    holds("M-12", "every advertised endpoint answers, and says which method it wants", || {
        for name in
            ["token_endpoint", "registration_endpoint", "revocation_endpoint", "introspection_endpoint"]
        {
            let reply = get(body[name].as_str().unwrap());
            assert_eq!(reply.status, 405, "{name}");
            assert!(reply.header("allow").unwrap().contains("POST"));
            assert_eq!(reply.header("content-type"), Some("application/json"));
        }
        assert_eq!(get(body["authorization_endpoint"].as_str().unwrap()).status, 400);
    });
}

#[test]
fn openid_forms_and_unknown_paths_are_json_404() {
    let app = TestApp::start();
    holds("C009", "what nothing stands at is JSON 404, above and below the issuer too", || {
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
    });
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
