//! What the two documents say.

use serde_json::json;

use super::super::holds;
use super::{OPENID, PATH, RESOURCE, SERVER, assert_json_404, document, server_document, strings};
use crate::support::http::request;
use crate::support::{Reply, TestApp};

#[test]
fn the_resource_document_stands_where_every_client_looks() {
    let app = TestApp::start();
    let inserted = format!("{RESOURCE}{PATH}");
    let expected = json!({
        "resource": app.resource, "authorization_servers": [app.issuer],
        "scopes_supported": ["mico:read"], "bearer_methods_supported": ["header"],
    });
    holds("C001", "the path-inserted resource document names the exact endpoint, without a token", || {
        assert_eq!(document(&app, &inserted).json(), expected);
    });
    holds(
        "P-01",
        "the document stands at the inserted path and, for the only service of a host, at the root",
        || {
            assert_eq!(document(&app, &inserted).json(), expected);
            assert_eq!(document(&app, RESOURCE).json(), expected);
        },
    );
    holds("C003", "the same document stands at the appended path, open to everybody", || {
        assert_eq!(document(&app, &format!("{PATH}{RESOURCE}")).body, document(&app, &inserted).body);
    });
    holds("C019", "a client that loses the challenge on the way finds the document at path and root", || {
        assert_eq!(document(&app, RESOURCE).body, document(&app, &inserted).body);
    });
    holds("C022", "`resource` is the endpoint's URL, character by character", || {
        assert_eq!(document(&app, &inserted).json()["resource"], app.resource);
    });
    holds("P-02", "each spelling's document names the spelling it was built from", || {
        assert_eq!(document(&app, &inserted).json()["resource"], app.resource);
        let twin = document(&app, &format!("{inserted}/")).json();
        assert_eq!(twin["resource"], format!("{}/", app.resource));
    });
}

#[test]
fn the_resource_document_names_issuer_and_scopes() {
    let app = TestApp::start();
    let inserted = format!("{RESOURCE}{PATH}");
    holds("P-03", "its one authorization server is spelt as the issuer's own document spells it", || {
        let issuer = server_document(&app)["issuer"].clone();
        assert_eq!(document(&app, &inserted).json()["authorization_servers"], json!([issuer]));
    });
    holds(
        "P-04",
        "it lists the scopes marked as default and the header as the only way to send a token",
        || {
            let body = document(&app, &inserted).json();
            assert_eq!(body["scopes_supported"], json!(["mico:read"]));
            assert_eq!(body["bearer_methods_supported"], json!(["header"]));
        },
    );
    holds(
        "C027",
        "resource: default scopes; issuer: all that can be asked for; offline_access nowhere",
        || {
            assert_eq!(document(&app, &inserted).json()["scopes_supported"], json!(["mico:read"]));
            assert_eq!(server_document(&app)["scopes_supported"], json!(["mico:read", "mico:write"]));
            let challenge = request("POST", &app.resource, &[], Some("{}"));
            assert!(!challenge.header("www-authenticate").unwrap().contains("offline_access"));
        },
    );
    holds("P-07", "nothing is said of names and links that nobody configured (rules: four members)", || {
        let body = document(&app, &inserted).json();
        for absent in ["resource_name", "resource_documentation", "resource_policy_uri", "resource_tos_uri"] {
            assert!(body.get(absent).is_none(), "{absent}");
        }
    });
    holds("P-08", "DPoP, signed metadata and authorization details are not built and not advertised", || {
        assert_eq!(document(&app, &inserted).json().as_object().unwrap().len(), 4);
    });
}

#[test]
fn the_issuers_document_says_what_is_true() {
    let app = TestApp::start();
    let body = server_document(&app);
    holds("M-01", "the document stands at the well-known path with the issuer's path inserted", || {
        assert_eq!(document(&app, &format!("{SERVER}{PATH}")).json()["issuer"], app.issuer);
    });
    holds("M-02", "the issuer is the configured string, without slash, query or fragment", || {
        let issuer = body["issuer"].as_str().unwrap();
        assert_eq!(issuer, format!("{}{PATH}", app.base));
        assert!(!issuer.ends_with('/') && !issuer.contains(['?', '#']));
    });
    holds("M-03", "inserted and appended places serve it; the OpenID places are JSON 404", || {
        assert_eq!(document(&app, &format!("{PATH}{SERVER}")).json(), body);
        for place in [format!("{OPENID}{PATH}"), format!("{PATH}{OPENID}"), OPENID.to_owned()] {
            assert_json_404(&app, &place);
        }
    });
    holds("M-04", "authorization and token endpoint and the one response type are named", || {
        assert_eq!(body["authorization_endpoint"], format!("{}/authorize", app.issuer));
        assert_eq!(body["token_endpoint"], format!("{}/token", app.issuer));
        assert_eq!(body["response_types_supported"], json!(["code"]));
    });
    holds("M-05", "S256 is advertised as the only challenge method", || {
        assert_eq!(body["code_challenge_methods_supported"], json!(["S256"]));
    });
    holds("C015", "code_challenge_methods_supported is always there", || {
        for place in [format!("{SERVER}{PATH}"), format!("{PATH}{SERVER}"), SERVER.to_owned()] {
            assert_eq!(document(&app, &place).json()["code_challenge_methods_supported"], json!(["S256"]));
        }
    });
}

#[test]
fn the_issuers_document_writes_out_what_defaults_would_get_wrong() {
    let app = TestApp::start();
    let body = server_document(&app);
    holds("M-06", "members whose defaults would lie are written out", || {
        let secrets = json!(["client_secret_post", "client_secret_basic"]);
        let all = json!(["none", "client_secret_post", "client_secret_basic"]);
        assert_eq!(body["grant_types_supported"], json!(["authorization_code", "refresh_token"]));
        assert_eq!(body["response_modes_supported"], json!(["query"]));
        assert_eq!(body["token_endpoint_auth_methods_supported"], all);
        assert_eq!(body["revocation_endpoint_auth_methods_supported"], all);
        assert_eq!(body["introspection_endpoint_auth_methods_supported"], secrets);
    });
    holds("M-07", "none, post and basic are advertised; private_key_jwt is not built and not named", || {
        let methods = strings(&body["token_endpoint_auth_methods_supported"]);
        assert_eq!(methods, ["none", "client_secret_post", "client_secret_basic"]);
        assert!(body.get("token_endpoint_auth_signing_alg_values_supported").is_none());
    });
    holds(
        "M-09",
        "registration is named while it is open; metadata documents of clients are not advertised",
        || {
            assert_eq!(body["registration_endpoint"], format!("{}/register", app.issuer));
            assert!(body.get("client_id_metadata_document_supported").is_none());
        },
    );
    holds(
        "M-10",
        "every scope that can be asked for is listed, and not offline_access, which changes nothing",
        || {
            assert_eq!(body["scopes_supported"], json!(["mico:read", "mico:write"]));
        },
    );
    holds(
        "M-11",
        "revocation, introspection and the protected resources are named; links only if configured",
        || {
            assert_eq!(body["revocation_endpoint"], format!("{}/revoke", app.issuer));
            assert_eq!(body["introspection_endpoint"], format!("{}/introspect", app.issuer));
            assert_eq!(body["protected_resources"], json!([app.resource]));
            for absent in ["service_documentation", "op_policy_uri", "op_tos_uri"] {
                assert!(body.get(absent).is_none(), "{absent}");
            }
        },
    );
}

#[test]
fn the_issuers_document_is_silent_on_what_is_not_built() {
    let app = TestApp::start();
    let body = server_document(&app);
    holds(
        "M-14",
        "PAR, DPoP, device flow, ID-JAG and signed metadata are not built and not advertised",
        || {
            for absent in [
                "pushed_authorization_request_endpoint",
                "require_pushed_authorization_requests",
                "dpop_signing_alg_values_supported",
                "device_authorization_endpoint",
                "authorization_grant_profiles_supported",
                "signed_metadata",
            ] {
                assert!(body.get(absent).is_none(), "{absent}");
            }
        },
    );
    holds("M-15", "there is no OpenID provider, so no OpenID document and none of its members", || {
        assert_json_404(&app, OPENID);
        for absent in ["jwks_uri", "subject_types_supported", "id_token_signing_alg_values_supported"] {
            assert!(body.get(absent).is_none(), "{absent}");
        }
    });
    holds("C013", "no half OpenID document: its places are 404", || {
        for place in [format!("{OPENID}{PATH}"), format!("{PATH}{OPENID}"), OPENID.to_owned()] {
            assert_json_404(&app, &place);
        }
    });
    holds(
        "C028",
        "every endpoint is one segment under the issuer, and the document stands under it too",
        || {
            for name in ["authorization", "token", "registration", "revocation", "introspection"] {
                let endpoint = body[format!("{name}_endpoint")].as_str().unwrap();
                let below = endpoint.strip_prefix(&format!("{}/", app.issuer)).unwrap();
                assert!(!below.contains('/'), "{endpoint}");
            }
            assert_eq!(document(&app, &format!("{PATH}{SERVER}")).json(), body);
        },
    );
}

#[test]
fn documents_may_be_kept_for_a_while_and_asked_after() {
    let app = TestApp::start();
    holds(
        "M-13",
        "documents may be kept five minutes, carry a tag that is answered 304, and set no cookie",
        || {
            for path in [format!("{SERVER}{PATH}"), format!("{RESOURCE}{PATH}")] {
                let url = format!("{}{path}", app.base);
                let reply = document(&app, &path);
                assert_eq!(reply.header("cache-control"), Some("public, max-age=300"));
                let tag = reply.header("etag").unwrap();
                assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 20, "{tag}");
                for named in [tag.to_owned(), format!("\"x\", W/{tag}"), "*".to_owned()] {
                    let again = request("GET", &url, &[("if-none-match", &named)], None);
                    assert_eq!((again.status, again.body.len()), (304, 0), "{named}");
                    assert_eq!(again.header("etag"), Some(tag));
                    assert_eq!(again.header("cache-control"), Some("public, max-age=300"));
                    assert_eq!(again.header("access-control-allow-origin"), Some("*"));
                }
                let other = request("GET", &url, &[("if-none-match", "\"x\"")], None);
                assert_eq!((other.status, &other.body), (200, &reply.body));
            }
            let tag = |path: &str| document(&app, path).header("etag").unwrap().to_owned();
            assert_ne!(tag(&format!("{RESOURCE}{PATH}")), tag(&format!("{RESOURCE}{PATH}/")));
        },
    );
    holds("C048", "HEAD on a document is 200 with the headers of GET and no body", || {
        for path in [format!("{SERVER}{PATH}"), format!("{RESOURCE}{PATH}"), RESOURCE.to_owned()] {
            let head = request("HEAD", &format!("{}{path}", app.base), &[], None);
            assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
            let kept = |reply: &Reply| {
                let mut headers = reply.headers.clone();
                headers.retain(|(name, _)| name != "date" && name != "x-request-id");
                headers.sort();
                headers
            };
            assert_eq!(kept(&head), kept(&document(&app, &path)), "{path}");
        }
    });
}
