//! What servers ask of clients and clients tell servers.

use serde_json::{Value, json};

use super::{Client, able, own_session, served, until};
use crate::support::TestApp;
use crate::support::session_server::SessionServer;

fn begun(servers: &[&SessionServer], capabilities: &Value) -> (TestApp, Client) {
    let app = served(servers).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let client = Client::begin(&app, &pat, "c", capabilities);
    (app, client)
}

fn elicit(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create",
        "params": {"message": "Which?", "requestedSchema": {"type": "object"}, "_meta": {"progressToken": 9}}})
}

#[test]
fn a_question_on_the_way_to_an_answer_is_answered() {
    let notes = SessionServer::start("notes");
    let (_app, client) = begun(&[&notes], &able());
    let stream = client.streamed("notes_ask");
    let question = stream.next();
    assert_eq!(
        (&question["method"], &question["params"]["message"]),
        (&json!("elicitation/create"), &json!("Which one?"))
    );
    let id = question["id"].as_str().expect("an id of the gateway's").to_owned();
    assert_ne!(id, "1");
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"action": "accept", "content": {"n": 1.50}}});
    let reply = client.post(&answer);
    assert_eq!((reply.status, reply.body.len()), (202, 0), "{reply:?}");
    let result = stream.next();
    assert_eq!(result["id"], 5);
    assert_eq!(result["result"]["content"][0]["text"], r#"{"action":"accept","content":{"n":1.5}}"#);
    assert_eq!(stream.ends(super::SOON), Vec::<Value>::new());
    let sampled = client.streamed("notes_sample");
    let question = sampled.next();
    assert_eq!(question["params"], json!({"messages": [], "maxTokens": 1.50}));
    let no = json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "no"}});
    assert_eq!(client.post(&no).status, 202);
    assert!(sampled.next()["result"]["content"][0]["text"].as_str().unwrap().contains("\"no\""));
}

#[test]
fn two_servers_ask_under_one_id() {
    let (notes, mail) = (SessionServer::start("notes"), SessionServer::start("mail"));
    let (_app, client) = begun(&[&notes, &mail], &able());
    let stream = client.listen(&[]);
    let sessions = [own_session(&notes, "c"), own_session(&mail, "c")];
    for (server, session) in [&notes, &mail].into_iter().zip(&sessions) {
        server.say(session, &elicit(&json!(7)));
        let question = stream.next();
        assert_eq!(question["params"]["message"], "Which?");
        let token = question["params"]["_meta"]["progressToken"].clone();
        let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": token, "progress": 0.50}});
        assert_eq!(client.post(&progress).status, 202);
        let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"from": server.name}});
        assert_eq!(client.post(&answer).status, 202);
        assert_eq!(
            server.answers(session),
            [json!({"jsonrpc": "2.0", "id": 7, "result": {"from": server.name}})]
        );
        let told = server.seen_of("notifications/progress");
        assert_eq!(told.len(), 1, "the other one's is not told here");
        assert_eq!(told[0].message["params"], json!({"progressToken": 9, "progress": 0.5}));
    }
    let given_up = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    notes.say(&sessions[0], &elicit(&json!(8)));
    let asked = stream.next()["id"].clone();
    notes.say(
        &sessions[0],
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 8}}),
    );
    assert_eq!(stream.next()["params"]["requestId"], asked);
    drop(given_up);
}

#[test]
fn what_was_never_asked_is_answered_to_nobody() {
    let notes = SessionServer::start("notes");
    let (app, client) = begun(&[&notes], &able());
    let (own, stream) = (own_session(&notes, "c"), client.listen(&[]));
    notes.say(&own, &elicit(&json!("a")));
    let asked = stream.next()["id"].as_str().unwrap().to_owned();
    let other = Client::begin(&app, &client.token, "d", &able());
    for (who, id) in [
        (&client, json!("x")),
        (&client, json!(7)),
        (&client, json!("a")),
        (&client, json!(&asked[..asked.len() - 1])),
        (&other, json!(asked)),
    ] {
        let reply = who.post(&json!({"jsonrpc": "2.0", "id": id, "result": {}}));
        assert_eq!((reply.status, reply.body.len()), (202, 0), "{id}: {reply:?}");
    }
    assert!(notes.answers(&own).is_empty() && notes.answers(&own_session(&notes, "d")).is_empty());
    let nobody = Client { session: String::new(), ..client };
    assert_eq!(nobody.post(&json!({"jsonrpc": "2.0", "id": asked, "result": {}})).status, 202);
    assert!(notes.answers(&own).is_empty());
}

#[test]
fn a_client_is_not_asked_what_it_did_not_declare() {
    let notes = SessionServer::start("notes");
    let (_app, client) = begun(&[&notes], &json!({"roots": {}}));
    let (own, stream) = (own_session(&notes, "c"), client.listen(&[]));
    let roots = json!({"jsonrpc": "2.0", "id": 2, "method": "roots/list"});
    for (id, method) in [(1, "elicitation/create"), (3, "sampling/createMessage"), (4, "tools/call")] {
        notes.say(&own, &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}}));
        let no = until("a no", || notes.answers(&own).into_iter().find(|answer| answer["id"] == id));
        assert_eq!(no["error"]["code"], -32601);
    }
    notes.say(&own, &roots);
    assert_eq!(stream.next()["method"], "roots/list");
    let result = client.streamed("notes_ask").next();
    assert_eq!(result["id"], 5, "also not on the way to an answer: {result}");
    assert!(result["result"]["content"][0]["text"].as_str().unwrap().contains("-32601"), "{result}");
}

#[test]
fn what_a_client_tells_goes_to_every_server_of_its_session() {
    let (notes, mail) = (SessionServer::start("notes"), SessionServer::start("mail"));
    let (_app, client) = begun(&[&notes, &mail], &able());
    for method in ["notifications/roots/list_changed", "notifications/initialized", "acme/other"] {
        assert_eq!(client.post(&json!({"jsonrpc": "2.0", "method": method})).status, 202);
    }
    for server in [&notes, &mail] {
        let own = own_session(server, "c");
        let told = |method: &str| {
            let all = server.seen_of(method);
            all.iter().filter(|seen| seen.header("mcp-session-id") == Some(&own)).count()
        };
        assert_eq!(told("notifications/roots/list_changed"), 1);
        assert_eq!(told("notifications/initialized"), 2);
        assert_eq!(server.seen_of("acme/other").len(), 0);
    }
}

#[test]
fn a_call_that_is_given_up_is_given_up_upstream() {
    let notes = SessionServer::start("notes");
    let (_app, client) = begun(&[&notes], &able());
    let own = own_session(&notes, "c");
    let stream = client.streamed("notes_ask");
    let _question = stream.next();
    let given_up = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5, "reason": "enough"}});
    assert_eq!(client.post(&given_up).status, 202);
    let told = until("the server is told", || notes.seen_of("notifications/cancelled").pop());
    let call = notes.seen_of("tools/call").pop().unwrap();
    assert_eq!(told.header("mcp-session-id"), Some(own.as_str()));
    assert_eq!(told.message["params"]["requestId"], call.message["id"], "under the id that it knows");
}

#[test]
fn levels_and_completions_are_the_servers() {
    let (notes, mail) = (SessionServer::start("notes"), SessionServer::start("mail"));
    let guard = "[service.prompt.mail_prompt]\nscopes = [\"mico:write\"]\n";
    let app = served(&[&notes, &mail]).with("tail", guard).start();
    let pat = app.pat(&app.person("ana"), &["mico:read"]).token;
    let client = Client::begin(&app, &pat, "c", &able());
    assert_eq!(client.ask("logging/setLevel", &json!({"level": "debug"})).json()["result"], json!({}));
    assert_eq!((notes.seen_of("logging/setLevel").len(), mail.seen_of("logging/setLevel").len()), (1, 1));
    assert_eq!(client.ask("logging/setLevel", &json!({"level": "loud"})).json()["error"]["code"], -32602);
    let complete = |of: Value| {
        client.ask("completion/complete", &json!({"ref": of, "argument": {"name": "a", "value": "x"}}))
    };
    let done = complete(json!({"type": "ref/prompt", "name": "notes_prompt"}));
    assert_eq!(done.json()["result"], json!({"completion": {"values": ["of notes"]}}), "{done:?}");
    let done = complete(json!({"type": "ref/resource", "uri": "mail://{id}"}));
    assert_eq!(done.json()["result"], json!({"completion": {"values": ["of mail"]}}), "{done:?}");
    for bad in [
        json!({"type": "ref/prompt", "name": "mail_prompt"}),
        json!({"type": "ref/prompt", "name": "nobody"}),
        json!({}),
    ] {
        let reply = complete(bad.clone());
        assert!(reply.json().get("error").is_some(), "{bad}: {reply:?}");
    }
    assert_eq!(mail.seen_of("completion/complete").len(), 1, "only what the caller may have");
}
