//! What a registration answers, and what real clients send.

use serde_json::json;

use super::super::holds;
use super::{assert_refused, made, names, with};
use crate::support::TestApp;
use crate::support::flow::REDIRECT;
use crate::support::http::{get, request};

#[test]
fn the_answer_is_all_that_was_registered() {
    let app = TestApp::start();
    let reply = app.register_with(&with(&json!({
        "client_name": "Agent", "client_uri": "https://agent.example/", "scope": "mico:read",
        "application_type": "native", "software_id": "agent", "software_version": "1",
    })));
    holds("D-01", "201, not to be kept, with every registered value, the id and when it was given", || {
        assert_eq!((reply.status, reply.header("content-type")), (201, Some("application/json")));
        assert_eq!(
            (reply.header("cache-control"), reply.header("pragma")),
            (Some("no-store"), Some("no-cache"))
        );
        let body = reply.json();
        let expected = json!({
            "client_id": body["client_id"], "client_id_issued_at": app.now().seconds(),
            "redirect_uris": [REDIRECT], "client_name": "Agent", "client_uri": "https://agent.example/",
            "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"], "scope": "mico:read", "application_type": "native",
            "software_id": "agent", "software_version": "1",
        });
        assert_eq!(body, expected);
    });
    holds("C070", "the least registration is answered with id, time, URIs, grants, types and method", || {
        let body = made(&app, &json!({"redirect_uris": [REDIRECT]}));
        assert_eq!(
            names(&body),
            [
                "client_id",
                "client_id_issued_at",
                "grant_types",
                "redirect_uris",
                "response_types",
                "token_endpoint_auth_method"
            ]
        );
        assert!(body["client_id_issued_at"].is_i64());
    });
    holds(
        "C072",
        "management is not built: no management URL or token is given, and its place is a JSON 404",
        || {
            let body = reply.json();
            assert!(
                body.get("registration_client_uri").is_none()
                    && body.get("registration_access_token").is_none()
            );
            let url = format!("{}/register/{}", app.issuer, body["client_id"].as_str().unwrap());
            for method in ["GET", "PUT", "DELETE"] {
                let reply = request(method, &url, &[("authorization", "Bearer x")], None);
                assert_eq!(
                    (reply.status, reply.header("content-type")),
                    (404, Some("application/json")),
                    "{method}"
                );
            }
        },
    );
}

#[test]
fn secrets_are_for_those_who_ask() {
    let app = TestApp::start();
    let reply = app.register_with(&with(&json!({"client_name": "Agent"})));
    holds(
        "D-02",
        "a secret, with an expiry of 0, for the methods that need one; neither for public clients",
        || {
            for method in ["client_secret_post", "client_secret_basic"] {
                let body = made(&app, &with(&json!({"token_endpoint_auth_method": method})));
                assert_eq!(body["token_endpoint_auth_method"], method);
                assert!(body["client_secret"].as_str().unwrap().starts_with("portero_ocs_"));
                assert_eq!(body["client_secret_expires_at"], json!(0));
            }
            let public = reply.json();
            assert!(
                public.get("client_secret").is_none() && public.get("client_secret_expires_at").is_none()
            );
        },
    );
    holds(
        "D-16",
        "ids and secrets are letters, digits and underscores, and look like no URL and no person",
        || {
            for method in ["none", "client_secret_post"] {
                let body = made(&app, &with(&json!({"token_endpoint_auth_method": method})));
                for name in ["client_id", "client_secret"] {
                    let Some(value) = body[name].as_str() else { continue };
                    assert!(value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{value}");
                    assert!(!value.starts_with("https") && !value.starts_with("usr_"), "{value}");
                }
            }
        },
    );
}

#[test]
fn what_real_clients_send_is_registered() {
    let app = TestApp::start();
    holds("C051", "Cursor's three URIs, one of a private scheme, are registered and echoed", || {
        let uris = json!([
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "http://localhost:8787/callback",
            "https://www.cursor.com/agents/mcp/oauth/callback",
        ]);
        let body = made(
            &app,
            &json!({
                "client_name": "Cursor", "redirect_uris": uris,
                "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
                "token_endpoint_auth_method": "none", "scope": "mico:read",
            }),
        );
        assert_eq!((&body["redirect_uris"], &body["scope"]), (&uris, &json!("mico:read")));
        for uri in uris.as_array().unwrap() {
            let client = body["client_id"].as_str().unwrap();
            let url = app.authorize_url(client, &[("redirect_uri", uri.as_str().unwrap())]);
            assert_eq!(get(&url).status, 200, "{uri}");
        }
    });
    holds(
        "C052",
        "VS Code's four URIs are registered; the device grant it names is left out of the answer",
        || {
            let uris = json!([
                "https://insiders.vscode.dev/redirect",
                "https://vscode.dev/redirect",
                "http://127.0.0.1/",
                "http://127.0.0.1:33418/",
            ]);
            let body = made(
                &app,
                &json!({
                    "client_name": "Visual Studio Code", "client_uri": "https://code.visualstudio.com",
                    "grant_types": [
                        "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
                    "response_types": ["code"], "redirect_uris": uris, "scope": "mico:read",
                    "token_endpoint_auth_method": "none", "application_type": "native",
                }),
            );
            assert_eq!(body["redirect_uris"], uris);
            assert_eq!(body["grant_types"], json!(["authorization_code", "refresh_token"]));
            assert_eq!(body["application_type"], "native");
            let ten: Vec<_> = (0..20).map(|n| format!("https://client.example/{n}")).collect();
            assert_eq!(made(&app, &json!({"redirect_uris": ten}))["redirect_uris"], json!(ten));
        },
    );
}

#[test]
fn what_is_not_said_has_the_defaults_of_a_public_client() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    holds("C061", "an empty scope is no scope", || {
        let body = made(&app, &json!({"redirect_uris": ["http://localhost:3333/callback"], "scope": ""}));
        assert!(body.get("scope").is_none(), "{body}");
    });
    let least = made(
        &app,
        &json!({"client_name": "LM Studio", "redirect_uris": ["http://127.0.0.1:41343/callback"]}),
    );
    holds("C063", "who names no method, grant or type is a public client with code and refresh", || {
        assert_eq!(least["token_endpoint_auth_method"], "none");
        assert_eq!(least["grant_types"], json!(["authorization_code", "refresh_token"]));
        assert_eq!(least["response_types"], json!(["code"]));
        assert!(least.get("client_secret").is_none());
    });
    holds(
        "D-07",
        "no method named, or one that is not supported: `none`, and said so (rules: Registration)",
        || {
            assert_eq!(least["token_endpoint_auth_method"], "none");
            let web = made(
                &app,
                &json!({"redirect_uris": ["https://client.example/cb"], "application_type": "web"}),
            );
            assert_eq!(web["token_endpoint_auth_method"], "none");
        },
    );
    holds(
        "N-181",
        "a method that is not supported is replaced by `none` and echoed (rules: Registration)",
        || {
            for method in ["tls_client_auth", "private_key_jwt", "client_secret_jwt", "x"] {
                let body = made(&app, &with(&json!({"token_endpoint_auth_method": method})));
                assert_eq!(body["token_endpoint_auth_method"], "none", "{method}");
                assert!(body.get("client_secret").is_none());
            }
        },
    );
    holds(
        "C064",
        "a client that registers the code grant alone is told that it gets refresh tokens, and can use them",
        || {
            let body = made(
                &app,
                &with(&json!({"client_name": "code only", "grant_types": ["authorization_code"]})),
            );
            assert_eq!(body["grant_types"], json!(["authorization_code", "refresh_token"]));
            let own = app.connect_as(body["client_id"].as_str().unwrap(), &pat.token);
            assert_eq!(app.refresh(&own.client, &own.refresh).status, 200);
        },
    );
}

#[test]
fn what_is_not_known_is_left_out_of_the_answer() {
    let app = TestApp::start();
    holds(
        "C066",
        "an unknown method becomes `none`, members of others are ignored, the application type is kept",
        || {
            let body = made(
                &app,
                &with(&json!({
                    "token_endpoint_auth_method": "tls_client_auth", "software_id": "6f1a", "software_version": "1",
                    "application_type": "native", "jwks": {}, "x_vendor": {"a": 1},
                })),
            );
            assert_eq!(body["token_endpoint_auth_method"], "none");
            assert_eq!((&body["software_id"], &body["application_type"]), (&json!("6f1a"), &json!("native")));
            assert!(body.get("jwks").is_none() && body.get("x_vendor").is_none(), "{body}");
        },
    );
    holds("D-08", "web and native are kept, absent forbids nothing, anything else is left out", || {
        for kind in ["web", "native"] {
            assert_eq!(made(&app, &with(&json!({"application_type": kind})))["application_type"], kind);
        }
        for kind in [json!(null), json!("desktop"), json!(1)] {
            assert!(made(&app, &with(&json!({"application_type": kind}))).get("application_type").is_none());
        }
    });
    holds(
        "D-06",
        "grants and types that fit are registered with refresh added; what lacks the code is refused",
        || {
            let body = made(
                &app,
                &with(&json!({"grant_types": ["authorization_code"], "response_types": ["code"]})),
            );
            assert_eq!(body["grant_types"], json!(["authorization_code", "refresh_token"]));
            for wrong in [
                json!({"grant_types": ["implicit"]}),
                json!({"response_types": ["token"]}),
                json!({"grant_types": ["refresh_token"], "response_types": ["code"]}),
            ] {
                assert_refused(&app.register_with(&with(&wrong)), "invalid_client_metadata");
            }
        },
    );
}
