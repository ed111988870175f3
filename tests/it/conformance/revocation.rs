//! What ends with what: revocation by clients (RFC 7009), and the whole cascade.

use serde_json::json;

use super::holds;
use super::kit::{Key, redemption, refused};
use crate::pages::Browser;
use crate::support::callers::{PASSWORD, Person};
use crate::support::http::post_form;
use crate::support::{Reply, TestApp, eventually};

#[track_caller]
fn done(reply: &Reply) {
    assert_eq!((reply.status, reply.body.len()), (200, 0), "{reply:?}");
    assert_eq!(reply.header("cache-control"), Some("no-store"));
}

#[test]
fn a_client_ends_what_is_its_own() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let client = app.register("agent");
    let connect = || app.connect_as(&client, &pat);
    let revoke = |token: &str, more: &[(&str, &str)]| {
        let form = [&[("token", token), ("client_id", client.as_str())], more].concat();
        app.oauth("revoke", &form)
    };
    holds(
        "V-01",
        "public clients name themselves, confidential ones prove themselves as at the token endpoint",
        || {
            done(&revoke(&connect().access, &[]));
            let Key { id, secret } = app.confidential();
            let code = app.code_with(&id, &pat, &[]);
            let mut form = redemption(&id, &code, &[]);
            form.push(("client_secret", &secret));
            let access = app.token(&form).json()["access_token"].as_str().unwrap().to_owned();
            refused(&app.oauth("revoke", &[("token", &access), ("client_id", &id)]), 401, "invalid_client");
            app.assert_alive(&access);
            done(&app.oauth("revoke", &[("token", &access), ("client_id", &id), ("client_secret", &secret)]));
            app.assert_dead(&access);
        },
    );
    holds(
        "V-02",
        "200 with no body for revoked, unknown, expired or malformed; no token is invalid_request",
        || {
            let given = connect();
            done(&revoke(&given.access, &[]));
            done(&revoke(&given.access, &[]));
            for unknown in
                ["unknown", "mico_oat_x", "x y", &format!("mico_oat_{}", "a".repeat(49)), &"x".repeat(4000)]
            {
                done(&revoke(unknown, &[]));
            }
            let old = connect();
            app.advance(std::time::Duration::from_hours(2));
            done(&revoke(&old.access, &[]));
            refused(&app.oauth("revoke", &[("client_id", &client)]), 400, "invalid_request");
            refused(&app.oauth("revoke", &[("token", "x"), ("client_id", "nobody")]), 401, "invalid_client");
        },
    );
    holds("V-03", "a wrong or unknown token_type_hint changes nothing", || {
        for hint in ["refresh_token", "access_token", "nonsense", ""] {
            let given = connect();
            done(&revoke(&given.access, &[("token_type_hint", hint)]));
            app.assert_dead(&given.access);
            done(&revoke(&given.refresh, &[("token_type_hint", hint)]));
            refused(&app.refresh(&client, &given.refresh), 400, "invalid_grant");
        }
    });
}

#[test]
fn a_family_goes_with_its_refresh_token_alone() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let (client, other) = (app.register("agent"), app.register("another"));
    let connect = || app.connect_as(&client, &pat);
    let revoke = |token: &str, more: &[(&str, &str)]| {
        let form = [&[("token", token), ("client_id", client.as_str())], more].concat();
        app.oauth("revoke", &form)
    };
    holds("V-04", "another client's token is invalid_grant and stays alive", || {
        let given = connect();
        for token in [&given.access, &given.refresh] {
            let reply = app.oauth("revoke", &[("token", token), ("client_id", &other)]);
            refused(&reply, 400, "invalid_grant");
        }
        app.assert_alive(&given.access);
        assert_eq!(app.refresh(&client, &given.refresh).status, 200);
    });
    holds("V-05", "a refresh token takes the family, an access token only itself", || {
        let given = connect();
        done(&revoke(&given.access, &[]));
        app.assert_dead(&given.access);
        let next = crate::support::flow::connection(&client, &app.refresh(&client, &given.refresh));
        app.assert_alive(&next.access);
        done(&revoke(&next.refresh, &[]));
        app.assert_dead(&next.access);
        refused(&app.refresh(&client, &next.refresh), 400, "invalid_grant");
    });
    holds("V-06", "a person's token is unsupported_token_type: its owner revokes it", || {
        refused(&revoke(&pat, &[]), 400, "unsupported_token_type");
        app.assert_alive(&pat);
    });
    holds(
        "C150",
        "a disconnect with the refresh token and its hint ends the family, from a public client",
        || {
            let given = connect();
            done(&revoke(&given.refresh, &[("token_type_hint", "refresh_token")]));
            app.assert_dead(&given.access);
            done(&revoke(&given.refresh, &[("token_type_hint", "refresh_token")]));
            done(&revoke("never issued", &[]));
        },
    );
    holds("C151", "the same client connected twice has two grants that know nothing of each other", || {
        let (laptop, desktop) = (connect(), connect());
        app.assert_alive(&laptop.access);
        assert_eq!(app.refresh(&client, &laptop.refresh).status, 200);
        done(&revoke(&laptop.refresh, &[]));
        app.assert_dead(&laptop.access);
        app.assert_alive(&desktop.access);
        assert_eq!(app.refresh(&client, &desktop.refresh).status, 200);
    });
}

/// What somebody had before an event: a token, a connection it authorized, a code not redeemed yet, a session.
struct Had<'a> {
    app: &'a TestApp,
    person: Person,
    pat: crate::support::callers::Pat,
    client: String,
    access: String,
    refresh: String,
    code: String,
    browser: Browser<'a>,
}

/// What is alive: code, refresh token, access token, PAT, session.
type Alive = [bool; 5];

impl<'a> Had<'a> {
    fn new(app: &'a TestApp, name: &str) -> Self {
        let person = app.person(name);
        let pat = app.pat(&person, &[]);
        let client = app.register(name);
        let own = app.connect_as(&client, &pat.token);
        let code = app.code(&client, &pat.token);
        let browser = Browser::signed_in(app, &person);
        Self { app, person, pat, client, access: own.access, refresh: own.refresh, code, browser }
    }

    fn calls(&self, token: &str) -> bool {
        self.app.call(token, "list_meetings", &json!({})).status == 200
    }

    fn alive(&mut self) -> Alive {
        let session = self.browser.get("/settings/tokens").status == 200;
        let (access, pat) = (self.calls(&self.access), self.calls(&self.pat.token));
        let refresh = self.app.refresh(&self.client, &self.refresh);
        let code = self.app.redeem(&self.client, &self.code);
        for reply in [&refresh, &code] {
            assert!(matches!(reply.status, 200 | 400 | 401), "{reply:?}");
        }
        [code.status == 200, refresh.status == 200, access, pat, session]
    }
}

/// What somebody decides, each by the command or the request that is there for it.
fn happens(event: &str, had: &Had<'_>) {
    let command = |arguments: &[&str]| drop(had.app.cli(arguments, None));
    let revoked = |token: &str| {
        let reply = had.app.oauth("revoke", &[("token", token), ("client_id", &had.client)]);
        assert_eq!(reply.status, 200);
    };
    match event {
        "nothing" => {}
        "pat" => command(&["token", "revoke", &had.pat.id]),
        "grant" => {
            let all = had.app.cli(&["grant", "list", "--user", &had.person.email], None);
            command(&["grant", "revoke", all[0]["id"].as_str().unwrap()]);
        }
        "refresh" => revoked(&had.refresh),
        "access" => revoked(&had.access),
        "disabled" => command(&["client", "disable", &had.client]),
        "deleted" => command(&["client", "delete", &had.client]),
        "locked" => command(&["user", "lock", &had.person.email]),
        "gone" => command(&["user", "delete", &had.person.email]),
        "password" => {
            let line = format!("{PASSWORD} 2\n");
            had.app.cli(&["user", "password", &had.person.email, "--password-stdin"], Some(&line));
        }
        other => panic!("no event {other}"),
    }
}

#[test]
fn everything_ends_what_hangs_on_it_and_nothing_else() {
    let app = TestApp::start();
    // Code, refresh, access, PAT, session. The code is of another consent than the tokens.
    let rows: [(&str, Alive); 10] = [
        ("nothing", [true; 5]),
        ("pat", [false, false, false, false, true]),
        ("grant", [true, false, false, true, true]),
        ("refresh", [true, false, false, true, true]),
        ("access", [true, true, false, true, true]),
        ("disabled", [false, false, false, true, true]),
        ("deleted", [false, false, false, true, true]),
        ("locked", [false; 5]),
        ("gone", [false; 5]),
        ("password", [false, true, true, true, false]),
    ];
    holds("V-08", "the cascade, row by row: code, refresh, access, PAT, session (rules: cascade)", || {
        for (event, expected) in rows {
            let mut had = Had::new(&app, event);
            happens(event, &had);
            // A command beside the server takes effect within a second, on each of the two that are remembered.
            for (token, lives) in [(&had.access, expected[2]), (&had.pat.token, expected[3])] {
                eventually(event, || (lives || !had.calls(token)).then_some(()));
            }
            assert_eq!(had.alive(), expected, "{event}");
        }
    });
}

#[test]
fn who_leaves_a_workspace_keeps_nothing_of_it() {
    let app = TestApp::start();
    let host = app.person("host");
    holds(
        "V-08",
        "leaving a workspace ends what acts for it, the token with it, and no session (rules: cascade)",
        || {
            let mut had = Had::new(&app, "guest");
            app.cli(&["workspace", "add-member", &host.workspace, &had.person.email], None);
            let made = app.cli(
                &[
                    "token",
                    "create",
                    "--user",
                    &had.person.email,
                    "--brand",
                    "mico",
                    "--name",
                    "w",
                    "--workspace",
                    &host.workspace,
                ],
                None,
            );
            let token = made["token"].as_str().unwrap();
            let there = app.connect_as(&had.client, token);
            let code = app.code(&had.client, token);
            assert!(had.calls(token) && had.calls(&there.access));
            app.cli(&["workspace", "remove-member", &host.workspace, &had.person.email], None);
            eventually("left", || (!had.calls(&there.access) && !had.calls(token)).then_some(()));
            refused(&app.refresh(&had.client, &there.refresh), 400, "invalid_grant");
            refused(&app.redeem(&had.client, &code), 400, "invalid_grant");
            assert_eq!(had.alive(), [true; 5], "what acts for the own workspace stays");
        },
    );
}

#[test]
fn a_revocation_is_seen_wherever_it_was_made() {
    let app = TestApp::start();
    holds(
        "V-07",
        "a revocation by another process is seen here within a second, by the client's own at once",
        || {
            let had = Had::new(&app, "remote");
            assert!(had.calls(&had.access) && had.calls(&had.pat.token));
            app.cli(&["token", "revoke", &had.pat.id], None);
            refused(&app.refresh(&had.client, &had.refresh), 400, "invalid_grant");
            eventually("the revocation", || {
                (!had.calls(&had.access) && !had.calls(&had.pat.token)).then_some(())
            });
            let had = Had::new(&app, "own");
            assert!(had.calls(&had.access));
            let form = [("token", had.refresh.as_str()), ("client_id", had.client.as_str())];
            assert_eq!(post_form(&app.endpoint("revoke"), &[], &form).status, 200);
            app.assert_dead(&had.access);
        },
    );
}
