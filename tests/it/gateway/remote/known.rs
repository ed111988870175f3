//! What is known of servers: learnt at start, kept fresh, and lost with nobody else's.

use serde_json::json;

use super::{SOON, before, before_with, is_unavailable, names, started, text, within};
use crate::support::peer::{Kind, Peer, tool};

#[test]
fn the_lists_of_several_upstreams_are_one_in_their_order() {
    for kind in [Kind::modern(), Kind::stateless(), Kind::with_sessions()] {
        let peer = Peer::start(kind);
        let (app, token) = started(&peer);
        assert_eq!(names(&app, &token), ["list_meetings", "delete_meeting", "read_note", "write_note"]);
        let reader = app.pat(&app.person("bea"), &["mico:read"]).token;
        assert_eq!(names(&app, &reader), ["list_meetings", "read_note"]);
        assert_eq!(text(&app.call(&token, "read_note", &json!({"id": "7"})))["with"], json!({"id": "7"}));
        let report = app.cli(&["service", "check"], None);
        let row = report.as_array().unwrap().iter().find(|row| row["upstream"] == "notes").unwrap();
        assert_eq!(row["ok"], true, "{report}");
        assert!(row["says"].as_str().unwrap().contains("2 tools"), "{report}");
    }
}

#[test]
fn what_no_policy_names_is_hidden() {
    let mut kind = Kind::modern();
    kind.tools = json!([tool("read_note", true), tool("secret", true)]);
    let peer = Peer::start(kind);
    let (app, token) = started(&peer);
    assert!(!names(&app, &token).contains(&"secret".to_owned()));
    let reply = app.call(&token, "secret", &json!({}));
    assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (200, Some(-32602)));
    assert_eq!(reply.json()["error"]["data"]["code"], "unknown_tool");
    assert!(peer.of("tools/call").is_empty());
    let app = before_with(&peer, "unlisted = \"default\"", "").start();
    let token = app.pat(&app.person("ana"), &[]).token;
    assert_eq!(names(&app, &token), ["list_meetings", "delete_meeting", "read_note", "secret"]);
}

#[test]
fn a_name_that_comes_twice_stops_the_start_and_later_changes_nothing() {
    let mut kind = Kind::modern();
    kind.tools = json!([tool("list_meetings", true)]);
    let twice = Peer::start(kind);
    let laid = before(&twice).lay();
    let output = crate::support::app::command(&laid.config, &["service", "tools"], None);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("tool \"list_meetings\" comes from two upstreams"), "{said}");

    let peer = Peer::start(Kind::modern());
    let (app, token) = started(&peer);
    peer.is_now(|kind| kind.tools = json!([tool("delete_meeting", true), tool("write_note", false)]));
    peer.fall();
    assert!(is_unavailable(&app.call(&token, "read_note", &json!({}))));
    peer.wake();
    within(SOON, "it is asked again", || (peer.of("tools/list").len() > 1).then_some(()));
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(names(&app, &token), ["list_meetings", "delete_meeting", "read_note", "write_note"]);
    app.call(&token, "delete_meeting", &json!({"meeting_id": "1"}));
    assert_eq!(app.worker.last().path, "/tools/delete_meeting");
}

#[test]
fn a_server_that_is_down_at_start_takes_only_its_own_away() {
    let peer = Peer::asleep(Kind::with_sessions());
    let (app, token) = started(&peer);
    assert_eq!(names(&app, &token), ["list_meetings", "delete_meeting"]);
    assert_eq!(app.call(&token, "list_meetings", &json!({})).status, 200);
    assert!(is_unavailable(&app.call(&token, "read_note", &json!({}))));
    peer.wake();
    within(SOON, "its tools", || (names(&app, &token).len() == 4).then_some(()));
    assert_eq!(text(&app.call(&token, "read_note", &json!({})))["called"], "read_note");
}

#[test]
fn a_server_that_falls_comes_back_by_itself_as_what_it_is_then() {
    let peer = Peer::start(Kind::with_sessions());
    let (app, token) = started(&peer);
    assert_eq!(text(&app.call(&token, "read_note", &json!({})))["called"], "read_note");
    peer.fall();
    assert!(is_unavailable(&app.call(&token, "read_note", &json!({}))));
    assert!(is_unavailable(&app.call(&token, "read_note", &json!({}))));
    assert_eq!(names(&app, &token).len(), 4, "what is known stays listed");
    assert_eq!(app.call(&token, "list_meetings", &json!({})).status, 200);
    peer.is_now(|kind| *kind = Kind { tools: json!([tool("read_note", true)]), ..Kind::modern() });
    peer.wake();
    within(SOON, "its new list", || (names(&app, &token).len() == 3).then_some(()));
    assert_eq!(text(&app.call(&token, "read_note", &json!({})))["called"], "read_note");
    assert_eq!(peer.last("tools/call").header("mcp-protocol-version"), Some("2026-07-28"));
}

#[test]
fn long_lists_are_read_to_their_end_and_endless_ones_are_not() {
    let many: Vec<_> = (0..95).map(|number| tool(&format!("note_{number}"), true)).collect();
    let peer = Peer::start(Kind { tools: json!(many), page: 10, ..Kind::modern() });
    let app = before_with(&peer, "unlisted = \"default\"", "").start();
    let token = app.pat(&app.person("ana"), &[]).token;
    assert_eq!(names(&app, &token).len(), 97);

    let endless = Peer::asleep(Kind::modern());
    endless.script(|heard, stream| {
        let list = heard.method() == "tools/list";
        if list {
            let next = heard.message["params"]["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
            let tools: Vec<_> = (0..100).map(|at| tool(&format!("note_{}", next * 100 + at), true)).collect();
            let page =
                json!({"tools": tools, "nextCursor": (next + 1).to_string(), "resultType": "complete"});
            crate::support::peer::json_answer(stream, &heard.result(&page));
        }
        list
    });
    endless.wake();
    let app = before_with(&endless, "unlisted = \"default\"", "").start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let shown = within(std::time::Duration::from_secs(15), "a list", || {
        Some(names(&app, &token).len()).filter(|count| *count > 2)
    });
    assert_eq!(shown, 10_002);
    assert!(endless.of("tools/list").len() <= 200);
}

/// Words of another server about itself are not the operator's.
#[test]
fn reading_is_believed_only_where_policy_says_so() {
    let mut kind = Kind::modern();
    kind.tools = json!([tool("read_note", true), tool("write_note", true)]);
    let peer = Peer::start(kind);
    let (app, token) = started(&peer);
    let list = app.rpc(&token, &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).json();
    let hint = |at: usize| list["result"]["tools"][at]["annotations"]["readOnlyHint"].clone();
    assert_eq!((hint(2), hint(3)), (json!(true), json!(false)));
    app.call(&token, "read_note", &json!({}));
    assert_eq!(peer.last("tools/call").header("idempotency-key"), None);
    app.call(&token, "write_note", &json!({}));
    assert!(peer.last("tools/call").header("idempotency-key").is_some(), "what may write gets a key");
}

#[test]
fn one_bad_tool_costs_only_itself() {
    let mut kind = Kind::stateless();
    kind.tools = json!([tool("read_note", true), {"name": "a b"}, 7, tool("read_note", true), {"name": "write_note",
        "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"}, "execution": {"taskSupport": "required"}}]);
    let peer = Peer::start(kind);
    let (app, token) = started(&peer);
    let list = app.rpc(&token, &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).json();
    let tools = list["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 4);
    assert_eq!(tools[3], json!({"name": "write_note", "inputSchema": {"type": "object"}}));
}

#[test]
fn a_list_that_changes_is_read_again_when_the_server_says_so() {
    let peer = Peer::start(Kind::stateless());
    let app = before_with(&peer, "unlisted = \"default\"", "").start();
    let token = app.pat(&app.person("ana"), &[]).token;
    peer.is_now(|kind| kind.tools = json!([tool("read_note", true), tool("new_note", true)]));
    peer.calls(|heard, stream| {
        crate::support::peer::events(stream);
        crate::support::peer::event(
            stream,
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        );
        crate::support::peer::event(stream, &heard.result(&json!({"content": []})));
        let _ = stream.shutdown(std::net::Shutdown::Both);
    });
    assert!(!names(&app, &token).contains(&"new_note".to_owned()));
    let reply = app.call(&token, "read_note", &json!({}));
    assert_eq!(super::json(&reply)["result"]["content"], json!([]));
    within(SOON, "the new list", || names(&app, &token).contains(&"new_note".to_owned()).then_some(()));
}
