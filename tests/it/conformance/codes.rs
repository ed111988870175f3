//! Authorization codes at the token endpoint.

use std::time::Duration;

use serde_json::json;

use super::holds;
use super::kit::{ARCHIVE, redemption, refused};
use crate::support::callers::PASSWORD;
use crate::support::flow::{Connection, REDIRECT, VERIFIER, connection};
use crate::support::{Reply, TestApp, eventually};

const WRONG: &str = "a-wrong-verifier-of-more-than-forty-three-characters";

pub(super) struct Setup {
    pub app: TestApp,
    email: String,
    pub pat: String,
    pub client: String,
}

impl Setup {
    pub fn new() -> Self {
        let app = TestApp::start();
        let person = app.person("ana");
        let pat = app.pat(&person, &[]).token;
        let client = app.register("agent");
        Self { app, email: person.email, pat, client }
    }

    pub fn code(&self) -> String {
        self.app.code(&self.client, &self.pat)
    }

    pub fn send(&self, code: &str, over: &[(&str, &str)]) -> Reply {
        self.app.token(&redemption(&self.client, code, over))
    }

    pub fn redeemed(&self, code: &str) -> Connection {
        connection(&self.client, &self.send(code, &[]))
    }

    #[track_caller]
    fn still_good(&self, code: &str) {
        let reply = self.send(code, &[]);
        assert_eq!(reply.status, 200, "still usable: {reply:?}");
    }
}

#[test]
fn a_code_is_bound_to_everything_it_was_asked_with() {
    let own = Setup::new();
    let other = own.app.register("another");
    holds("G-02", "a code is bound to client, redirect, challenge, person, scopes and service", || {
        let code = own.code();
        refused(&own.send(&code, &[("client_id", &other)]), 400, "invalid_grant");
        refused(&own.send(&code, &[("redirect_uri", "http://127.0.0.1:1/callback")]), 400, "invalid_grant");
        refused(&own.send(&code, &[("code_verifier", WRONG)]), 400, "invalid_grant");
        refused(&own.send(&code, &[("resource", "https://other.example/")]), 400, "invalid_target");
        let body = own.send(&code, &[("scope", "mico:read mico:write")]).json();
        assert_eq!(body["scope"], "mico:read", "no more than was allowed");
    });
    holds("G-04", "everything is checked first: a foreign or wrong request leaves the code usable", || {
        let code = own.code();
        for over in
            [("client_id", other.as_str()), ("code_verifier", WRONG), ("redirect_uri", "http://localhost/")]
        {
            refused(&own.send(&code, &[over]), 400, "invalid_grant");
        }
        own.still_good(&code);
    });
}

#[test]
fn a_verifier_is_guessed_five_times_at_most() {
    let own = Setup::new();
    holds("N-111", "one wrong verifier leaves the code usable, five burn it", || {
        let code = own.code();
        refused(&own.send(&code, &[("code_verifier", WRONG)]), 400, "invalid_grant");
        own.still_good(&code);
        let code = own.code();
        for _ in 0..5 {
            refused(&own.send(&code, &[("code_verifier", WRONG)]), 400, "invalid_grant");
        }
        refused(&own.send(&code, &[]), 400, "invalid_grant");
    });
    holds(
        "C135",
        "a wrong verifier is invalid_grant in the one text for all; the right one still works",
        || {
            let code = own.code();
            let wrong = own.send(&code, &[("code_verifier", WRONG)]);
            let unknown = own.send(&format!("mico_oac_{}", "a".repeat(49)), &[]);
            refused(&wrong, 400, "invalid_grant");
            assert_eq!(wrong.body, unknown.body);
            own.still_good(&code);
        },
    );
}

#[test]
fn a_verifier_has_a_grammar() {
    let own = Setup::new();
    holds("N-112", "a verifier outside the grammar is invalid_request and no guess", || {
        let code = own.code();
        let long = "v".repeat(129);
        let (spaced, accented) = (format!("{VERIFIER} x"), format!("{VERIFIER}\u{e9}"));
        for bad in ["v", &"v".repeat(42), &long, &spaced, &accented, &format!("{VERIFIER}+")] {
            refused(&own.send(&code, &[("code_verifier", bad)]), 400, "invalid_request");
        }
        own.still_good(&code);
    });
    holds("N-113", "no verifier is invalid_request and the code stays", || {
        let code = own.code();
        refused(&own.send(&code, &[("code_verifier", "")]), 400, "invalid_request");
        own.still_good(&code);
    });
    holds("N-115", "a code whose stored challenge was lost gives no token, whatever is sent", || {
        let code = own.code();
        own.app.change("UPDATE codes SET challenge = '' WHERE consumed_at IS NULL");
        refused(&own.send(&code, &[]), 400, "invalid_grant");
        refused(&own.send(&code, &[("code_verifier", "")]), 400, "invalid_request");
    });
}

#[test]
fn the_redirect_is_the_string_that_was_asked() {
    let own = Setup::new();
    holds("N-116", "another port or spelling of the redirect is invalid_grant, none is fine", || {
        let code = own.code();
        for other in [
            "http://127.0.0.1:51235/callback",
            "http://localhost:51234/callback",
            "http://127.0.0.1:51234/callback/",
        ] {
            refused(&own.send(&code, &[("redirect_uri", other)]), 400, "invalid_grant");
        }
        assert_eq!(own.send(&code, &[("redirect_uri", "")]).status, 200);
    });
    holds("G-07", "redirect_uri may be absent; if it is there it is the same string", || {
        let code = own.code();
        refused(
            &own.send(&code, &[("redirect_uri", "HTTP://127.0.0.1:51234/callback")]),
            400,
            "invalid_grant",
        );
        assert_eq!(own.send(&code, &[("redirect_uri", REDIRECT)]).status, 200);
    });
    holds(
        "C136",
        "the redirect is compared with what /authorize was sent, not with what is registered",
        || {
            let uri = "http://127.0.0.1:60001/callback";
            let code = own.app.code_with(&own.client, &own.pat, &[("redirect_uri", uri)]);
            refused(
                &own.send(&code, &[("redirect_uri", "http://localhost:60001/callback")]),
                400,
                "invalid_grant",
            );
            refused(&own.send(&code, &[("redirect_uri", REDIRECT)]), 400, "invalid_grant");
            assert_eq!(own.send(&code, &[("redirect_uri", uri)]).status, 200);
        },
    );
}

#[test]
fn every_bad_code_is_one_answer() {
    let own = Setup::new();
    let other = own.app.register("another");
    holds("N-121", "scope sent with a code never gives more", || {
        for asked in ["mico:write", "mico:read mico:write", "other:thing", "mico:read"] {
            let reply = own.send(&own.code(), &[("scope", asked)]);
            assert_eq!((reply.status, &reply.json()["scope"]), (200, &json!("mico:read")), "{asked}");
        }
    });
    holds(
        "G-06",
        "unknown, expired, used, foreign and redirect mismatch are one invalid_grant, one text",
        || {
            let (used, expired, good) = (own.code(), own.code(), own.code());
            own.still_good(&used);
            let mut bodies = vec![
                own.send(&used, &[]),
                own.send(&good, &[("client_id", &other)]),
                own.send(&good, &[("redirect_uri", "http://localhost/")]),
                own.send(&good, &[("code_verifier", WRONG)]),
                own.send("mico_oac_nonsense", &[]),
                own.send("x", &[]),
            ];
            own.app.advance(Duration::from_secs(61));
            bodies.push(own.send(&expired, &[]));
            for reply in &bodies {
                refused(reply, 400, "invalid_grant");
                assert_eq!(reply.body, bodies[0].body);
            }
        },
    );
    holds("N-124", "an unknown code and another client's are one answer after one look-up by digest", || {
        let (code, unknown) = (own.code(), format!("mico_oac_{}", "b".repeat(49)));
        let foreign = own.send(&code, &[("client_id", &other)]);
        let unheard = own.send(&unknown, &[("client_id", &other)]);
        refused(&foreign, 400, "invalid_grant");
        assert_eq!((foreign.status, &foreign.body), (unheard.status, &unheard.body));
    });
}

#[test]
fn a_code_is_good_for_a_minute_once() {
    let own = Setup::new();
    let (app, client) = (&own.app, &own.client);
    holds("N-117", "a code of 61 seconds is invalid_grant", || {
        let code = own.code();
        app.advance(Duration::from_secs(61));
        refused(&own.send(&code, &[]), 400, "invalid_grant");
    });
    holds(
        "G-01",
        "a code is 256 random bits, good for 60 seconds; only its digest is kept (storage tests)",
        || {
            let (code, another) = (own.code(), own.code());
            assert_ne!(code, another);
            let tail = code.strip_prefix("mico_oac_").unwrap();
            assert!(tail.len() == 49 && tail.bytes().all(|b| b.is_ascii_alphanumeric()), "{tail}");
            app.advance(Duration::from_secs(59));
            own.still_good(&code);
            app.advance(Duration::from_secs(1));
            refused(&own.send(&another, &[]), 400, "invalid_grant");
        },
    );
    holds(
        "N-107",
        "a valid replay after ten seconds ends what the first gave, at once (rules: codes)",
        || {
            let code = own.code();
            let given = own.redeemed(&code);
            let repeat = own.send(&code, &[]);
            refused(&repeat, 400, "invalid_grant");
            app.assert_alive(&given.access);
            app.advance(Duration::from_secs(11));
            refused(&own.send(&code, &[]), 400, "invalid_grant");
            app.assert_dead(&given.access);
            refused(&app.refresh(client, &given.refresh), 400, "invalid_grant");
        },
    );
    holds(
        "G-05",
        "a valid replay ends the family, an identical one within ten seconds does not (rules: codes)",
        || {
            let code = own.code();
            let given = own.redeemed(&code);
            let next = connection(client, &app.refresh(client, &given.refresh));
            app.advance(Duration::from_secs(10));
            refused(&own.send(&code, &[]), 400, "invalid_grant");
            app.assert_alive(&next.access);
            app.advance(Duration::from_secs(1));
            refused(&own.send(&code, &[]), 400, "invalid_grant");
            app.assert_dead(&next.access);
            app.assert_dead(&given.access);
            refused(&app.refresh(client, &next.refresh), 400, "invalid_grant");
        },
    );
}

#[test]
fn a_replay_that_is_wrong_ends_nothing_and_a_late_one_is_seen() {
    let own = Setup::new();
    let (app, client) = (&own.app, &own.client);
    holds("N-108", "a replay with a wrong verifier, client or redirect ends nothing", || {
        let code = own.code();
        let given = own.redeemed(&code);
        app.advance(Duration::from_secs(30));
        let other = app.register("another");
        for over in
            [("code_verifier", WRONG), ("client_id", other.as_str()), ("redirect_uri", "http://localhost/")]
        {
            refused(&own.send(&code, &[over]), 400, "invalid_grant");
        }
        refused(&own.send(&code, &[("client_id", "nobody")]), 401, "invalid_client");
        refused(&own.send(&code, &[("resource", "https://other.example/")]), 400, "invalid_target");
        app.assert_alive(&given.access);
        assert_eq!(app.refresh(client, &given.refresh).status, 200);
    });
    holds("G-09", "a used code is known as long as its family lives, so a late replay is seen", || {
        let code = own.code();
        let given = own.redeemed(&code);
        app.advance(Duration::from_hours(20 * 24));
        let next = connection(client, &app.refresh(client, &given.refresh));
        tokio::runtime::Runtime::new().unwrap().block_on(portero::jobs::sweep::run_once(&app.app));
        app.assert_alive(&next.access);
        refused(&own.send(&code, &[]), 400, "invalid_grant");
        app.assert_dead(&next.access);
        assert!(app.grants(&own.email).contains("code_replay"), "{}", app.grants(&own.email));
    });
}

#[test]
fn what_a_code_hangs_on_has_to_be_there_at_its_redemption() {
    let own = Setup::new();
    let app = &own.app;
    holds("G-08", "at redemption person, client, token and grant are alive still", || {
        let code = own.code();
        app.cli(&["client", "disable", &own.client], None);
        eventually("401", || (own.send(&code, &[]).status == 401).then_some(()));
        refused(&own.send(&code, &[]), 401, "invalid_client");
        app.cli(&["client", "enable", &own.client], None);
        refused(&own.send(&code, &[]), 400, "invalid_grant");
        own.still_good(&own.code());
    });
    holds(
        "N-119",
        "a code is invalid_grant after a revoked token, a new password, a lock or a leave",
        || {
            let person = app.person("bea");
            let code_of = |pat: &str| app.code(&own.client, pat);
            let pat = app.pat(&person, &[]);
            let code = code_of(&pat.token);
            app.cli(&["token", "revoke", &pat.id], None);
            refused(&own.send(&code, &[]), 400, "invalid_grant");
            let pat = app.pat(&person, &[]);
            let code = code_of(&pat.token);
            app.cli(
                &["user", "password", &person.email, "--password-stdin"],
                Some(&format!("{PASSWORD} 2\n")),
            );
            refused(&own.send(&code, &[]), 400, "invalid_grant");
            let code = code_of(&pat.token);
            app.cli(&["user", "lock", &person.email], None);
            refused(&own.send(&code, &[]), 400, "invalid_grant");
            app.cli(&["user", "unlock", &person.email], None);
            refused(&own.send(&code, &[]), 400, "invalid_grant");
            let code = code_of(&app.pat(&person, &[]).token);
            app.cli(&["user", "delete", &person.email], None);
            refused(&own.send(&code, &[]), 400, "invalid_grant");
        },
    );
}

#[test]
fn what_cannot_be_kept_is_not_half_done() {
    let own = Setup::new();
    let app = &own.app;
    holds("N-123", "an issue that cannot be kept leaves the code as it was: no half state", || {
        let code = own.code();
        app.while_nothing_can_be_kept(|| {
            let reply = own.send(&code, &[]);
            refused(&reply, 503, "temporarily_unavailable");
            assert!(reply.header("retry-after").is_some());
        });
        own.still_good(&code);
    });
    holds("K-06", "consume, issue and audit are one transaction: all of it or nothing", || {
        let (code, given) = (own.code(), own.redeemed(&own.code()));
        app.change("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END");
        let unheard = app.consent(&app.authorize_url(&own.client, &[]), &own.pat, "allow");
        assert_eq!((unheard.status, unheard.header("location")), (503, None));
        app.change("DROP TRIGGER full");
        app.while_nothing_can_be_kept(|| {
            refused(&own.send(&code, &[]), 503, "temporarily_unavailable");
            refused(&app.refresh(&own.client, &given.refresh), 503, "temporarily_unavailable");
        });
        own.still_good(&code);
        let next = connection(&own.client, &app.refresh(&own.client, &given.refresh));
        app.assert_alive(&next.access);
    });
}

#[test]
fn a_code_is_for_the_service_it_was_asked_for() {
    let app = TestApp::builder().with("tail", ARCHIVE).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let client = app.register("agent");
    let archive = format!("{}/archive", app.base);
    let code = app.code(&client, &pat);
    let send = |resources: &[&str]| {
        let mut form = redemption(&client, &code, &[]);
        form.extend(resources.iter().map(|own| ("resource", *own)));
        app.token(&form)
    };
    holds("N-120", "another resource, or two, is invalid_target and the code stays usable", || {
        refused(&send(&[&archive]), 400, "invalid_target");
        refused(&send(&[&app.resource, &archive]), 400, "invalid_target");
        refused(&send(&["https://other.example/"]), 400, "invalid_target");
        assert_eq!(send(&[]).status, 200);
    });
}
