//! The proof that a worker can ask for, checked as `docs/verify-assertion.md` says. What the page has for Python and
//! TypeScript runs in `tests/clients/assertion`.

use std::time::Duration;

use jsonwebtoken::jwk::JwkSet;
use portero::identity::jose;
use portero::identity::keys::Keys;
use serde_json::{Value, json};

use super::shelf::{POLICY, Shelf, rpc};
use crate::support::http::{get, request};
use crate::support::verify_assertion::verify;
use crate::support::worker::Seen;
use crate::support::{TestApp, eventually};

fn start() -> TestApp {
    jose::install();
    TestApp::builder().with("upstream", "assertion = true").start()
}

fn jwks(app: &TestApp) -> Value {
    get(&format!("{}/jwks.json", app.issuer)).json()
}

fn keys(app: &TestApp) -> JwkSet {
    serde_json::from_value(jwks(app)).unwrap()
}

fn called(app: &TestApp, token: &str, tool: &str) -> (Seen, String) {
    let reply = app.call(token, tool, &json!({"meeting_id": "ñ", "limit": 3}));
    assert_eq!(reply.status, 200, "{reply:?}");
    let seen = app.worker.last();
    let assertion = seen.header("x-portero-assertion").expect("an assertion").to_owned();
    (seen, assertion)
}

fn checked(app: &TestApp, keys: &JwkSet, seen: &Seen, assertion: &str) -> Option<Value> {
    let tool = seen.path.strip_prefix("/tools/").unwrap();
    verify(keys, [&app.issuer, "meetings"], assertion, tool, seen.body.as_bytes())
}

#[test]
fn the_page_has_what_is_tested_here() {
    let page = include_str!("../../../docs/verify-assertion.md");
    let block = page.split("```rust\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(block, include_str!("../support/verify_assertion.rs"));
}

#[test]
fn a_worker_can_check_who_calls_what() {
    let app = start();
    let own = app.connect(&app.pat(&app.person("ana"), &[]).token);
    let forged = [("x-portero-assertion", "evil"), ("x_portero_assertion", "evil")];
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_meetings"}});
    assert_eq!(app.rpc_with(&own.access, &forged, &body.to_string()).status, 200);
    let seen = app.worker.last();
    assert_eq!(
        seen.headers.iter().filter(|(name, _)| name.replace('_', "-") == "x-portero-assertion").count(),
        1
    );

    let (seen, assertion) = called(&app, &own.access, "list_meetings");
    let claims = checked(&app, &keys(&app), &seen, &assertion).expect("good");
    let now = app.now().seconds();
    assert_eq!((claims["iat"].as_i64(), claims["exp"].as_i64()), (Some(now), Some(now + 60)));
    assert_eq!((&claims["iss"], &claims["aud"]), (&json!(app.issuer), &json!("meetings")));
    assert_eq!(claims["sub"], claims["user"]);
    let facts = claims.as_object().unwrap();
    let mut named = 0;
    for (name, value) in &seen.headers {
        let claim = match name.as_str() {
            "x-portero-assertion" => continue,
            "x-request-id" => "request_id",
            other => match other.strip_prefix("x-portero-") {
                Some(rest) => &rest.replace('-', "_"),
                None => continue,
            },
        };
        assert_eq!(facts.get(claim), Some(&json!(value)), "{name}");
        named += 1;
    }
    // and nothing else but what an assertion has of its own
    assert_eq!(facts.len(), named + 7, "{claims}");
    for fact in
        ["user", "workspace", "subject", "plan", "features", "scopes", "client", "grant", "tool", "service"]
    {
        assert!(facts.contains_key(fact), "{fact}");
    }
    let (_, other) = called(&app, &own.access, "list_meetings");
    let other = checked(&app, &keys(&app), &app.worker.last(), &other).unwrap();
    assert_ne!(other["jti"], claims["jti"]);
}

#[test]
fn a_write_says_its_key_and_what_was_confirmed() {
    let app = TestApp::builder()
        .with("upstream", "assertion = true")
        .with("tail", "[service.tool.\"delete_*\"]\nconfirm = \"intent\"")
        .start();
    let pat = app.pat(&app.person("ana"), &[]);
    let sure = json!({"meeting_id": "m1", "confirm": true, "user_intent": "borra la reunión"});
    assert_eq!(app.call(&pat.token, "delete_meeting", &sure).status, 200);
    let seen = app.worker.last();
    assert_eq!(seen.body, r#"{"meeting_id":"m1"}"#, "what is hashed is what is sent");
    let claims = checked(&app, &keys(&app), &seen, seen.header("x-portero-assertion").unwrap()).unwrap();
    assert_eq!(claims["confirmed"], "true");
    assert_eq!(claims["user_intent"], "borra%20la%20reuni%C3%B3n");
    assert_eq!(claims["idempotency_key"], json!(seen.header("idempotency-key").unwrap()));
    assert_eq!((claims.get("client"), claims.get("grant")), (None, None));
}

#[test]
fn reading_a_resource_is_proven_too() {
    use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
    jose::install();
    let shelf = Shelf::start();
    let mut builder = shelf.before(POLICY);
    builder.toml = builder.toml.replace("timeout = \"2s\"", "timeout = \"2s\"\nassertion = true");
    let app = builder.start();
    let pat = app.pat(&app.person("ana"), &[]);
    let reply = rpc(&app, &pat.token, "resources/read", &json!({"uri": "notes://a1"}));
    assert_eq!(reply.status, 200, "{reply:?}");
    let asked = shelf.seen().pop().unwrap();
    let assertion = asked.header("x-portero-assertion").expect("an assertion");
    let keys = keys(&app);
    let key = keys.find(&decode_header(assertion).unwrap().kid.unwrap()).unwrap();
    let mut rules = Validation::new(Algorithm::ES256);
    rules.set_issuer(&[&app.issuer]);
    rules.set_audience(&["notes"]);
    let claims: Value = decode(assertion, &DecodingKey::from_jwk(key).unwrap(), &rules).unwrap().claims;
    assert_eq!(claims["path"], json!(asked.path));
    assert_eq!(
        (claims.get("tool"), &claims["user"]),
        (None, &json!(asked.header("x-portero-user").unwrap()))
    );
    // of no body
    assert_eq!(claims["body_sha256"], "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
}

#[test]
fn what_was_changed_or_is_for_another_is_refused() {
    let (app, other) = (start(), start());
    let pat = app.pat(&app.person("ana"), &[]);
    let (seen, assertion) = called(&app, &pat.token, "list_meetings");
    let (own, body) = (keys(&app), seen.body.as_bytes());
    let check = |keys: &JwkSet, parties: [&str; 2], tool: &str, body: &[u8]| {
        verify(keys, parties, &assertion, tool, body).is_some()
    };
    let parties = [app.issuer.as_str(), "meetings"];
    assert!(check(&own, parties, "list_meetings", body));
    assert!(!check(&own, parties, "list_meetings", b"{}"), "another body");
    assert!(!check(&own, parties, "delete_meeting", body), "another tool");
    assert!(!check(&own, [parties[0], "billing"], "list_meetings", body), "for another worker");
    assert!(!check(&own, [&other.issuer, "meetings"], "list_meetings", body), "of another issuer");
    assert!(!check(&keys(&other), parties, "list_meetings", body), "no such key");
    // another installation's key under the name of ours
    let mut swapped = jwks(&other);
    swapped["keys"][0]["kid"] = jwks(&app)["keys"][0]["kid"].clone();
    let swapped: JwkSet = serde_json::from_value(swapped).unwrap();
    assert!(!check(&swapped, parties, "list_meetings", body), "another key");
    // signed by us, a while ago
    let signer = Keys::read(&app.dir.path().join("portero.keys")).unwrap().signer(app.now()).unwrap();
    let mut claims = checked(&app, &own, &seen, &assertion).unwrap();
    let written = |claims: &Value| signer.sign(claims.to_string().as_bytes()).unwrap();
    assert!(checked(&app, &own, &seen, &written(&claims)).is_some());
    claims["exp"] = json!(app.now().seconds() - 10);
    assert!(checked(&app, &own, &seen, &written(&claims)).is_none(), "expired");
}

#[test]
fn nobody_gets_one_who_has_not_asked() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    assert_eq!(app.call(&pat.token, "list_meetings", &json!({})).status, 200);
    assert_eq!(app.worker.last().header("x-portero-assertion"), None);
}

#[test]
fn public_halves_are_published_and_nothing_else() {
    let app = start();
    let url = format!("{}/jwks.json", app.issuer);
    let reply = get(&url);
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    assert_eq!(reply.header("cache-control"), Some("public, max-age=300"));
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    let keys = reply.json();
    let names: Vec<&str> = keys["keys"][0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["kty", "crv", "x", "y", "kid", "alg", "use"]);
    let tag = reply.header("etag").unwrap();
    assert_eq!(request("GET", &url, &[("if-none-match", tag)], None).status, 304);
    assert_eq!(request("POST", &url, &[], Some("")).status, 405);
    let file = std::fs::read_to_string(app.dir.path().join("portero.keys")).unwrap();
    let file: Value = serde_json::from_str(&file).unwrap();
    assert!(!reply.text().contains(file["keys"][0]["secret"].as_str().unwrap()));
}

#[test]
fn a_new_key_is_published_at_once_and_signs_when_it_is_known() {
    let app = start();
    let pat = app.pat(&app.person("ana"), &[]);
    let kid = |assertion: &str| jsonwebtoken::decode_header(assertion).unwrap().kid.unwrap();
    let (before, first) = called(&app, &pat.token, "list_meetings");
    let copy = keys(&app);
    app.cli(&["keys", "rotate"], None);
    let published = eventually("the new key", || Some(jwks(&app)).filter(|all| all["keys"][1].is_object()));
    let new = published["keys"][0]["kid"].as_str().unwrap().to_owned();
    assert_ne!(new, kid(&first));

    app.advance(Duration::from_mins(9));
    let (seen, second) = called(&app, &pat.token, "list_meetings");
    assert_eq!(kid(&second), kid(&first), "not before every copy has it");
    assert!(checked(&app, &copy, &seen, &second).is_some(), "a copy from before is good enough");
    app.advance(Duration::from_mins(2));
    let (seen, third) = called(&app, &pat.token, "list_meetings");
    assert_eq!(kid(&third), new);
    assert!(checked(&app, &keys(&app), &seen, &third).is_some());
    assert!(checked(&app, &keys(&app), &before, &first).is_some(), "what was on its way stays good");
}

#[test]
fn a_damaged_key_file_changes_nothing() {
    let app = start();
    let pat = app.pat(&app.person("ana"), &[]);
    let file = app.dir.path().join("portero.keys");
    let whole = std::fs::read(&file).unwrap();
    let known = jwks(&app);
    for damaged in [b"".as_slice(), b"{\"keys\":[]}", &whole[..whole.len() / 2]] {
        std::fs::write(&file, damaged).unwrap();
        // several looks at it
        std::thread::sleep(Duration::from_millis(900));
        assert_eq!(jwks(&app), known);
        called(&app, &pat.token, "list_meetings");
    }
    std::fs::write(&file, whole).unwrap();
    app.cli(&["keys", "rotate"], None);
    eventually("the new key", || jwks(&app)["keys"][1].is_object().then_some(()));
}
