//! Bearer tokens at the resource.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::holds;
use crate::support::http::{get, head, request};
use crate::support::mcp::{LIST, PING};
use crate::support::{Reply, TestApp, eventually};

const JSON: (&str, &str) = ("content-type", "application/json");

/// A ping with these `Authorization` headers.
fn ping(app: &TestApp, credentials: &[&str]) -> Reply {
    let mut headers = vec![JSON];
    headers.extend(credentials.iter().map(|value| ("authorization", *value)));
    request("POST", &app.resource, &headers, Some(PING))
}

fn metadata(app: &TestApp) -> String {
    format!("{}/.well-known/oauth-protected-resource/functions/v1/mcp", app.base)
}

/// A 401 that says nothing of a token: there was none.
fn assert_anonymous(app: &TestApp, reply: &Reply) {
    assert_eq!((reply.status, reply.json()["code"].as_str()), (401, Some("unauthorized")), "{reply:?}");
    let challenge = format!("Bearer resource_metadata=\"{}\", scope=\"mico:read\"", metadata(app));
    assert_eq!(reply.headers("www-authenticate"), [challenge.as_str()]);
}

fn assert_invalid(app: &TestApp, reply: &Reply) {
    assert_eq!((reply.status, reply.json()["code"].as_str()), (401, Some("invalid_token")), "{reply:?}");
    let challenge = reply.header("www-authenticate").unwrap();
    assert!(challenge.starts_with("Bearer error=\"invalid_token\", "), "{challenge}");
    assert!(challenge.contains(&format!("resource_metadata=\"{}\"", metadata(app))), "{challenge}");
}

fn assert_malformed(reply: &Reply) {
    assert_eq!((reply.status, reply.json()["code"].as_str()), (400, Some("invalid_request")), "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/json"));
}

/// A challenge read by the grammar: the scheme, and its parameters in order (RFC 9110 §11.2, RFC 6750 §3).
fn challenge(text: &str) -> (String, Vec<(String, String)>) {
    let (scheme, mut rest) = text.split_once(' ').expect("a scheme");
    let token = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    assert!(token(scheme), "{text}");
    let mut parameters = Vec::new();
    loop {
        let (name, after) = rest.split_once("=\"").unwrap_or_else(|| panic!("not quoted: {rest}"));
        let (value, after) = after.split_once('"').unwrap_or_else(|| panic!("not closed: {rest}"));
        assert!(token(name), "{text}");
        assert!(value.bytes().all(|b| matches!(b, 0x20 | 0x21 | 0x23..=0x5b | 0x5d..=0x7e)), "{value}");
        parameters.push((name.to_owned(), value.to_owned()));
        if after.is_empty() {
            return (scheme.to_owned(), parameters);
        }
        rest = after.strip_prefix(", ").unwrap_or_else(|| panic!("no comma: {after}"));
    }
}

#[test]
fn the_authorization_header_is_read_exactly() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let good = format!("Bearer {token}");
    let spellings = [format!("bearer {token}"), format!("BEARER {token}"), format!("bEaReR   {token}")];
    for value in &spellings {
        let check = || assert_eq!(ping(&app, &[value.as_str()]).status, 200, "{}", &value[..8]);
        holds("C154", "the scheme is Bearer in any case", check);
        holds("B-01", "Bearer in any case, one or more spaces, a token", check);
        holds("N-149", "bEaReR and three spaces are accepted", check);
    }
    holds("C156", "a doubled scheme is 401 invalid_token and the hint says so", || {
        let reply = ping(&app, &[&format!("Bearer {good}")]);
        assert_invalid(&app, &reply);
        let hint = reply.json()["error"]["data"]["hint"].as_str().unwrap().to_owned();
        assert!(hint.contains("Bearer twice"), "{hint}");
    });
    let joined = format!("{good}, {good}");
    let mixed = format!("{good}, Basic dTpw");
    for two in [
        &[good.as_str(), good.as_str()][..],
        &[&good, "Basic dTpw"],
        &["Basic dTpw", &good],
        &[&joined],
        &[&mixed],
    ] {
        let check = || assert_malformed(&ping(&app, two));
        holds("C157", "two credentials, in two headers or joined by a comma, are 400 in JSON", check);
        holds("B-03", "two Authorization headers are 400 invalid_request", check);
        holds("N-147", "two credentials are 400 invalid_request, whichever is good", check);
    }
    for nothing in ["Bearer", "Bearer ", "bearer    "] {
        let check = || assert_malformed(&ping(&app, &[nothing]));
        holds("N-148", "a scheme without a token is 400 invalid_request, and nothing is looked up", check);
        holds("B-07", "an Authorization that is no credential is 400 invalid_request", check);
    }
    for other in [&[][..], &["Basic dTpw"], &["Digest username=\"a\", nonce=\"b\""], &[token.as_str()]] {
        let check = || assert_anonymous(&app, &ping(&app, other));
        holds("B-04", "none or another scheme: 401 without error, with resource_metadata and scope", check);
        holds("N-152", "Basic credentials are 401 with a Bearer challenge without error", check);
    }
}

#[test]
fn a_token_counts_in_one_header_alone() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let (good, form) = (format!("Bearer {token}"), format!("access_token={token}"));
    let urlencoded = ("content-type", "application/x-www-form-urlencoded");
    holds("B-02", "a token in the query or in a form is none: 401 without error", || {
        let url = format!("{}?{form}", app.resource);
        assert_anonymous(&app, &request("POST", &url, &[JSON], Some(PING)));
        assert_anonymous(&app, &request("POST", &app.resource, &[urlencoded], Some(&form)));
        let reply = request("POST", &url, &[JSON, ("authorization", &good)], Some(PING));
        assert_eq!(reply.status, 200, "and beside a header it is not read");
    });
    holds("N-147", "a form beside a header is 415, its token unread (rules: order of answers)", || {
        let reply = request("POST", &app.resource, &[urlencoded, ("authorization", &good)], Some(&form));
        assert_eq!((reply.status, reply.json()["code"].as_str()), (415, Some("unsupported_media_type")));
    });
    holds(
        "C169",
        "where a proxy took the header away, the 401 names it; no other header is believed",
        || {
            let reply = ping(&app, &[]);
            assert!(
                reply.json()["error"]["data"]["hint"].as_str().unwrap().contains("Authorization: Bearer")
            );
            for name in ["x-authorization", "x-forwarded-authorization", "proxy-authorization", "x-api-key"] {
                let headers = [JSON, (name, good.as_str())];
                assert_anonymous(&app, &request("POST", &app.resource, &headers, Some(PING)));
            }
        },
    );
    holds("N-151", "a token of 10 KiB is 401", || {
        assert_invalid(&app, &ping(&app, &[&format!("Bearer {}", "a".repeat(10 << 10))]));
        assert_invalid(&app, &ping(&app, &[&format!("{good}{}", "a".repeat(10 << 10))]));
    });
    holds("C168", "a bearer of 24 KB is read and answered in JSON; a head beyond 128 KiB is 431", || {
        assert_invalid(&app, &ping(&app, &[&format!("Bearer {}", "a".repeat(24_000))]));
        let path = app.resource.strip_prefix(&app.base).unwrap();
        let host = app.authority();
        let long =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}", "a".repeat(140_000));
        let answer = head(host, long.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    });
}

const NOTES: &str = r#"
[[service]]
id = "notes"
brand = "mico"
name = "Notes"
resource = "{base}/notes"
accept = ["pat", "oauth"]
[service.scopes."notes:read"]
default = true
[[service.upstream]]
id = "meetings"
kind = "worker"
url = "{worker}"
catalog = "tools.json"
"#;

#[test]
fn whatever_is_wrong_with_a_token_is_said_in_one_way() {
    let mut builder = TestApp::builder().with("tail", NOTES);
    builder.toml = builder.toml.replacen("[[service]]\n", "[[service]]\ndefault = true\n", 1);
    let app = builder.start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let own = app.connect(&pat.token);
    let client = app.register("another client");
    let notes = format!("{}/notes", app.base);
    let url = app.authorize_url(&client, &[("resource", &notes), ("scope", "notes:read")]);
    let answer = app.consent(&url, &pat.token, "allow");
    let code = crate::support::http::query_value(answer.header("location").unwrap(), "code").unwrap();
    let other = app.redeem(&client, &code);
    let other = other.json()["access_token"].as_str().unwrap().to_owned();
    let at_notes =
        request("POST", &notes, &[JSON, ("authorization", &format!("Bearer {other}"))], Some(LIST));
    assert_eq!(at_notes.status, 200, "good where it is for: {at_notes:?}");
    holds("C159", "a live token of another service: 401 invalid_token", || {
        assert_invalid(&app, &ping(&app, &[&format!("Bearer {other}")]));
    });
    let unused = app.code(&own.client, &pat.token);

    let revoked = app.pat(&person, &[]);
    assert_eq!(ping(&app, &[&format!("Bearer {}", revoked.token)]).status, 200);
    app.cli(&["token", "revoke", &revoked.id], None);
    eventually("401", || (ping(&app, &[&format!("Bearer {}", revoked.token)]).status == 401).then_some(()));
    let expired = app.connect(&pat.token);
    app.advance(Duration::from_mins(61));
    let tokens = &app.app.brands[0].tokens;
    let unknown = portero::domain::secret::Secret::generate(&tokens.pat_live, app.app.entropy.as_ref());
    let mut typo = pat.token.clone();
    let last = if typo.pop() == Some('A') { 'B' } else { 'A' };
    typo.push(last);
    // {"alg":"none"} . {"sub":"ana"} .
    let unsigned = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbmEifQ.".to_owned();
    let bad = [
        ("expired", expired.access.clone()),
        ("revoked", revoked.token.clone()),
        ("unknown", unknown.expose().to_owned()),
        ("another service's", other),
        ("a refresh token", own.refresh.clone()),
        ("a code", unused),
        ("a bad checksum", typo),
        ("an unsigned JWT", unsigned),
        ("two words", format!("{} x", pat.token)),
        ("not a token", "!".to_owned()),
    ];
    let mut said = BTreeSet::new();
    for (what, token) in &bad {
        let reply = ping(&app, &[&format!("Bearer {token}")]);
        let check = || assert_invalid(&app, &reply);
        holds("C159", "expired, revoked, for another service, unsigned: 401 invalid_token", check);
        holds("B-05", "whatever is no live access token of this service: 401 invalid_token", check);
        let challenge = reply.header("www-authenticate").unwrap().to_owned();
        said.insert((reply.text().to_owned(), challenge));
        holds("N-153", "everything that is wrong with a token is answered with the same bytes", || {
            assert_eq!(said.len(), 1, "{what}: {said:?}");
        });
    }
}

#[test]
fn challenges_are_read_by_a_strict_reader() {
    let app = TestApp::start();
    let person = app.person("ana");
    let own = app.connect(&app.pat(&person, &[]).token);
    let metadata = metadata(&app);
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "delete_meeting"}});
    let said = [
        (ping(&app, &[]), 401, &["resource_metadata", "scope"][..]),
        (ping(&app, &["Bearer x"]), 401, &["error", "error_description", "resource_metadata", "scope"]),
        (app.rpc(&own.access, &call), 403, &["error", "scope", "resource_metadata"]),
    ];
    for (reply, status, names) in said {
        assert_eq!(reply.status, status);
        let headers = reply.headers("www-authenticate");
        let check = || {
            let [only] = headers[..] else { panic!("{headers:?}") };
            let (scheme, parameters) = challenge(only);
            assert_eq!(scheme, "Bearer");
            let found: Vec<_> = parameters.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(found, names, "each once, with commas between: {only}");
            let url = parameters.iter().find(|(name, _)| name == "resource_metadata").unwrap();
            assert_eq!(url.1, metadata);
        };
        holds("B-08", "auth-params are quoted, separated by commas, each once", check);
        holds("N-156", "every challenge parses by the grammar of RFC 9110", check);
    }
    assert_eq!(get(&metadata).json()["resource"], app.resource.as_str());
}

fn is_error(reply: &Reply) -> Value {
    assert_eq!((reply.status, &reply.json()["result"]["isError"]), (200, &json!(true)), "{reply:?}");
    serde_json::from_str(reply.json()["result"]["content"][0]["text"].as_str().unwrap()).unwrap()
}

#[test]
fn scopes_are_asked_for_all_at_once() {
    let third = r#",
  {"name": "about", "description": "Says what this is", "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": true}}]"#;
    let builder = TestApp::builder().with("tail", "[service.tool.about]\nscopes = []");
    let tools = builder.text("tools.json").trim_end().strip_suffix(']').unwrap().to_owned();
    let app = builder.file("tools.json", &format!("{tools}{third}")).start();
    let person = app.person("ana");
    let own = app.connect(&app.pat(&person, &[]).token);
    let write_only = app.pat(&person, &["mico:write"]);
    let check = || {
        let reply = app.call(&own.access, "delete_meeting", &json!({"meeting_id": "m"}));
        assert_eq!((reply.status, reply.json()["code"].as_str()), (403, Some("missing_scope")), "{reply:?}");
        let expected = format!(
            "Bearer error=\"insufficient_scope\", scope=\"mico:read mico:write\", resource_metadata=\"{}\"",
            metadata(&app)
        );
        assert_eq!(reply.headers("www-authenticate"), [expected.as_str()]);
    };
    holds("C160", "too little scope: 403, the challenge asks for what is granted and what is needed", check);
    holds("B-06", "insufficient_scope names all that the operation needs in one go", check);
    holds("C160", "a personal token cannot step up: isError with the code (contract: refusals)", || {
        let read_only = app.pat(&person, &["mico:read"]);
        let reply = app.call(&read_only.token, "delete_meeting", &json!({"meeting_id": "m"}));
        assert_eq!(is_error(&reply)["code"], "missing_scope");
        assert_eq!(reply.header("www-authenticate"), None);
    });
    holds("B-14", "no scope includes another: write alone does not read", || {
        let reply = app.call(&write_only.token, "list_meetings", &json!({}));
        assert_eq!(is_error(&reply)["code"], "missing_scope");
        assert_eq!(app.call(&write_only.token, "delete_meeting", &json!({})).status, 200);
    });
    holds(
        "N-155",
        "a tool with an empty list of scopes takes any caller, and no anonymous one (contract)",
        || {
            let reply = app.call(&write_only.token, "about", &json!({}));
            assert_eq!((reply.status, &reply.json()["result"]["isError"]), (200, &json!(false)), "{reply:?}");
            let anonymous = app.call("", "about", &json!({}));
            assert_anonymous(&app, &anonymous);
        },
    );
    assert!(app.worker.seen().iter().all(|seen| seen.path != "/tools/list_meetings"));
}

#[test]
fn trouble_is_no_fault_of_the_token() {
    let app = TestApp::start();
    let person = app.person("ana");
    let (warm, cold) = (app.pat(&person, &[]), app.pat(&person, &[]));
    let call = || app.call(&warm.token, "list_meetings", &json!({}));
    for status in [401, 403] {
        app.worker.answers(status, "text/html", "<html>upstream token expired</html>");
        holds("C162", "what the gateway may not do upstream is no 401: the client's token is fine", || {
            let reply = call();
            assert_eq!(is_error(&reply)["code"], "upstream_unavailable");
            assert_eq!(reply.header("www-authenticate"), None);
        });
        app.worker.answers(status, "application/json", r#"{"error":"token expired"}"#);
        holds(
            "C163",
            "a worker's 401 is its own no, its status beside it (contract: what a worker sees)",
            || {
                let reply = call();
                assert_eq!(is_error(&reply), json!({"error": "token expired"}));
                assert_eq!(reply.json()["result"]["_meta"]["io.portero/status"], status);
            },
        );
    }
    app.worker.answers(200, "application/json", "{}");
    assert_eq!(call().status, 200);
    actix_web::rt::System::new().block_on(app.app.identity.store.close());
    let refused = |reply: &Reply| {
        assert_eq!((reply.status, reply.json()["code"].as_str()), (503, Some("verification_unavailable")));
        assert_eq!(reply.header("retry-after"), Some("2"));
        assert_eq!(reply.header("www-authenticate"), None, "signing in again would not help");
    };
    let check = || refused(&app.call(&cold.token, "list_meetings", &json!({})));
    holds(
        "B-17",
        "with the database gone a token that has to be asked about is 503, never 401 or a yes",
        check,
    );
    holds("N-172", "database down: 503 with Retry-After", check);
    holds("B-18", "a known token is answered from the cache for five blind seconds and then no more", || {
        assert_eq!(call().status, 200);
        app.advance(Duration::from_secs(6));
        refused(&call());
    });
}

#[test]
fn what_somebody_was_told_by_their_token_is_nobody_elses() {
    let app = TestApp::start();
    let person = app.person("ana");
    let own = app.connect(&app.pat(&person, &[]).token);
    let free = app.pat(&app.person_on("bruno", Some("free")), &[]);
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_meeting"}}"#;
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    for (token, accept, body, status) in [
        (own.access.as_str(), "application/json", LIST, 200),
        (&own.access, "text/event-stream", LIST, 200),
        (&own.access, "*/*", notification, 202),
        (&own.access, "*/*", "{", 400),
        (&own.access, "image/png", LIST, 406),
        (&own.access, "*/*", call, 403),
        (&free.token, "*/*", LIST, 402),
        ("", "*/*", LIST, 401),
        ("x", "*/*", LIST, 401),
    ] {
        let reply = app.rpc_with(token, &[("accept", accept)], body);
        let check = || {
            assert_eq!(reply.status, status);
            assert_eq!(reply.header("cache-control"), Some("no-store"), "{status}");
            assert_eq!(reply.header("vary"), Some("Authorization"), "{status}");
        };
        holds("B-19", "every answer of the endpoint is no-store and varies by Authorization", check);
        holds("N-171", "no shared cache keeps an answer: no-store, Vary: Authorization", check);
    }
}
