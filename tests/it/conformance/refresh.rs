//! Refresh tokens: one successor however many ask, and what a replay costs.

use std::time::Duration;

use serde_json::json;

use super::holds;
use super::kit::{Key, refused};
use crate::support::callers::PASSWORD;
use crate::support::flow::{Connection, connection};
use crate::support::{Builder, Reply, TestApp, eventually, on_both_databases};

const HOUR: Duration = Duration::from_hours(1);

on_both_databases! {
    every_use_rotates_and_repeats_lead_to_the_one_successor,
    what_a_refresh_gave_works,
    a_replay_ends_the_family,
    a_family_has_an_end_and_ends_with_what_it_hangs_on,
    a_family_ends_with_what_it_hangs_on,
    our_trouble_consumes_nothing,
}

pub(super) struct Setup {
    pub app: TestApp,
    email: String,
    pub pat: crate::support::callers::Pat,
    pub client: String,
}

impl Setup {
    pub fn of(app: TestApp) -> Self {
        let person = app.person("ana");
        let pat = app.pat(&person, &[]);
        let client = app.register("agent");
        Self { app, email: person.email, pat, client }
    }

    pub fn connect(&self) -> Connection {
        self.app.connect_as(&self.client, &self.pat.token)
    }

    pub fn refresh(&self, token: &str) -> Reply {
        self.app.refresh(&self.client, token)
    }

    pub fn refresh_with(&self, token: &str, more: &[(&str, &str)]) -> Reply {
        let mut form =
            vec![("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", &self.client)];
        form.extend_from_slice(more);
        self.app.token(&form)
    }

    #[track_caller]
    pub fn next(&self, token: &str) -> Connection {
        let reply = self.refresh(token);
        assert_eq!(reply.status, 200, "{reply:?}");
        connection(&self.client, &reply)
    }
}

fn every_use_rotates_and_repeats_lead_to_the_one_successor(builder: Builder) {
    let own = Setup::of(builder.start());
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
}

fn what_a_refresh_gave_works(builder: Builder) {
    let own = Setup::of(builder.start());
    let app = &own.app;
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
}

fn a_replay_ends_the_family(builder: Builder) {
    let own = Setup::of(builder.start());
    let app = &own.app;
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

fn a_family_has_an_end_and_ends_with_what_it_hangs_on(builder: Builder) {
    let own = Setup::of(builder.with("oauth", "grant_max_ttl = \"3d\"\nrefresh_token_ttl = \"2d\"").start());
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
}

fn a_family_ends_with_what_it_hangs_on(builder: Builder) {
    let own = Setup::of(builder.start());
    let app = &own.app;
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
            eventually("401", || (own.refresh(&held.refresh).status == 401).then_some(()));
            refused(&own.refresh(&held.refresh), 401, "invalid_client");
            app.cli(&["client", "enable", &own.client], None);
            eventually("400", || (own.refresh(&held.refresh).status == 400).then_some(()));
            refused(&own.refresh(&held.refresh), 400, "invalid_grant");
            let held = own.connect();
            app.cli(&["user", "password", &own.email, "--password-stdin"], Some(&format!("{PASSWORD} 3\n")));
            let held = own.next(&held.refresh);
            app.cli(&["user", "delete", &own.email], None);
            refused(&own.refresh(&held.refresh), 400, "invalid_grant");
        },
    );
}

fn our_trouble_consumes_nothing(builder: Builder) {
    let own = Setup::of(builder.start());
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
