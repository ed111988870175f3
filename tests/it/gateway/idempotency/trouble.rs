//! Calls that end without an answer, clients that leave, servers that die.

use super::*;
use crate::support::Stopwatch;

on_both_databases!(after_a_timeout_the_retry_is_sent_under_the_same_key);

fn after_a_timeout_the_retry_is_sent_under_the_same_key(builder: Builder) {
    let (builder, calls) =
        before(builder.with("upstream", "timeout = \"300ms\""), |number, stream| match number {
            1 => std::thread::sleep(Duration::from_millis(600)),
            2 => say(stream, 500, "text/html", "<html>crashed</html>"),
            3 => say(stream, 503, "application/json", "{\"error\":\"busy\"}"),
            4 => say(stream, 429, "application/json", "{\"error\":\"slowly\"}"),
            5 => say(stream, 200, "application/vnd.mcp.result+json", "[1]"),
            6 => say(stream, 200, "text/event-stream", "event: progress\ndata: {}\n\n"),
            _ => say(stream, 200, "application/json", &json!({"n": number}).to_string()),
        });
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let call = || delete(&app, &token, "k1", &json!({"meeting_id": "m1"}));
    assert_eq!(code(&call()), "upstream_timeout");
    let other = delete(&app, &token, "k1", &json!({"meeting_id": "m2"}));
    assert_eq!(code(&other), "invalid_arguments", "also of a call of which nobody knows whether it was done");
    assert_eq!(code(&call()), "upstream_unavailable");
    assert_eq!(told(&call()), (json!({"error": "busy"}), false));
    assert_eq!(told(&call()), (json!({"error": "slowly"}), false));
    assert_eq!(code(&call()), "upstream_unavailable");
    assert!(call().text().contains("upstream_unavailable"));
    assert_eq!(told(&call()), (json!({"n": 7}), false));
    assert_eq!(told(&call()), (json!({"n": 7}), true));
    assert_eq!(keys(&calls), ["k1"; 7]);
}

#[test]
fn whoever_waits_takes_over_from_a_call_that_broke_off() {
    let (builder, calls) = before(TestApp::builder(), |number, stream| {
        std::thread::sleep(Duration::from_millis(200));
        if number > 2 {
            say(stream, 200, "application/json", &json!({"n": number}).to_string());
        }
    });
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let replies = together(8, |_| told(&delete(&app, &token, "k1", &json!({}))));
    assert_eq!(count(&calls), 3);
    let unavailable = replies.iter().filter(|(said, _)| said["code"] == "upstream_unavailable").count();
    let done = replies.iter().filter(|(said, _)| *said == json!({"n": 3})).count();
    assert_eq!((unavailable, done), (2, 6), "{replies:?}");
}

#[test]
fn nobody_waits_longer_than_the_tool_may_take() {
    let (builder, calls) = counting(TestApp::builder().with("upstream", "timeout = \"300ms\""));
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    assert_eq!(told(&delete(&app, &token, "k1", &json!({}))), (json!({"n": 1}), false));
    // As if a node had died with the call: its lease is still running.
    let lease = app.now().plus(Duration::from_secs(5)).millis();
    app.sql(&format!("UPDATE idempotency SET outcome = NULL, answer = NULL, lease_until = {lease}")).unwrap();
    let began = Stopwatch::start();
    assert_eq!(code(&delete(&app, &token, "k1", &json!({}))), "upstream_timeout");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    app.advance(Duration::from_secs(5));
    assert_eq!(told(&delete(&app, &token, "k1", &json!({}))), (json!({"n": 2}), false));
    assert_eq!(keys(&calls), ["k1", "k1"]);
}

/// Sends a call and leaves without waiting for the answer.
fn leave(app: &TestApp, headers: &str, body: &str) {
    let mut stream = TcpStream::connect(app.authority()).unwrap();
    let path = app.resource.strip_prefix(&app.base).unwrap();
    let (host, length) = (app.authority(), body.len());
    let head =
        format!("POST {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
    stream.write_all(head.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(150));
}

#[test]
fn a_client_whose_connection_broke_gets_the_answer_it_missed() {
    let (builder, calls) = before(TestApp::builder(), |number, stream| {
        std::thread::sleep(Duration::from_millis(400));
        say(stream, 200, "application/json", &json!({"n": number}).to_string());
    });
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let usual = format!(
        "Authorization: Bearer {token}\r\nContent-Type: application/json\r\nAccept: application/json\r\n\
         Idempotency-Key: k1\r\n"
    );
    leave(&app, &usual, &body(&json!(1), &json!({})));
    assert_eq!(told(&delete(&app, &token, "k1", &json!({}))), (json!({"n": 1}), true), "it was seen through");
    // In the stateless revision leaving cancels the call; the next one is sent at once.
    let (lines, body) = stateless(&token, "k2");
    leave(&app, &lines, &body);
    let began = Stopwatch::start();
    assert_eq!(told(&delete(&app, &token, "k2", &json!({}))), (json!({"n": 3}), false));
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    assert_eq!(keys(&calls), ["k1", "k2", "k2"]);
}

#[test]
fn a_write_that_cannot_be_written_down_is_not_made() {
    let (builder, calls) = counting(TestApp::builder());
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    assert_eq!(told(&app.call(&token, "delete_meeting", &json!({}))), (json!({"n": 1}), false));
    actix_web::rt::System::new().block_on(app.app.identity.store.close());
    let reply = delete(&app, &token, "k1", &json!({}));
    assert_eq!(
        (reply.status, reply.json()["code"].as_str()),
        (503, Some("verification_unavailable")),
        "{reply:?}"
    );
    assert_eq!((reply.header("retry-after"), reply.header("www-authenticate")), (Some("2"), None));
    assert!(reply.json()["message"].as_str().unwrap().contains("it was not made"), "{reply:?}");
    assert_eq!(
        told(&app.call(&token, "delete_meeting", &json!({}))),
        (json!({"n": 2}), false),
        "no key, no database"
    );
    assert_eq!(count(&calls), 2);
}

/// A server that is killed in the middle of a call leaves it to whoever asks after its time.
#[test]
fn a_call_of_a_server_that_died_is_sent_again() {
    let builder = TestApp::builder().with("upstream", "timeout = \"1s\"");
    let (builder, calls) = before(builder, |number, stream| {
        if number == 1 {
            std::thread::sleep(Duration::from_millis(900));
        }
        say(stream, 200, "application/json", &json!({"n": number}).to_string());
    });
    let nodes = builder.nodes(1);
    let token = nodes.pat(&nodes.person("ana"), &[]).token;
    let began = std::thread::scope(|scope| {
        let site = &nodes;
        let call = body(&json!(1), &json!({}));
        let bearer = format!("Bearer {token}");
        scope.spawn(move || {
            let headers = [
                ("authorization", bearer.as_str()),
                ("content-type", "application/json"),
                ("idempotency-key", "k1"),
            ];
            let agent = crate::support::http::agent();
            let lost =
                crate::support::http::try_request(&agent, "POST", &site.resource, &headers, Some(&call));
            assert!(lost.is_err(), "{lost:?}");
        });
        while count(&calls) == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        nodes.kill(0);
        Stopwatch::start()
    });
    nodes.begin(0);
    nodes.ready(0);
    assert_eq!(code(&delete(&nodes, &token, "k1", &json!({}))), "upstream_timeout", "it may still be made");
    // as if its time were over: 20 seconds and what the call itself may take
    assert_eq!(nodes.sql("UPDATE idempotency SET lease_until = lease_until - 19000"), Ok(1));
    let said = loop {
        let reply = delete(&nodes, &token, "k1", &json!({}));
        let (said, replayed) = told(&reply);
        assert!(!replayed && began.elapsed() < Duration::from_secs(15), "{reply:?}");
        if said["code"] != "upstream_timeout" {
            break said;
        }
    };
    assert_eq!((said, keys(&calls)), (json!({"n": 2}), vec!["k1".to_owned(), "k1".to_owned()]));
}

/// Its lease does, too: one that began to run later would outlast it, and another node make the call a second time.
#[test]
fn the_time_of_a_call_runs_from_its_claim() {
    let tail = "[plans.metered]\nfeatures = [\"mcp\"]\ncredits_per_month = 100\n[service.tool.\"delete_*\"]\ncost = 1";
    let (builder, calls) = before(
        TestApp::builder().on_postgres().with("tail", tail).with("upstream", "timeout = \"2s\""),
        |_, stream| {
            std::thread::sleep(Duration::from_millis(1500));
            say(stream, 200, "application/json", "{}");
        },
    );
    let app = builder.start();
    let token = app.pat(&app.person_on("ana", Some("metered")), &[]).token;
    app.sql(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN PERFORM pg_sleep(1); RETURN NEW; END'",
    )
    .unwrap();
    app.sql("CREATE TRIGGER slow BEFORE INSERT ON credits FOR EACH ROW EXECUTE FUNCTION slow()").unwrap();
    // a second to be written down and one and a half for the worker
    assert_eq!(code(&delete(&app, &token, "k1", &json!({}))), "upstream_timeout");
    assert_eq!(count(&calls), 1);
    // and what has no time left is not sent
    app.sql(
        "CREATE OR REPLACE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN PERFORM pg_sleep(2.1); RETURN NEW; END'",
    )
    .unwrap();
    assert_eq!(code(&delete(&app, &token, "k2", &json!({}))), "upstream_timeout");
    assert_eq!(count(&calls), 1);
}

#[test]
fn a_lease_outlasts_the_call_by_twenty_seconds() {
    let (builder, calls) = before(TestApp::builder().with("upstream", "timeout = \"3s\""), |_, stream| {
        std::thread::sleep(Duration::from_secs(1));
        say(stream, 200, "application/json", "{}");
    });
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    std::thread::scope(|scope| {
        scope.spawn(|| delete(&app, &token, "k1", &json!({})));
        crate::support::eventually("the call", || (count(&calls) == 1).then_some(()));
        let lease = app.sql_number("SELECT lease_until FROM idempotency") - app.now().millis();
        assert_eq!(lease, 23_000);
    });
}

/// Nor is it made again: a client that leaves after the worker has answered leaves a call that was made.
#[test]
fn what_was_answered_is_kept_though_its_client_left() {
    let (builder, calls) = counting(TestApp::builder().on_postgres());
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    app.sql(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN PERFORM pg_sleep(1); RETURN NEW; END'",
    )
    .unwrap();
    app.sql("CREATE TRIGGER slow BEFORE UPDATE ON idempotency FOR EACH ROW EXECUTE FUNCTION slow()").unwrap();
    let (lines, body) = stateless(&token, "k1");
    leave(&app, &lines, &body);
    assert_eq!(count(&calls), 1, "the worker has answered");
    assert_eq!(told(&delete(&app, &token, "k1", &json!({}))), (json!({"n": 1}), true));
    assert_eq!(count(&calls), 1);
}
