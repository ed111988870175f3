//! What Becoming's tools promise, one test for each promise. The numbers are those of the statements that the
//! end-to-end test of the whole system follows too.

#![expect(clippy::needless_pass_by_value, reason = "arguments are written where they are passed")]

mod academy;
mod http;
mod imports;
mod library;
mod pages;
mod resources;
mod searching;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};

use super::fault::Fault;
use super::state::{Caller, State};
use super::world::Done;
use super::{Clock, Worker};

/// Noon of a Tuesday: 2026-03-31T12:00:00Z.
const NOON: i64 = 1_774_958_400;

/// A worker without its HTTP, and a clock that is moved by hand.
struct Bench {
    state: State,
    now: Arc<AtomicI64>,
}

impl Bench {
    fn new() -> Self {
        let (clock, now) = clock();
        Self { state: State::new(&Worker { clock }).unwrap(), now }
    }

    fn advance(&self, seconds: i64) {
        self.now.fetch_add(seconds, Ordering::SeqCst);
    }

    fn call(&self, caller: Caller<'_>, tool: &str, arguments: Value) -> Result<Done, Fault> {
        self.state.call(caller, tool, arguments.as_object().unwrap())
    }

    fn ok(&self, owner: &str, tool: &str, arguments: Value) -> Value {
        self.call(of(owner), tool, arguments).unwrap().body
    }

    fn ana(&self, tool: &str, arguments: Value) -> Value {
        self.ok("ana", tool, arguments)
    }

    /// The status of a refusal.
    fn refused(&self, tool: &str, arguments: Value) -> u16 {
        let shown = arguments.to_string();
        match self.call(of("ana"), tool, arguments) {
            Err(fault) => fault.answer().0,
            Ok(done) => panic!("{tool} {shown}: {done:?}"),
        }
    }
}

fn clock() -> (Clock, Arc<AtomicI64>) {
    let now = Arc::new(AtomicI64::new(NOON));
    let own = Arc::clone(&now);
    (Arc::new(move || own.load(Ordering::SeqCst)), now)
}

/// A person in La Academia whose credits nobody counts.
fn of(owner: &str) -> Caller<'_> {
    Caller { owner, academy: true, credits: None }
}

fn with_credits(owner: &str, credits: i64) -> Caller<'_> {
    Caller { owner, academy: true, credits: Some(credits) }
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn ids(body: &Value, list: &str) -> Vec<i64> {
    body[list].as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()).collect()
}

#[test]
fn b001_b002_b003_the_catalog_has_twelve_tools_that_read_and_eight_that_write() {
    let catalog: Value = serde_json::from_str(include_str!("../becoming-tools.json")).unwrap();
    let tools = catalog.as_array().unwrap();
    let reads = |tool: &&Value| tool["annotations"]["readOnlyHint"] == true;
    assert_eq!((tools.len(), tools.iter().filter(reads).count()), (20, 12));
    assert!(tools[..12].iter().all(|tool| reads(&tool)), "what reads comes first");
    let bench = Bench::new();
    for tool in tools {
        assert_eq!(keys(tool), ["name", "title", "description", "inputSchema", "annotations"]);
        let name = tool["name"].as_str().unwrap();
        let required = tool["inputSchema"]["required"].as_array();
        if required.is_some_and(|names| !names.is_empty()) {
            assert_eq!(bench.refused(name, json!({})), 400, "{name}");
        }
        assert!(super::tools::find(name).is_some(), "{name}");
    }
    assert_eq!(bench.refused("delete_source", json!({})), 404);
}

#[test]
fn arguments_of_odd_shapes_are_refused_and_nothing_panics() {
    let bench = Bench::new();
    let catalog: Value = serde_json::from_str(include_str!("../becoming-tools.json")).unwrap();
    for tool in catalog.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        for (argument, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            for value in [json!(1), json!("x"), json!([]), json!({}), json!(true), json!(1.5), json!(-1)] {
                let mut arguments = json!({"query": "x", "id": 101, "theme_id": 301, "practice_id": 704,
                    "context": "work", "mix": "act", "body": "x", "highlights": [{"content": "x"}]});
                arguments[argument] = value.clone();
                let fits = match schema["type"].as_str() {
                    Some("integer") => value.is_i64(),
                    Some("string") => value.is_string(),
                    Some("array") => value.is_array(),
                    _ => value.is_object(),
                };
                let answer = bench.call(of("ana"), name, arguments);
                let status = answer.as_ref().map_or_else(|fault| fault.clone().answer().0, |_| 200);
                assert!(fits || status == 400, "{name} {argument} {value}: {answer:?}");
            }
        }
    }
}

#[test]
fn each_owner_has_a_library_and_a_stranger_an_empty_one() {
    let bench = Bench::new();
    let count = |owner: &str| ids(&bench.ok(owner, "list_sources", json!({"limit": 50})), "sources").len();
    assert_eq!((count("ana"), count("bruno"), count("carla"), count("")), (23, 4, 0, 0));
    for (tool, arguments) in [
        ("get_source", json!({"id": 124})),
        ("get_highlight", json!({"id": 1049})),
        ("get_theme_timeline", json!({"theme_id": 304})),
        ("get_theme_generation", json!({"id": 803})),
        ("get_practice_reflection", json!({"practice_id": 713})),
        ("complete_theme", json!({"theme_id": 304})),
        ("complete_practice", json!({"practice_id": 714})),
        ("add_highlights", json!({"source_id": 124, "highlights": [{"content": "x"}]})),
        ("start_theme_generation", json!({"seed_highlight_id": 1049})),
    ] {
        bench.ok("bruno", tool, arguments.clone());
        assert_eq!(bench.refused(tool, arguments), 404, "{tool}");
    }
}
