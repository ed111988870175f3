//! Refresh tokens: one successor however many ask, and what a replay costs.

use std::time::Duration;

use serde_json::json;

use super::holds;
use super::kit::{Key, refused};
use crate::support::callers::PASSWORD;
use crate::support::flow::{Connection, connection};
use crate::support::{Reply, TestApp};

const BOTH: (&str, &str) = ("scope", "mico:read mico:write");
const HOUR: Duration = Duration::from_hours(1);

struct Setup {
    app: TestApp,
    email: String,
    pat: crate::support::callers::Pat,
    client: String,
}

impl Setup {
    fn of(app: TestApp) -> Self {
        let person = app.person("ana");
        let pat = app.pat(&person, &[]);
        let client = app.register("agent");
        Self { app, email: person.email, pat, client }
    }

    fn new() -> Self {
        Self::of(TestApp::start())
    }

    fn connect(&self) -> Connection {
        self.app.connect_as(&self.client, &self.pat.token)
    }

    fn refresh(&self, token: &str) -> Reply {
        self.app.refresh(&self.client, token)
    }

    fn refresh_with(&self, token: &str, more: &[(&str, &str)]) -> Reply {
        let mut form =
            vec![("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", &self.client)];
        form.extend_from_slice(more);
        self.app.token(&form)
    }

    #[track_caller]
    fn next(&self, token: &str) -> Connection {
        let reply = self.refresh(token);
        assert_eq!(reply.status, 200, "{reply:?}");
        connection(&self.client, &reply)
    }
}

#[test]
fn every_use_rotates_and_repeats_lead_to_the_one_successor() {
    let own = Setup::new();
    let app = &own.app;
    holds("F-03", "every use gives another token, for every kind of client", || {
        let Key { id, secret } = app.confidential();
        let code = app.code_with(&id, &own.pat.token, &[]);
        let mut form = super::kit::redemption(&id, &code, &[]);
        form.push(("client_secret", &secret));
        let given = app.token(&form).json();
        let refresh = given["refresh_token"].as_str().unwrap();
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh),
            ("client_id", id.as_str()),
            ("client_secret", secret.as_str()),
        ];
        let next = app.token(&form).json();
        assert_ne!(next["refresh_token"], given["refresh_token"]);
        let public = own.connect();
        assert_ne!(own.next(&public.refresh).refresh, public.refresh);
    });
    holds("N-128", "a lost answer: the same token 5 seconds later gives the same successor", || {
        let given = own.connect();
        let lost = own.next(&given.refresh);
        app.advance(Duration::from_secs(5));
        let again = own.next(&given.refresh);
        assert_eq!(again.refresh, lost.refresh);
        assert_ne!(again.access, lost.access);
    });
    holds(
        "C127",
        "inside the window a repeat gives the same successor and what was issued before stays good",
        || {
            let given = own.connect();
            let lost = own.next(&given.refresh);
            app.advance(Duration::from_secs(45));
            let again = own.next(&given.refresh);
            assert_eq!(again.refresh, lost.refresh);
            for access in [&given.access, &lost.access, &again.access] {
                app.assert_alive(access);
            }
        },
    );
    holds("C130", "what a refresh gave works at once, at the resource and at the next refresh", || {
        let mut held = own.connect();
        for _ in 0..5 {
            held = own.next(&held.refresh);
            app.assert_alive(&held.access);
        }
    });
    holds("C142", "every refresh answers a refresh token", || {
        let given = own.connect();
        assert!(own.refresh(&given.refresh).json()["refresh_token"].is_string());
        assert!(own.refresh(&given.refresh).json()["refresh_token"].is_string(), "a repeat too");
    });
    holds(
        "F-05",
        "repeats within 60 s are led to the live token, however many; later it is a replay (rules: refresh)",
        || {
            let given = own.connect();
            let next = own.next(&given.refresh);
            for _ in 0..8 {
                app.advance(Duration::from_secs(7));
                assert_eq!(own.next(&given.refresh).refresh, next.refresh);
            }
            app.assert_alive(&next.access);
            app.advance(Duration::from_secs(5));
            refused(&own.refresh(&given.refresh), 400, "invalid_grant");
            refused(&own.refresh(&next.refresh), 400, "invalid_grant");
        },
    );
    holds(
        "N-129",
        "a thief's repeat in the window gets the one successor; the next replay after it ends all",
        || {
            let given = own.connect();
            let (owner, thief) = (own.next(&given.refresh), own.next(&given.refresh));
            assert_eq!(owner.refresh, thief.refresh);
            let stolen = own.next(&thief.refresh);
            app.assert_alive(&stolen.access);
            app.advance(Duration::from_secs(61));
            refused(&own.refresh(&owner.refresh), 400, "invalid_grant");
            for access in [&stolen.access, &owner.access, &thief.access, &given.access] {
                app.assert_dead(access);
            }
            refused(&own.refresh(&stolen.refresh), 400, "invalid_grant");
            assert!(app.grants(&own.email).contains("refresh_reuse"));
        },
    );
    holds(
        "N-125",
        "an old token after the window, its successor used: the family is dead at the resource",
        || {
            let given = own.connect();
            let next = own.next(&given.refresh);
            let last = own.next(&next.refresh);
            app.advance(Duration::from_secs(61));
            refused(&own.refresh(&given.refresh), 400, "invalid_grant");
            app.assert_dead(&last.access);
            app.assert_dead(&next.access);
            refused(&own.refresh(&last.refresh), 400, "invalid_grant");
        },
    );
    holds("C129", "a replay an hour later ends the grant, and the operator sees why", || {
        let given = own.connect();
        let next = own.next(&given.refresh);
        app.assert_alive(&next.access);
        app.advance(HOUR);
        refused(&own.refresh(&given.refresh), 400, "invalid_grant");
        refused(&own.refresh(&next.refresh), 400, "invalid_grant");
    });
    holds("F-04", "a real replay ends every token of the grant and nothing of another", || {
        let (given, kept) = (own.connect(), own.connect());
        let last = own.next(&own.next(&given.refresh).refresh);
        app.advance(Duration::from_mins(2));
        refused(&own.refresh(&given.refresh), 400, "invalid_grant");
        app.assert_dead(&last.access);
        app.assert_alive(&kept.access);
        assert_eq!(own.refresh(&kept.refresh).status, 200);
    });
}

#[test]
fn a_refresh_token_is_its_clients_and_no_other_kind_of_credential() {
    let own = Setup::new();
    let app = &own.app;
    let other = app.register("another");
    let given = own.connect();
    holds("N-131", "the old token by another client in the window is invalid_grant and ends nothing", || {
        let next = own.next(&given.refresh);
        refused(&app.refresh(&other, &given.refresh), 400, "invalid_grant");
        app.assert_alive(&next.access);
        assert_eq!(own.next(&given.refresh).refresh, next.refresh);
    });
    let given = own.connect();
    holds("N-132", "a public client's token by another public client is invalid_grant", || {
        refused(&app.refresh(&other, &given.refresh), 400, "invalid_grant");
        assert_eq!(own.refresh(&given.refresh).status, 200);
    });
    holds(
        "C147",
        "refresh under another client's id is invalid_grant, not invalid_client, and ends nothing",
        || {
            let given = own.connect();
            refused(&app.refresh(&other, &given.refresh), 400, "invalid_grant");
            app.assert_alive(&given.access);
            assert_eq!(own.refresh(&given.refresh).status, 200);
        },
    );
    holds(
        "F-02",
        "a public client names itself, a confidential one proves itself; foreign is invalid_grant",
        || {
            let Key { id, secret } = app.confidential();
            let given = own.connect();
            let form = [
                ("grant_type", "refresh_token"),
                ("refresh_token", given.refresh.as_str()),
                ("client_id", id.as_str()),
            ];
            refused(&app.token(&form), 401, "invalid_client");
            let form = [form.as_slice(), &[("client_secret", secret.as_str())]].concat();
            refused(&app.token(&form), 400, "invalid_grant");
            assert_eq!(own.refresh(&given.refresh).status, 200);
        },
    );
    holds("N-133", "no client_id is invalid_request and nothing is consumed", || {
        let given = own.connect();
        let form = [("grant_type", "refresh_token"), ("refresh_token", given.refresh.as_str())];
        refused(&app.token(&form), 400, "invalid_request");
        assert_eq!(own.refresh(&given.refresh).status, 200);
    });
    holds("N-137", "an access token, a PAT or a code in its place is invalid_grant", || {
        let code = app.code(&own.client, &own.pat.token);
        for wrong in [given.access.as_str(), &own.pat.token, &code, "eyJhbGciOiJub25lIn0.e30.", "x"] {
            refused(&own.refresh(wrong), 400, "invalid_grant");
        }
        app.assert_alive(&given.access);
        app.assert_alive(&own.pat.token);
        assert_eq!(app.redeem(&own.client, &code).status, 200);
    });
    holds("F-11", "a refresh token is 256 bits under its own prefix and nothing at the resource", || {
        let given = own.connect();
        let tail = given.refresh.strip_prefix("mico_ort_").unwrap();
        assert!(tail.len() == 49 && tail.bytes().all(|b| b.is_ascii_alphanumeric()));
        app.assert_dead(&given.refresh);
        assert_eq!(own.refresh(&given.refresh).status, 200, "and that did not use it up");
    });
    holds("F-10", "unknown, expired, foreign, used and revoked are one invalid_grant, one text", || {
        let (ended, used, old) = (own.connect(), own.connect(), own.connect());
        app.post("revoke", &[("token", &ended.refresh), ("client_id", &own.client)]);
        own.next(&own.next(&used.refresh).refresh);
        let mut replies = vec![
            own.refresh("x"),
            own.refresh(&format!("mico_ort_{}", "a".repeat(49))),
            own.refresh(&ended.refresh),
            app.refresh(&other, &old.refresh),
        ];
        app.advance(Duration::from_secs(61));
        replies.push(own.refresh(&used.refresh));
        app.advance(Duration::from_hours(31 * 24));
        replies.push(own.refresh(&old.refresh));
        for reply in &replies {
            refused(reply, 400, "invalid_grant");
            assert_eq!(reply.body, replies[0].body);
        }
    });
    holds("C126", "a dead token is 400 invalid_grant, none at all invalid_request; never 401", || {
        refused(&own.refresh(&given.refresh), 400, "invalid_grant");
        refused(&own.refresh(""), 400, "invalid_request");
    });
}

#[test]
fn scopes_narrow_for_once_and_never_grow() {
    let own = Setup::new();
    let app = &own.app;
    let wide = || app.connect_with(&own.client, &own.pat.token, &[BOTH]);
    let scope = |reply: &Reply| reply.json()["scope"].as_str().unwrap_or_default().to_owned();
    holds(
        "N-135",
        "wider is cut to the grant, nothing left is invalid_scope, absent is all again (rules: refresh)",
        || {
            let mut token = own.connect().refresh;
            for (asked, got) in
                [("mico:read mico:write", "mico:read"), ("mico:read x:y", "mico:read"), ("", "mico:read")]
            {
                let reply = own.refresh_with(&token, &[("scope", asked)]);
                assert_eq!((reply.status, scope(&reply).as_str()), (200, got), "{asked}");
                token = connection(&own.client, &reply).refresh;
            }
            refused(&own.refresh_with(&token, &[("scope", "mico:write")]), 400, "invalid_scope");
            refused(&own.refresh_with(&token, &[("scope", "x:y")]), 400, "invalid_scope");
            let reply = own.refresh_with(&wide().refresh, &[("scope", "mico:write")]);
            assert_eq!(scope(&reply), "mico:write");
            let reply = own.refresh(&connection(&own.client, &reply).refresh);
            assert_eq!(scope(&reply), "mico:read mico:write", "the full set again");
        },
    );
    holds("F-07", "a narrowed access token does not narrow the refresh token", || {
        let narrow = own.refresh_with(&wide().refresh, &[("scope", "mico:read")]);
        let narrow = connection(&own.client, &narrow);
        let refused_call = app.call(&narrow.access, "delete_meeting", &json!({"meeting_id": "m1"}));
        assert_eq!(refused_call.status, 403, "{refused_call:?}");
        let wide = own.next(&narrow.refresh);
        assert_eq!(wide.scope, "mico:read mico:write");
        assert_eq!(app.call(&wide.access, "delete_meeting", &json!({"meeting_id": "m1"})).status, 200);
    });
    holds(
        "C132",
        "scope with offline_access or more than was granted is cut to the grant, never refused",
        || {
            let mut token = own.connect().refresh;
            for asked in
                ["mico:read offline_access openid", "offline_access", "mico:read mico:write profile email"]
            {
                let reply = own.refresh_with(&token, &[("scope", asked)]);
                assert_eq!((reply.status, scope(&reply).as_str()), (200, "mico:read"), "{asked}");
                token = connection(&own.client, &reply).refresh;
            }
        },
    );
    holds("F-08", "resource has to be the grant's and narrows nothing", || {
        let given = own.connect();
        refused(
            &own.refresh_with(&given.refresh, &[("resource", "https://other.example/")]),
            400,
            "invalid_target",
        );
        let next = own.refresh_with(&given.refresh, &[("resource", &app.resource)]);
        assert_eq!(next.status, 200);
        assert_eq!(own.refresh(&connection(&own.client, &next).refresh).status, 200);
    });
    holds("F-01", "a family is bound to its client, person, scopes and service", || {
        let key = app.introspection_key();
        let given = own.connect();
        let next = own.next(&given.refresh);
        let ask = |token: &str| {
            app.post(
                "introspect",
                &[("token", token), ("client_id", &key.id), ("client_secret", &key.secret)],
            )
            .json()
        };
        let (before, after) = (ask(&given.access), ask(&next.access));
        for member in ["sub", "client_id", "scope", "aud", "workspace"] {
            assert!(before[member].is_string(), "{before}");
            assert_eq!(before[member], after[member], "{member}");
        }
    });
    holds(
        "C153",
        "the same refusal again after a refresh is the same cheap 403; the scope does not grow",
        || {
            let mut held = own.connect();
            let mut challenges = std::collections::BTreeSet::new();
            for round in 0..40 {
                let reply = app.call(&held.access, "delete_meeting", &json!({"meeting_id": "m1"}));
                assert_eq!(reply.status, 403, "{reply:?}");
                challenges.insert(reply.header("www-authenticate").unwrap().to_owned());
                if round % 20 == 0 {
                    held = own.next(&held.refresh);
                    assert_eq!(held.scope, "mico:read");
                }
            }
            assert_eq!(challenges.len(), 1, "{challenges:?}");
            assert!(challenges.first().unwrap().contains("error=\"insufficient_scope\""), "{challenges:?}");
        },
    );
    holds(
        "N-143",
        "a scope taken from the token that authorized the grant is gone from the next token",
        || {
            let given = wide();
            assert_eq!(given.scope, "mico:read mico:write");
            app.sql(&format!("UPDATE pats SET scopes = 'mico:read' WHERE id = '{}'", own.pat.id));
            let reply = own.refresh(&given.refresh);
            assert_eq!((reply.status, scope(&reply).as_str()), (200, "mico:read"));
            let next = connection(&own.client, &reply);
            let call = app.call(&next.access, "delete_meeting", &json!({"meeting_id": "m1"}));
            assert_eq!(call.status, 403, "{call:?}");
        },
    );
}

#[test]
fn a_family_has_an_end_and_ends_with_what_it_hangs_on() {
    let own = Setup::of(
        TestApp::builder().with("oauth", "grant_max_ttl = \"3d\"\nrefresh_token_ttl = \"2d\"").start(),
    );
    let app = &own.app;
    holds("N-140", "rotated daily, a family still ends at its absolute life", || {
        let mut held = own.connect();
        for _ in 0..2 {
            app.advance(Duration::from_hours(24));
            held = own.next(&held.refresh);
        }
        app.advance(Duration::from_hours(24));
        refused(&own.refresh(&held.refresh), 400, "invalid_grant");
        app.assert_dead(&held.access);
    });
    holds("N-141", "a refresh token idle for longer than its life is invalid_grant", || {
        let held = own.connect();
        app.advance(Duration::from_hours(48));
        refused(&own.refresh(&held.refresh), 400, "invalid_grant");
    });
    holds("F-09", "rotation slides the idle limit and never the absolute one", || {
        let held = own.connect();
        app.advance(Duration::from_hours(47));
        let next = own.next(&held.refresh);
        app.advance(Duration::from_hours(24) + Duration::from_mins(30));
        let last = own.refresh(&next.refresh);
        assert_eq!(last.status, 200, "47 + 24.5 hours: idle limit slid, 72 not over");
        assert_eq!(last.json()["expires_in"], json!(1800), "no token outlives its grant");
        app.advance(Duration::from_mins(30));
        refused(&own.refresh(&connection(&own.client, &last).refresh), 400, "invalid_grant");
    });
    holds(
        "F-12",
        "ended by consent withdrawn, client disabled, person locked; a new password keeps it (rules: cascade)",
        || {
            let (first, second) = (own.connect(), own.connect());
            app.cli(&["user", "password", &own.email, "--password-stdin"], Some(&format!("{PASSWORD} 2\n")));
            let first = own.next(&first.refresh);
            let all = app.cli(&["grant", "list", "--user", &own.email], None);
            let alive: Vec<&str> = all
                .as_array()
                .unwrap()
                .iter()
                .filter(|grant| grant["ended_at"].is_null())
                .map(|grant| grant["id"].as_str().unwrap())
                .collect();
            for id in alive {
                app.command(&["grant", "revoke", id], None);
            }
            refused(&own.refresh(&first.refresh), 400, "invalid_grant");
            refused(&own.refresh(&second.refresh), 400, "invalid_grant");
        },
    );
    holds(
        "N-139",
        "invalid_grant after withdrawal or a lock; 401 for a disabled client; kept at a new password",
        || {
            let held = own.connect();
            app.cli(&["client", "disable", &own.client], None);
            refused(&own.refresh(&held.refresh), 401, "invalid_client");
            app.cli(&["client", "enable", &own.client], None);
            refused(&own.refresh(&held.refresh), 400, "invalid_grant");
            let held = own.connect();
            app.cli(&["user", "password", &own.email, "--password-stdin"], Some(&format!("{PASSWORD} 3\n")));
            let held = own.next(&held.refresh);
            app.cli(&["user", "delete", &own.email], None);
            refused(&own.refresh(&held.refresh), 400, "invalid_grant");
        },
    );
}

#[test]
fn our_trouble_consumes_nothing() {
    let own = Setup::new();
    let app = &own.app;
    let given = own.connect();
    holds("F-13", "a refresh that fails for our reasons leaves the token as it was", || {
        app.while_nothing_can_be_kept(|| {
            for _ in 0..3 {
                refused(&own.refresh(&given.refresh), 503, "temporarily_unavailable");
            }
        });
        let next = own.next(&given.refresh);
        app.advance(HOUR);
        assert_eq!(own.refresh(&next.refresh).status, 200, "never a replay");
    });
    holds(
        "C144",
        "storage trouble at a refresh is 503 JSON with Retry-After, and it works afterwards",
        || {
            let given = own.connect();
            app.while_nothing_can_be_kept(|| {
                let reply = own.refresh(&given.refresh);
                refused(&reply, 503, "temporarily_unavailable");
                assert!(reply.header("retry-after").unwrap().parse::<u32>().unwrap() >= 1);
            });
            app.assert_alive(&own.next(&given.refresh).access);
        },
    );
}
