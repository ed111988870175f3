//! R6: registrations by the thousand.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::{Row, broken};
use crate::support::callers::Person;
use crate::support::flow::{REDIRECT, connection};
use crate::support::http::{Reply, agent, try_request};
use crate::support::{Nodes, Stopwatch, together};

/// Registrations that nobody has allowed anything yet, at most; beyond it not for who holds most…
const CAP: i64 = 10_000;
/// …and beyond this nobody.
const FULL: i64 = 20_000;
/// Megabytes that a server may grow by, whatever it is sent.
const GROWTH: i64 = 64;
/// Clients that register at the same time.
const THREADS: usize = 4;

/// Registers `count` times; what each attempt sends, and from where, is `what` of its number.
fn register(
    nodes: &Nodes,
    count: usize,
    what: impl Fn(usize) -> (Value, Option<String>) + Sync,
    look: impl Fn(&Reply) + Sync,
) {
    let next = AtomicUsize::new(0);
    let url = format!("{}/register", nodes.issuer);
    together(THREADS, |_| {
        let agent = agent();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let (body, address) = what(number);
            let mut headers = vec![("content-type", "application/json")];
            headers.extend(address.as_deref().map(|address| ("x-forwarded-for", address)));
            look(&try_request(&agent, "POST", &url, &headers, Some(&body.to_string())).unwrap());
        }
    });
}

/// One program that registers at every start, each time with another port: it stays one client.
pub fn identical(nodes: &Nodes, count: usize) -> Row {
    let mut row = Row::new("R6", &format!("{count} identical registrations, random ports"));
    let before = nodes.sql_number("SELECT COUNT(*) FROM clients");
    let answers = Mutex::new(Vec::new());
    let what = |number: usize| {
        let port = 1024 + (number * 7919) % 60_000;
        let uri = format!("http://127.0.0.1:{port}/callback");
        (json!({"client_name": "again and again", "redirect_uris": [uri]}), None)
    };
    register(nodes, count, what, |reply| {
        let id = (reply.status == 201).then(|| reply.json()["client_id"].to_string());
        answers.lock().unwrap().push(id);
    });
    let mut ids: Vec<_> = answers.into_inner().unwrap().into_iter().flatten().collect();
    let answered = ids.len();
    ids.sort();
    ids.dedup();
    let rows = nodes.sql_number("SELECT COUNT(*) FROM clients") - before;
    row.check(answered == count, || format!("{answered} of {count} were answered 201"));
    row.check(ids.len() == 1 && rows == 1, || format!("{} ids, {rows} rows", ids.len()));
    row.counts = format!("{answered}/{count} answered 201, {} id, {rows} row", ids.len());
    row
}

/// Programs that differ, of one address or each of another: the table stays bounded and who lives from it lives on.
/// The servers trust `X-Forwarded-For` of loopback.
pub fn different(nodes: &Nodes, person: &Person, count: usize, addresses: usize) -> Row {
    let mut row = Row::new("R6", &format!("{count} different registrations, {addresses} addresses"));
    let pat = nodes.pat(person, &[]);
    let own = nodes.connect(&pat.token);
    let waiting = nodes.register("registered, not allowed yet");
    let rows = || nodes.sql_number("SELECT COUNT(*) FROM clients WHERE last_granted_at IS NULL");
    let (memory, began) = (nodes.resident(0), Stopwatch::start());
    let (kept, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = Mutex::new(Vec::new());
    let what = |number: usize| {
        let from = number % addresses;
        let address = format!("10.{}.{}.{}", from >> 16, (from >> 8) & 255, from & 255);
        (json!({"client_name": format!("flood {number}"), "redirect_uris": [REDIRECT]}), Some(address))
    };
    register(nodes, count, what, |reply| match reply.status {
        201 => _ = kept.fetch_add(1, Ordering::Relaxed),
        429 if reply.header("retry-after").is_some() => _ = refused.fetch_add(1, Ordering::Relaxed),
        _ => wrong.lock().unwrap().push(format!("{reply:?}")),
    });
    let took = began.elapsed();
    row.faults.extend(wrong.into_inner().unwrap().into_iter().take(5));
    let (stored, grown) = (rows(), nodes.resident(0) - memory);
    // On PostgreSQL registrations count beside each other: each may overlook those that are not committed yet.
    let bound = if addresses == 1 { CAP } else { FULL } + i64::try_from(THREADS).unwrap();
    row.check(stored <= bound, || format!("{stored} rows, at most {bound}"));
    row.check(grown <= GROWTH, || format!("{grown} MiB more memory, at most {GROWTH}"));
    let call = nodes.call(&own.access, "list_meetings", &json!({}));
    row.check(call.status == 200, || format!("a live client's call: {call:?}"));
    let refreshed = nodes.refresh(&own.client, &own.refresh);
    row.check(refreshed.status == 200, || format!("a live client's refresh: {refreshed:?}"));
    let allowed = nodes.redeem(&waiting, &nodes.code(&waiting, &pat.token));
    row.check(allowed.status == 200, || format!("a client that was waiting: {allowed:?}"));
    if allowed.status == 200 {
        let token = connection(&waiting, &allowed).access;
        row.check(nodes.call(&token, "list_meetings", &json!({})).status == 200, || "its call".to_owned());
    }
    if addresses == 1 {
        let newcomer = nodes.register_with(&json!({"client_name": "newcomer", "redirect_uris": [REDIRECT]}));
        row.check(newcomer.status == 201, || format!("a newcomer from elsewhere: {newcomer:?}"));
    }
    row.faults.extend(broken(nodes));
    row.counts = format!(
        "{} kept, {} answered 429, {stored} rows, {grown:+} MiB, live clients go on, {} s",
        kept.into_inner(),
        refused.into_inner(),
        took.as_secs()
    );
    row
}
