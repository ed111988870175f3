//! Several nodes, and clients that leave in the middle.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use super::holds;
use crate::support::app::{Node, logged};
use crate::support::flow::connection;
use crate::support::http::{post_form, request};
use crate::support::mcp::PING;
use crate::support::{Reply, TestApp, eventually};

fn ping(app: &TestApp, node: &Node, token: &str) -> Reply {
    let bearer = format!("Bearer {token}");
    let headers =
        [("authorization", bearer.as_str()), ("content-type", "application/json"), ("host", app.authority())];
    request("POST", &node.resource, &headers, Some(PING))
}

/// How far the database's clock is ahead, in seconds, as the nodes of this process have said.
fn offsets() -> Vec<i64> {
    let log = logged();
    let lines = log.lines().filter(|line| line.contains("the database's clock is so far ahead"));
    lines.filter_map(|line| line.rsplit_once("seconds=")?.1.split(' ').next()?.parse().ok()).collect()
}

#[test]
fn a_node_whose_clock_is_off_says_so_and_lets_nothing_in() {
    let app = TestApp::builder().on_postgres().start();
    let node = app.node(Duration::from_mins(5));
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let (one, other) = (app.connect(&pat.token), app.connect(&pat.token));
    let dies = |what: &str, ask: &dyn Fn() -> Reply| {
        eventually(what, || (ask().status == 401).then_some(()));
    };
    holds(
        "N-173",
        "a clock five minutes off is said in the log; what has ended is dead on every node",
        || {
            eventually("the log says it", || {
                offsets().iter().any(|seconds| (-305..=-295).contains(seconds)).then_some(())
            });
            for token in [&pat.token, &one.access, &other.access] {
                assert_eq!(
                    (ping(&app, &node, token).status, app.rpc_with(token, &[], PING).status),
                    (200, 200)
                );
            }
            let form = [("token", one.access.as_str()), ("client_id", &one.client)];
            assert_eq!(post_form(&format!("{}/revoke", app.issuer), &[], &form).status, 200);
            dies("on the node ahead", &|| ping(&app, &node, &one.access));
            let form = [("token", other.access.as_str()), ("client_id", &other.client)];
            let host = [("host", app.authority())];
            assert_eq!(post_form(&format!("{}/revoke", node.resource), &host, &form).status, 200);
            dies("on the node behind", &|| app.rpc_with(&other.access, &[], PING));
            app.cli(&["token", "revoke", &pat.id], None);
            dies("on the one", &|| ping(&app, &node, &pat.token));
            dies("and on the other", &|| app.rpc_with(&pat.token, &[], PING));
        },
    );
}

#[test]
fn a_client_that_leaves_in_the_middle_breaks_nothing() {
    for builder in [TestApp::builder(), TestApp::builder().on_postgres()] {
        let app = builder.start();
        let own = app.connect(&app.pat(&app.person("ana"), &[]).token);
        let form = format!("grant_type=refresh_token&refresh_token={}&client_id={}", own.refresh, own.client);
        let target = app.issuer.strip_prefix(&app.base).unwrap();
        let bytes = format!(
            "POST {target}/token HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\n\r\n{form}",
            app.authority(),
            form.len()
        );
        for round in 0..60 {
            let mut stream = TcpStream::connect(app.authority()).unwrap();
            stream.write_all(bytes.as_bytes()).unwrap();
            // at another point of the exchange each time
            std::thread::sleep(Duration::from_micros(100 * round));
        }
        let reply = app.refresh(&own.client, &own.refresh);
        assert_eq!(reply.status, 200, "{reply:?}");
        let now = connection(&own.client, &reply);
        app.assert_alive(&now.access);
        assert_eq!(app.refresh(&own.client, &now.refresh).status, 200, "and it goes on");
    }
}
