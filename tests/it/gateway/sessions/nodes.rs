//! A session belongs to no node.

use serde_json::json;

use super::{Client, SOON, able, own_session, served, until};
use crate::support::session_server::SessionServer;

#[test]
fn any_node_serves_a_session() {
    let notes = SessionServer::start("notes");
    let site = served(&[&notes]).on_postgres().nodes(2);
    let pat = site.pat(&site.person("ana"), &[]).token;
    site.only(Some(0));
    let client = Client::begin(&site, &pat, "c", &able());
    let own = own_session(&notes, "c");
    assert_eq!(client.text("notes_count"), "notes: 1");
    let stream = client.listen(&[]);
    site.only(Some(1));
    assert_eq!(client.text("notes_count"), "notes: 2");
    let question =
        json!({"jsonrpc": "2.0", "id": 3, "method": "elicitation/create", "params": {"message": "?"}});
    notes.say(&own, &question);
    let id = stream.next()["id"].clone();
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"action": "decline"}});
    assert_eq!(client.post(&answer).status, 202, "one node asks, the other is answered");
    assert_eq!(notes.answers(&own)[0]["id"], 3);
    assert_eq!(client.send("DELETE", &[]).status, 204);
    assert_eq!(client.ask("tools/list", &json!({})).status, 404);
    site.only(Some(0));
    stream.ends(SOON);
    assert_eq!(client.call("notes_count").status, 404);
    until("known here too", || (client.ask("tools/list", &json!({})).status == 404).then_some(()));
}

#[test]
fn a_thousand_sessions_take_no_memory() {
    let notes = SessionServer::start("notes");
    let site = served(&[&notes]).nodes(1);
    let pat = site.pat(&site.person("ana"), &[]).token;
    let begin =
        |count: usize| (0..count).map(|_| Client::begin(&site, &pat, "c", &able())).collect::<Vec<_>>();
    let warm = begin(200);
    let before = site.resident(0);
    let all = begin(1000);
    let grown = site.resident(0) - before;
    assert!(grown < 8, "{grown} MiB for a thousand sessions");
    for client in [&warm[0], &all[0], &all[999]] {
        assert_eq!(client.text("notes_count"), "notes: 1", "every one of them is there");
    }
}
