//! R1, R2, R3: what happens when several ask at once.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use super::{Row, broken};
use crate::support::callers::Person;
use crate::support::flow::{Connection, REDIRECT, connection, form_with};
use crate::support::http::{get, post_form};
use crate::support::{Nodes, Reply, Site, together};

/// Another node has seen a revocation after this: a quarter of a second, and what a busy machine adds.
const SEEN: Duration = Duration::from_millis(600);

fn alive(site: &Site, token: &str) -> bool {
    site.call(token, "list_meetings", &json!({})).status == 200
}

fn is_invalid_grant(reply: &Reply) -> bool {
    reply.status == 400 && reply.json()["error"] == "invalid_grant"
}

/// Statuses and how often, for a fault.
fn statuses(replies: &[Reply]) -> String {
    let all: BTreeSet<u16> = replies.iter().map(|reply| reply.status).collect();
    let count = |status| replies.iter().filter(|reply| reply.status == status).count();
    all.into_iter().map(|status| format!("{status} × {}", count(status))).collect::<Vec<_>>().join(", ")
}

/// R1: everybody is answered, and ends with the one live successor.
pub fn refreshes(nodes: &Nodes, person: &Person, racers: usize, rounds: usize) -> Row {
    let mut row = Row::new("R1", &format!("{racers} refreshes of one token"));
    let pat = nodes.pat(person, &[]);
    let (mut answered, mut single, mut lived) = (0, 0, 0);
    for round in 0..rounds {
        let own = nodes.connect(&pat.token);
        let replies = together(racers, |_| nodes.refresh(&own.client, &own.refresh));
        let good: Vec<_> = replies.iter().filter(|reply| reply.status == 200).collect();
        answered += good.len();
        row.check(good.len() == racers, || format!("round {round}: {}", statuses(&replies)));
        let given: Vec<Connection> = good.iter().map(|reply| connection(&own.client, reply)).collect();
        let successors: BTreeSet<_> = given.iter().map(|one| one.refresh.as_str()).collect();
        single += usize::from(successors.len() == 1);
        row.check(successors.len() == 1, || format!("round {round}: {} successors", successors.len()));
        let dead = given.iter().filter(|one| !alive(nodes, &one.access)).count();
        row.check(dead == 0, || format!("round {round}: {dead} access tokens do not work"));
        let works = successors.iter().all(|token| nodes.refresh(&own.client, token).status == 200);
        lived += usize::from(works);
        row.check(works, || format!("round {round}: the successor does not work"));
    }
    row.faults.extend(broken(nodes));
    row.counts = format!(
        "{answered}/{} answered 200, one live successor {single}/{rounds}, it works {lived}/{rounds}",
        racers * rounds
    );
    row
}

/// R2: one code gives tokens once.
pub fn redemptions(nodes: &Nodes, person: &Person, racers: usize, rounds: usize) -> Row {
    let mut row = Row::new("R2", &format!("{racers} redemptions of one code"));
    let pat = nodes.pat(person, &[]);
    let client = nodes.register("racer");
    let (mut won, mut refused) = (0, 0);
    for round in 0..rounds {
        let code = nodes.code(&client, &pat.token);
        let replies = together(racers, |_| nodes.redeem(&client, &code));
        let winners: Vec<_> = replies.iter().filter(|reply| reply.status == 200).collect();
        let losers = replies.iter().filter(|reply| is_invalid_grant(reply)).count();
        won += winners.len();
        refused += losers;
        row.check(winners.len() == 1 && losers == racers - 1, || {
            format!("round {round}: {}", statuses(&replies))
        });
        for winner in winners {
            let own = connection(&client, winner);
            row.check(alive(nodes, &own.access), || format!("round {round}: the winner's token is dead"));
            row.check(nodes.refresh(&client, &own.refresh).status == 200, || {
                format!("round {round}: the winner cannot refresh")
            });
        }
    }
    row.faults.extend(broken(nodes));
    row.counts = format!("{won}/{rounds} redeemed, {refused}/{} refused", (racers - 1) * rounds);
    row
}

/// Refreshes for as long as it is answered, each time what it was given last; everything it was given.
fn refresh_on(site: &Site, own: &Connection) -> (Vec<Connection>, Reply) {
    let mut given = vec![own.clone()];
    loop {
        let last = given.last().unwrap();
        let reply = site.refresh(&last.client, &last.refresh);
        if reply.status != 200 {
            return (given, reply);
        }
        given.push(connection(&own.client, &reply));
    }
}

/// R3: several refresh without a pause while what they hang on is revoked; nothing that they were given lives on.
fn outrun(nodes: &Nodes, what: &str, rounds: usize, begin: impl Fn() -> (Connection, Revocation)) -> Row {
    const RACERS: usize = 6;
    let mut row = Row::new("R3", what);
    let (mut issued, mut dead) = (0, 0);
    for round in 0..rounds {
        let (own, revoke) = begin();
        let outcomes = together(RACERS + 1, |index| {
            if index < RACERS {
                return Some(refresh_on(nodes, &own));
            }
            // A moment after the others, and another one each round.
            std::thread::sleep(Duration::from_millis(7 * (round as u64 % 10)));
            revoke(nodes);
            None
        });
        std::thread::sleep(SEEN);
        for (given, last) in outcomes.into_iter().flatten() {
            row.check(is_invalid_grant(&last), || format!("round {round}: the last answer was {last:?}"));
            for one in given {
                issued += 1;
                let refreshed = nodes.refresh(&one.client, &one.refresh);
                let gone = !alive(nodes, &one.access) && is_invalid_grant(&refreshed);
                dead += usize::from(gone);
                row.check(gone, || format!("round {round}: tokens outlive the revocation"));
            }
        }
    }
    row.counts = format!("{rounds} revocations, {dead}/{issued} token pairs dead after them");
    row
}

/// What ends a connection.
type Revocation = Box<dyn Fn(&Nodes) + Sync>;

/// R3: the client gives its refresh token back.
pub fn refresh_or_revoke(nodes: &Nodes, person: &Person, rounds: usize) -> Row {
    let pat = nodes.pat(person, &[]);
    let mut row = outrun(nodes, "refreshes ∥ revocation by the client", rounds, || {
        let own = nodes.connect(&pat.token);
        let given_back = own.clone();
        let revoke = move |nodes: &Nodes| {
            let form = [("token", given_back.refresh.as_str()), ("client_id", given_back.client.as_str())];
            let done = post_form(&format!("{}/revoke", nodes.issuer), &[], &form);
            assert_eq!(done.status, 200, "{done:?}");
        };
        (own, Box::new(revoke) as Revocation)
    });
    row.faults.extend(broken(nodes));
    row
}

/// R3: the token that authorized the connection is revoked, by a command beside the server.
pub fn refresh_or_revoke_pat(nodes: &Nodes, person: &Person, rounds: usize) -> Row {
    let mut row = outrun(nodes, "refreshes ∥ revocation of the PAT", rounds, || {
        let pat = nodes.pat(person, &[]);
        let own = nodes.connect(&pat.token);
        let revoke = move |nodes: &Nodes| {
            nodes.cli(&["token", "revoke", &pat.id], None);
        };
        (own, Box::new(revoke) as Revocation)
    });
    row.faults.extend(broken(nodes));
    row
}

/// R3: one page, answered again and again by programs and by browsers, with yes and with no.
pub fn decisions(nodes: &Nodes, person: &Person, rounds: usize) -> Row {
    const CLICKS: usize = 16;
    let mut row = Row::new("R3", "approve ∥ deny ∥ double click");
    let pat = nodes.pat(person, &[]);
    let client = nodes.register("twice");
    let (mut allowed, mut denied, mut more) = (0, 0, 0);
    for round in 0..rounds {
        let page = get(&nodes.authorize_url(&client, &[]));
        let form = form_with(&page, "personal_access_token").set("personal_access_token", &pat.token);
        let cookies = page.cookies();
        let replies = together(CLICKS, |index| {
            let form = form.clone().set("decision", if index % 4 < 2 { "allow" } else { "deny" });
            let accept = if index % 2 == 0 { "text/html" } else { "*/*" };
            let headers = [("cookie", cookies.as_str()), ("origin", nodes.base.as_str()), ("accept", accept)];
            post_form(&nodes.absolute(&form.action), &headers, &form.pairs())
        });
        let answers: Vec<_> = replies.iter().filter_map(onward).collect();
        allowed += answers.iter().filter(|answer| **answer == Decision::Allowed).count();
        denied += answers.iter().filter(|answer| **answer == Decision::Denied).count();
        more += answers.len().saturating_sub(1);
        row.check(answers.len() == 1, || format!("round {round}: {answers:?} of {}", statuses(&replies)));
        let trouble = replies.iter().filter(|reply| reply.status >= 500).count();
        row.check(trouble == 0, || format!("round {round}: {}", statuses(&replies)));
    }
    row.faults.extend(broken(nodes));
    row.counts =
        format!("{} clicks: {allowed} allowed, {denied} denied, {more} decided twice", CLICKS * rounds);
    row
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Allowed,
    Denied,
}

/// The answer that is sent on to the client, by redirect or by the last page; none is where it was given before.
fn onward(reply: &Reply) -> Option<Decision> {
    let text = reply.header("location").unwrap_or_else(|| reply.text());
    let answer = text.split(&format!("{REDIRECT}?")).nth(1)?;
    let answer = answer.split(['"', '\'']).next()?;
    if answer.contains("error=access_denied") {
        return Some(Decision::Denied);
    }
    answer.contains("code=").then_some(Decision::Allowed)
}
