//! Whose a refresh token is, and what it can give.

use std::time::Duration;

use serde_json::json;

use super::holds;
use super::kit::{Key, refused};
use super::refresh::Setup;
use crate::support::flow::{Connection, connection};
use crate::support::{Builder, Reply, on_both_databases};

on_both_databases! {
    a_refresh_token_is_its_clients_and_no_other_kind_of_credential,
    no_other_credential_takes_its_place,
    scopes_narrow_for_once_and_never_grow,
    a_family_is_for_what_was_granted,
    scopes_do_not_grow_and_shrink_at_once,
}

const BOTH: (&str, &str) = ("scope", "mico:read mico:write");

fn a_refresh_token_is_its_clients_and_no_other_kind_of_credential(builder: Builder) {
    let own = Setup::of(builder.start());
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
}

fn no_other_credential_takes_its_place(builder: Builder) {
    let own = Setup::of(builder.start());
    let app = &own.app;
    let other = app.register("another");
    let given = own.connect();
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
        app.oauth("revoke", &[("token", &ended.refresh), ("client_id", &own.client)]);
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

fn scope(reply: &Reply) -> String {
    reply.json()["scope"].as_str().unwrap_or_default().to_owned()
}

fn wide(own: &Setup) -> Connection {
    own.app.connect_with(&own.client, &own.pat.token, &[BOTH])
}

fn scopes_narrow_for_once_and_never_grow(builder: Builder) {
    let own = Setup::of(builder.start());
    let app = &own.app;
    let wide = || wide(&own);
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
}

fn a_family_is_for_what_was_granted(builder: Builder) {
    let own = Setup::of(builder.start());
    let app = &own.app;
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
            app.oauth(
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
}

fn scopes_do_not_grow_and_shrink_at_once(builder: Builder) {
    let own = Setup::of(builder.start());
    let app = &own.app;
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
            let given = wide(&own);
            assert_eq!(given.scope, "mico:read mico:write");
            app.change(&format!("UPDATE pats SET scopes = 'mico:read' WHERE id = '{}'", own.pat.id));
            let reply = own.refresh(&given.refresh);
            assert_eq!((reply.status, scope(&reply).as_str()), (200, "mico:read"));
            let next = connection(&own.client, &reply);
            let call = app.call(&next.access, "delete_meeting", &json!({"meeting_id": "m1"}));
            assert_eq!(call.status, 403, "{call:?}");
        },
    );
}
