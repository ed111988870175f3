//! The issuer's tokens at the endpoint.

use std::time::Duration;

use serde_json::json;

use super::{Site, samples, statement};
use crate::support::Reply;

fn assert_invalid(reply: &Reply) {
    assert_eq!(reply.status, 401, "{reply:?}");
    let challenge = reply.header("www-authenticate").unwrap_or_else(|| panic!("no challenge: {reply:?}"));
    assert!(challenge.starts_with("Bearer ") && challenge.contains("error=\"invalid_token\""), "{challenge}");
    assert_eq!(reply.json()["code"], "invalid_token");
}

#[test]
fn v007_v008_v044_v045_whose_tokens_are_good() {
    let site = Site::start();
    let claims = site.issuer.claims("ana", site.app.now());
    let changed = |key: &str, value: serde_json::Value| {
        let mut claims = claims.clone();
        claims[key] = value;
        site.issuer.token(&claims)
    };
    let good = |token: &str| {
        let reply = site.post(token, samples::MY_AI_USAGE);
        assert_eq!((reply.status, &reply.json()["result"]["isError"]), (200, &json!(false)), "{reply:?}");
    };
    let bad = |token: &str| {
        for body in [samples::INITIALIZE, samples::LIST, samples::LIST_ARTICLES, samples::MY_AI_USAGE] {
            assert_invalid(&site.post(token, body));
        }
    };
    statement("V007", || {
        good(&site.issuer.token(&claims));
        good(&site.issuer.rsa_token(&claims));
        bad(&changed("iss", json!("https://other.example/auth/v1")));
        bad(&changed("iss", json!(format!("{}/", site.issuer.url))));
        let stranger = super::issuer::Issuer::start();
        bad(&stranger.token(&claims));
        let claims = stranger.claims("ana", site.app.now());
        bad(&stranger.token(&claims));
        bad(&stranger.rsa_token(&claims));
    });
    statement("V008", || {
        good(&changed("aud", json!(["authenticated"])));
        good(&changed("aud", json!(["elsewhere", "authenticated"])));
        for audience in [json!("anon"), json!(["anon"]), json!([]), json!(null), json!("Authenticated")] {
            bad(&changed("aud", audience));
        }
    });
    statement("V044", || {
        let token = site.issuer.token(&claims);
        let (signed, signature) = token.rsplit_once('.').unwrap();
        bad(&format!("{signed}."));
        bad(&format!("{signed}.{}", signature.chars().rev().collect::<String>()));
        bad("no.such.token");
        bad("mico_pat_0");
        bad(&changed("sub", json!("")));
    });
    statement("V045", || {
        let now = claims["iat"].as_i64().unwrap();
        bad(&changed("exp", json!(now - 60)));
        let token = changed("exp", json!(now + 60));
        good(&token);
        site.app.advance(Duration::from_mins(2));
        bad(&token);
        good(&site.token("ana"));
    });
}

#[test]
fn v043_without_a_bearer_what_is_public_works_and_the_rest_is_401() {
    let site =
        Site::with(|toml| toml.replace("anonymous_challenge = \"result\"", "anonymous_challenge = \"http\""));
    statement("V043", || {
        for (body, status) in [
            (samples::INITIALIZE, 200),
            (samples::INITIALIZED, 202),
            (samples::LIST, 200),
            (samples::LIST_ARTICLES, 200),
            (samples::MY_AI_USAGE, 401),
        ] {
            let reply = site.post("", body);
            assert_eq!(reply.status, status, "{body}: {reply:?}");
        }
        let reply = site.post("", samples::MY_AI_USAGE);
        assert_eq!(
            (reply.json()["code"].clone(), reply.json()["id"].clone()),
            (json!("unauthorized"), json!(4))
        );
        let challenge = reply.header("www-authenticate").unwrap();
        assert!(challenge.starts_with("Bearer resource_metadata=\""), "{challenge}");
    });
}

#[test]
fn v031_the_worker_is_told_who_it_is_and_each_sees_their_own() {
    let site = Site::recording();
    statement("V031", || {
        for subject in ["ana", "bruno", "7c0e2f4a-1111-4222-8333-944445555666"] {
            assert_eq!(site.post(&site.token(subject), samples::MY_AI_USAGE).status, 200);
            let seen = site.app.worker.last();
            assert_eq!(seen.header("x-portero-subject"), Some(subject));
            assert_eq!(seen.header("x-portero-token-kind"), Some("jwt"));
            assert_eq!(seen.header("x-portero-scopes"), Some("openid email profile"));
            assert!(seen.header("x-portero-user").is_some_and(|user| !user.is_empty()));
            assert_eq!(seen.header("authorization"), None, "the token itself stays here");
            assert_eq!((seen.path.as_str(), seen.body.as_str()), ("/tools/my_ai_usage", "{}"));
        }
    });
    let site = Site::start();
    statement("V031", || {
        let [ana, bruno] = ["ana", "bruno"].map(|subject| site.token(subject));
        let [ana, bruno] = [ana, bruno].map(|token| site.ask(&token, "my_ai_usage", json!({})));
        assert_eq!((&ana["messages_used"], &bruno["messages_used"]), (&json!(3), &json!(1)));
        assert!(site.post("", samples::MY_AI_USAGE).json()["result"]["isError"] == true);
    });
}
