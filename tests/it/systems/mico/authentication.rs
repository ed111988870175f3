//! Tokens at the endpoint.

use std::time::Duration;

use serde_json::json;

use super::{Caller, Mico, NAMES, statement};
use crate::support::http::{get, request};
use crate::support::{Reply, TestApp, eventually};

const DAY: Duration = Duration::from_hours(24);
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn ping(app: &TestApp, token: &str) -> Reply {
    app.rpc_with(token, &[], PING)
}

fn assert_invalid(reply: &Reply) {
    assert_eq!(reply.status, 401, "{reply:?}");
    let challenge = reply.header("www-authenticate").unwrap_or_else(|| panic!("no challenge: {reply:?}"));
    assert!(challenge.starts_with("Bearer ") && challenge.contains("error=\"invalid_token\""), "{challenge}");
    assert_eq!(reply.json()["code"], "invalid_token");
}

/// A token that looks like one of ours to the last character, and is nobody's.
fn unknown(app: &TestApp) -> String {
    let tokens = &app.app.brands[0].tokens;
    let secret = portero::domain::secret::Secret::generate(&tokens.pat_live, app.app.entropy.as_ref());
    secret.expose().to_owned()
}

#[test]
fn m025_m026_m027_m028_a_personal_access_token() {
    let mico = Mico::start();
    let app = &mico.app;
    let pat = mico.pat(&mico.ana);
    statement("M025", || {
        for header in [
            format!("Bearer {}", pat.token),
            format!("bearer {}", pat.token),
            format!("BEARER  {}", pat.token),
        ] {
            let headers = [("authorization", header.as_str()), ("content-type", "application/json")];
            assert_eq!(request("POST", &app.resource, &headers, Some(PING)).status, 200, "{}", &header[..7]);
        }
        let query = format!("{}?access_token={}", app.resource, pat.token);
        let reply = request("POST", &query, &[("content-type", "application/json")], Some(PING));
        assert_eq!(reply.status, 401, "a token in the URL is none");
    });
    statement("M026", || {
        assert!(pat.token.starts_with("mico_pat_"));
        let ana = Caller { app, token: pat.token.clone() };
        let listed = ana.rpc("tools/list", &json!({})).json();
        assert_eq!(super::column(&listed["result"], "tools", "name"), NAMES);
        let found = ana.ask("search_shared_notes", json!({"query": "magnolia"}));
        let arguments =
            json!({"meeting_id": "mtg_a01", "query": "weekly", "share_id": found["results"][0]["share_id"]});
        for tool in NAMES {
            ana.ask(tool, arguments.clone());
        }
    });
    statement("M027", || {
        let made = app.cli(&["token", "list", "--user", &mico.ana.email], None);
        let row = made.as_array().or_else(|| made["tokens"].as_array()).unwrap()[0].clone();
        assert!(row["expires_at"].is_null(), "{row}");
        app.advance(DAY * 3653);
        assert_eq!(ping(app, &pat.token).status, 200, "ten years later");
    });
    statement("M028", || {
        app.cli(&["token", "revoke", &pat.id], None);
        eventually("401", || (ping(app, &pat.token).status == 401).then_some(()));
        assert_invalid(&ping(app, &pat.token));
        app.advance(DAY);
        assert_invalid(&ping(app, &pat.token));
    });
}

#[test]
fn m043_m044_m045_m046_m105_what_is_401() {
    let mico = Mico::start();
    let app = &mico.app;
    let made = app.cli(
        &[
            "token",
            "create",
            "--user",
            &mico.ana.email,
            "--brand",
            "mico",
            "--name",
            "short",
            "--expires",
            "30d",
        ],
        None,
    );
    let short = made["token"].as_str().unwrap().to_owned();
    let revoked = mico.pat(&mico.ana);
    assert_eq!((ping(app, &short).status, ping(app, &revoked.token).status), (200, 200));
    app.cli(&["token", "revoke", &revoked.id], None);
    eventually("401", || (ping(app, &revoked.token).status == 401).then_some(()));
    statement("M043", || {
        let reply = ping(app, "");
        assert_eq!((reply.status, reply.json()["code"].clone()), (401, json!("unauthorized")));
        let challenge = reply.header("www-authenticate").unwrap();
        assert!(challenge.starts_with("Bearer ") && !challenge.contains("error="), "{challenge}");
    });
    statement("M044", || {
        let mut typo = revoked.token.clone();
        let last = if typo.pop() == Some('A') { 'B' } else { 'A' };
        typo.push(last);
        for token in [unknown(app), typo, "mico_pat_x".to_owned(), "nonsense".to_owned()] {
            assert_invalid(&ping(app, &token));
        }
    });
    statement("M045", || {
        // The command's clock, which was not stopped, is a little ahead of the server's.
        app.advance(Duration::from_mins(30 * 24 * 60 - 1));
        assert_eq!(ping(app, &short).status, 200, "on its last day");
        app.advance(Duration::from_mins(2));
        assert_invalid(&ping(app, &short));
    });
    statement("M046", || assert_invalid(&ping(app, &revoked.token)));
    statement("M105", || {
        for token in ["", &unknown(app), &short, &revoked.token] {
            for message in [PING, "{", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#] {
                assert_eq!(app.rpc_with(token, &[], message).status, 401, "{message}");
            }
        }
    });
}

#[test]
fn m047_the_challenge_leads_to_the_resource_metadata() {
    let mico = Mico::start();
    let app = &mico.app;
    let expected = format!("{}/.well-known/oauth-protected-resource", app.resource);
    for token in ["", "nonsense"] {
        statement("M047", || {
            let reply = ping(app, token);
            let challenge = reply.header("www-authenticate").unwrap();
            assert!(challenge.contains(&format!("resource_metadata=\"{expected}\"")), "{challenge}");
            let metadata = get(&expected);
            assert_eq!(
                (metadata.status, metadata.json()["resource"].as_str()),
                (200, Some(app.resource.as_str()))
            );
        });
    }
}
