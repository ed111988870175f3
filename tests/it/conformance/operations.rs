//! What whoever runs it relies on: health beside the public doors, and a log that gives nothing away.

use super::holds;
use crate::support::app::{free_port, logged};
use crate::support::http::{get, request};
use crate::support::mcp::PING;
use crate::support::{TestApp, eventually};

#[test]
fn health_is_asked_at_a_listener_of_its_own() {
    let admin = format!("127.0.0.1:{}", free_port());
    let lines = format!("admin_listen = \"{admin}\"");
    let app = TestApp::builder().on_postgres().with("top", &lines).start();
    let ask = |path: &str| request("GET", &format!("http://{admin}{path}"), &[("host", "probe")], None);
    holds(
        "C226",
        "health and readiness need no token and no host, and stand at no public door; without the database it is alive \
         and not ready",
        || {
            let (alive, ready) = (ask("/healthz"), ask("/readyz"));
            assert_eq!((alive.status, alive.json()["status"].as_str()), (200, Some("ok")));
            assert_eq!((ready.status, ready.json()["status"].as_str()), (200, Some("ready")));
            for path in ["/healthz", "/readyz"] {
                assert_eq!(get(&format!("{}{path}", app.base)).status, 404, "{path}");
            }
            super::discovery::places::drop_database(&app);
            eventually("it is not ready", || {
                let ready = ask("/readyz");
                (ready.status == 503 && ready.json()["database"] == "unreachable").then_some(())
            });
            assert_eq!(ask("/healthz").status, 200);
        },
    );
}

#[test]
fn what_is_logged_opens_nothing() {
    let app = TestApp::start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let client = app.register("agent");
    let state = "a-state-of-its-own-4711";
    let code = app.code(&client, &pat.token);
    let own = app.connect(&pat.token);
    let next = app.refresh(&own.client, &own.refresh).json();
    app.assert_alive(&own.access);
    // each where it does not belong as well
    for secret in [&pat.token, &code, &own.access, &own.refresh] {
        let url = format!("{}/authorize?client_id=x%0Aforged%20line&state={state}&code={secret}", app.issuer);
        get(&url);
        get(&format!("{}?access_token={secret}", app.resource));
        app.refresh("x\nforged line", secret);
        app.rpc_with(secret, &[("mcp-session-id", secret), ("user-agent", secret)], PING);
        app.redeem(&client, secret);
    }
    holds(
        "C222",
        "no line of the log holds a token, a code or a state, and none is broken by what was sent",
        || {
            let log = logged();
            assert!(log.contains("request: id="), "there is a log");
            let refreshed = next["refresh_token"].as_str().unwrap();
            for secret in [pat.token.as_str(), &code, &own.access, &own.refresh, refreshed, state] {
                assert!(!log.contains(secret), "{secret} is in the log");
            }
            assert!(
                !log.lines().any(|line| line.starts_with("forged line")),
                "a client wrote a line of its own"
            );
        },
    );
}
