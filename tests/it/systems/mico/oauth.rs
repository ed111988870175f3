//! Clients that people allow.

use std::time::Duration;

use serde_json::json;

use super::{Mico, statement};
use crate::support::flow::{REDIRECT, connection};
use crate::support::http::{get, query_value};
use crate::support::{Reply, TestApp, eventually};

const DAY: Duration = Duration::from_hours(24);

fn status(app: &TestApp, token: &str) -> u16 {
    app.call(token, "list_meetings", &json!({})).status
}

fn assert_invalid_grant(reply: &Reply) {
    assert_eq!((reply.status, reply.json()["error"].as_str()), (400, Some("invalid_grant")), "{reply:?}");
}

#[test]
fn m032_m033_m036_m037_m038_metadata_stands_under_the_endpoint() {
    let mico = Mico::start();
    let app = &mico.app;
    let under = |path: &str| format!("{}{path}", app.resource);
    let resource = get(&under("/.well-known/oauth-protected-resource"));
    let server = get(&under("/.well-known/oauth-authorization-server"));
    statement("M032", || {
        assert_eq!((resource.status, resource.header("content-type")), (200, Some("application/json")));
        assert_eq!(resource.json()["resource"], app.resource.as_str());
        assert_eq!(resource.json()["authorization_servers"], json!([app.issuer]));
    });
    statement("M033", || {
        assert_eq!((server.status, server.header("content-type")), (200, Some("application/json")));
        assert_eq!(server.json()["issuer"], app.resource.as_str());
        assert_eq!(app.issuer, app.resource);
    });
    statement("M036", || {
        assert_eq!(server.json()["authorization_endpoint"], under("/authorize").as_str());
        assert_eq!(server.json()["token_endpoint"], under("/token").as_str());
    });
    statement("M037", || {
        let methods = server.json()["token_endpoint_auth_methods_supported"].clone();
        assert!(methods.as_array().unwrap().contains(&json!("none")), "{methods}");
    });
    statement("M038", || {
        assert_eq!(server.json()["scopes_supported"], json!(["mico:read"]));
        assert_eq!(resource.json()["scopes_supported"], json!(["mico:read"]));
    });
}

#[test]
fn m034_m035_m036_m037_m038_a_public_client_registers_itself_and_is_allowed() {
    let mico = Mico::start();
    let app = &mico.app;
    let pat = mico.pat(&mico.ana).token;
    let registered = app.register_with(&json!({"client_name": "Claude", "redirect_uris": [REDIRECT],
        "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"]}));
    statement("M034", || {
        assert_eq!(app.app.brands[0].issuer, app.resource, "so /register is {{resource}}/register");
        assert_eq!(registered.status, 201, "{registered:?}");
    });
    let body = registered.json();
    statement("M037", || {
        assert_eq!(body["token_endpoint_auth_method"], "none");
        assert!(body.get("client_secret").is_none(), "{body}");
        let bare = app.register_with(&json!({"redirect_uris": [REDIRECT]}));
        assert_eq!(bare.status, 201);
        assert!(bare.json().get("client_secret").is_none());
    });
    let client = body["client_id"].as_str().unwrap();
    statement("M035", || {
        for over in [
            &[("code_challenge_method", "plain")][..],
            &[("code_challenge_method", "")],
            &[("code_challenge", "")],
            &[("code_challenge", ""), ("code_challenge_method", "")],
        ] {
            let reply = get(&app.authorize_url(client, over));
            let location = reply.header("location").unwrap_or_else(|| panic!("{over:?}: {reply:?}"));
            assert_eq!(query_value(location, "error").as_deref(), Some("invalid_request"), "{over:?}");
            assert!(query_value(location, "code").is_none());
        }
        let code = app.code(client, &pat);
        let without = app.token(&[
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("client_id", client),
            ("redirect_uri", REDIRECT),
        ]);
        assert_eq!(without.status, 400, "no verifier: {without:?}");
        assert_eq!(app.redeem(client, &code).status, 200);
    });
    let token = app.redeem(client, &app.code(client, &pat));
    statement("M036", || {
        assert_eq!((token.status, token.json()["token_type"].as_str()), (200, Some("Bearer")));
        assert_eq!(status(app, token.json()["access_token"].as_str().unwrap()), 200);
    });
    statement("M038", || {
        assert_eq!(token.json()["scope"], "mico:read");
        let url = app.authorize_url(client, &[("scope", "")]);
        let location = app.consent(&url, &pat, "allow").header("location").unwrap().to_owned();
        let usual = app.redeem(client, &query_value(&location, "code").unwrap());
        assert_eq!(usual.json()["scope"], "mico:read", "a client that names no scope");
    });
}

#[test]
fn m025_m029_m030_m031_m045_an_access_token_lasts_an_hour_and_is_renewed() {
    let mico = Mico::start();
    let app = &mico.app;
    let client = app.register("claude.ai");
    let reply = app.redeem(&client, &app.code(&client, &mico.pat(&mico.ana).token));
    let own = connection(&client, &reply);
    statement("M025", || assert_eq!(status(app, &own.access), 200));
    statement("M029", || {
        assert!(own.access.starts_with("mico_oat_") && own.refresh.starts_with("mico_ort_"), "the prefixes");
        assert_eq!(own.access.len(), "mico_oat_".len() + 49);
    });
    statement("M030", || {
        assert_eq!(reply.json()["expires_in"], 3600);
        app.advance(Duration::from_secs(3599));
        assert_eq!(status(app, &own.access), 200, "in its last second");
        app.advance(Duration::from_secs(2));
        app.assert_dead(&own.access);
    });
    statement("M045", || app.assert_dead(&own.access));
    statement("M031", || {
        let renewed = app.refresh(&client, &own.refresh);
        assert_eq!((renewed.status, renewed.json()["expires_in"].clone()), (200, json!(3600)));
        let next = connection(&client, &renewed);
        assert_ne!(next.access, own.access);
        app.assert_alive(&next.access);
        app.assert_dead(&own.access);
    });
}

#[test]
fn m039_m040_refresh_tokens_last_thirty_days_and_rotate() {
    let mico = Mico::start();
    let app = &mico.app;
    let pat = mico.pat(&mico.ana).token;
    let own = app.connect(&pat);
    let idle = app.connect_as(&own.client, &pat);
    let mut last = own.clone();
    statement("M040", || {
        for _ in 0..3 {
            app.advance(Duration::from_hours(2));
            let reply = app.refresh(&last.client, &last.refresh);
            assert_eq!(reply.status, 200, "{reply:?}");
            let next = connection(&last.client, &reply);
            assert_ne!(next.refresh, last.refresh, "a new one at every use");
            app.assert_alive(&next.access);
            last = next;
        }
    });
    statement("M039", || {
        // Renewed by its use six hours after the other one was given out.
        app.advance(Duration::from_hours(30 * 24 - 6) + Duration::from_secs(1));
        assert_invalid_grant(&app.refresh(&idle.client, &idle.refresh));
        let reply = app.refresh(&last.client, &last.refresh);
        assert_eq!(reply.status, 200, "{reply:?}");
        last = connection(&last.client, &reply);
        app.advance(Duration::from_secs(30 * 86_400 - 1));
        let reply = app.refresh(&last.client, &last.refresh);
        assert_eq!(reply.status, 200, "in its last second: {reply:?}");
        last = connection(&last.client, &reply);
        app.advance(DAY * 30 + Duration::from_secs(1));
        assert_invalid_grant(&app.refresh(&last.client, &last.refresh));
    });
    statement("M040", || {
        let first = app.connect(&pat);
        let second = connection(&first.client, &app.refresh(&first.client, &first.refresh));
        app.assert_alive(&second.access);
        app.advance(Duration::from_secs(61));
        assert_invalid_grant(&app.refresh(&first.client, &first.refresh));
        app.assert_dead(&second.access);
        assert_invalid_grant(&app.refresh(&second.client, &second.refresh));
    });
}

#[test]
fn m041_a_personal_access_token_proves_who_you_are_and_nothing_else_does() {
    let mico = Mico::start();
    let app = &mico.app;
    let client = app.register("claude.ai");
    let pat = mico.pat(&mico.ana);
    let own = app.connect_as(&client, &pat.token);
    let revoked = mico.pat(&mico.ana);
    app.cli(&["token", "revoke", &revoked.id], None);
    statement("M041", || {
        let allowed = app.consent(&app.authorize_url(&client, &[]), &pat.token, "allow");
        let location = allowed.header("location").unwrap_or_else(|| panic!("{allowed:?}"));
        assert!(location.starts_with(REDIRECT));
        assert!(query_value(location, "code").is_some_and(|code| code.starts_with("mico_oac_")));
        assert_eq!(query_value(location, "state").as_deref(), Some("st+1/=%&"));
        let calls = app.call(&own.access, "list_meetings", &json!({"limit": 1})).json();
        assert!(
            calls["result"]["content"][0]["text"].as_str().unwrap().contains("mtg_a29"),
            "as ana: {calls}"
        );
        for token in [&own.access, &own.refresh, &revoked.token, "mico_pat_x", "nonsense", ""] {
            let reply = app.consent(&app.authorize_url(&client, &[]), token, "allow");
            assert!(matches!(reply.status, 400 | 401), "{reply:?}");
            assert!(reply.header("location").is_none(), "{reply:?}");
        }
    });
}

#[test]
fn m042_revoking_that_token_ends_every_connection_it_authorized() {
    let mico = Mico::start();
    let app = &mico.app;
    let (pat, other) = (mico.pat(&mico.ana), mico.pat(&mico.ana));
    let ended = [
        app.connect_as(&app.register("claude.ai"), &pat.token),
        app.connect_as(&app.register("cursor"), &pat.token),
    ];
    let kept = [
        app.connect_as(&ended[0].client, &other.token),
        app.connect_as(&ended[0].client, &mico.pat(&mico.bruno).token),
    ];
    for own in ended.iter().chain(&kept) {
        app.assert_alive(&own.access);
    }
    statement("M042", || {
        app.cli(&["token", "revoke", &pat.id], None);
        for own in &ended {
            eventually("401", || (status(app, &own.access) == 401).then_some(()));
            app.assert_dead(&own.access);
            assert_invalid_grant(&app.refresh(&own.client, &own.refresh));
        }
        app.assert_dead(&pat.token);
        app.assert_alive(&other.token);
        for own in &kept {
            app.assert_alive(&own.access);
            assert_eq!(app.refresh(&own.client, &own.refresh).status, 200);
        }
    });
}
