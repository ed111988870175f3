use serde_json::json;

use crate::support::TestApp;
use crate::support::flow::REDIRECT;
use crate::support::http::request;

#[test]
fn a_public_client_is_registered_and_gets_the_same_id_again() {
    let app = TestApp::start();
    let metadata =
        |port: u16| json!({"client_name": "Agent", "redirect_uris": [format!("http://127.0.0.1:{port}/cb")]});
    let first = app.register_with(&metadata(1000));
    assert_eq!(first.status, 201, "{first:?}");
    assert_eq!(first.header("cache-control"), Some("no-store"));
    let body = first.json();
    assert_eq!(body["redirect_uris"], json!(["http://127.0.0.1:1000/cb"]));
    assert_eq!(body["token_endpoint_auth_method"], "none");
    assert!(body.get("client_secret").is_none() && body.get("registration_access_token").is_none());
    assert!(body["client_id_issued_at"].is_i64());
    for (name, value) in body.as_object().unwrap() {
        assert!(!value.is_null(), "{name}");
    }
    let again = app.register_with(&metadata(2000));
    assert_eq!(again.json()["client_id"], body["client_id"]);
    assert_eq!(again.json()["redirect_uris"], json!(["http://127.0.0.1:2000/cb"]));
    assert_eq!(app.cli(&["client", "list"], None).as_array().unwrap().len(), 1);
}

#[test]
fn many_identical_registrations_leave_one_row() {
    let app = TestApp::start();
    for port in 10_000..10_200u16 {
        let reply = app.register_with(&json!({"redirect_uris": [format!("http://localhost:{port}/")]}));
        assert_eq!(reply.status, 201);
    }
    assert_eq!(app.cli(&["client", "list"], None).as_array().unwrap().len(), 1);
}

#[test]
fn a_secret_is_given_only_to_who_asks_for_one() {
    let app = TestApp::start();
    let reply = app.register_with(
        &json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "client_secret_post"}),
    );
    let body = reply.json();
    assert!(body["client_secret"].as_str().unwrap().starts_with("portero_ocs_"));
    assert_eq!(body["client_secret_expires_at"], json!(0));
}

#[test]
fn what_cannot_be_registered_is_said_why() {
    let app = TestApp::start();
    for (metadata, error) in [
        (json!({}), "invalid_redirect_uri"),
        (json!({"redirect_uris": []}), "invalid_redirect_uri"),
        (json!({"redirect_uris": ["javascript:alert(1)"]}), "invalid_redirect_uri"),
        (json!({"redirect_uris": ["http://evil.example/cb"]}), "invalid_redirect_uri"),
        (json!({"redirect_uris": [REDIRECT, "https://h.example/#f"]}), "invalid_redirect_uri"),
        (json!({"redirect_uris": vec![REDIRECT; 21]}), "invalid_redirect_uri"),
        (json!({"redirect_uris": [REDIRECT], "grant_types": ["implicit"]}), "invalid_client_metadata"),
        (json!({"redirect_uris": [REDIRECT], "response_types": ["token"]}), "invalid_client_metadata"),
        (json!([]), "invalid_client_metadata"),
    ] {
        let reply = app.register_with(&metadata);
        assert_eq!((reply.status, reply.json()["error"].as_str()), (400, Some(error)), "{metadata}");
    }
    let url = format!("{}/register", app.issuer);
    let json_type = [("content-type", "application/json")];
    assert_eq!(request("POST", &url, &json_type, Some("{")).json()["error"], "invalid_client_metadata");
    assert_eq!(request("POST", &url, &[("content-type", "text/plain")], Some("{}")).status, 400);
    assert_eq!(request("POST", &url, &json_type, Some(&" ".repeat(70_000))).status, 413);
}

#[test]
fn nothing_the_client_chooses_for_itself_is_taken_over() {
    let app = TestApp::start();
    let body = app
        .register_with(&json!({
            "redirect_uris": [REDIRECT], "client_id": "mine", "client_secret": "mine", "scope": "", "logo_uri": "x",
            "client_name": "  <script>\u{202e}evil\u{200b}  ", "unknown": {"a": 1}, "jwks_uri": null,
        }))
        .json();
    assert_ne!(body["client_id"], "mine");
    assert_eq!(body["client_name"], "<script>evil");
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    for absent in ["client_secret", "scope", "logo_uri", "unknown", "jwks_uri"] {
        assert!(!keys.iter().any(|key| *key == absent), "{absent}");
    }
}

#[test]
fn a_disabled_client_stays_disabled_and_a_deleted_one_revives_nothing() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    app.cli(&["client", "disable", &own.client], None);
    app.assert_dead(&own.access);
    let again = app.register_with(&json!({"client_name": "test client", "redirect_uris": [REDIRECT]}));
    assert_eq!((again.status, again.json()["error"].as_str()), (400, Some("invalid_client_metadata")));
    let refused = app.refresh(&own.client, &own.refresh);
    assert_eq!((refused.status, refused.json()["error"].as_str()), (401, Some("invalid_client")));
    app.cli(&["client", "enable", &own.client], None);
    app.assert_dead(&own.access);
    assert_eq!(app.refresh(&own.client, &own.refresh).json()["error"], "invalid_grant");

    app.cli(&["client", "delete", &own.client], None);
    assert_eq!(app.refresh(&own.client, &own.refresh).json()["error"], "invalid_client");
    assert_eq!(app.register("test client"), own.client);
    app.assert_dead(&own.access);
    assert_eq!(app.refresh(&own.client, &own.refresh).json()["error"], "invalid_grant");
    app.assert_alive(&app.connect(&pat.token).access);
}

#[test]
fn registration_can_be_closed() {
    let app = TestApp::builder().with("oauth", "registration = \"off\"").start();
    assert_eq!(app.register_with(&json!({"redirect_uris": [REDIRECT]})).status, 404);
}

#[test]
fn a_disabled_registration_is_not_swept_away_and_an_absurd_scope_is_not_kept() {
    let app = TestApp::start();
    let metadata = json!({"client_name": "Phish", "redirect_uris": [REDIRECT]});
    let client = app.register_with(&metadata).json()["client_id"].as_str().unwrap().to_owned();
    app.cli(&["client", "disable", &client], None);
    app.advance(std::time::Duration::from_hours(31 * 24));
    actix_web::rt::System::new().block_on(portero::jobs::sweep::run_once(&app.app));
    assert_eq!(app.register_with(&metadata).json()["error"], "invalid_client_metadata");

    let scope = (0..2000).map(|number| format!("s{number}")).collect::<Vec<_>>().join(" ");
    let reply = app.register_with(&json!({"redirect_uris": [REDIRECT], "scope": scope}));
    assert_eq!(reply.status, 201);
    assert!(reply.json().get("scope").is_none());
}
