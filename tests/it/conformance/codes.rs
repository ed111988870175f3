//! Authorization codes at the token endpoint, and what every token answer looks like.

use std::time::Duration;

use serde_json::json;

use super::holds;
use super::kit::{ARCHIVE, redemption, refused};
use crate::support::callers::PASSWORD;
use crate::support::flow::{Connection, REDIRECT, VERIFIER, challenge, connection};
use crate::support::http::{get, post_form};
use crate::support::{Reply, TestApp};

const WRONG: &str = "a-wrong-verifier-of-more-than-forty-three-characters";

struct Setup {
    app: TestApp,
    email: String,
    pat: String,
    client: String,
}

impl Setup {
    fn new() -> Self {
        let app = TestApp::start();
        let person = app.person("ana");
        let pat = app.pat(&person, &[]).token;
        let client = app.register("agent");
        Self { app, email: person.email, pat, client }
    }

    fn code(&self) -> String {
        self.app.code(&self.client, &self.pat)
    }

    fn send(&self, code: &str, over: &[(&str, &str)]) -> Reply {
        self.app.token(&redemption(&self.client, code, over))
    }

    fn redeemed(&self, code: &str) -> Connection {
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
        own.app.sql("UPDATE codes SET challenge = '' WHERE consumed_at IS NULL");
        refused(&own.send(&code, &[]), 400, "invalid_grant");
        refused(&own.send(&code, &[("code_verifier", "")]), 400, "invalid_request");
    });
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
        app.sql("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END");
        let unheard = app.consent(&app.authorize_url(&own.client, &[]), &own.pat, "allow");
        assert_eq!((unheard.status, unheard.header("location")), (503, None));
        app.sql("DROP TRIGGER full");
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
fn a_token_answer_has_what_clients_read_and_nothing_else() {
    let own = Setup::new();
    let (app, client) = (&own.app, &own.client);
    holds("C114", "a public client's plain redemption gives the five members, uncached", || {
        let verifier = format!("{}-._~", "Aa0".repeat(42)).chars().take(128).collect::<String>();
        let long = format!("{}-._~", "A".repeat(124));
        for verifier in [verifier.as_str(), long.as_str(), &"z".repeat(43)] {
            let code = app.code_with(client, &own.pat, &[("code_challenge", &challenge(verifier))]);
            let over = [("code_verifier", verifier), ("resource", app.resource.as_str())];
            let reply = own.send(&code, &over);
            assert_eq!(reply.status, 200, "{reply:?}");
            assert_eq!(reply.header("cache-control"), Some("no-store"));
            let body = reply.json();
            let mut names: Vec<&String> = body.as_object().unwrap().keys().collect();
            names.sort();
            assert_eq!(names, ["access_token", "expires_in", "refresh_token", "scope", "token_type"]);
        }
    });
    let first = own.send(&own.code(), &[]);
    let given = connection(client, &first);
    let refreshed = app.refresh(client, &given.refresh);
    holds("K-01", "tokens are Bearer, expires_in a positive whole number, scope always there", || {
        for reply in [&first, &refreshed] {
            let body = reply.json();
            assert_eq!((reply.status, &body["token_type"]), (200, &json!("Bearer")));
            assert_eq!((body["expires_in"].as_i64(), &body["scope"]), (Some(3600), &json!("mico:read")));
            assert!(body["access_token"].as_str().unwrap().starts_with("mico_oat_"));
            assert!(body["refresh_token"].as_str().unwrap().starts_with("mico_ort_"));
        }
    });
    holds("C139", "expires_in is the token's real life in seconds, an hour", || {
        let issued = connection(client, &app.refresh(client, &given.refresh));
        app.advance(Duration::from_secs(3599));
        app.assert_alive(&issued.access);
        app.advance(Duration::from_secs(1));
        app.assert_dead(&issued.access);
    });
    holds("C141", "no member is null: what is not issued is left out", || {
        for reply in [&first, &refreshed] {
            assert!(reply.json().as_object().unwrap().values().all(|value| !value.is_null()), "{reply:?}");
            assert!(reply.json().get("id_token").is_none());
        }
    });
    holds("K-07", "an access token lasts an hour and is for one service", || {
        let key = app.introspection_key();
        let access = own.redeemed(&own.code()).access;
        let form = [("token", access.as_str()), ("client_id", &key.id), ("client_secret", &key.secret)];
        let live = app.post("introspect", &form).json();
        assert_eq!(live["aud"], json!(app.resource));
        assert_eq!(live["exp"].as_i64().unwrap() - live["iat"].as_i64().unwrap(), 3600);
    });
    holds("K-08", "every registered client has the refresh grant and gets a refresh token", || {
        let made = app
            .register_with(&json!({"redirect_uris": [REDIRECT], "grant_types": ["authorization_code"]}))
            .json();
        assert_eq!(made["grant_types"], json!(["authorization_code", "refresh_token"]));
        let id = made["client_id"].as_str().unwrap();
        let connected = app.connect_as(id, &own.pat);
        assert_eq!(app.refresh(id, &connected.refresh).status, 200);
    });
    holds("K-03", "no grant_type is invalid_request, any but the two is unsupported_grant_type", || {
        let send = |grant: &str| app.token(&[("grant_type", grant), ("client_id", client), ("code", "x")]);
        refused(&send(""), 400, "invalid_request");
        for other in
            ["password", "implicit", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]
        {
            refused(&send(other), 400, "unsupported_grant_type");
        }
        let metadata = get(&format!("{}/.well-known/oauth-authorization-server", app.base)).json();
        assert_eq!(metadata["grant_types_supported"], json!(["authorization_code", "refresh_token"]));
    });
    holds(
        "CC-01",
        "client credentials are not offered: not advertised, unsupported_grant_type for all",
        || {
            let key = app.confidential();
            let mut form = vec![("grant_type", "client_credentials"), ("scope", "mico:read")];
            refused(
                &app.token(&[form.as_slice(), &[("client_id", client)]].concat()),
                400,
                "unsupported_grant_type",
            );
            form.extend([("client_id", key.id.as_str()), ("client_secret", key.secret.as_str())]);
            refused(&app.token(&form), 400, "unsupported_grant_type");
        },
    );
    holds("C138", "the root /token of the resource's host is the same endpoint over the same store", || {
        let again = own.redeemed(&own.code());
        let url = format!("{}/token", app.base);
        let form =
            [("grant_type", "refresh_token"), ("refresh_token", &again.refresh), ("client_id", client)];
        let reply = post_form(&url, &[], &form);
        app.assert_alive(&connection(client, &reply).access);
        let wrong = [("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", client)];
        refused(&post_form(&url, &[], &wrong), 400, "invalid_grant");
    });
}

#[test]
fn an_error_has_its_status_and_never_another() {
    let own = Setup::new();
    let (app, client) = (&own.app, &own.client);
    let cases: Vec<(Reply, u16, &str)> = vec![
        (own.send("x", &[]), 400, "invalid_grant"),
        (own.send("", &[]), 400, "invalid_request"),
        (own.send("x", &[("client_id", "nobody")]), 401, "invalid_client"),
        (own.send("x", &[("grant_type", "x")]), 400, "unsupported_grant_type"),
        (own.send("x", &[("resource", "https://other.example/")]), 400, "invalid_target"),
        (app.refresh(client, "x"), 400, "invalid_grant"),
    ];
    holds("K-02", "errors are 400, invalid_client 401, each with its own code", || {
        for (reply, status, error) in &cases {
            refused(reply, *status, error);
        }
        let given = own.redeemed(&own.code());
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", &given.refresh),
            ("client_id", client),
            ("scope", "x:y"),
        ];
        refused(&app.token(&form), 400, "invalid_scope");
    });
    holds("C124", "no error is said with 200", || {
        assert!(cases.iter().all(|(reply, ..)| reply.status >= 400))
    });
    holds("K-05", "an error is never HTML and a success has no error member", || {
        for headers in [vec![("accept", "text/html")], vec![("user-agent", "Mozilla/5.0")]] {
            let wrong =
                post_form(&app.endpoint("token"), &headers, &[("grant_type", "x"), ("client_id", client)]);
            refused(&wrong, 400, "unsupported_grant_type");
            let (code, url) = (own.code(), app.endpoint("token"));
            let right = post_form(&url, &headers, &redemption(client, &code, &[]));
            assert_eq!((right.status, right.header("content-type")), (200, Some("application/json")));
            assert!(right.json().get("error").is_none());
        }
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
