//! What the token endpoint answers.

use std::time::Duration;

use serde_json::json;

use super::codes::Setup;
use super::holds;
use super::kit::{redemption, refused};
use crate::support::Reply;
use crate::support::flow::{REDIRECT, challenge, connection};
use crate::support::http::{get, post_form};

#[test]
fn a_token_answer_has_what_clients_read_and_nothing_else() {
    let own = Setup::new();
    let (app, client) = (&own.app, &own.client);
    holds("C114", "a public client's plain redemption gives the five members, uncached", || {
        let verifier = format!("{}-._~", "Aa0".repeat(42)).chars().take(128).collect::<String>();
        let long = format!("{}-._~", "A".repeat(124));
        for verifier in [verifier.as_str(), long.as_str(), &"z".repeat(43)] {
            let code = app.code_with(client, &own.pat, &[("code_challenge", &challenge(verifier))]);
            let over = [("code_verifier", verifier), ("resource", app.resource.as_str())];
            let reply = own.send(&code, &over);
            assert_eq!(reply.status, 200, "{reply:?}");
            assert_eq!(reply.header("cache-control"), Some("no-store"));
            let body = reply.json();
            let mut names: Vec<&String> = body.as_object().unwrap().keys().collect();
            names.sort();
            assert_eq!(names, ["access_token", "expires_in", "refresh_token", "scope", "token_type"]);
        }
    });
    let first = own.send(&own.code(), &[]);
    let given = connection(client, &first);
    let refreshed = app.refresh(client, &given.refresh);
    holds("K-01", "tokens are Bearer, expires_in a positive whole number, scope always there", || {
        for reply in [&first, &refreshed] {
            let body = reply.json();
            assert_eq!((reply.status, &body["token_type"]), (200, &json!("Bearer")));
            assert_eq!((body["expires_in"].as_i64(), &body["scope"]), (Some(3600), &json!("mico:read")));
            assert!(body["access_token"].as_str().unwrap().starts_with("mico_oat_"));
            assert!(body["refresh_token"].as_str().unwrap().starts_with("mico_ort_"));
        }
    });
    holds("C139", "expires_in is the token's real life in seconds, an hour", || {
        let issued = connection(client, &app.refresh(client, &given.refresh));
        app.advance(Duration::from_secs(3599));
        app.assert_alive(&issued.access);
        app.advance(Duration::from_secs(1));
        app.assert_dead(&issued.access);
    });
    holds("C141", "no member is null: what is not issued is left out", || {
        for reply in [&first, &refreshed] {
            assert!(reply.json().as_object().unwrap().values().all(|value| !value.is_null()), "{reply:?}");
            assert!(reply.json().get("id_token").is_none());
        }
    });
}

#[test]
fn what_is_offered_is_given_and_nothing_else() {
    let own = Setup::new();
    let (app, client) = (&own.app, &own.client);
    holds("K-07", "an access token lasts an hour and is for one service", || {
        let key = app.introspection_key();
        let access = own.redeemed(&own.code()).access;
        let form = [("token", access.as_str()), ("client_id", &key.id), ("client_secret", &key.secret)];
        let live = app.oauth("introspect", &form).json();
        assert_eq!(live["aud"], json!(app.resource));
        assert_eq!(live["exp"].as_i64().unwrap() - live["iat"].as_i64().unwrap(), 3600);
    });
    holds("K-08", "every registered client has the refresh grant and gets a refresh token", || {
        let made = app
            .register_with(&json!({"redirect_uris": [REDIRECT], "grant_types": ["authorization_code"]}))
            .json();
        assert_eq!(made["grant_types"], json!(["authorization_code", "refresh_token"]));
        let id = made["client_id"].as_str().unwrap();
        let connected = app.connect_as(id, &own.pat);
        assert_eq!(app.refresh(id, &connected.refresh).status, 200);
    });
    holds("K-03", "no grant_type is invalid_request, any but the two is unsupported_grant_type", || {
        let send = |grant: &str| app.token(&[("grant_type", grant), ("client_id", client), ("code", "x")]);
        refused(&send(""), 400, "invalid_request");
        for other in
            ["password", "implicit", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]
        {
            refused(&send(other), 400, "unsupported_grant_type");
        }
        let metadata = get(&format!("{}/.well-known/oauth-authorization-server", app.base)).json();
        assert_eq!(metadata["grant_types_supported"], json!(["authorization_code", "refresh_token"]));
    });
    holds(
        "CC-01",
        "client credentials are not offered: not advertised, unsupported_grant_type for all",
        || {
            let key = app.confidential();
            let mut form = vec![("grant_type", "client_credentials"), ("scope", "mico:read")];
            refused(
                &app.token(&[form.as_slice(), &[("client_id", client)]].concat()),
                400,
                "unsupported_grant_type",
            );
            form.extend([("client_id", key.id.as_str()), ("client_secret", key.secret.as_str())]);
            refused(&app.token(&form), 400, "unsupported_grant_type");
        },
    );
    holds("C138", "the root /token of the resource's host is the same endpoint over the same store", || {
        let again = own.redeemed(&own.code());
        let url = format!("{}/token", app.base);
        let form =
            [("grant_type", "refresh_token"), ("refresh_token", &again.refresh), ("client_id", client)];
        let reply = post_form(&url, &[], &form);
        app.assert_alive(&connection(client, &reply).access);
        let wrong = [("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", client)];
        refused(&post_form(&url, &[], &wrong), 400, "invalid_grant");
    });
}

#[test]
fn an_error_has_its_status_and_never_another() {
    let own = Setup::new();
    let (app, client) = (&own.app, &own.client);
    let cases: Vec<(Reply, u16, &str)> = vec![
        (own.send("x", &[]), 400, "invalid_grant"),
        (own.send("", &[]), 400, "invalid_request"),
        (own.send("x", &[("client_id", "nobody")]), 401, "invalid_client"),
        (own.send("x", &[("grant_type", "x")]), 400, "unsupported_grant_type"),
        (own.send("x", &[("resource", "https://other.example/")]), 400, "invalid_target"),
        (app.refresh(client, "x"), 400, "invalid_grant"),
    ];
    holds("K-02", "errors are 400, invalid_client 401, each with its own code", || {
        for (reply, status, error) in &cases {
            refused(reply, *status, error);
        }
        let given = own.redeemed(&own.code());
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", &given.refresh),
            ("client_id", client),
            ("scope", "x:y"),
        ];
        refused(&app.token(&form), 400, "invalid_scope");
    });
    holds("C124", "no error is said with 200", || {
        assert!(cases.iter().all(|(reply, ..)| reply.status >= 400));
    });
    holds("K-05", "an error is never HTML and a success has no error member", || {
        for headers in [vec![("accept", "text/html")], vec![("user-agent", "Mozilla/5.0")]] {
            let wrong =
                post_form(&app.endpoint("token"), &headers, &[("grant_type", "x"), ("client_id", client)]);
            refused(&wrong, 400, "unsupported_grant_type");
            let (code, url) = (own.code(), app.endpoint("token"));
            let right = post_form(&url, &headers, &redemption(client, &code, &[]));
            assert_eq!((right.status, right.header("content-type")), (200, Some("application/json")));
            assert!(right.json().get("error").is_none());
        }
    });
}
