//! The endpoint, and how a client finds out where to sign in.

use std::path::Path;

use serde_json::json;

use super::{Site, keys, samples, statement};
use crate::support::app::command;
use crate::support::http::{get, request};

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

#[test]
fn v003_the_endpoint_is_configured_as_the_document_spells_it() {
    let site = Site::start();
    statement("V003", || {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/inversion-consciente/portero.toml");
        let checked = command(&file, &["--json", "config", "check"], None);
        let said: serde_json::Value = serde_json::from_slice(&checked.stdout).unwrap();
        assert_eq!(said, json!({"ok": true, "errors": [], "warnings": []}));
        let printed = command(&file, &["--json", "config", "print"], None);
        let config: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
        assert_eq!(config["service"][0]["resource"], "https://www.xn--inversinconsciente-w1b.com/mcp");
        assert_eq!(site.app.resource, format!("{}/mcp", site.app.base));
        assert_eq!(site.post("", samples::INITIALIZE).status, 200);
        let headers = [("content-type", "application/json"), ("accept", super::BOTH)];
        for path in ["/mcpx", "/mcp/x", "/MCP"] {
            let reply = request("POST", &format!("{}{path}", site.app.base), &headers, Some(samples::LIST));
            assert_eq!(
                (reply.status, reply.header("content-type")),
                (404, Some("application/json")),
                "{path}"
            );
        }
    });
}

#[test]
fn v010_v011_v012_v013_v014_v015_v016_the_resource_metadata() {
    let site = Site::start();
    let app = &site.app;
    for path in ["", "/mcp"] {
        let reply = get(&format!("{}{WELL_KNOWN}{path}", app.base));
        statement("V010", || assert_eq!(reply.status, 200, "{path}"));
        statement("V011", || assert_eq!(reply.header("content-type"), Some("application/json"), "{path}"));
        let body = reply.json();
        statement("V012", || assert_eq!(body["resource"], format!("{}/mcp", app.base), "{path}"));
        statement("V013", || assert_eq!(body["authorization_servers"], json!([site.issuer.url])));
        statement("V014", || assert_eq!(body["scopes_supported"], json!(["openid", "email", "profile"])));
        statement("V015", || assert_eq!(body["bearer_methods_supported"], json!(["header"])));
        statement("V016", || {
            assert_eq!(
                keys(&body),
                ["resource", "authorization_servers", "scopes_supported", "bearer_methods_supported"]
            );
        });
    }
}

/// Nobody can sign in here, so nothing says that they could.
#[test]
fn v013_there_is_no_authorization_server_here() {
    let site = Site::start();
    statement("V013", || {
        for path in [
            "/.well-known/oauth-authorization-server",
            "/.well-known/oauth-authorization-server/mcp",
            "/mcp/.well-known/oauth-authorization-server",
            "/.well-known/openid-configuration",
            "/.well-known/openid-configuration/mcp",
        ] {
            let reply = get(&format!("{}{path}", site.app.base));
            assert_eq!(
                (reply.status, reply.header("content-type")),
                (404, Some("application/json")),
                "{path}"
            );
            assert!(reply.json().is_object(), "{path}");
        }
        for path in ["/register", "/token", "/revoke", "/mcp/register", "/mcp/token"] {
            let headers = [("content-type", "application/json")];
            let reply = request("POST", &format!("{}{path}", site.app.base), &headers, Some("{}"));
            assert_eq!(reply.status, 404, "{path}: {reply:?}");
        }
    });
}

#[test]
fn v019_a_challenge_names_the_scopes_to_ask_for() {
    let site =
        Site::with(|toml| toml.replace("anonymous_challenge = \"result\"", "anonymous_challenge = \"http\""));
    let invalid = site.post("no.such.token", samples::MY_AI_USAGE);
    let absent = site.post("", samples::MY_AI_USAGE);
    statement("V019", || {
        for reply in [&absent, &invalid] {
            assert_eq!(reply.status, 401, "{reply:?}");
            let challenge = reply.header("www-authenticate").unwrap();
            assert!(challenge.contains("scope=\"openid email profile\""), "{challenge}");
            let metadata = format!("resource_metadata=\"{}{WELL_KNOWN}/mcp\"", site.app.base);
            assert!(challenge.contains(&metadata), "{challenge}");
        }
    });
}
