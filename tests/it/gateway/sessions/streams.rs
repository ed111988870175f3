//! The stream of a session: what is heard on it, how it is taken up again, and when it ends.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Client, SOON, own_session, served, until};
use crate::support::Stopwatch;
use crate::support::app::TestApp;
use crate::support::session_server::SessionServer;

fn note(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

fn begun(servers: &[&SessionServer]) -> (TestApp, Client) {
    let app = served(servers).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let client = Client::begin(&app, &pat, "c", &json!({}));
    (app, client)
}

#[test]
fn what_a_server_tells_is_heard() {
    let notes = SessionServer::start("notes");
    let (app, client) = begun(&[&notes]);
    let own = own_session(&notes, "c");
    let stream = client.listen(&[]);
    let opened = notes.seen_of("GET").pop().unwrap();
    assert_eq!(opened.header("mcp-session-id"), Some(own.as_str()));
    assert_eq!((opened.header("authorization"), opened.header("x-portero-token-kind")), (None, Some("pat")));

    let log = note("notifications/message", &json!({"level": "info", "data": 1.50}));
    notes.say(&own, &log);
    assert_eq!(stream.next(), log);
    notes.learns("notes_new");
    let changed = note("notifications/tools/list_changed", &json!({}));
    notes.say(&own, &changed);
    assert_eq!(stream.next(), changed);
    let list = client.ask("tools/list", &json!({}));
    assert!(list.text().contains("notes_new"), "whoever asks at once gets the new list: {list:?}");
    let updated = note("notifications/resources/updated", &json!({"uri": "notes://a"}));
    notes.say(&own, &updated);
    assert_eq!(stream.next(), updated);
    for (method, params) in [
        ("acme/anything", json!({})),
        ("notifications/initialized", json!({})),
        ("notifications/resources/updated", json!({})),
    ] {
        notes.say(&own, &note(method, &params));
    }
    notes.say(&own, &json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    notes.say(&own, &log);
    assert_eq!(stream.next(), log, "nothing else in between");
    let other = Client { session: Client::begin(&app, &client.token, "d", &json!({})).session, ..client };
    let second = other.listen(&[]);
    notes.say(&own, &log);
    assert_eq!(stream.next(), log);
    second.silent();
}

/// A token that may not read a resource is not told of it either.
#[test]
fn an_update_is_told_only_to_whom_may_read() {
    let notes = SessionServer::start("notes");
    let guard = "[service.resource.\"notes://secret\"]\nscopes = [\"mico:write\"]\n";
    let app = served(&[&notes]).with("tail", guard).start();
    let pat = app.pat(&app.person("ana"), &["mico:read"]).token;
    let client = Client::begin(&app, &pat, "c", &json!({}));
    let (own, stream) = (own_session(&notes, "c"), client.listen(&[]));
    notes.say(&own, &note("notifications/resources/updated", &json!({"uri": "notes://secret"})));
    let updated = note("notifications/resources/updated", &json!({"uri": "notes://a"}));
    notes.say(&own, &updated);
    assert_eq!(stream.next(), updated);
    let watch = |uri: &str| client.ask("resources/subscribe", &json!({"uri": uri}));
    assert_eq!(watch("notes://a").json()["result"], json!({}));
    assert!(watch("notes://secret").json().get("error").is_some());
    let unknown = watch("elsewhere://x");
    assert_eq!(unknown.json()["error"]["data"]["code"], "resource_not_found", "{unknown:?}");
    let watched: Vec<_> = notes
        .seen_of("resources/subscribe")
        .iter()
        .map(|seen| seen.message["params"]["uri"].clone())
        .collect();
    assert_eq!(watched, ["notes://a"]);
}

#[test]
fn a_stream_is_taken_up_where_it_was_left() {
    let (notes, mail) = (SessionServer::start("notes"), SessionServer::start("mail"));
    let (app, client) = begun(&[&notes, &mail]);
    let (at_notes, at_mail) = (own_session(&notes, "c"), own_session(&mail, "c"));
    let say = |server: &SessionServer, number: u32| {
        let session = if server.name == "notes" { &at_notes } else { &at_mail };
        let message = note("notifications/message", &json!({"data": number}));
        server.say(session, &message);
        message
    };
    let stream = client.listen(&[]);
    let first = say(&notes, 1);
    assert_eq!(stream.next(), first);
    let second = say(&mail, 2);
    let (id, heard) = stream.identified();
    assert_eq!(heard, second);
    let id = id.expect("an event with an id");
    assert!(id.bytes().all(|byte| byte.is_ascii_graphic()) && !id.contains("e-1"), "{id}");
    drop(stream);
    until("nobody listens", || (notes.streams(&at_notes) + mail.streams(&at_mail) == 0).then_some(()));
    let missed = [say(&notes, 3), say(&mail, 4)];
    let again = client.listen(&[("last-event-id", &id)]);
    let mut heard = [again.next(), again.next()];
    heard.sort_by_key(|message| message["params"]["data"].as_u64());
    assert_eq!(heard, missed, "of both, and neither the first nor the second again");
    again.silent();

    let other = Client::begin(&app, &client.token, "d", &json!({}));
    for (client, id) in [(&other, id.as_str()), (&client, "e-1"), (&client, &id[..id.len() - 1])] {
        let reply = client.send("GET", &[("accept", "text/event-stream"), ("last-event-id", id)]);
        assert_eq!((reply.status, reply.json()["code"].as_str()), (400, Some("invalid_request")), "{id}");
    }
}

#[test]
fn an_upstream_that_hangs_up_is_called_again() {
    let notes = SessionServer::start("notes");
    let (_app, client) = begun(&[&notes]);
    let (own, stream) = (own_session(&notes, "c"), client.listen(&[]));
    let message = |number: u32| note("notifications/message", &json!({"data": number}));
    notes.say(&own, &message(1));
    assert_eq!(stream.next(), message(1));
    notes.hang_up(&own);
    notes.say(&own, &message(2));
    assert_eq!(stream.next(), message(2), "said while nobody listened");
    let last: Vec<_> = notes
        .seen_of("GET")
        .iter()
        .filter(|seen| seen.header("mcp-session-id").is_some())
        .map(|seen| seen.header("last-event-id").map(str::to_owned))
        .collect();
    assert_eq!(last, [None, Some("e-1".to_owned())]);
    notes.forget();
    assert_eq!(stream.ends(SOON), Vec::<Value>::new());
    assert_eq!(client.ask("tools/list", &json!({})).status, 404);
}

#[test]
fn a_revoked_grants_stream_ends() {
    let notes = SessionServer::start("notes");
    let app = served(&[&notes]).start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    let client = Client::begin(&app, &own.access, "c", &json!({}));
    let other = Client::begin(&app, &pat.token, "d", &json!({}));
    let (stream, kept) = (client.listen(&[]), other.listen(&[]));
    let session = own_session(&notes, "c");
    let grants = app.cli(&["grant", "list"], None);
    let grant = grants[0]["id"].as_str().unwrap_or_else(|| panic!("{grants}")).to_owned();
    app.cli(&["grant", "revoke", &grant], None);
    let began = Stopwatch::start();
    stream.ends(Duration::from_secs(7));
    assert!(began.elapsed() < Duration::from_secs(6));
    until("the stream upstream has ended too", || (notes.streams(&session) == 0).then_some(()));
    let log = note("notifications/message", &json!({"data": "still here"}));
    notes.say(&own_session(&notes, "d"), &log);
    assert_eq!(kept.next(), log, "nobody else's ends");
}

#[test]
fn a_quiet_stream_shows_that_it_is_there() {
    let notes = SessionServer::start("notes");
    let (_app, client) = begun(&[&notes]);
    let stream = client.listen(&[]);
    let comment = |within| stream.heard.recv_timeout(Duration::from_secs(within)).unwrap();
    assert_eq!(comment(1), super::Heard::Comment);
    let began = Stopwatch::start();
    assert_eq!(comment(16), super::Heard::Comment);
    assert!(began.elapsed() > Duration::from_secs(5));
}

#[test]
fn only_so_many_streams_at_once() {
    let notes = SessionServer::start("notes");
    let (app, client) = begun(&[&notes]);
    let mut streams: Vec<_> = (0..32).map(|_| client.listen(&[])).collect();
    let reply = client.send("GET", &[]);
    assert_eq!((reply.status, reply.json()["code"].as_str()), (429, Some("rate_limited")), "{reply:?}");
    assert!(reply.header("retry-after").is_some());
    let other = app.pat(&app.person("bruno"), &[]).token;
    let _own = Client::begin(&app, &other, "d", &json!({})).listen(&[]);
    streams.pop();
    until("a place", || {
        let reply = client.send("HEAD", &[]);
        (reply.status == 200).then_some(())
    });
    until("room again", || (notes.streams(&own_session(&notes, "c")) < 32).then_some(()));
    let _again = client.listen(&[]);
}

#[test]
fn an_upstream_that_never_speaks_has_no_stream() {
    let notes = SessionServer::start("notes");
    notes.refuses("GET");
    let (_app, client) = begun(&[&notes]);
    let reply = client.send("GET", &[("accept", "text/event-stream")]);
    assert_eq!((reply.status, reply.header("allow")), (405, Some("POST, DELETE, OPTIONS")), "{reply:?}");
}

#[test]
fn the_head_of_a_stream() {
    let notes = SessionServer::start("notes");
    let (_app, client) = begun(&[&notes]);
    let reply = client.send("HEAD", &[]);
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/event-stream")), "{reply:?}");
    assert!(notes.seen_of("GET").iter().all(|seen| seen.header("mcp-session-id").is_none()));
    let bad = client.send("GET", &[("accept", "application/json")]);
    assert_eq!(bad.status, 406, "{bad:?}");
    let dead = Client { session: "x".into(), ..client };
    assert_eq!(dead.send("HEAD", &[]).status, 404);
}

#[test]
fn a_server_that_stops_waits_for_no_stream() {
    let notes = SessionServer::start("notes");
    let (mut app, client) = begun(&[&notes]);
    let stream = client.listen(&[]);
    assert_eq!(stream.heard.recv_timeout(SOON), Ok(super::Heard::Comment));
    let began = Stopwatch::start();
    app.restart();
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    stream.ends(SOON);
    assert_eq!(
        client.text("notes_count"),
        "notes: 1",
        "the session goes on: nothing of it was the server's to keep"
    );
}
