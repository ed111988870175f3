//! A write that is asked for twice happens once.

mod charged;
mod derived;
mod meanwhile;
mod replays;
mod trouble;

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::app::Builder;
use crate::support::http::{Reply, request};
use crate::support::worker::{Seen, by_hand};
use crate::support::{Site, TestApp, mcp, on_both_databases, together};

/// What a worker was asked, oldest first.
type Calls = Arc<Mutex<Vec<Seen>>>;

/// Starts a server before a worker whose answers tell calls apart by `number`.
fn before(
    mut builder: Builder,
    answer: impl Fn(usize, &mut TcpStream) + Send + Sync + 'static,
) -> (Builder, Calls) {
    let calls = Calls::default();
    let kept = Arc::clone(&calls);
    let worker = by_hand(move |seen, stream| {
        let number = {
            let mut calls = kept.lock().unwrap();
            calls.push(seen.clone());
            calls.len()
        };
        answer(number, stream);
    });
    builder.toml = builder.toml.replace("{worker}", &worker);
    (builder, calls)
}

/// A whole answer of a worker's.
fn say(stream: &mut TcpStream, status: u16, kind: &str, body: &str) {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n");
    let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes());
}

fn counting(builder: Builder) -> (Builder, Calls) {
    before(builder, |number, stream| say(stream, 200, "application/json", &json!({"n": number}).to_string()))
}

fn body(id: &Value, arguments: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "delete_meeting", "arguments": arguments}})
    .to_string()
}

fn delete(site: &Site, token: &str, key: &str, arguments: &Value) -> Reply {
    site.rpc_with(token, &[("idempotency-key", key)], &body(&json!(1), arguments))
}

/// The header lines and the body of such a call in the revision in which leaving cancels it.
fn stateless(token: &str, key: &str) -> (String, String) {
    let params = json!({"name": "delete_meeting", "arguments": {}});
    let bearer = format!("Bearer {token}");
    let over = [("authorization", bearer.as_str()), ("idempotency-key", key)];
    let (headers, body) = mcp::modern("tools/call", &params, &over);
    (headers.iter().flat_map(|(name, value)| [name.as_str(), ": ", value, "\r\n"]).collect(), body)
}

/// What the tool said, and whether it had said it before.
fn told(reply: &Reply) -> (Value, bool) {
    assert_eq!(reply.status, 200, "{reply:?}");
    let result = &reply.json()["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply:?}"));
    let replayed = &result["_meta"]["io.portero/replayed"];
    assert!(replayed.is_null() || *replayed == true, "{reply:?}");
    (serde_json::from_str(text).unwrap_or_else(|_| json!(text)), *replayed == true)
}

fn code(reply: &Reply) -> Value {
    told(reply).0["code"].clone()
}

fn keys(calls: &Calls) -> Vec<String> {
    let calls = calls.lock().unwrap();
    calls.iter().map(|seen| seen.header("idempotency-key").unwrap_or_default().to_owned()).collect()
}

fn count(calls: &Calls) -> usize {
    calls.lock().unwrap().len()
}

on_both_databases!(
    sixty_four_with_one_key_are_one_call,
    two_nodes_make_one_call,
    no_principal_is_answered_with_anothers_result,
    a_key_is_known_for_ten_minutes,
    a_key_stands_for_one_set_of_arguments,
);

fn sixty_four_with_one_key_are_one_call(builder: Builder) {
    let (builder, calls) = before(builder, |number, stream| {
        std::thread::sleep(Duration::from_millis(300));
        say(stream, 200, "application/json", &json!({"n": number}).to_string());
    });
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let replies = together(64, |index| {
        let body = body(&json!(format!("id-{index}")), &json!({"meeting_id": "m1"}));
        (index, app.rpc_with(&token, &[("idempotency-key", "k-64")], &body))
    });
    assert_eq!(keys(&calls), ["k-64"], "one call");
    let mut first = 0;
    for (index, reply) in &replies {
        let (said, replayed) = told(reply);
        assert_eq!((said, &reply.json()["id"]), (json!({"n": 1}), &json!(format!("id-{index}"))));
        first += usize::from(!replayed);
    }
    assert_eq!(first, 1, "all but the one that was made are marked");
}

fn two_nodes_make_one_call(builder: Builder) {
    let (builder, calls) = before(builder, |number, stream| {
        std::thread::sleep(Duration::from_millis(400));
        say(stream, 200, "application/json", &json!({"n": number}).to_string());
    });
    let app = builder.start();
    let node = app.node(Duration::ZERO);
    let token = app.pat(&app.person("ana"), &[]).token;
    let replies = together(12, |index| {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("host", app.authority()),
            ("idempotency-key", "k-nodes"),
        ];
        let resource = if index % 2 == 0 { &app.resource } else { &node.resource };
        request("POST", resource, &headers, Some(&body(&json!(index), &json!({"meeting_id": "m1"}))))
    });
    assert_eq!(count(&calls), 1);
    let told: Vec<_> = replies.iter().map(told).collect();
    assert!(told.iter().all(|(said, _)| *said == json!({"n": 1})), "{told:?}");
    assert_eq!(told.iter().filter(|(_, replayed)| !replayed).count(), 1);
}

fn no_principal_is_answered_with_anothers_result(builder: Builder) {
    let (builder, calls) = counting(builder);
    let app = builder.start();
    let (ana, bruno) = (app.person("ana"), app.person("bruno"));
    let (one, two, other) = (app.pat(&ana, &[]), app.pat(&ana, &[]), app.pat(&bruno, &[]));
    // The grants of one person are principals of their own too, also of one client.
    let url = |client: &str| app.authorize_url(client, &[("scope", "mico:read mico:write")]);
    let client = app.register("Agent");
    let grants: Vec<_> = (0..2)
        .map(|_| {
            let page = app.consent(&url(&client), &one.token, "allow");
            let location = page.header("location").expect("a redirect").to_owned();
            let code = crate::support::http::query_value(&location, "code").unwrap();
            crate::support::flow::connection(&client, &app.redeem(&client, &code))
        })
        .collect();
    let tokens = [&one.token, &two.token, &other.token, &grants[0].access, &grants[1].access];
    for (index, token) in tokens.iter().enumerate() {
        let reply = delete(&app, token, "shared", &json!({"meeting_id": "m1"}));
        assert_eq!(told(&reply), (json!({"n": index + 1}), false));
    }
    assert_eq!(count(&calls), tokens.len());
    // A token that was refreshed is still its connection's.
    let fresh = app.refresh(&client, &grants[0].refresh);
    let fresh = crate::support::flow::connection(&client, &fresh);
    let again = delete(&app, &fresh.access, "shared", &json!({"meeting_id": "m1"}));
    assert_eq!(told(&again), (json!({"n": 4}), true));
    // The same key for another tool is another call.
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_meetings"}});
    let reply = app.rpc_with(&one.token, &[("idempotency-key", "shared")], &call.to_string());
    assert_eq!(told(&reply), (json!({"n": 6}), false), "what only reads is always asked");
    // Nothing of it can be read in the database.
    let readable = "SELECT COUNT(*) FROM idempotency WHERE answer LIKE '%\"n\"%' OR arguments LIKE '%m1%' \
        OR digest LIKE '%shared%' OR holder LIKE '%shared%'";
    let rows = app.sql_number("SELECT COUNT(*) FROM idempotency WHERE answer IS NOT NULL");
    assert_eq!((rows, app.sql_number(readable)), (5, 0));
}

fn a_key_is_known_for_ten_minutes(builder: Builder) {
    let (builder, calls) = counting(builder);
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let call = || told(&delete(&app, &token, "k1", &json!({"meeting_id": "m1"})));
    assert_eq!(call(), (json!({"n": 1}), false));
    app.advance(Duration::from_secs(599));
    assert_eq!(call(), (json!({"n": 1}), true));
    app.advance(Duration::from_secs(1));
    assert_eq!(call(), (json!({"n": 2}), false), "from the answer on");
    app.advance(Duration::from_mins(5));
    assert_eq!(told(&delete(&app, &token, "k2", &json!({}))), (json!({"n": 3}), false));
    assert_eq!(keys(&calls), ["k1", "k1", "k2"]);
    app.advance(Duration::from_secs(301));
    // last: a connection that this runtime opens is of no use to the server after it
    actix_web::rt::System::new().block_on(portero::jobs::sweep::run_once(&app.app));
    assert_eq!(app.sql_number("SELECT COUNT(*) FROM idempotency"), 1, "what is over is swept");
}

fn a_key_stands_for_one_set_of_arguments(builder: Builder) {
    let (builder, calls) = counting(builder.with("tail", "confirm = true"));
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let call = |arguments: &str| {
        let body = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"delete_meeting\",\
             \"arguments\":{arguments}}}}}"
        );
        app.rpc_with(&token, &[("idempotency-key", "k1")], &body)
    };
    assert_eq!(code(&call(r#"{"meeting_id":"m1","n":[1.10]}"#)), "confirmation_required");
    let first = call(r#"{"meeting_id":"m1","n":[1.10],"confirm":true}"#);
    assert_eq!(told(&first), (json!({"n": 1}), false));
    for same in [
        r#"{"confirm":true, "n" : [ 1.10 ], "meeting_id":"m1"}"#,
        r#"{"n":[1.10],"confirm":true,"meeting_id":"\u006d1"}"#,
    ] {
        assert_eq!(told(&call(same)), (json!({"n": 1}), true), "{same}");
    }
    for other in [r#"{"meeting_id":"m2","n":[1.10],"confirm":true}"#, r#"{"meeting_id":"m1","confirm":true}"#]
    {
        let reply = call(other);
        let said = told(&reply).0;
        assert_eq!(
            (&said["code"], &reply.json()["result"]["isError"]),
            (&json!("invalid_arguments"), &json!(true))
        );
        assert!(said["error"].as_str().unwrap().contains("with other arguments"), "{said}");
        assert!(said["hint"].as_str().unwrap().contains("a new key for every new call"), "{said}");
    }
    assert_eq!(count(&calls), 1);
}

#[test]
fn without_a_key_nothing_is_written_down() {
    let (builder, calls) = counting(TestApp::builder());
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    for round in 1..=2 {
        assert_eq!(told(&app.call(&token, "delete_meeting", &json!({}))), (json!({"n": round}), false));
    }
    let keys = keys(&calls);
    assert!(
        keys[0] != keys[1] && keys.iter().all(|key| key.len() == 32),
        "the worker gets a fresh one: {keys:?}"
    );
    assert_eq!(app.sql_number("SELECT COUNT(*) FROM idempotency"), 0);
    let off = "[service.tool.\"delete_*\"]\nidempotency = \"off\"";
    let (builder, calls) = counting(TestApp::builder().with("tail", off));
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    for round in 1..=2 {
        assert_eq!(told(&delete(&app, &token, "k1", &json!({}))), (json!({"n": round}), false));
    }
    assert_eq!(self::keys(&calls), ["", ""]);
}

#[test]
fn a_bad_key_is_refused_in_clear_words() {
    let (builder, calls) = counting(TestApp::builder());
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let longest = "k".repeat(255);
    assert_eq!(told(&delete(&app, &token, &longest, &json!({}))), (json!({"n": 1}), false));
    let in_meta = |key: Value| {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "delete_meeting", "_meta": {"io.portero/idempotency-key": key}}});
        app.rpc_with(&token, &[], &call.to_string())
    };
    assert_eq!(told(&in_meta(json!(longest))), (json!({"n": 1}), true), "the same key, wherever it is said");
    let long = "k".repeat(256);
    for reply in [
        delete(&app, &token, &long, &json!({})),
        delete(&app, &token, "a b", &json!({})),
        in_meta(json!(long)),
        in_meta(json!("ñ")),
        in_meta(json!("")),
        in_meta(json!(7)),
    ] {
        let said = told(&reply).0;
        assert_eq!(said["code"], "invalid_arguments");
        assert!(said["error"].as_str().unwrap().contains("1 to 255 visible ASCII characters"), "{said}");
    }
    assert_eq!(count(&calls), 1);
}
