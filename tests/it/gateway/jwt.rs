//! Tokens of the company's own issuer, as its apps send them.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};

use crate::conformance::holds;
use crate::support::issuer::{ISSUER, Issuer, Key, Mood, unsigned};
use crate::support::{Builder, Reply, TestApp, eventually, on_both_databases, together};

const LIFE: i64 = 3600;

/// A service that takes the issuer's tokens, and whatever else `accept` names.
fn taking(builder: Builder, issuer: &Issuer, accept: &str, more: &str) -> Builder {
    let jwt = format!(
        "[service.jwt]\nissuer = \"{ISSUER}\"\njwks_url = \"{}/jwks.json\"\naudience = \"authenticated\"\n{more}",
        issuer.url
    );
    let mut builder = builder.with("service", &jwt);
    builder.toml = builder
        .toml
        .replace("accept = [\"pat\", \"oauth\"]", &format!("accept = {accept}"))
        .replace("password = true", "password = true\ndefault_plan = \"flow\"");
    builder
}

fn start(issuer: &Issuer) -> TestApp {
    taking(TestApp::builder(), issuer, r#"["jwt"]"#, "").start()
}

/// Claims of a good token; `over` replaces some, null leaves one out.
fn claims(app: &TestApp, over: &Value) -> Value {
    let now = app.now().seconds();
    let mut all = json!({
        "iss": ISSUER, "aud": "authenticated", "sub": "ana", "iat": now, "exp": now + LIFE, "scope": "mico:read",
    });
    for (name, value) in over.as_object().unwrap() {
        all[name] = value.clone();
    }
    all.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    all
}

fn call(app: &TestApp, token: &str) -> Reply {
    app.call(token, "list_meetings", &json!({}))
}

fn status(app: &TestApp, token: &str) -> u16 {
    call(app, token).status
}

fn assert_refused(app: &TestApp, token: &str, what: &str) {
    let before = app.worker.seen().len();
    let reply = call(app, token);
    assert_eq!(
        (reply.status, reply.json()["code"].as_str()),
        (401, Some("invalid_token")),
        "{what}: {reply:?}"
    );
    let challenge = reply.header("www-authenticate").unwrap();
    assert!(challenge.starts_with("Bearer error=\"invalid_token\""), "{what}: {challenge}");
    assert_eq!(app.worker.seen().len(), before, "{what}");
}

fn users(app: &TestApp) -> i64 {
    app.sql_number("SELECT COUNT(*) FROM users")
}

#[test]
fn a_worker_learns_who_the_issuer_says_it_is() {
    let (ec, rsa) = (Key::ec("e"), Key::rsa("r"));
    let issuer = Issuer::with(&[&ec, &rsa]);
    let app = start(&issuer);
    let reply = call(&app, &ec.sign(&claims(&app, &json!({}))));
    assert_eq!(reply.status, 200, "{reply:?}");
    let seen = app.worker.last();
    for (name, value) in [
        ("x-portero-token-kind", Some("jwt")),
        ("x-portero-subject", Some("ana")),
        ("x-portero-scopes", Some("mico:read")),
        ("x-portero-plan", Some("flow")),
        ("x-portero-features", Some("mcp")),
        ("x-portero-mode", Some("live")),
        ("x-portero-service", Some("mico")),
        ("x-portero-client", None),
        ("x-portero-grant", None),
        ("authorization", None),
    ] {
        assert_eq!(seen.header(name), value, "{name}");
    }
    let user = seen.header("x-portero-user").unwrap().to_owned();
    assert!(user.starts_with("usr_") && seen.header("x-portero-workspace").unwrap().starts_with("wsp_"));
    for header in [
        json!({"alg": "RS256", "kid": "r"}),
        json!({"alg": "PS256", "kid": "r", "typ": "at+jwt"}),
        json!({"alg": "RS256", "typ": "application/at+JWT"}),
    ] {
        assert_eq!(status(&app, &rsa.sign_as(&header, &claims(&app, &json!({})))), 200, "{header}");
        assert_eq!(app.worker.last().header("x-portero-user"), Some(user.as_str()), "the same person");
    }
    assert_eq!(status(&app, &ec.sign(&claims(&app, &json!({"sub": "beto"})))), 200);
    assert_ne!(app.worker.last().header("x-portero-user"), Some(user.as_str()));
    assert_eq!(users(&app), 2);
    assert_eq!(app.sql_number("SELECT COUNT(*) FROM audit WHERE event = 'user.created'"), 2);
}

#[test]
fn a_token_is_for_this_service_from_this_issuer_and_now() {
    let key = Key::ec("e");
    let issuer = Issuer::with(&[&key]);
    let app = start(&issuer);
    let now = app.now().seconds();
    let good = |over: Value| assert_eq!(status(&app, &key.sign(&claims(&app, &over))), 200, "{over}");
    let bad = |over: Value| assert_refused(&app, &key.sign(&claims(&app, &over)), &over.to_string());
    holds("C165", "a JWT's audience is a text or a list, and one of it is the service's", || {
        good(json!({"aud": "authenticated"}));
        good(json!({"aud": ["other", "authenticated"]}));
        for audience in [json!("other"), json!(["other", "else"]), json!([])] {
            bad(json!({"aud": audience}));
        }
    });
    holds("C216", "a token of the issuer that names no audience is refused, whatever else is right", || {
        bad(json!({"aud": null}));
    });
    holds("C166", "half a minute of leeway for the clocks of JWT issuers, either way", || {
        good(json!({"exp": now - 29}));
        good(serde_json::from_str(&format!("{{\"exp\": {now}.5}}")).unwrap());
        good(json!({"nbf": now + 29}));
        bad(json!({"exp": now - 31}));
        bad(json!({"nbf": now + 31}));
    });
    good(json!({"iat": null}));
    for over in [
        json!({"iss": "https://evil.example"}),
        json!({"iss": format!("{ISSUER}/")}),
        json!({"iss": [ISSUER, "https://evil.example"]}),
        json!({"iss": null}),
        json!({"exp": null}),
        json!({"exp": format!("{}", now + 60)}),
        json!({"exp": -1}),
        json!({"nbf": "soon"}),
        json!({"sub": null}),
        json!({"sub": ""}),
        json!({"sub": "a\r\nx-portero-user: b"}),
        json!({"sub": ["ana"]}),
    ] {
        bad(over);
    }
    let once = key.sign(&claims(&app, &json!({})));
    assert_eq!(status(&app, &once), 200);
    app.advance(Duration::from_secs(3629));
    assert_eq!(status(&app, &once), 200);
    app.advance(Duration::from_secs(1));
    assert_refused(&app, &once, "its time is over");
}

fn pem(der: &[u8]) -> String {
    use base64::Engine as _;
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    format!("-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n")
}

#[test]
fn a_key_is_used_for_what_it_is_and_nothing_else() {
    use base64::Engine as _;
    let encode = |bytes: &[u8]| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
    let (ec, rsa, foreign) = (Key::ec("e"), Key::rsa("r"), Key::ec("e"));
    let issuer = Issuer::with(&[&ec, &rsa]);
    let app = start(&issuer);
    let good = claims(&app, &json!({}));
    // the public key as the secret of an HMAC, in every form somebody might have it
    let public = ec.public();
    let decode = |name: &str| {
        base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(public[name].as_str().unwrap()).unwrap()
    };
    let point = [vec![4], decode("x"), decode("y")].concat();
    for secret in [point.clone(), pem(&point).into_bytes(), public.to_string().into_bytes(), Vec::new()] {
        for kid in [json!("e"), json!("r"), json!(null)] {
            let message = unsigned(&json!({"alg": "HS256", "typ": "JWT", "kid": kid}), &good);
            let mut mac = Hmac::<sha2::Sha256>::new_from_slice(&secret).unwrap();
            mac.update(message.as_bytes());
            let token = format!("{message}.{}", encode(&mac.finalize().into_bytes()));
            assert_refused(&app, &token, "HS256 with the public key");
        }
    }
    for alg in ["none", "None", "NONE", "", "HS512", "ES256K", "dir"] {
        let message = unsigned(&json!({"alg": alg, "typ": "JWT", "kid": "e"}), &good);
        assert_refused(&app, &format!("{message}."), alg);
        assert_refused(&app, &format!("{message}.AAAA"), alg);
    }
    for (key, header) in [
        (&ec, json!({"alg": "RS256", "kid": "e"})),
        (&ec, json!({"alg": "ES384", "kid": "e"})),
        (&ec, json!({"alg": "EdDSA", "kid": "e"})),
        (&ec, json!({"alg": "ES256", "kid": "r"})),
        (&rsa, json!({"alg": "ES256", "kid": "r"})),
        (&rsa, json!({"alg": "ES256", "kid": "e"})),
        (&rsa, json!({"alg": "RS512", "kid": "r"})),
        (&foreign, json!({"alg": "ES256", "kid": "e"})),
        (&foreign, json!({"alg": "ES256"})),
        (&foreign, json!({"alg": "ES256", "kid": "e", "jwk": foreign.public()})),
        (&foreign, json!({"alg": "ES256", "kid": "e", "jku": "http://127.0.0.1:9/jwks.json"})),
        (&ec, json!({"alg": "ES256", "kid": "e", "typ": "logout+jwt"})),
        (&ec, json!({"alg": "ES256", "kid": "e", "typ": "dpop+jwt"})),
        (&ec, json!({"alg": "ES256", "kid": "e", "crit": ["x"], "x": 1})),
        (&ec, json!({"alg": "ES256", "kid": "e", "b64": false})),
    ] {
        assert_refused(&app, &key.sign_as(&header, &good), &header.to_string());
    }
    let token = ec.sign(&good);
    let parts: Vec<&str> = token.split('.').collect();
    let other = unsigned(&json!({}), &claims(&app, &json!({"sub": "root"})));
    let changed = format!("{}.{}.{}", parts[0], other.split('.').nth(1).unwrap(), parts[2]);
    assert_refused(&app, &changed, "other claims under the signature");
    assert_refused(&app, &format!("{}.{}.", parts[0], parts[1]), "no signature");
    assert_refused(&app, "a.b.c", "garbage");
    assert_refused(&app, &format!("{token}.x"), "four parts");
    assert_refused(&app, &".".repeat(9000), "many parts");
    assert_refused(&app, &format!("{}.y.z", "x".repeat(17_000)), "too long");
    assert_eq!(status(&app, &token), 200);
}

#[test]
fn scopes_come_in_every_shape() {
    let key = Key::ec("e");
    let issuer = Issuer::with(&[&key]);
    let app =
        taking(TestApp::builder(), &issuer, r#"["jwt"]"#, "assume_scopes = [\"mico:read\", \"openid\"]")
            .start();
    let scopes = |over: Value| {
        assert_eq!(status(&app, &key.sign(&claims(&app, &over))), 200, "{over}");
        app.worker.last().header("x-portero-scopes").unwrap().to_owned()
    };
    let both = "mico:read mico:write";
    for (over, seen) in [
        (json!({"scope": "mico:write mico:read other"}), both),
        (json!({"scope": ["mico:read", "mico:write"]}), both),
        (json!({"scope": null, "scp": ["mico:read", "mico:write"]}), both),
        (json!({"scope": null, "scp": "mico:read mico:write"}), both),
        (json!({"scope": null, "permissions": ["mico:read", "mico:write"]}), both),
        (json!({"scope": null}), "mico:read openid"),
        (json!({"scope": "calendar:read"}), "mico:read openid"),
        (json!({"scope": "mico:read openid"}), "mico:read openid"),
    ] {
        assert_eq!(scopes(over.clone()), seen, "{over}");
    }
    let reply = call(&app, &key.sign(&claims(&app, &json!({"scope": "mico:write"}))));
    assert_eq!((reply.status, reply.json()["code"].as_str()), (403, Some("missing_scope")));
    let challenge = reply.header("www-authenticate").unwrap();
    assert!(
        challenge.starts_with(r#"Bearer error="insufficient_scope", scope="mico:read mico:write""#),
        "{challenge}"
    );
}

#[test]
fn user_and_scopes_may_stand_in_other_claims() {
    let key = Key::ec("e");
    let issuer = Issuer::with(&[&key]);
    let more = "user_claim = \"https://acme.example/id\"\nscope_claim = \"access.roles\"";
    let app = taking(TestApp::builder(), &issuer, r#"["jwt"]"#, more).start();
    let over =
        json!({"https://acme.example/id": 42, "access": {"roles": ["mico:read"]}, "scope": "mico:write"});
    assert_eq!(status(&app, &key.sign(&claims(&app, &over))), 200);
    let seen = app.worker.last();
    assert_eq!(
        (seen.header("x-portero-subject"), seen.header("x-portero-scopes")),
        (Some("42"), Some("mico:read"))
    );
}

fn the_first_calls_make_one_person(builder: Builder) {
    let key = Key::ec("e");
    let issuer = Issuer::with(&[&key]);
    let app = taking(builder, &issuer, r#"["jwt"]"#, "").start();
    let replies = together(64, |number| {
        let over = json!({"jti": number.to_string(), "email": "ana@example.com", "email_verified": true});
        status(&app, &key.sign(&claims(&app, &over)))
    });
    assert!(replies.iter().all(|status| *status == 200), "{replies:?}");
    let seen: std::collections::BTreeSet<_> =
        app.worker.seen().iter().map(|seen| seen.header("x-portero-user").unwrap().to_owned()).collect();
    assert_eq!(seen.len(), 1);
    for table in ["users", "workspaces", "memberships", "external_subjects"] {
        assert_eq!(app.sql_number(&format!("SELECT COUNT(*) FROM {table}")), 1, "{table}");
    }
}

/// A token that is issued when the next second begins: commands read the real clock.
fn later(key: &Key, app: &TestApp, over: &Value) -> String {
    let real = || std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let issued = real() + 1;
    while real() < issued {
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut over = over.clone();
    over["iat"] = issued.into();
    key.sign(&claims(app, &over))
}

fn what_is_done_to_a_person_takes_effect(builder: Builder) {
    let key = Key::ec("e");
    let issuer = Issuer::with(&[&key]);
    let app = taking(builder, &issuer, r#"["jwt"]"#, "").start();
    let over = json!({"email": "ana@example.com", "email_verified": true});
    let old = key.sign(&claims(&app, &over));
    assert_eq!(status(&app, &old), 200);
    let workspace = app.worker.last().header("x-portero-workspace").unwrap().to_owned();
    let becomes = |token: &str, wanted: u16| {
        eventually(&format!("{wanted}"), || (status(&app, token) == wanted).then_some(()));
    };
    app.cli(&["workspace", "set-plan", &workspace, "free"], None);
    becomes(&old, 402);
    app.cli(&["workspace", "set-plan", &workspace, "flow"], None);
    becomes(&old, 200);
    app.cli(&["workspace", "set-status", &workspace, "inactive"], None);
    becomes(&old, 402);
    app.cli(&["workspace", "set-status", &workspace, "active"], None);
    becomes(&old, 200);

    app.cli(&["user", "lock", "ana@example.com"], None);
    becomes(&old, 401);
    let new = later(&key, &app, &over);
    assert_refused(&app, &new, "a locked person, with a token from after it");
    app.cli(&["user", "unlock", "ana@example.com"], None);
    becomes(&new, 200);
    assert_refused(&app, &old, "what the lock ended stays ended");
    assert_refused(&app, &key.sign(&claims(&app, &json!({"iat": null}))), "it may be from before");
    let user = app.worker.last().header("x-portero-user").unwrap().to_owned();

    let after = later(&key, &app, &over);
    app.cli(&["user", "delete", "ana@example.com"], None);
    becomes(&new, 401);
    assert_refused(&app, &after, "from before the deletion");
    assert_eq!(users(&app), 0, "a token from before brings nobody back");
    assert_eq!(status(&app, &later(&key, &app, &over)), 200, "whoever signs in again is somebody new");
    assert_ne!(app.worker.last().header("x-portero-user"), Some(user.as_str()));
}

/// As a connection or a token of ours would, it stays ended when the person comes back.
fn what_leaving_a_workspace_ends_stays_ended(builder: Builder) {
    let key = Key::ec("e");
    let issuer = Issuer::with(&[&key]);
    let app = taking(builder, &issuer, r#"["jwt"]"#, "").start();
    let becomes = |token: &str, wanted: u16| {
        eventually(&format!("{wanted}"), || (status(&app, token) == wanted).then_some(()));
    };
    let acts_for = |token: &str, wanted: &str| {
        eventually(wanted, || {
            let good = status(&app, token) == 200;
            (good && app.worker.last().header("x-portero-workspace") == Some(wanted)).then_some(())
        });
    };
    let none = json!({});
    let old = key.sign(&claims(&app, &none));
    assert_eq!(status(&app, &old), 200);
    let seen = app.worker.last();
    let header = |name: &str| seen.header(name).unwrap().to_owned();
    let (user, own) = (header("x-portero-user"), header("x-portero-workspace"));
    // nobody leaves a personal workspace, so it is made one like others
    app.sql("UPDATE workspaces SET personal_of = NULL").unwrap();
    let member = |what: &str, workspace: &str| app.cli(&["workspace", what, workspace, &user], None);
    member("remove-member", &own);
    becomes(&old, 401);
    member("add-member", &own);
    let new = later(&key, &app, &none);
    acts_for(&new, &own);
    assert_refused(&app, &old, "what leaving ended stays ended");

    // a second workspace, which no token acts for while there is one of an earlier name
    let team = app.cli(&["workspace", "create", "--name", "zeta", "--plan", "flow"], None);
    let team = team["id"].as_str().unwrap();
    member("add-member", team);
    acts_for(&new, &own);
    member("remove-member", team);
    std::thread::sleep(Duration::from_millis(600));
    acts_for(&new, &own);
    // what acts for it does end with it
    member("add-member", team);
    member("remove-member", &own);
    becomes(&new, 401);
    let newer = later(&key, &app, &none);
    acts_for(&newer, team);
    member("remove-member", team);
    becomes(&newer, 401);
    member("add-member", team);
    acts_for(&later(&key, &app, &none), team);
    for (token, what) in [(&old, "the first"), (&new, "the second"), (&newer, "the third")] {
        assert_refused(&app, token, what);
    }
}

on_both_databases!(
    the_first_calls_make_one_person,
    what_is_done_to_a_person_takes_effect,
    what_leaving_a_workspace_ends_stays_ended,
    a_question_makes_nobody,
);

#[test]
fn an_address_is_taken_if_vouched_for_and_never_leads_to_an_account() {
    let key = Key::ec("e");
    let issuer = Issuer::with(&[&key]);
    let app = taking(TestApp::builder(), &issuer, r#"["pat", "jwt"]"#, "").start();
    let victim = app.person("ana");
    let person = |over: &Value| {
        assert_eq!(status(&app, &key.sign(&claims(&app, over))), 200, "{over}");
        let id = app.worker.last().header("x-portero-user").unwrap().to_owned();
        let all = app.cli(&["user", "list"], None);
        let email =
            all.as_array().unwrap().iter().find(|user| user["id"] == id.as_str()).unwrap()["email"].clone();
        (id, email.as_str().unwrap().to_owned())
    };
    for (sub, over) in [
        ("s1", json!({"email": "ana@example.com", "email_verified": true})),
        ("s2", json!({"email": "ANA@example.com", "email_verified": true})),
        ("s3", json!({"email": "beto@example.com"})),
        ("s4", json!({"email": "beto@example.com", "email_verified": false})),
        ("s5", json!({"email": "beto@example.com", "user_metadata": {"email_verified": true}})),
        // the id that the operator gave the victim: the issuer's subject all the same, and nobody's account
        ("ana", json!({})),
    ] {
        let mut over = over;
        over["sub"] = sub.into();
        let (id, email) = person(&over);
        assert_ne!(id, victim.id, "{over}");
        assert_eq!(email, format!("{id}@external.invalid"), "{over}");
    }
    let (_, email) = person(&json!({"sub": "s6", "email": "beto@example.com", "email_verified": true}));
    assert_eq!(email, "beto@example.com");
    assert_eq!(status(&app, &app.pat(&victim, &[]).token), 200, "ours are good beside theirs");
}

#[test]
fn a_new_key_is_picked_up_without_a_restart() {
    let (old, new) = (Key::ec("old"), Key::rsa("new"));
    let issuer = Issuer::with(&[&old]);
    let app = start(&issuer);
    assert_eq!(status(&app, &old.sign(&claims(&app, &json!({})))), 200);
    issuer.publishes(&[&old, &new]);
    app.advance(Duration::from_secs(10));
    assert_eq!(status(&app, &new.sign(&claims(&app, &json!({})))), 200, "its first token");
    assert_eq!(issuer.asked(), 2);
    // the old one is withdrawn: nobody asks for it, and it goes with the next round
    issuer.publishes(&[&new]);
    app.advance(Duration::from_mins(5));
    eventually("a round", || (issuer.asked() == 3).then_some(()));
    eventually("the new set", || {
        (status(&app, &old.sign(&claims(&app, &json!({"jti": "x"})))) == 401).then_some(())
    });
    assert_eq!(status(&app, &new.sign(&claims(&app, &json!({})))), 200);
}

#[test]
fn names_of_keys_that_nobody_has_do_not_hammer_the_issuer() {
    let key = Key::ec("e");
    let issuer = Issuer::with(&[&key]);
    let app = start(&issuer);
    assert_eq!(status(&app, &key.sign(&claims(&app, &json!({})))), 200);
    let flood = |round: usize| {
        together(8, |thread| {
            for number in 0..25 {
                let stranger = Key::ec(&format!("{round}-{thread}-{number}"));
                assert_refused(&app, &stranger.sign(&claims(&app, &json!({}))), "an unknown key");
            }
        });
    };
    flood(0);
    assert_eq!(issuer.asked(), 1, "asked a moment ago");
    app.advance(Duration::from_secs(10));
    flood(1);
    assert_eq!(issuer.asked(), 2);
    assert_eq!(status(&app, &key.sign(&claims(&app, &json!({"jti": "y"})))), 200, "honest ones are served");
}

#[test]
fn who_asks_for_a_key_and_leaves_keeps_no_old_one_alive() {
    let (old, new) = (Key::ec("old"), Key::ec("new"));
    let issuer = Issuer::with(&[&old]);
    let app = start(&issuer);
    assert_eq!(status(&app, &old.sign(&claims(&app, &json!({})))), 200);
    issuer.publishes(&[&new]);
    issuer.is(Mood::Slow(Duration::from_millis(500)));
    app.advance(Duration::from_secs(10));
    // nobody's key; the caller is gone before the issuer has answered
    let stranger = Key::ec("nobody").sign(&claims(&app, &json!({})));
    let mut stream = TcpStream::connect(app.authority()).unwrap();
    let path = app.resource.strip_prefix(&app.base).unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {stranger}\r\nContent-Length: 0\r\n\r\n",
        app.authority()
    );
    stream.write_all(head.as_bytes()).unwrap();
    eventually("the question", || (issuer.asked() == 2).then_some(()));
    drop(stream);
    eventually("the new set", || {
        (status(&app, &old.sign(&claims(&app, &json!({"jti": "x"})))) == 401).then_some(())
    });
    assert_eq!(status(&app, &new.sign(&claims(&app, &json!({})))), 200);
    assert_eq!(issuer.asked(), 2);
}

#[test]
fn an_issuer_that_is_down_takes_nobodys_access_away() {
    let (key, new) = (Key::ec("e"), Key::ec("new"));
    let issuer = Issuer::with(&[&key]);
    issuer.is(Mood::Answers(500, String::new()));
    let app = start(&issuer);
    let token = key.sign(&claims(&app, &json!({})));
    let asked_again = || {
        let reply = call(&app, &token);
        assert_eq!(
            (reply.status, reply.json()["code"].as_str()),
            (503, Some("verification_unavailable")),
            "{reply:?}"
        );
        assert!(reply.header("retry-after").is_some() && reply.header("www-authenticate").is_none());
    };
    for mood in [
        Mood::Answers(500, String::new()),
        Mood::Answers(302, json!({"keys": [key.public()]}).to_string()),
        Mood::Answers(200, "<html>".to_owned()),
        Mood::Answers(200, format!("{{\"keys\":[], \"pad\": \"{}\"}}", "x".repeat(300_000))),
        Mood::Silent,
    ] {
        issuer.is(mood);
        app.advance(Duration::from_secs(1));
        asked_again();
    }
    issuer.is(Mood::Well);
    app.advance(Duration::from_secs(1));
    assert_eq!(status(&app, &token), 200, "by itself, when the issuer is back");
    // an earlier copy serves for as long as it takes
    issuer.is(Mood::Answers(502, String::new()));
    let before = issuer.asked();
    app.advance(Duration::from_hours(5));
    eventually("a round", || (issuer.asked() > before).then_some(()));
    assert_eq!(status(&app, &key.sign(&claims(&app, &json!({})))), 200);
    app.advance(Duration::from_secs(10));
    let unknown = call(&app, &new.sign(&claims(&app, &json!({}))));
    assert_eq!(unknown.status, 503, "it may be a new key: nobody can say");
    issuer.publishes(&[&key, &new]);
    issuer.is(Mood::Well);
    app.advance(Duration::from_secs(10));
    assert_eq!(status(&app, &new.sign(&claims(&app, &json!({})))), 200);
}

#[test]
fn a_warm_token_asks_neither_database_nor_issuer() {
    let key = Key::ec("e");
    let issuer = Issuer::with(&[&key]);
    let app = start(&issuer);
    assert_eq!(status(&app, &key.sign(&claims(&app, &json!({"jti": "first"})))), 200);
    // That somebody was made is a change, and is read in the log once more within a quarter of a second.
    std::thread::sleep(Duration::from_secs(1));
    let token = key.sign(&claims(&app, &json!({})));
    assert_eq!((status(&app, &token), status(&app, &token)), (200, 200));
    app.sql("ALTER TABLE external_subjects RENAME TO elsewhere").unwrap();
    assert_eq!(status(&app, &token), 200, "nothing is asked");
    let other = key.sign(&claims(&app, &json!({"jti": "z"})));
    assert_eq!(status(&app, &other), 503, "and what has to be asked cannot be");
    app.sql("ALTER TABLE elsewhere RENAME TO external_subjects").unwrap();
    assert_eq!((status(&app, &other), issuer.asked()), (200, 1));
}

/// The operator's questions: what a call would meet, and nothing changed by them.
fn a_question_makes_nobody(builder: Builder) {
    let key = Key::ec("e");
    let issuer = Issuer::with(&[&key]);
    let tail = "feature = \"extra\"\n[service.tool.\"list_*\"]\ncost = 3\n\
        [plans.metered]\nfeatures = [\"mcp\"]\ncredits_per_month = 4";
    let mut builder = taking(builder.with("tail", tail), &issuer, r#"["jwt"]"#, "");
    builder.toml = builder.toml.replace("default_plan = \"flow\"", "default_plan = \"metered\"");
    let app = builder.start();
    let token = key.sign(&claims(&app, &json!({"scope": "mico:read mico:write"})));
    let explain = |tool: &str, token: &str| {
        let words = ["--json", "explain", "--service", "mico", "--tool", tool, "--token", "-"];
        let output = app.command(&words, Some(token));
        serde_json::from_slice::<Value>(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    };
    let says = |value: &Value, name: &str| {
        let steps = value["steps"].as_array().unwrap();
        let step = steps.iter().find(|step| step["step"] == name).unwrap_or_else(|| panic!("{value}"));
        (step["verdict"].as_str().unwrap().to_owned(), step["says"].as_str().unwrap().to_owned())
    };
    let tools = |token: &str| {
        let all = app.cli(&["service", "tools", "mico", "--as", "-"], Some(token));
        let all = all[0]["tools"].as_array().unwrap().clone();
        all.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let rows = || {
        ["users", "workspaces", "memberships", "external_subjects", "audit", "changes", "credits"]
            .map(|table| app.sql_number(&format!("SELECT COUNT(*) FROM {table}")))
    };
    let before = rows();
    let new = explain("list_meetings", &token);
    assert_eq!((&new["allowed"], &new["caller"]["new"]), (&json!(true), &json!(true)), "{new}");
    assert_eq!(
        (&new["caller"]["plan"], &new["caller"]["user"], &new["caller"]["status"]),
        (&json!("metered"), &Value::Null, &json!("active"))
    );
    let (verdict, said) = says(&new, "user");
    assert!(
        verdict == "note" && said.contains("has not called yet") && said.contains("plan metered"),
        "{said}"
    );
    assert_eq!(says(&new, "credits").1, "costs 3; 4 of the month's 4 are left");
    let locked = explain("delete_meeting", &token);
    assert_eq!(locked["code"], "feature_not_included", "no features beyond the plan's: {locked}");
    let listed = tools(&token);
    let forged = Key::ec("e").sign(&claims(&app, &json!({})));
    assert_eq!(explain("list_meetings", &forged)["code"], "invalid_token");
    assert_eq!(rows(), before, "nothing has changed");

    assert_eq!(status(&app, &token), 200);
    let known = explain("list_meetings", &token);
    assert_eq!((&known["code"], &known["caller"]["new"]), (&json!("credits_exhausted"), &Value::Null));
    assert_eq!(known["caller"]["user"].as_str(), app.worker.last().header("x-portero-user"));
    assert_eq!((says(&known, "user").0.as_str(), tools(&token)), ("yes", listed));
    app.cli(&["user", "delete", known["caller"]["user"].as_str().unwrap()], None);
    assert_eq!(explain("list_meetings", &token)["code"], "invalid_token", "it is from before");
    let after = explain("list_meetings", &later(&key, &app, &json!({})));
    assert_eq!((&after["allowed"], &after["caller"]["new"]), (&json!(true), &json!(true)), "{after}");
    assert_eq!(users(&app), 0);
}

#[test]
fn a_service_of_theirs_alone_advertises_nothing_of_ours() {
    use crate::support::http::{get, request};
    let key = Key::ec("e");
    let issuer = Issuer::with(&[&key]);
    let app = start(&issuer);
    let path = "/functions/v1/mcp";
    for at in [
        format!("/.well-known/oauth-protected-resource{path}"),
        format!("{path}/.well-known/oauth-protected-resource"),
    ] {
        let expected = json!({
            "resource": app.resource, "authorization_servers": [ISSUER], "scopes_supported": ["mico:read"],
            "bearer_methods_supported": ["header"],
        });
        assert_eq!(get(&format!("{}{at}", app.base)).json().to_string(), expected.to_string(), "{at}");
    }
    for at in [
        "/.well-known/oauth-authorization-server".to_owned(),
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("{path}/.well-known/oauth-authorization-server"),
        "/.well-known/openid-configuration".to_owned(),
        format!("{path}/authorize"),
        format!("{path}/token"),
        format!("{path}/register"),
        format!("{path}/revoke"),
        format!("{path}/introspect"),
        "/authorize".to_owned(),
        "/token".to_owned(),
        "/register".to_owned(),
    ] {
        let reply = get(&format!("{}{at}", app.base));
        let kind = reply.header("content-type").map(str::to_owned);
        assert_eq!((reply.status, kind.as_deref()), (404, Some("application/json")), "{at}");
    }
    let reply = request("POST", &app.resource, &[], Some("{}"));
    let metadata = format!("{}/.well-known/oauth-protected-resource{path}", app.base);
    assert_eq!(
        (reply.status, reply.header("www-authenticate").unwrap()),
        (401, format!("Bearer resource_metadata=\"{metadata}\", scope=\"mico:read\"").as_str())
    );
}

#[test]
fn a_service_of_both_names_ours_first_and_others_take_none_of_theirs() {
    let key = Key::ec("e");
    let issuer = Issuer::with(&[&key]);
    let app = taking(TestApp::builder(), &issuer, r#"["pat", "oauth", "jwt"]"#, "").start();
    let at = format!("{}/.well-known/oauth-protected-resource/functions/v1/mcp", app.base);
    let document = crate::support::http::get(&at).json();
    assert_eq!(document["authorization_servers"], json!([app.issuer, ISSUER]));
    let token = key.sign(&claims(&app, &json!({})));
    assert_eq!(status(&app, &token), 200);
    let own = app.connect(&app.pat(&app.person("beto"), &[]).token);
    assert_eq!(status(&app, &own.access), 200);

    let elsewhere = TestApp::start();
    assert_refused(&elsewhere, &token, "a service that takes no JWTs");
}
