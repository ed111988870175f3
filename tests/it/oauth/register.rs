use serde_json::json;

use crate::support::flow::REDIRECT;
use crate::support::{TestApp, eventually};

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
fn a_disabled_client_stays_disabled_and_a_deleted_one_revives_nothing() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    app.cli(&["client", "disable", &own.client], None);
    app.assert_dead(&own.access);
    let again = app.register_with(&json!({"client_name": "test client", "redirect_uris": [REDIRECT]}));
    assert_eq!((again.status, again.json()["error"].as_str()), (400, Some("invalid_client_metadata")));
    let refused_as = |status: u16, error: &str| {
        eventually(error, || {
            let refused = app.refresh(&own.client, &own.refresh);
            ((refused.status, refused.json()["error"].as_str()) == (status, Some(error))).then_some(())
        });
    };
    refused_as(401, "invalid_client");
    app.cli(&["client", "enable", &own.client], None);
    app.assert_dead(&own.access);
    refused_as(400, "invalid_grant");

    app.cli(&["client", "delete", &own.client], None);
    refused_as(401, "invalid_client");
    assert_eq!(app.register("test client"), own.client);
    app.assert_dead(&own.access);
    assert_eq!(app.refresh(&own.client, &own.refresh).json()["error"], "invalid_grant");
    app.assert_alive(&app.connect(&pat.token).access);
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
