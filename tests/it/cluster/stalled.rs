//! A database that does not answer: 503 in bounded time, never a word about a credential, and nothing lost.

use std::time::Duration;

use serde_json::json;
use sqlx::{AnyConnection, Connection as _, Executor as _};

use crate::support::app::{free_port, postgres_database};
use crate::support::flow::{Connection, REDIRECT};
use crate::support::http::{Reply, get, post_form};
use crate::support::wire::Wire;
use crate::support::{Stopwatch, TestApp, together};

/// Two seconds for a connection, five for a transaction; the rest is what a busy machine adds.
const BOUND: Duration = Duration::from_secs(9);
/// More requests than the pool has connections.
const CROWD: usize = 24;

/// A transaction of somebody else's, open until it is dropped.
struct Held {
    runtime: tokio::runtime::Runtime,
    connection: Option<AnyConnection>,
}

impl Held {
    fn begin(database: &str, statements: &'static [&'static str]) -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let connection = runtime.block_on(async {
            let mut connection = AnyConnection::connect(database).await.unwrap();
            for statement in statements {
                connection.execute(*statement).await.unwrap();
            }
            connection
        });
        Self { runtime, connection: Some(connection) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut connection = self.connection.take().unwrap();
        self.runtime.block_on(async {
            connection.execute("ROLLBACK").await.unwrap();
            connection.close().await.unwrap();
        });
    }
}

/// Connections whose access tokens nobody has used yet: no node knows them from memory.
fn cold(app: &TestApp, pat: &str) -> Vec<Connection> {
    let client = app.register("test client");
    (0..CROWD / 2).map(|_| app.connect_as(&client, pat)).collect()
}

fn is_unavailable(reply: &Reply) {
    assert_eq!(reply.status, 503, "{reply:?}");
    assert!(reply.header("retry-after").is_some(), "{reply:?}");
    assert!(reply.header("www-authenticate").is_none(), "{reply:?}");
    assert!(!reply.text().contains("invalid_"), "{reply:?}");
}

/// Half of the crowd calls, half refreshes; how long each waited for its 503.
fn crowd(app: &TestApp, own: &[Connection]) {
    let replies = together(CROWD, |index| {
        let (one, began) = (&own[index / 2], Stopwatch::start());
        let reply = if index % 2 == 0 {
            app.call(&one.access, "list_meetings", &json!({}))
        } else {
            app.refresh(&one.client, &one.refresh)
        };
        (reply, began.elapsed())
    });
    for (index, (reply, took)) in replies.iter().enumerate() {
        is_unavailable(reply);
        let code = if index % 2 == 0 { reply.json()["code"].clone() } else { reply.json()["error"].clone() };
        let wanted = if index % 2 == 0 { "verification_unavailable" } else { "temporarily_unavailable" };
        assert_eq!(code, wanted);
        assert!(*took < BOUND, "{took:?}");
    }
}

/// Two seconds after the database is back everything works as before, the old refresh tokens included.
fn recovers(app: &TestApp, own: &[Connection]) {
    std::thread::sleep(Duration::from_secs(2));
    for one in own {
        app.assert_alive(&one.access);
        let reply = app.refresh(&one.client, &one.refresh);
        assert_eq!(reply.status, 200, "{reply:?}");
    }
}

#[test]
fn statements_that_wait_for_a_lock_are_503_on_postgres_and_nothing_is_consumed() {
    let app = TestApp::builder().on_postgres().start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = cold(&app, &pat.token);
    let key = app.cli(&["introspection-key", "create", "--name", "worker"], None);
    app.assert_alive(&pat.token);
    let held = Held::begin(
        &app.database,
        &["BEGIN", "LOCK TABLE grants, access_tokens, clients, operator_keys IN ACCESS EXCLUSIVE MODE"],
    );
    // More requests than connections: those that get none are in the same trouble as those that wait for a lock.
    crowd(&app, &own);
    // What is known from memory is answered from memory.
    app.assert_alive(&pat.token);
    let metadata = json!({"client_name": "another", "redirect_uris": [REDIRECT]});
    let introspection = [
        ("token", own[0].access.as_str()),
        ("client_id", key["id"].as_str().unwrap()),
        ("client_secret", key["secret"].as_str().unwrap()),
    ];
    let given_back = [("token", own[0].refresh.as_str()), ("client_id", own[0].client.as_str())];
    let began = Stopwatch::start();
    let replies = together(4, |index| match index {
        0 => app.register_with(&metadata),
        1 => get(&app.authorize_url(&own[0].client, &[])),
        2 => post_form(&format!("{}/introspect", app.issuer), &[], &introspection),
        _ => post_form(&format!("{}/revoke", app.issuer), &[], &given_back),
    });
    for reply in &replies {
        is_unavailable(reply);
    }
    assert!(began.elapsed() < BOUND, "{:?}", began.elapsed());
    drop(held);
    recovers(&app, &own);
}

#[test]
fn another_writer_who_does_not_end_is_503_on_sqlite_and_reading_goes_on() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    app.assert_alive(&own.access);
    let held = Held::begin(&app.database, &["BEGIN IMMEDIATE"]);
    let began = Stopwatch::start();
    let replies = together(8, |_| app.refresh(&own.client, &own.refresh));
    for reply in &replies {
        is_unavailable(reply);
        assert_eq!(reply.json()["error"], "temporarily_unavailable");
    }
    assert!(began.elapsed() < BOUND, "{:?}", began.elapsed());
    app.assert_alive(&own.access);
    drop(held);
    assert_eq!(app.refresh(&own.client, &own.refresh).status, 200);
}

/// Worse than a database that is down is one that says nothing: a broken network, a machine that hangs.
#[test]
fn a_database_that_falls_silent_is_503_until_it_speaks_again() {
    let direct = postgres_database();
    let (server, name) = direct.rsplit_once('/').unwrap();
    let port = server.rsplit_once(':').unwrap().1;
    let wire = Wire::start(free_port(), vec![port.parse().unwrap()]);
    let mut builder = TestApp::builder().on_postgres();
    let at = builder.toml.find("url = \"postgres").unwrap();
    let end = at + builder.toml[at..].find('\n').unwrap();
    let user = server.split("//").nth(1).unwrap().split('@').next().unwrap();
    let through = format!("url = \"postgres://{user}@127.0.0.1:{}/{name}\"", wire.port);
    builder.toml.replace_range(at..end, &through);
    let app = builder.start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = cold(&app, &pat.token);
    // Also for those who have asked and wait for the answer.
    let held = Held::begin(&direct, &["BEGIN", "LOCK TABLE clients, access_tokens IN ACCESS EXCLUSIVE MODE"]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(500));
            wire.silent(true);
        });
        crowd(&app, &own);
    });
    drop(held);
    let began = Stopwatch::start();
    is_unavailable(&get(&app.authorize_url(&own[0].client, &[])));
    is_unavailable(&app.register_with(&json!({"client_name": "another", "redirect_uris": [REDIRECT]})));
    assert!(began.elapsed() < BOUND, "{:?}", began.elapsed());
    wire.silent(false);
    recovers(&app, &own);
}
