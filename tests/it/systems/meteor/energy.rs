//! Energía: what runs is charged for, unless a test key runs it.

use serde_json::{Value, json};

use super::{Meteor, scopes, statement};
use crate::support::callers::Person;

/// What a person's workspace has left.
fn balance(meteor: &Meteor, person: &Person) -> i64 {
    let shown = meteor.app.cli(&["workspace", "show", &person.workspace], None);
    shown["credits"]["balance"].as_i64().unwrap_or_else(|| panic!("no balance: {shown}"))
}

fn charged(meteor: &Meteor, call: impl FnOnce() -> Value) -> i64 {
    let before = balance(meteor, &meteor.bruno);
    call();
    before - balance(meteor, &meteor.bruno)
}

#[test]
fn t109_t111_a_run_is_charged_and_one_of_a_test_key_is_not() {
    let meteor = Meteor::start();
    let (live, test) = (meteor.as_bruno(), meteor.key(&meteor.bruno, "test", &scopes()));
    let run = json!({"met_id": "met_51", "input": "Resume las citas."});
    statement("T109", || {
        assert_eq!(live.ask("met_get_energy", json!({})), json!({"metered": true, "left": 500}));
        assert_eq!(charged(&meteor, || live.ask("met_run_met", run.clone())), 5);
        let act = json!({"integration_id": "int_51", "action": "open_record"});
        assert_eq!(charged(&meteor, || live.ask("met_run_integration", act)), 2);
        let now = json!({"automation_id": "aut_51"});
        assert_eq!(charged(&meteor, || live.confirm("met_run_automation", now)), 3);
        assert_eq!(charged(&meteor, || live.ask("met_list_contacts", json!({}))), 0);
        let absent = json!({"met_id": "met_999", "input": "x"});
        assert_eq!(charged(&meteor, || live.refused("met_run_met", absent)), 0, "what fails costs nothing");
        assert_eq!(live.ask("met_get_energy", json!({}))["left"], 490);
    });
    statement("T111", || {
        assert_eq!(charged(&meteor, || test.ask("met_run_met", run.clone())), 0);
        let runs = live.ask("met_list_met_runs", json!({"met_id": "met_51", "limit": 1}));
        assert_eq!((&runs["items"][0]["mode"], &runs["items"][0]["energy"]), (&json!("test"), &json!(0)));
    });
    statement("T109", || {
        for _ in 0..40 {
            live.ask("met_run_met", run.clone());
            meteor.app.advance(std::time::Duration::from_secs(1));
        }
        let left = balance(&meteor, &meteor.bruno);
        assert_eq!(left, 290);
    });
}
