//! How a session begins, whose it is, and how it ends.

use serde_json::{Value, json};

use super::{Client, able, initialize, own_session, served};
use crate::conformance::holds;
use crate::support::TestApp;
use crate::support::http::{Reply, request};
use crate::support::session_server::SessionServer;

fn is_gone(reply: &Reply, id: &Value) {
    assert_eq!((reply.status, reply.header("content-type")), (404, Some("application/json")), "{reply:?}");
    let body = reply.json();
    assert_eq!((&body["id"], &body["code"]), (id, &json!("session_not_found")), "{body}");
    assert!(body["error"]["code"].is_i64());
}

#[test]
fn the_whole_life_of_a_session() {
    let notes = SessionServer::start("notes");
    let app = served(&[&notes]).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let reply = app.rpc(&pat, &initialize("2025-03-26", "ana-app", &able()));
    let id = reply.header("mcp-session-id").expect("a session").to_owned();
    assert!(id.bytes().all(|byte| (0x21..=0x7e).contains(&byte)) && id.len() <= 4096, "{id}");
    let result = &reply.json()["result"];
    assert_eq!(result["protocolVersion"], "2025-03-26");
    assert_eq!(
        result["capabilities"],
        json!({"tools": {"listChanged": true}, "resources": {"subscribe": true, "listChanged": true},
            "prompts": {"listChanged": true}, "logging": {}, "completions": {}})
    );
    let own = own_session(&notes, "ana-app");
    holds("C180", "where an upstream keeps sessions, its id is sealed in ours and never shown", || {
        assert!(!id.contains(&own));
    });
    let (said, version) = notes.client_of(&own);
    assert_eq!((version.as_str(), &said["clientInfo"]["version"]), ("2025-03-26", &json!("1")));
    let known = json!({"elicitation": {}, "sampling": {}, "roots": {"listChanged": true}});
    assert_eq!(said["capabilities"], known);

    let client = Client { resource: app.resource.clone(), token: pat.clone(), session: id };
    let reply = client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!((reply.status, reply.body.len()), (202, 0));
    let in_own = |what: &str| {
        let all = notes.seen_of(what);
        all.into_iter().filter(|seen| seen.header("mcp-session-id") == Some(&own)).collect::<Vec<_>>()
    };
    assert_eq!(in_own("notifications/initialized").len(), 1);
    assert_eq!(
        (client.text("notes_count"), client.text("notes_count")),
        ("notes: 1".into(), "notes: 2".into())
    );
    let call = in_own("tools/call").pop().unwrap();
    assert_eq!(call.header("x-portero-token-kind"), Some("pat"));
    // the header came with 2025-06-18
    assert_eq!((call.header("authorization"), call.header("mcp-protocol-version")), (None, None));
    let other = Client::begin(&app, &pat, "other-app", &json!({}));
    assert_eq!(other.text("notes_count"), "notes: 1", "a session of its own");

    holds("C181", "DELETE of a session that is known is 204, and 404 from then on", || {
        let reply = client.send("DELETE", &[]);
        assert_eq!((reply.status, reply.body.len()), (204, 0), "{reply:?}");
        is_gone(&client.send("DELETE", &[]), &Value::Null);
    });
    assert!(notes.sessions_of("ana-app").is_empty(), "it has ended upstream too");
    for method in ["tools/call", "tools/list", "resources/read", "ping"] {
        is_gone(&client.ask(method, &json!({"name": "notes_count", "uri": "notes://a"})), &json!(1));
    }
    is_gone(&client.post(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled"})), &Value::Null);
    is_gone(&client.send("GET", &[]), &Value::Null);
    is_gone(&client.send("DELETE", &[]), &Value::Null);
    assert_eq!(other.text("notes_count"), "notes: 2", "nobody else's ends");
}

#[test]
fn a_session_is_its_principals_alone() {
    let notes = SessionServer::start("notes");
    let app = served(&[&notes]).start();
    let ana = app.person("ana");
    let pat = app.pat(&ana, &[]).token;
    let own = app.connect(&pat);
    let client = Client::begin(&app, &own.access, "c", &json!({}));
    assert_eq!(client.text("notes_count"), "notes: 1");

    let refreshed = app.refresh(&own.client, &own.refresh).json();
    let later = Client { token: refreshed["access_token"].as_str().unwrap().to_owned(), ..client.clone() };
    assert_eq!(later.text("notes_count"), "notes: 2", "a refreshed token continues");

    let bruno = app.pat(&app.person("bruno"), &[]).token;
    let again = app.connect(&pat).access;
    holds("C178", "a session under another principal is 404, as an unknown one", || {
        for token in [&bruno, &pat, &app.pat(&ana, &[]).token, &again] {
            let other = Client { token: token.clone(), ..client.clone() };
            is_gone(&other.call("notes_count"), &json!(1));
            is_gone(&other.send("GET", &[]), &Value::Null);
            is_gone(&other.send("DELETE", &[]), &Value::Null);
            is_gone(&other.post(&json!({"jsonrpc": "2.0", "id": "x", "result": {}})), &Value::Null);
        }
    });
    let last = client.session.chars().last().unwrap();
    let changed = format!("{}{}", &client.session[..client.session.len() - 3], "xyz");
    let longer = format!("{}{last}", client.session);
    holds("C175", "an unknown session id is 404 with the call's id; a bad token is 401 before that", || {
        for session in [changed.as_str(), "x", "dead", &longer, &own_session(&notes, "c")] {
            let other = Client { session: session.to_owned(), ..client.clone() };
            is_gone(&other.ask("tools/list", &json!({})), &json!(1));
        }
        let dead = Client { token: "mico_pat_x".into(), session: "x".into(), ..client.clone() };
        assert_eq!(dead.call("notes_count").status, 401, "the token comes first");
    });
    assert_eq!(later.text("notes_count"), "notes: 3", "nobody has ended it");
    let log = crate::support::app::logged();
    assert!(!log.contains(&client.session) && !log.contains(&own_session(&notes, "c")), "no id is logged");
}

#[test]
fn without_an_id_only_what_is_nothing_without_one_is_refused() {
    let notes = SessionServer::start("notes");
    let app = served(&[&notes]).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let client = Client { resource: app.resource.clone(), token: pat.clone(), session: String::new() };
    for method in ["GET", "DELETE"] {
        let reply = client.send(method, &[]);
        assert_eq!(
            (reply.status, reply.json()["code"].as_str()),
            (400, Some("invalid_request")),
            "{reply:?}"
        );
        let anonymous = client.send(method, &[("authorization", "")]);
        assert_eq!(anonymous.status, 401, "who it is comes first");
    }
    for (method, params) in
        [("logging/setLevel", json!({"level": "info"})), ("resources/subscribe", json!({"uri": "notes://a"}))]
    {
        let reply = client.ask(method, &params);
        assert_eq!((reply.status, &reply.json()["id"]), (400, &json!(1)), "{reply:?}");
    }
    assert_eq!(client.ask("tools/list", &json!({})).status, 200);
    assert_eq!(client.text("notes_count"), "notes: 1", "hosted clients call without a session");
    assert_eq!(client.send("PUT", &[]).header("allow"), Some("GET, POST, DELETE, OPTIONS"));
}

#[test]
fn the_stateless_revision_knows_no_sessions() {
    let notes = SessionServer::start("notes");
    let app = served(&[&notes]).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let own = Client::begin(&app, &pat, "c", &json!({}));
    for session in [own.session.as_str(), "dead"] {
        let reply = app.modern(&pat, "tools/list", &json!({}), &[("mcp-session-id", session)]);
        assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None), "{reply:?}");
        for method in ["GET", "DELETE", "HEAD"] {
            let client = Client { session: session.to_owned(), ..own.clone() };
            let reply = client.send(method, &[("mcp-protocol-version", "2026-07-28")]);
            assert_eq!(reply.status, 405, "{reply:?}");
            assert!(reply.header("allow").is_some());
        }
    }
    assert_eq!(own.text("notes_count"), "notes: 1", "it has not ended");
}

#[test]
fn a_service_without_such_upstreams_has_no_sessions() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let reply = app.rpc(&pat, &initialize("2025-11-25", "c", &able()));
    assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None));
    let bearer = format!("Bearer {pat}");
    for method in ["GET", "DELETE", "HEAD"] {
        assert_eq!(request(method, &app.resource, &[], None).status, 401);
        let reply =
            request(method, &app.resource, &[("authorization", &bearer), ("mcp-session-id", "x")], None);
        assert_eq!((reply.status, reply.header("allow")), (405, Some("POST, OPTIONS")), "{method}");
    }
    let client = Client { resource: app.resource.clone(), token: pat, session: "x".into() };
    assert_eq!(client.ask("tools/list", &json!({})).status, 200, "an id means nothing here");
    assert_eq!(client.ask("logging/setLevel", &json!({"level": "info"})).json()["error"]["code"], -32601);
}

#[test]
fn what_the_upstream_has_forgotten_is_over() {
    let notes = SessionServer::start("notes");
    let app = served(&[&notes]).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    for first in ["notes_count", "GET", "DELETE", "notifications/initialized"] {
        let client = Client::begin(&app, &pat, first, &json!({}));
        notes.forget();
        match first {
            "notes_count" => is_gone(&client.call(first), &json!(1)),
            "GET" | "DELETE" => is_gone(&client.send(first, &[]), &Value::Null),
            _ => is_gone(&client.post(&json!({"jsonrpc": "2.0", "method": first})), &Value::Null),
        }
        is_gone(&client.ask("tools/list", &json!({})), &json!(1));
        assert_eq!(Client::begin(&app, &pat, "again", &json!({})).text("notes_count"), "notes: 1");
        notes.forget();
    }
}

#[test]
fn an_upstream_may_keep_its_sessions_from_being_ended() {
    let notes = SessionServer::start("notes");
    notes.refuses("DELETE");
    let app = served(&[&notes]).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let client = Client::begin(&app, &pat, "c", &json!({}));
    let reply = client.send("DELETE", &[]);
    assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, POST, OPTIONS")), "{reply:?}");
    assert_eq!(client.text("notes_count"), "notes: 1");
}

#[test]
fn a_session_lives_without_an_upstream_that_was_down() {
    let (notes, mail) = (SessionServer::start("notes"), SessionServer::start("mail"));
    let app = served(&[&notes, &mail]).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    mail.is_down(true);
    let client = Client::begin(&app, &pat, "c", &json!({}));
    assert_eq!(client.text("notes_count"), "notes: 1");
    assert!(mail.sessions_of("c").is_empty());
    mail.is_down(false);
    assert_eq!(client.text("mail_count"), "mail: 1", "called without the client's session");
    assert_eq!(client.text("notes_count"), "notes: 2");
    let both = Client::begin(&app, &pat, "d", &json!({}));
    assert_eq!((both.text("mail_count"), both.text("notes_count")), ("mail: 1".into(), "notes: 1".into()));
    assert_eq!((notes.sessions_of("d").len(), mail.sessions_of("d").len()), (1, 1));
    assert_eq!(both.send("DELETE", &[]).status, 204);
    assert_eq!((notes.sessions_of("d").len(), mail.sessions_of("d").len()), (0, 0), "all of it ends");
}

#[test]
fn a_message_without_a_version_is_of_the_sessions() {
    let notes = SessionServer::start("notes");
    let app = served(&[&notes]).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let client = Client::begin(&app, &pat, "c", &json!({}));
    let without = |session: &str| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "x",
            "capabilities": {}, "clientInfo": {"name": "c2", "version": "1"}}});
        client.with(&[("mcp-protocol-version", ""), ("mcp-session-id", session)], |headers| {
            request("POST", &client.resource, headers, Some(&message.to_string()))
        })
    };
    // a handshake begins anew, whatever id it comes with
    let reply = without("dead");
    assert_eq!((reply.status, reply.header("mcp-session-id").is_some()), (200, true), "{reply:?}");
    assert_eq!(reply.json()["result"]["protocolVersion"], "2025-11-25");
    let bad = client.with(&[("mcp-protocol-version", "2023-01-01")], |headers| {
        request("POST", &client.resource, headers, Some(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#))
    });
    assert_eq!(bad.status, 400);
}
