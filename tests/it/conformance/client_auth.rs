//! How clients prove themselves at token, revocation and introspection, and what guessing costs.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::holds;
use super::kit::{Key, redemption, refused};
use crate::support::flow::REDIRECT;
use crate::support::http::{get, post_form};
use crate::support::{Reply, TestApp};

fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

/// Every byte as a percent escape: what a client that encodes diligently sends.
fn escaped(text: &str) -> String {
    text.bytes().fold(String::new(), |out, byte| format!("{out}%{byte:02X}"))
}

/// A refresh with a token that is nobody's: `invalid_grant` says that the client was believed.
fn attempt(app: &TestApp, header: Option<&str>, more: &[(&str, &str)]) -> Reply {
    let mut form = vec![("grant_type", "refresh_token"), ("refresh_token", "x")];
    form.extend_from_slice(more);
    let headers: Vec<(&str, &str)> = header.into_iter().map(|value| ("authorization", value)).collect();
    post_form(&app.endpoint("token"), &headers, &form)
}

#[test]
fn a_secret_travels_in_one_place() {
    let app = TestApp::start();
    let Key { id, secret } = app.confidential();
    let public = app.register("public");
    let good = basic(&id, &secret);
    holds("CA-01", "client_secret_post and client_secret_basic are advertised and both work", || {
        let metadata = get(&format!("{}/.well-known/oauth-authorization-server", app.base)).json();
        for list in ["token_endpoint_auth_methods_supported", "revocation_endpoint_auth_methods_supported"] {
            assert_eq!(metadata[list], json!(["none", "client_secret_post", "client_secret_basic"]));
        }
        refused(&attempt(&app, Some(&good), &[]), 400, "invalid_grant");
        refused(
            &attempt(&app, None, &[("client_id", &id), ("client_secret", &secret)]),
            400,
            "invalid_grant",
        );
    });
    holds("CA-02", "Basic is split at the first colon and form-decoded; its scheme has no case", || {
        refused(&attempt(&app, Some(&basic(&escaped(&id), &escaped(&secret))), &[]), 400, "invalid_grant");
        refused(&attempt(&app, Some(&good.replace("Basic", "bASIC")), &[]), 400, "invalid_grant");
        refused(&attempt(&app, Some(good.trim_end_matches('=')), &[]), 400, "invalid_grant");
        refused(&attempt(&app, Some(&basic(&id, &format!("{secret}:more"))), &[]), 401, "invalid_client");
        for broken in ["Basic", "Basic ", "Basic !!!", "Basic bm9jb2xvbg==", "Bearer x", "Basic /w=="] {
            refused(&attempt(&app, Some(broken), &[]), 401, "invalid_client");
        }
    });
    holds(
        "C115",
        "credentials with % + : or other letters are read raw and decoded, never an error of ours",
        || {
            let half = format!("{}{}", escaped(&id[..4]), &id[4..]);
            refused(&attempt(&app, Some(&basic(&half, &secret)), &[]), 400, "invalid_grant");
            for odd in ["se+cr%et:with:colon", "%zz", "se%20cr%C3%A9t", "contrase\u{f1}a", "%"] {
                refused(&attempt(&app, Some(&basic(&id, odd)), &[]), 401, "invalid_client");
            }
        },
    );
    holds("C117", "Basic with the same client_id in the body is fine, with another 400", || {
        refused(&attempt(&app, Some(&good), &[("client_id", &id)]), 400, "invalid_grant");
        refused(&attempt(&app, Some(&good), &[("client_id", &public)]), 400, "invalid_request");
    });
    holds("C118", "a secret in header and body is 400, even the same one", || {
        for twice in [secret.as_str(), "other"] {
            refused(&attempt(&app, Some(&good), &[("client_secret", twice)]), 400, "invalid_request");
        }
    });
    holds("CA-03", "exactly one method a request: two secrets or two headers are invalid_request", || {
        refused(&attempt(&app, Some(&good), &[("client_secret", &secret)]), 400, "invalid_request");
        let form = [("grant_type", "refresh_token"), ("refresh_token", "x")];
        let two = [("authorization", good.as_str()), ("authorization", good.as_str())];
        refused(&post_form(&app.endpoint("token"), &two, &form), 400, "invalid_request");
        refused(&attempt(&app, Some(&good), &[("client_id", &public)]), 400, "invalid_request");
    });
}

#[test]
fn an_empty_secret_is_none() {
    let app = TestApp::start();
    let Key { id, secret } = app.confidential();
    let public = app.register("public");
    let good = basic(&id, &secret);
    holds("C120", "client_secret= counts as absent", || {
        refused(&attempt(&app, None, &[("client_id", &public), ("client_secret", "")]), 400, "invalid_grant");
        refused(&attempt(&app, Some(&good), &[("client_secret", "")]), 400, "invalid_grant");
        refused(&attempt(&app, None, &[("client_id", &id), ("client_secret", "")]), 401, "invalid_client");
    });
    holds("C148", "Basic with an empty secret names a public client, and is no proof for another", || {
        refused(&attempt(&app, Some(&basic(&public, "")), &[]), 400, "invalid_grant");
        refused(&attempt(&app, Some(&basic(&public, "")), &[("client_id", &public)]), 400, "invalid_grant");
        refused(&attempt(&app, Some(&basic(&id, "")), &[]), 401, "invalid_client");
    });
}

#[test]
fn every_failure_looks_the_same_and_nobody_falls_back() {
    let app = TestApp::start();
    let Key { id, secret } = app.confidential();
    let public = app.register("public");
    holds(
        "CA-04",
        "no proof, a wrong one and an unknown client are one 401; Basic is asked for only if used",
        || {
            let by_form = [
                attempt(&app, None, &[("client_id", &id)]),
                attempt(&app, None, &[("client_id", &id), ("client_secret", "wrong")]),
                attempt(&app, None, &[("client_id", "nobody"), ("client_secret", &secret)]),
                attempt(&app, None, &[("client_id", "nobody")]),
            ];
            let by_header = [
                attempt(&app, Some(&basic(&id, "wrong")), &[]),
                attempt(&app, Some(&basic("nobody", &secret)), &[]),
            ];
            for reply in by_form.iter().chain(&by_header) {
                refused(reply, 401, "invalid_client");
                assert_eq!(reply.body, by_form[0].body, "one text for all");
            }
            assert!(by_form.iter().all(|reply| reply.header("www-authenticate").is_none()));
            assert!(
                by_header
                    .iter()
                    .all(|reply| reply.header("www-authenticate").unwrap().starts_with("Basic realm="))
            );
        },
    );
    holds("CA-05", "a public client names itself in the body; a secret sent for it is 401", || {
        refused(&attempt(&app, None, &[("client_id", &public)]), 400, "invalid_grant");
        refused(
            &attempt(&app, None, &[("client_id", &public), ("client_secret", "any")]),
            401,
            "invalid_client",
        );
        refused(&attempt(&app, Some(&basic(&public, "any")), &[]), 401, "invalid_client");
    });
    holds("CA-06", "no client named at all is 400 invalid_request", || {
        refused(&attempt(&app, None, &[]), 400, "invalid_request");
        refused(&attempt(&app, None, &[("client_id", ""), ("client_secret", "x")]), 400, "invalid_request");
        refused(&app.oauth("revoke", &[("token", "x")]), 400, "invalid_request");
    });
}

#[test]
fn a_secret_once_given_is_needed() {
    let app = TestApp::start();
    holds("CA-07", "post and basic are interchangeable; who has a secret cannot go without", || {
        for method in ["client_secret_post", "client_secret_basic"] {
            let asked = json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": method});
            let made = app.register_with(&asked).json();
            let text = |name: &str| made[name].as_str().unwrap().to_owned();
            let (id, secret) = (text("client_id"), text("client_secret"));
            refused(&attempt(&app, Some(&basic(&id, &secret)), &[]), 400, "invalid_grant");
            let posted = [("client_id", id.as_str()), ("client_secret", secret.as_str())];
            refused(&attempt(&app, None, &posted), 400, "invalid_grant");
            refused(&attempt(&app, None, &posted[..1]), 401, "invalid_client");
        }
    });
    holds("CA-12", "a client that asks for no secret gets none and needs none", || {
        let made = app.register_with(&json!({"redirect_uris": [REDIRECT], "client_name": "native"})).json();
        assert_eq!(made["token_endpoint_auth_method"], "none");
        assert!(made.get("client_secret").is_none());
        refused(
            &attempt(&app, None, &[("client_id", made["client_id"].as_str().unwrap())]),
            400,
            "invalid_grant",
        );
    });
}

#[test]
fn what_follows_is_checked_against_who_was_authenticated() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let (a, b) = (app.register("a"), app.register("b"));
    let own = app.connect_as(&a, &pat.token);
    let code = app.code(&a, &pat.token);
    let Key { id, secret } = app.confidential();
    holds(
        "CA-10",
        "a code, a refresh token and a revocation are the authenticated client's or refused",
        || {
            refused(&app.token(&redemption(&b, &code, &[])), 400, "invalid_grant");
            let mut form = redemption(&id, &code, &[]);
            form.push(("client_secret", &secret));
            refused(&app.token(&form), 400, "invalid_grant");
            refused(&app.refresh(&b, &own.refresh), 400, "invalid_grant");
            refused(&app.oauth("revoke", &[("token", &own.access), ("client_id", &b)]), 400, "invalid_grant");
            app.assert_alive(&own.access);
            assert_eq!(app.refresh(&a, &own.refresh).status, 200);
            assert_eq!(app.redeem(&a, &code).status, 200);
        },
    );
    holds("K-04", "the client is authenticated before its code is looked at, which stays good", || {
        let code = app.code_with(&id, &pat.token, &[]);
        for wrong in
            [redemption(&id, &code, &[]), redemption("nobody", &code, &[]), redemption("nobody", "x", &[])]
        {
            refused(&app.token(&wrong), 401, "invalid_client");
        }
        let mut form = redemption(&id, &code, &[]);
        form.push(("client_secret", &secret));
        assert_eq!(app.token(&form).status, 200);
    });
}

/// Fails the same way until it is slowed down; how often it was judged before, and the refusal.
fn until_slowed(send: impl Fn(u32) -> Reply) -> (u32, Reply) {
    for number in 0..100 {
        let reply = send(number);
        if reply.status == 429 {
            return (number, reply);
        }
    }
    panic!("never slowed down");
}

/// Randomness that is none.
struct Fixed(u32);

impl portero::domain::entropy::Entropy for Fixed {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(0);
        buffer[..4].copy_from_slice(&self.0.to_be_bytes());
    }
}

/// A token of the right form that nobody was ever given.
fn invented(prefix: &str, number: u32) -> String {
    portero::domain::secret::Secret::generate(prefix, &Fixed(number)).expose().to_owned()
}

#[test]
fn guessing_a_secret_is_slowed_down_and_nobody_else_is() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let Key { id, secret } = app.confidential();
    let key = app.introspection_key();
    let own = app.connect(&pat.token);
    holds(
        "CA-08",
        "wrong secrets and unknown clients are 429 after 30 a minute; the right secret is served",
        || {
            let (judged, reply) =
                until_slowed(|number| attempt(&app, Some(&basic(&id, &format!("wrong {number}"))), &[]));
            assert_eq!(judged, 30);
            refused(&reply, 429, "temporarily_unavailable");
            assert!(reply.header("www-authenticate").is_none());
            for slowed in [
                attempt(&app, None, &[("client_id", "nobody")]),
                app.oauth("revoke", &[("token", "x"), ("client_id", &id), ("client_secret", "wrong")]),
                app.oauth(
                    "introspect",
                    &[("token", "x"), ("client_id", &key.id), ("client_secret", "wrong")],
                ),
            ] {
                refused(&slowed, 429, "temporarily_unavailable");
            }
            // From the same address, in the same minute: the same client with its secret, and everybody else.
            refused(&attempt(&app, Some(&basic(&id, &secret)), &[]), 400, "invalid_grant");
            assert_eq!(app.refresh(&own.client, &own.refresh).status, 200);
            let asked =
                [("token", own.access.as_str()), ("client_id", &key.id), ("client_secret", &key.secret)];
            assert_eq!(app.oauth("introspect", &asked).json()["active"], true);
        },
    );
}

#[test]
fn guessing_a_token_is_slowed_down_and_nobody_else_is() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    let other = app.connect_as(&app.register("other"), &pat.token);
    let spent = app.connect_as(&own.client, &pat.token);
    app.oauth("revoke", &[("token", &spent.refresh), ("client_id", &spent.client)]);
    holds(
        "N-145",
        "grinding refresh tokens is 429 after 30 a minute for that client and address alone",
        || {
            let (judged, reply) =
                until_slowed(|number| app.refresh(&own.client, &invented("mico_ort_", number)));
            assert_eq!(judged, 30);
            refused(&reply, 429, "temporarily_unavailable");
            // A token that was given out once is told the truth, or its holder would never sign in again.
            refused(&app.refresh(&own.client, &spent.refresh), 400, "invalid_grant");
            let next = app.refresh(&own.client, &own.refresh);
            assert_eq!(next.status, 200, "the right token is served: {next:?}");
            refused(&app.refresh(&other.client, &invented("mico_ort_", 7)), 400, "invalid_grant");
            let code = app.code(&own.client, &pat.token);
            assert_eq!(app.redeem(&own.client, &code).status, 200);
            for guess in [
                app.redeem(&own.client, &invented("mico_oac_", 1)),
                app.refresh(&own.client, "not even a token"),
                app.oauth("revoke", &[("token", &invented("mico_ort_", 3)), ("client_id", &own.client)]),
            ] {
                refused(&guess, 429, "temporarily_unavailable");
            }
            let revoked = app.oauth("revoke", &[("token", &own.access), ("client_id", &own.client)]);
            assert_eq!(revoked.status, 200, "a token that exists is revoked: {revoked:?}");
        },
    );
    holds("W-13", "429 says in Retry-After how long it lasts, and then it is over", || {
        let slowed = app.refresh(&own.client, &invented("mico_ort_", 99));
        refused(&slowed, 429, "temporarily_unavailable");
        let wait: u64 = slowed.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        assert_eq!(slowed.header("access-control-allow-origin"), Some("*"));
        app.advance(Duration::from_secs(wait));
        refused(&app.refresh(&own.client, &invented("mico_ort_", 99)), 400, "invalid_grant");
    });
}

#[test]
fn who_introspects_is_never_slowed_down() {
    let app = TestApp::start();
    let key = app.introspection_key();
    holds(
        "IN-04",
        "introspection is no-store; guessed credentials are slowed down, its callers never are",
        || {
            for number in 0..60 {
                let token = invented("mico_oat_", number);
                let asked =
                    [("token", token.as_str()), ("client_id", &key.id), ("client_secret", &key.secret)];
                let reply = app.oauth("introspect", &asked);
                assert_eq!((reply.status, reply.json()), (200, json!({"active": false})));
                assert_eq!(reply.header("cache-control"), Some("no-store"));
            }
            let (judged, reply) = until_slowed(|number| {
                let guess = invented("portero_int_", number);
                app.oauth("introspect", &[("token", "x"), ("client_id", &key.id), ("client_secret", &guess)])
            });
            assert_eq!(judged, 30);
            refused(&reply, 429, "temporarily_unavailable");
            assert_eq!(reply.header("access-control-allow-origin"), None);
        },
    );
}

#[test]
fn guesses_from_different_addresses_count_apart() {
    let app = TestApp::builder().with("top", "trusted_proxies = [\"127.0.0.0/8\"]").start();
    let own = app.register("agent");
    let from = |address: &str, number: u32| {
        let (token, headers) = (invented("mico_ort_", number), [("x-forwarded-for", address)]);
        let form = [("grant_type", "refresh_token"), ("refresh_token", &token), ("client_id", &own)];
        post_form(&app.endpoint("token"), &headers, &form)
    };
    holds("CA-08", "addresses count apart; an IPv6 network of 64 bits counts as one", || {
        let (judged, _) = until_slowed(|number| from("203.0.113.7", number));
        assert_eq!(judged, 30);
        refused(&from("203.0.113.8", 1), 400, "invalid_grant");
        let (judged, _) = until_slowed(|number| from(&format!("2001:db8:1:2::{number:x}"), number));
        assert_eq!(judged, 30);
        refused(&from("2001:db8:1:3::1", 1), 400, "invalid_grant");
    });
}

#[test]
fn the_operators_registration_token_cannot_be_guessed_either() {
    let builder = TestApp::builder()
        .with("oauth", "registration = \"token\"\nregistration_token = \"a-long-secret-of-the-operator\"");
    let app = builder.start();
    let register = |token: &str| {
        let body = json!({"redirect_uris": [REDIRECT]}).to_string();
        let bearer = format!("Bearer {token}");
        let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
        crate::support::request("POST", &app.endpoint("register"), &headers, Some(&body))
    };
    holds(
        "W-13",
        "the registration token is guessed 30 times a minute at most; the right one is served",
        || {
            let (judged, reply) = until_slowed(|number| register(&format!("guess {number}")));
            assert_eq!(judged, 30);
            refused(&reply, 429, "temporarily_unavailable");
            assert!(reply.header("retry-after").is_some());
            assert_eq!(register("a-long-secret-of-the-operator").status, 201);
        },
    );
}
