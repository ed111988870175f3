//! What is advertised is true.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::super::holds;
use super::{PATH, RESOURCE, document, server_document, strings};
use crate::support::TestApp;
use crate::support::flow::{REDIRECT, VERIFIER};
use crate::support::http::{get, post_form, query_value, request};

#[test]
fn one_string_is_the_issuer_wherever_it_is_said() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]);
    let refused = get(&app.authorize_url(&client, &[("code_challenge", "")]));
    let denied = app.consent(&app.authorize_url(&client, &[]), &pat.token, "deny");
    let allowed = app.consent(&app.authorize_url(&client, &[]), &pat.token, "allow");
    let issuers: Vec<_> = [&refused, &denied, &allowed]
        .map(|reply| query_value(reply.header("location").unwrap(), "iss").unwrap())
        .into();
    holds(
        "C007",
        "resource document, issuer's document and `iss` of answers are byte for byte the same",
        || {
            let named =
                document(&app, &format!("{RESOURCE}{PATH}")).json()["authorization_servers"][0].clone();
            assert_eq!(named, server_document(&app)["issuer"]);
            assert!(issuers.iter().all(|iss| named == iss.as_str()), "{issuers:?}");
            assert!(!app.issuer.ends_with('/'));
        },
    );
    holds("M-08", "`iss` is advertised, and success, denial and refusal all carry it", || {
        let body = server_document(&app);
        assert_eq!(body["authorization_response_iss_parameter_supported"], json!(true));
        assert_eq!(issuers, vec![app.issuer.clone(); 3]);
    });
}

/// One client of a way to prove itself: from its registration to the end of its tokens, at the advertised endpoints.
fn lives(app: &TestApp, body: &Value, method: &str, pat: &str) {
    let reply = app.register_with(&json!({
        "client_name": method, "redirect_uris": [REDIRECT], "token_endpoint_auth_method": method,
    }));
    let own = reply.json();
    assert_eq!((reply.status, &own["token_endpoint_auth_method"]), (201, &json!(method)));
    let client = own["client_id"].as_str().unwrap();
    let secret = own["client_secret"].as_str().unwrap_or_default();
    let basic = format!("Basic {}", STANDARD.encode(format!("{client}:{secret}")));
    let prove = |endpoint: &str, form: &[(&str, &str)]| {
        let mut form = form.to_vec();
        let mut headers = Vec::new();
        match method {
            "client_secret_basic" => headers.push(("authorization", basic.as_str())),
            "client_secret_post" => form.extend([("client_id", client), ("client_secret", secret)]),
            _ => form.push(("client_id", client)),
        }
        let reply = post_form(body[endpoint].as_str().unwrap(), &headers, &form);
        assert_eq!(reply.status, 200, "{method} {endpoint}: {reply:?}");
        reply
    };
    let code = app.code(client, pat);
    let grant = [("grant_type", "authorization_code"), ("code", &code), ("code_verifier", VERIFIER)];
    let refresh = prove("token_endpoint", &grant).json()["refresh_token"].as_str().unwrap().to_owned();
    let grant = [("grant_type", "refresh_token"), ("refresh_token", refresh.as_str())];
    let access = prove("token_endpoint", &grant).json()["access_token"].as_str().unwrap().to_owned();
    app.assert_alive(&access);
    prove("revocation_endpoint", &[("token", &access)]);
    app.assert_dead(&access);
}

/// Everything the issuer's document says is tried.
#[test]
fn everything_advertised_works() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let body = server_document(&app);
    let key = app.cli(&["introspection-key", "create", "--name", "test"], None);
    holds("M-12", "each method, grant, scope, mode, language and endpoint of the document works", || {
        for method in strings(&body["token_endpoint_auth_methods_supported"]) {
            lives(&app, &body, method, &pat.token);
        }
        let (id, secret) = (key["id"].as_str().unwrap(), key["secret"].as_str().unwrap());
        let asked = [("token", pat.token.as_str()), ("client_id", id), ("client_secret", secret)];
        let basic = format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
        let url = body["introspection_endpoint"].as_str().unwrap();
        for reply in [post_form(url, &[], &asked), post_form(url, &[("authorization", &basic)], &asked[..1])]
        {
            assert_eq!(reply.json()["active"], json!(true), "{reply:?}");
        }
        let client = app.register("agent");
        for scope in strings(&body["scopes_supported"]) {
            let reply = app.consent(&app.authorize_url(&client, &[("scope", scope)]), &pat.token, "allow");
            let code = query_value(reply.header("location").unwrap(), "code").unwrap();
            assert_eq!(app.redeem(&client, &code).json()["scope"], scope);
        }
        for mode in strings(&body["response_modes_supported"]) {
            assert_eq!(get(&app.authorize_url(&client, &[("response_mode", mode)])).status, 200, "{mode}");
        }
        for language in strings(&body["ui_locales_supported"]) {
            let page = get(&app.authorize_url(&client, &[("ui_locales", language)]));
            assert!(page.text().contains(&format!("<html lang=\"{language}\"")), "{language}");
        }
        for resource in strings(&body["protected_resources"]) {
            assert_eq!(request("POST", resource, &[], Some("{}")).status, 401, "{resource}");
        }
    });
}
