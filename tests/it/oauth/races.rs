//! Races, with real threads against a real database.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::conformance::holds;
use crate::support::flow::connection;
use crate::support::{Builder, TestApp, on_both_databases, together};

on_both_databases! {
    however_many_refresh_one_token_all_are_answered_with_the_one_live_successor,
    a_racer_after_two_rotations_inside_the_window_ends_on_the_live_leaf,
    one_code_is_redeemed_once_however_many_ask,
    a_refresh_that_races_a_pat_revocation_leaves_nothing_alive,
    one_request_is_decided_once,
    a_lost_answer_is_recovered_after_the_window_and_a_real_replay_ends_the_grant,
    another_clients_attempt_does_nothing_to_the_grant,
}

fn however_many_refresh_one_token_all_are_answered_with_the_one_live_successor(builder: Builder) {
    let app = builder.start();
    let pat = app.pat(&app.person("ana"), &[]);
    let race = |count: usize| {
        let own = app.connect(&pat.token);
        let replies = together(count, |_| app.refresh(&own.client, &own.refresh));
        let answered = replies.iter().filter(|reply| reply.status == 200).count();
        assert_eq!(answered, count, "{:?}", replies.iter().find(|reply| reply.status != 200));
        let given: Vec<_> = replies.iter().map(|reply| connection(&own.client, reply)).collect();
        let successors: BTreeSet<_> = given.iter().map(|one| one.refresh.clone()).collect();
        assert_eq!(successors.len(), 1, "{count} racers");
        let access: BTreeSet<_> = given.iter().map(|one| one.access.clone()).collect();
        assert_eq!(access.len(), count, "each a fresh access token");
        for one in &given {
            app.assert_alive(&one.access);
        }
        assert_eq!(live_refresh_tokens(&app, &own.client), 1);
        let next = app.refresh(&own.client, successors.first().unwrap());
        assert_eq!(next.status, 200, "{next:?}");
        end_all(&app);
    };
    holds("C128", "parallel refreshes of one token all succeed, and nothing is revoked", || {
        [2, 4].into_iter().for_each(race);
    });
    holds("F-06", "however many present one token, one step happens and one live successor is left", || {
        race(16);
    });
    holds("N-127", "64 at once: 64 answers, never two different successors", || race(64));
}

fn end_all(app: &TestApp) {
    let grants = app.cli(&["grant", "list"], None);
    for grant in grants.as_array().unwrap() {
        app.command(&["grant", "revoke", grant["id"].as_str().unwrap()], None);
    }
}

/// How many live refresh tokens the live grants of a client have in the database.
fn live_refresh_tokens(app: &TestApp, client: &str) -> i64 {
    app.sql_number(&format!(
        "SELECT COUNT(*) FROM refresh_tokens r JOIN grants g ON g.id = r.grant_id
         WHERE g.client_id = '{client}' AND g.ended_at IS NULL AND r.consumed_at IS NULL"
    ))
}

fn a_racer_after_two_rotations_inside_the_window_ends_on_the_live_leaf(builder: Builder) {
    let app = builder.start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    let first = connection(&own.client, &app.refresh(&own.client, &own.refresh));
    app.advance(Duration::from_secs(20));
    let second = connection(&own.client, &app.refresh(&own.client, &first.refresh));
    app.advance(Duration::from_secs(20));
    let late = app.refresh(&own.client, &own.refresh);
    assert_eq!(late.status, 200, "{late:?}");
    let late = connection(&own.client, &late);
    assert_eq!(late.refresh, second.refresh);
    app.assert_alive(&late.access);
    assert_eq!(live_refresh_tokens(&app, &own.client), 1);
}

fn one_code_is_redeemed_once_however_many_ask(builder: Builder) {
    let app = builder.start();
    let pat = app.pat(&app.person("ana"), &[]);
    let client = app.register("racer");
    let race = |count: usize| {
        let code = app.code(&client, &pat.token);
        let replies = together(count, |_| app.redeem(&client, &code));
        let winners: Vec<_> = replies.iter().filter(|reply| reply.status == 200).collect();
        assert_eq!(winners.len(), 1, "{count} redemptions");
        for loser in replies.iter().filter(|reply| reply.status != 200) {
            assert_eq!((loser.status, loser.json()["error"].as_str()), (400, Some("invalid_grant")));
        }
        app.assert_alive(&connection(&client, winners[0]).access);
    };
    holds("G-03", "a code is redeemed once, however many ask at the same time", || {
        [2, 4, 64].into_iter().for_each(race);
    });
    holds(
        "N-109",
        "20 at once: one 200, the others invalid_grant, what was given lives (rules: codes)",
        || race(20),
    );
}

fn a_refresh_that_races_a_pat_revocation_leaves_nothing_alive(builder: Builder) {
    let app = builder.start();
    let person = app.person("ana");
    for _ in 0..8 {
        let pat = app.pat(&person, &[]);
        let own = app.connect(&pat.token);
        let replies = together(8, |index| {
            if index == 0 {
                let output = app.command(&["token", "revoke", &pat.id], None);
                assert!(output.status.success(), "{output:?}");
            } else {
                // Spread over the time the command needs to start.
                std::thread::sleep(Duration::from_millis(4 * index as u64));
            }
            app.refresh(&own.client, &own.refresh)
        });
        std::thread::sleep(Duration::from_millis(500));
        for reply in replies {
            match reply.status {
                200 => {
                    let given = connection(&own.client, &reply);
                    app.assert_dead(&given.access);
                    assert_eq!(app.refresh(&own.client, &given.refresh).status, 400);
                }
                _ => assert_eq!((reply.status, reply.json()["error"].as_str()), (400, Some("invalid_grant"))),
            }
        }
        app.assert_dead(&own.access);
    }
}

fn one_request_is_decided_once(builder: Builder) {
    let app = builder.start();
    let pat = app.pat(&app.person("ana"), &[]);
    let client = app.register("twice");
    let page = crate::support::http::get(&app.authorize_url(&client, &[]));
    let form = crate::support::flow::form_with(&page, "personal_access_token")
        .set("personal_access_token", &pat.token);
    let cookies = page.cookies();
    let replies = together(16, |index| {
        let form = form.clone().set("decision", if index % 2 == 0 { "allow" } else { "deny" });
        let headers = [("cookie", cookies.as_str()), ("origin", app.base.as_str())];
        crate::support::http::post_form(&app.absolute(&form.action), &headers, &form.pairs())
    });
    let sent_on: Vec<_> = replies.iter().filter(|reply| reply.status == 303).collect();
    assert_eq!(sent_on.len(), 1, "{:?}", replies.iter().map(|reply| reply.status).collect::<Vec<_>>());
}

fn a_lost_answer_is_recovered_after_the_window_and_a_real_replay_ends_the_grant(builder: Builder) {
    let app = builder.start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    let lost = connection(&own.client, &app.refresh(&own.client, &own.refresh));
    app.advance(Duration::from_mins(10));
    let again = app.refresh(&own.client, &own.refresh);
    assert_eq!(again.status, 200, "{again:?}");
    let again = connection(&own.client, &again);
    assert_eq!(again.refresh, lost.refresh);

    app.assert_alive(&again.access);
    app.advance(Duration::from_mins(10));
    let replay = app.refresh(&own.client, &own.refresh);
    assert_eq!((replay.status, replay.json()["error"].as_str()), (400, Some("invalid_grant")));
    app.assert_dead(&again.access);
    assert_eq!(app.refresh(&own.client, &again.refresh).status, 400);
    let ended = app.cli(&["grant", "list", "--user", "ana@example.com"], None);
    assert!(ended.to_string().contains("refresh_reuse"), "{ended}");
}

fn another_clients_attempt_does_nothing_to_the_grant(builder: Builder) {
    let app = builder.start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    let other = app.register("another program");
    let reply = app.refresh(&other, &own.refresh);
    assert_eq!((reply.status, reply.json()["error"].as_str()), (400, Some("invalid_grant")));
    app.assert_alive(&own.access);
    assert_eq!(app.refresh(&own.client, &own.refresh).status, 200);
}
