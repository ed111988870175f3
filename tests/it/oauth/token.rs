use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::support::flow::{REDIRECT, VERIFIER, connection};
use crate::support::http::{post_form, request};
use crate::support::{Reply, TestApp};

fn assert_error(reply: &Reply, status: u16, error: &str) {
    assert_eq!((reply.status, reply.json()["error"].as_str()), (status, Some(error)), "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let description = reply.json()["error_description"].as_str().unwrap_or_default().to_owned();
    assert!(
        description.bytes().all(|b| matches!(b, 0x20 | 0x21 | 0x23..=0x5b | 0x5d..=0x7e)),
        "{description}"
    );
}

#[test]
fn a_code_gives_tokens_of_one_hour() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let client = app.register("agent");
    let reply = app.redeem(&client, &app.code(&client, &pat.token));
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    let body = reply.json();
    assert_eq!((body["token_type"].as_str(), body["expires_in"].as_i64()), (Some("Bearer"), Some(3600)));
    assert_eq!(body["scope"], "mico:read");
    app.assert_alive(body["access_token"].as_str().unwrap());
    app.advance(Duration::from_secs(3601));
    app.assert_dead(body["access_token"].as_str().unwrap());
}

#[test]
fn a_code_survives_everything_but_its_own_redemption() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let (client, other) = (app.register("agent"), app.register("another"));
    let code = app.code(&client, &pat.token);
    let form = |over: &[(&str, &str)]| {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("code_verifier", VERIFIER),
            ("client_id", client.as_str()),
        ];
        for pair in over {
            form.retain(|(name, _)| name != &pair.0);
            form.push(*pair);
        }
        form.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<Vec<_>>()
    };
    let send = |over: &[(&str, &str)]| {
        let form = form(over);
        app.token(&form.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>())
    };
    assert_error(&send(&[("client_id", &other)]), 400, "invalid_grant");
    assert_error(&send(&[("code_verifier", &"x".repeat(43))]), 400, "invalid_grant");
    assert_error(&send(&[("code_verifier", "short")]), 400, "invalid_request");
    assert_error(&send(&[("redirect_uri", "http://127.0.0.1:51235/callback")]), 400, "invalid_grant");
    assert_error(&send(&[("resource", "https://other.example/")]), 400, "invalid_target");
    assert_eq!(send(&[("resource", &app.resource), ("redirect_uri", REDIRECT)]).status, 200);
    assert_error(&send(&[]), 400, "invalid_grant");
}

#[test]
fn five_wrong_verifiers_burn_a_code() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let client = app.register("agent");
    let code = app.code(&client, &pat.token);
    for _ in 0..5 {
        let wrong = "w".repeat(43);
        let reply = app.token(&[
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("code_verifier", &wrong),
            ("client_id", &client),
        ]);
        assert_error(&reply, 400, "invalid_grant");
    }
    assert_error(&app.redeem(&client, &code), 400, "invalid_grant");
}

#[test]
fn a_code_expires_and_a_late_replay_ends_what_it_gave() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let client = app.register("agent");
    let old = app.code(&client, &pat.token);
    app.advance(Duration::from_secs(61));
    assert_error(&app.redeem(&client, &old), 400, "invalid_grant");

    let code = app.code(&client, &pat.token);
    let own = connection(&client, &app.redeem(&client, &code));
    assert_error(&app.redeem(&client, &code), 400, "invalid_grant");
    app.assert_alive(&own.access);
    app.advance(Duration::from_secs(11));
    let foreign = app.token(&[
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("code_verifier", &"x".repeat(43)),
        ("client_id", &client),
    ]);
    assert_error(&foreign, 400, "invalid_grant");
    app.assert_alive(&own.access);
    assert_error(&app.redeem(&client, &code), 400, "invalid_grant");
    app.assert_dead(&own.access);
    assert_error(&app.refresh(&client, &own.refresh), 400, "invalid_grant");
}

#[test]
fn refresh_tokens_rotate_slide_and_end_after_thirty_days() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    app.advance(Duration::from_hours(29 * 24));
    let next = connection(&own.client, &app.refresh(&own.client, &own.refresh));
    assert_ne!(next.refresh, own.refresh);
    app.advance(Duration::from_hours(29 * 24));
    let third = connection(&own.client, &app.refresh(&own.client, &next.refresh));
    app.advance(Duration::from_hours(30 * 24) + Duration::from_secs(1));
    assert_error(&app.refresh(&own.client, &third.refresh), 400, "invalid_grant");
}

#[test]
fn a_refresh_narrows_for_once_and_consumes_nothing_when_refused() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let client = app.register("agent");
    let reply =
        app.consent(&app.authorize_url(&client, &[("scope", "mico:read mico:write")]), &pat.token, "allow");
    let code = crate::support::http::query_value(reply.header("location").unwrap(), "code").unwrap();
    let own = connection(&client, &app.redeem(&client, &code));
    assert_eq!(own.scope, "mico:read mico:write");
    let refresh = |token: &str, more: (&str, &str)| {
        app.token(&[("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", &client), more])
    };
    assert_error(&refresh(&own.refresh, ("scope", "other:thing")), 400, "invalid_scope");
    assert_error(&refresh(&own.refresh, ("resource", "https://other.example/")), 400, "invalid_target");
    let narrow = connection(&client, &refresh(&own.refresh, ("scope", "mico:read other:thing")));
    assert_eq!(narrow.scope, "mico:read");
    let call = app.call(&narrow.access, "delete_meeting", &json!({"meeting_id": "m1"}));
    assert_eq!(call.status, 403, "{call:?}");
    let wide = connection(&client, &refresh(&narrow.refresh, ("scope", "offline_access")));
    assert_eq!(wide.scope, "mico:read mico:write");
}

#[test]
fn requests_are_read_exactly() {
    let app = TestApp::start();
    let client = app.register("agent");
    let url = format!("{}/token", app.issuer);
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let send = |body: &str| request("POST", &url, &form, Some(body));
    let base = format!("client_id={client}&grant_type=authorization_code");
    for (body, error) in [
        (String::new(), "invalid_request"),
        (format!("client_id={client}"), "invalid_request"),
        (base.clone(), "invalid_request"),
        (format!("{base}&grant_type=refresh_token"), "invalid_request"),
        (format!("{base}&client_id={client}"), "invalid_request"),
        (format!("{base}&code=&code=x"), "invalid_request"),
        (format!("{base}&code=%ff"), "invalid_request"),
        (format!("{base}&code=%zz"), "invalid_request"),
        (format!("{base}&code=a%0d%0ab"), "invalid_request"),
        (format!("client_id={client}&grant_type=password"), "unsupported_grant_type"),
        (format!("client_id={client}&grant_type=Authorization_Code"), "unsupported_grant_type"),
        (format!("client_id={client}&grant_type=%20authorization_code"), "unsupported_grant_type"),
        (format!("client_id={client}&Grant_Type=authorization_code"), "invalid_request"),
        ("grant_type=authorization_code&code=x&code_verifier=y".to_owned(), "invalid_request"),
    ] {
        assert_error(&send(&body), 400, error);
    }
    assert_error(&send("client_id=nobody&grant_type=refresh_token&refresh_token=x"), 401, "invalid_client");
    assert_error(
        &request("POST", &url, &[("content-type", "application/json")], Some("{}")),
        400,
        "invalid_request",
    );
    let query = request("POST", &format!("{url}?{base}"), &form, Some(""));
    assert_error(&query, 400, "invalid_request");
    assert_eq!(send(&"x".repeat(20_000)).status, 413);
    let charset = [("content-type", "application/x-www-form-urlencoded; charset=iso-8859-1")];
    assert_error(&request("POST", &url, &charset, Some(&base)), 400, "invalid_request");
}

fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

#[test]
fn clients_prove_themselves_in_one_place() {
    let app = TestApp::start();
    let made = app
        .register_with(
            &json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "client_secret_basic"}),
        )
        .json();
    let (id, secret) = (made["client_id"].as_str().unwrap(), made["client_secret"].as_str().unwrap());
    let public = app.register("public");
    let url = format!("{}/token", app.issuer);
    let grant = [("grant_type", "refresh_token"), ("refresh_token", "x")];
    let send = |headers: &[(&str, &str)], more: &[(&str, &str)]| {
        let form: Vec<_> = grant.iter().chain(more).copied().collect();
        post_form(&url, headers, &form)
    };
    let good = basic(id, secret);
    let auth = |value: &'static str| [("authorization", value)];
    assert_error(&send(&[("authorization", &good)], &[]), 400, "invalid_grant");
    assert_error(&send(&[("authorization", &good.replace("Basic ", "basic  "))], &[]), 400, "invalid_grant");
    assert_error(&send(&[("authorization", &good)], &[("client_id", id)]), 400, "invalid_grant");
    assert_error(&send(&[], &[("client_id", id), ("client_secret", secret)]), 400, "invalid_grant");
    assert_error(&send(&[("authorization", &good)], &[("client_id", &public)]), 400, "invalid_request");
    assert_error(&send(&[("authorization", &good)], &[("client_secret", secret)]), 400, "invalid_request");
    let wrong = send(&[("authorization", &basic(id, "wrong"))], &[]);
    assert_error(&wrong, 401, "invalid_client");
    assert!(wrong.header("www-authenticate").unwrap().starts_with("Basic realm="));
    let wrong = send(&[], &[("client_id", id), ("client_secret", "wrong")]);
    assert_error(&wrong, 401, "invalid_client");
    assert!(wrong.header("www-authenticate").is_none());
    assert_error(&send(&[], &[("client_id", id)]), 401, "invalid_client");
    assert_error(&send(&[], &[("client_id", &public), ("client_secret", "any")]), 401, "invalid_client");
    assert_error(&send(&[], &[("client_id", &public), ("client_secret", "")]), 400, "invalid_grant");
    assert_error(&send(&[("authorization", &basic(&public, ""))], &[]), 400, "invalid_grant");
    assert_error(&send(&auth("Bearer x"), &[("client_id", &public)]), 401, "invalid_client");
    let two = send(&[("authorization", &good), ("authorization", &good)], &[]);
    assert_error(&two, 400, "invalid_request");
}
