//! What the protocol's own conformance suite asks of a server through the gateway, as `tests/clients/run` holds it.

use std::collections::BTreeMap;
use std::fmt::Write;

const SCENARIOS: &str = include_str!("../../clients/conformance-server/scenarios.txt");

/// The scenarios of one revision.
#[derive(Default)]
struct Suite<'a> {
    passing: Vec<&'a str>,
    left_out: Vec<(&'a str, &'a str)>,
}

fn suites() -> BTreeMap<&'static str, Suite<'static>> {
    let mut suites = BTreeMap::<_, Suite<'_>>::new();
    for line in SCENARIOS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (revision, rest) = line.split_once(' ').unwrap();
        let suite = suites.entry(revision).or_default();
        match rest.split_once(" | ") {
            Some((scenario, reason)) => suite.left_out.push((scenario, reason)),
            None => suite.passing.push(rest),
        }
    }
    suites
}

/// The part of the list that says so.
pub fn section() -> String {
    let mut out = "\n## The protocol's own conformance suite\n\n\
        `tests/clients/run PORTERO conformance-server` runs it against a server and through the gateway before that \
        server, from `tests/clients/conformance-server/scenarios.txt`. It fails if a scenario that passes here does \
        not, holds fewer checks than without the gateway, or if one that is left out passes.\n"
        .to_owned();
    for (revision, suite) in suites() {
        let passing: Vec<_> = suite.passing.iter().map(|scenario| format!("`{scenario}`")).collect();
        write!(out, "\nRevision {revision}, through the gateway: {}.\n", passing.join(", ")).unwrap();
        if suite.left_out.is_empty() {
            continue;
        }
        write!(out, "\n| {revision} | why it cannot pass |\n|---|---|\n").unwrap();
        for (scenario, reason) in suite.left_out {
            writeln!(out, "| `{scenario}` | {reason} |").unwrap();
        }
    }
    out
}
