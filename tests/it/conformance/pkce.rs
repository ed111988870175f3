//! PKCE: S256 for everybody, checked by grammar before it is compared, five tries.

use serde_json::json;

use super::holds;
use crate::support::flow::{REDIRECT, VERIFIER, challenge};
use crate::support::http::{get, query_value, request};
use crate::support::{Reply, TestApp};

fn redeem(app: &TestApp, client: &str, code: &str, verifier: Option<&str>) -> Reply {
    let mut form = vec![("grant_type", "authorization_code"), ("code", code), ("client_id", client)];
    form.extend(verifier.map(|verifier| ("code_verifier", verifier)));
    app.token(&form)
}

fn assert_error(reply: &Reply, error: &str) {
    assert_eq!((reply.status, reply.json()["error"].as_str()), (400, Some(error)), "{reply:?}");
}

#[test]
fn a_challenge_is_asked_of_every_client_and_is_s256() {
    let app = TestApp::start();
    let public = app.register("agent");
    let secret = app.register_with(&json!({"client_name": "site", "redirect_uris": [REDIRECT],
        "token_endpoint_auth_method": "client_secret_post"}));
    let confidential = secret.json()["client_id"].as_str().unwrap().to_owned();
    let told = |client: &str, over: &[(&str, &str)]| app.told(&app.authorize_url(client, over));
    holds("X-01", "no client goes without a challenge, one with a secret neither", || {
        for client in [&public, &confidential] {
            assert_eq!(told(client, &[("code_challenge", "")]), "invalid_request");
            assert_eq!(
                told(client, &[("code_challenge", ""), ("code_challenge_method", "")]),
                "invalid_request"
            );
            assert_eq!(get(&app.authorize_url(client, &[])).status, 200);
        }
    });
    holds("X-02", "the method is S256, named and spelt so", || {
        for method in ["", "plain", "s256", "S512", "S256,plain"] {
            assert_eq!(told(&public, &[("code_challenge_method", method)]), "invalid_request", "{method}");
        }
    });
    holds(
        "N-067",
        "a challenge without method, plain, s256 or S256 with a space is refused by redirect",
        || {
            for method in ["", "plain", "s256", "S256 ", " S256"] {
                assert_eq!(
                    told(&public, &[("code_challenge_method", method)]),
                    "invalid_request",
                    "{method:?}"
                );
            }
        },
    );
    let c = "c".repeat(43);
    holds("X-03", "a challenge is 43 characters of base64url", || {
        assert_eq!(get(&app.authorize_url(&public, &[("code_challenge", &c)])).status, 200);
        for wrong in ["c".repeat(42), "c".repeat(44), "c".repeat(128), format!("{}~", "c".repeat(42))] {
            assert_eq!(told(&public, &[("code_challenge", &wrong)]), "invalid_request", "{wrong}");
        }
    });
    holds("N-068", "challenges of other lengths or alphabets, or empty, are refused by redirect", || {
        for wrong in [42, 44, 129].map(|length| "c".repeat(length)) {
            assert_eq!(told(&public, &[("code_challenge", &wrong)]), "invalid_request", "{wrong}");
        }
        for last in ["+", "/", "=", ".", "é", " "] {
            let wrong = format!("{}{last}", "c".repeat(42));
            assert_eq!(told(&public, &[("code_challenge", &wrong)]), "invalid_request", "{wrong}");
        }
        assert_eq!(told(&public, &[("code_challenge", "")]), "invalid_request");
    });
}

#[test]
fn without_pkce_there_is_no_question() {
    let app = TestApp::start();
    let public = app.register("agent");
    holds("A-06", "whoever does without PKCE never reaches the question", || {
        let reply = request(
            "GET",
            &app.authorize_url(&public, &[("code_challenge", "")]),
            &[("accept", "text/html")],
            None,
        );
        assert_eq!(reply.status, 400);
        assert!(!reply.text().contains("<form"), "{}", reply.text());
    });
}

#[test]
fn a_verifier_is_read_by_its_grammar_and_then_compared() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]).token;
    let code = app.code(&client, &pat);
    holds(
        "X-04",
        "malformed verifiers are invalid_request, wrong ones invalid_grant, and the code stays",
        || {
            for malformed in ["v".repeat(42), "v".repeat(129), format!("{}+", "v".repeat(43)), "é".repeat(43)]
            {
                assert_error(&redeem(&app, &client, &code, Some(&malformed)), "invalid_request");
            }
            for missing in [None, Some("")] {
                assert_error(&redeem(&app, &client, &code, missing), "invalid_request");
            }
            for wrong in ["v".repeat(43), "~".repeat(128), challenge(VERIFIER)] {
                assert_error(&redeem(&app, &client, &code, Some(&wrong)), "invalid_grant");
            }
            assert_eq!(redeem(&app, &client, &code, Some(VERIFIER)).status, 200);
        },
    );
    holds("X-05", "no code is without a challenge: the store itself refuses one", || {
        let unchallenged = app.sql("UPDATE codes SET challenge = NULL").unwrap_err();
        assert!(unchallenged.contains("NOT NULL constraint failed: codes.challenge"), "{unchallenged}");
    });
    holds("X-06", "four wrong verifiers leave the code to its owner, five burn it", || {
        for (tries, status) in [(4, 200), (5, 400)] {
            let code = app.code(&client, &pat);
            for _ in 0..tries {
                assert_error(&redeem(&app, &client, &code, Some(&"v".repeat(43))), "invalid_grant");
            }
            assert_eq!(redeem(&app, &client, &code, Some(VERIFIER)).status, status, "after {tries}");
        }
    });
    holds("X-07", "the challenge is on no page and in no answer", || {
        let secret = challenge(VERIFIER);
        let page = get(&app.authorize_url(&client, &[]));
        let sent = app.consent(&app.authorize_url(&client, &[]), &pat, "allow");
        let code = query_value(sent.header("location").unwrap(), "code").unwrap();
        let fault = get(&app.authorize_url(&client, &[("prompt", "none")]));
        for reply in [&page, &sent, &fault, &redeem(&app, &client, &code, Some(VERIFIER))] {
            assert!(!format!("{:?}{}", reply.headers, reply.text()).contains(&secret), "{reply:?}");
        }
    });
}

#[test]
fn a_challenge_that_comes_again_is_noted() {
    let app = TestApp::start();
    let (client, other) = (app.register("agent"), app.register("another"));
    let pat = app.pat(&app.person("ana"), &[]).token;
    let allow = |client: &str, challenge: &str| {
        let reply = app.consent(&app.authorize_url(client, &[("code_challenge", challenge)]), &pat, "allow");
        assert_eq!(reply.status, 303, "{reply:?}");
    };
    let noted = || app.sql_number("SELECT COUNT(*) FROM audit WHERE event = 'challenge.repeated'");
    let (one, two) = ("a".repeat(43), "b".repeat(43));
    holds("A-15", "a challenge that a client repeats is noted in the audit log", || {
        allow(&client, &one);
        allow(&client, &two);
        assert_eq!(noted(), 0, "each was new");
        allow(&client, &one);
        assert_eq!(noted(), 1);
    });
    holds("N-069", "the same challenge by the same client is noted, by another client it is not", || {
        allow(&other, &one);
        assert_eq!(noted(), 1);
        allow(&client, &two);
        let of = format!(
            "SELECT COUNT(*) FROM audit WHERE event = 'challenge.repeated' AND client_id = '{client}'"
        );
        assert_eq!((noted(), app.sql_number(&of)), (2, 2));
    });
}
