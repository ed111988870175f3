//! What ends with what, and that it ends at once, also when the command runs beside the server.

use std::time::Duration;

use serde_json::json;

use crate::conformance::holds;
use crate::support::http::post_form;
use crate::support::{Builder, Stopwatch, TestApp, eventually, on_both_databases};

on_both_databases! {
    revoking_a_pat_ends_every_connection_it_authorized_and_no_other,
    a_locked_user_has_nothing_and_unlocking_revives_nothing,
    leaving_a_workspace_ends_what_acts_for_it_and_joining_again_revives_nothing,
    a_plan_or_a_status_is_seen_at_the_next_call,
    revocation_by_the_client_ends_a_family_or_one_access_token,
    introspection_tells_the_live_from_everything_else,
    everything_survives_a_restart,
    a_reading_that_began_before_the_revocation_does_not_outlive_it,
    a_warm_call_asks_the_database_nothing,
}

/// Waits until a token is refused and says how long that took.
fn until_dead(app: &TestApp, token: &str) -> Duration {
    let began = Stopwatch::start();
    loop {
        let reply = app.call(token, "list_meetings", &json!({}));
        if reply.status == 401 {
            assert!(reply.header("www-authenticate").unwrap().contains("error=\"invalid_token\""));
            return began.elapsed();
        }
        assert_eq!(reply.status, 200, "{reply:?}");
        assert!(began.elapsed() < Duration::from_secs(5), "still alive");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn revoking_a_pat_ends_every_connection_it_authorized_and_no_other(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let (pat, other) = (app.pat(&person, &[]), app.pat(&person, &[]));
    let first = app.connect_as(&app.register("first"), &pat.token);
    let second = app.connect_as(&app.register("second"), &pat.token);
    let kept = app.connect_as(&app.register("first"), &other.token);
    for token in [&first.access, &second.access, &kept.access, &pat.token] {
        app.assert_alive(token);
    }
    let ended = app.cli(&["token", "revoke", &pat.id], None);
    assert!(ended.to_string().contains("first") && ended.to_string().contains("second"), "{ended}");
    holds(
        "C223",
        "what is revoked is 401 with its unexpired token, on the node within half a second",
        || {
            for token in [&pat.token, &first.access, &second.access] {
                let took = until_dead(&app, token);
                assert!(took < Duration::from_millis(500), "{took:?}");
            }
        },
    );
    for dead in [&first, &second] {
        let reply = app.refresh(&dead.client, &dead.refresh);
        assert_eq!((reply.status, reply.json()["error"].as_str()), (400, Some("invalid_grant")));
    }
    app.assert_alive(&kept.access);
    app.assert_alive(&other.token);
    assert_eq!(app.refresh(&kept.client, &kept.refresh).status, 200);
}

fn a_locked_user_has_nothing_and_unlocking_revives_nothing(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let own = app.connect(&pat.token);
    app.assert_alive(&own.access);
    app.cli(&["user", "lock", &person.email], None);
    until_dead(&app, &own.access);
    until_dead(&app, &pat.token);
    app.cli(&["user", "unlock", &person.email], None);
    app.assert_dead(&own.access);
    app.assert_dead(&pat.token);
    assert_eq!(app.refresh(&own.client, &own.refresh).json()["error"], "invalid_grant");
    app.assert_alive(&app.pat(&person, &[]).token);
}

fn leaving_a_workspace_ends_what_acts_for_it_and_joining_again_revives_nothing(builder: Builder) {
    let app = builder.start();
    let (ana, bruno) = (app.person("ana"), app.person("bruno"));
    app.cli(&["workspace", "add-member", &ana.workspace, &bruno.email], None);
    let made = app.cli(
        &[
            "token",
            "create",
            "--user",
            &bruno.email,
            "--brand",
            "mico",
            "--name",
            "w",
            "--workspace",
            &ana.workspace,
        ],
        None,
    );
    let token = made["token"].as_str().unwrap();
    app.assert_alive(token);
    app.cli(&["workspace", "remove-member", &ana.workspace, &bruno.email], None);
    until_dead(&app, token);
    app.cli(&["workspace", "add-member", &ana.workspace, &bruno.email], None);
    app.assert_dead(token);
}

fn a_plan_or_a_status_is_seen_at_the_next_call(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let code = |app: &TestApp| {
        std::thread::sleep(Duration::from_millis(400));
        let reply = app.call(&pat.token, "list_meetings", &json!({}));
        (reply.status, reply.json()["code"].as_str().unwrap_or_default().to_owned())
    };
    app.assert_alive(&pat.token);
    app.cli(&["workspace", "set-plan", &person.workspace, "free"], None);
    assert_eq!(code(&app), (402, "feature_not_included".to_owned()));
    app.cli(&["workspace", "set-plan", &person.workspace, "none"], None);
    assert_eq!(code(&app), (402, "no_plan".to_owned()));
    app.cli(&["workspace", "set-plan", &person.workspace, "flow"], None);
    assert_eq!(code(&app).0, 200);
    app.cli(&["workspace", "set-status", &person.workspace, "inactive"], None);
    assert_eq!(code(&app), (402, "subscription_inactive".to_owned()));
    app.cli(&["workspace", "set-status", &person.workspace, "past_due"], None);
    assert_eq!(code(&app).0, 200);
    let all = app.pat(&person, &[]);
    let reply = app.call(&all.token, "delete_meeting", &json!({"meeting_id": "m1"}));
    assert_eq!(reply.status, 200, "{reply:?}");
    let text = reply.json()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("workspace_blocked") && reply.json()["result"]["isError"] == true, "{text}");
}

fn revocation_by_the_client_ends_a_family_or_one_access_token(builder: Builder) {
    let app = builder.start();
    let pat = app.pat(&app.person("ana"), &[]);
    let url = format!("{}/revoke", app.issuer);
    let own = app.connect(&pat.token);
    let revoke = |token: &str, client: &str| post_form(&url, &[], &[("token", token), ("client_id", client)]);
    let other = app.register("another");
    assert_eq!(revoke(&own.refresh, &other).json()["error"], "invalid_grant");
    assert_eq!(post_form(&url, &[], &[("client_id", &own.client)]).json()["error"], "invalid_request");
    assert_eq!(revoke("unknown", &own.client).status, 200);
    assert_eq!(revoke(&pat.token, &own.client).json()["error"], "unsupported_token_type");
    app.assert_alive(&own.access);

    let done = revoke(&own.access, &own.client);
    assert_eq!((done.status, done.body.len()), (200, 0));
    app.assert_dead(&own.access);
    let next = app.refresh(&own.client, &own.refresh);
    assert_eq!(next.status, 200, "the family lives on");
    let next = crate::support::flow::connection(&own.client, &next);
    app.assert_alive(&next.access);
    assert_eq!(revoke(&next.refresh, &own.client).status, 200);
    app.assert_dead(&next.access);
    assert_eq!(app.refresh(&own.client, &next.refresh).json()["error"], "invalid_grant");
    app.assert_alive(&pat.token);
}

fn introspection_tells_the_live_from_everything_else(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let own = app.connect(&pat.token);
    let key = app.cli(&["introspection-key", "create", "--name", "worker"], None);
    let (id, secret) = (key["id"].as_str().unwrap(), key["secret"].as_str().unwrap());
    let url = format!("{}/introspect", app.issuer);
    let ask = |token: &str| {
        let reply = post_form(&url, &[], &[("token", token), ("client_id", id), ("client_secret", secret)]);
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()
    };
    let live = ask(&own.access);
    assert_eq!((live["active"].as_bool(), live["scope"].as_str()), (Some(true), Some("mico:read")));
    assert_eq!(
        (live["client_id"].as_str(), live["sub"].as_str()),
        (Some(own.client.as_str()), Some(person.id.as_str()))
    );
    assert_eq!(
        (live["aud"].as_str(), live["iss"].as_str()),
        (Some(app.resource.as_str()), Some(app.issuer.as_str()))
    );
    assert!(live["exp"].as_i64().unwrap() - live["iat"].as_i64().unwrap() == 3600);
    assert_eq!(ask(&pat.token)["active"], true);
    for dead in [own.refresh.as_str(), "unknown", &format!("mico_oat_{}", "a".repeat(49))] {
        assert_eq!(ask(dead), json!({"active": false}));
    }
    for (client, secret) in [(id, "wrong"), (own.client.as_str(), ""), ("nobody", secret)] {
        let reply =
            post_form(&url, &[], &[("token", &own.access), ("client_id", client), ("client_secret", secret)]);
        assert_eq!((reply.status, reply.json()["error"].as_str()), (401, Some("invalid_client")));
    }
    app.cli(&["token", "revoke", &pat.id], None);
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(ask(&own.access), json!({"active": false}));
    app.cli(&["introspection-key", "revoke", id], None);
    let form = [("token", own.access.as_str()), ("client_id", id), ("client_secret", secret)];
    eventually("the key is refused", || (post_form(&url, &[], &form).status == 401).then_some(()));
}

fn everything_survives_a_restart(builder: Builder) {
    let mut app = builder.start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    app.restart();
    app.assert_alive(&own.access);
    app.assert_alive(&pat.token);
    assert_eq!(app.register("test client"), own.client);
    assert_eq!(app.refresh(&own.client, &own.refresh).status, 200);
}

/// A reading of the database that began before a revocation and ends after it: the order is forced.
fn a_reading_that_began_before_the_revocation_does_not_outlive_it(builder: Builder) {
    use portero::cluster::verified::Lookup;
    use portero::domain::secret::Digest;

    let app = builder.start();
    let pat = app.pat(&app.person("ana"), &[]);
    // The reader of the change log has to have run once, or the cache would not serve at all.
    std::thread::sleep(Duration::from_millis(400));
    let identity = &app.app.identity;
    let digest = Digest::of(&pat.token);
    let Lookup::Ask(ticket) = identity.verified.look_up(&digest, app.now()) else { panic!("cold") };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let read = runtime.block_on(identity.store.pat_token(&digest, app.now())).unwrap().expect("alive");
    app.cli(&["token", "revoke", &pat.id], None);
    std::thread::sleep(Duration::from_millis(500));
    identity.verified.fill(digest, ticket, read.into(), app.now());
    app.assert_dead(&pat.token);
}

fn a_warm_call_asks_the_database_nothing(builder: Builder) {
    let app = builder.start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    std::thread::sleep(Duration::from_millis(400));
    app.assert_alive(&pat.token);
    app.assert_alive(&own.access);
    tokio::runtime::Runtime::new().unwrap().block_on(app.app.identity.store.close());
    for _ in 0..20 {
        app.assert_alive(&pat.token);
        app.assert_alive(&own.access);
    }
    // And once the change log could not be read for too long, nobody is let through on old knowledge.
    app.advance(Duration::from_secs(6));
    let reply = app.call(&pat.token, "list_meetings", &json!({}));
    assert_eq!(reply.status, 503, "{reply:?}");
    assert_eq!(reply.json()["code"], "verification_unavailable");
    assert!(reply.header("retry-after").is_some() && reply.header("www-authenticate").is_none());
    let refresh = app.refresh(&own.client, &own.refresh);
    assert_eq!((refresh.status, refresh.json()["error"].as_str()), (503, Some("temporarily_unavailable")));
}
