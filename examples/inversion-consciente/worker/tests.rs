//! What the tools promise, one test for each promise. The numbers are those of the statements that the end-to-end
//! test of the whole system follows too.

#![expect(clippy::needless_pass_by_value, reason = "arguments are written where they are passed")]

mod articles;
mod chat;
mod http;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Fault, call};

const TOOLS: [&str; 5] =
    ["list_articles", "get_article", "search_articles", "my_ai_usage", "my_recent_messages"];

fn now() -> Timestamp {
    "2026-06-15T18:00:00.5Z".parse().unwrap()
}

fn asks(subject: &str, tool: &str, arguments: Value) -> Value {
    call(subject, tool, &arguments, now()).unwrap_or_else(|fault| panic!("{tool} {arguments}: {fault:?}"))
}

/// Somebody who is not signed in.
fn anybody(tool: &str, arguments: Value) -> Value {
    asks("", tool, arguments)
}

fn refused(subject: &str, tool: &str, arguments: Value) -> Fault {
    match call(subject, tool, &arguments, now()) {
        Ok(body) => panic!("{tool} {arguments}: {body}"),
        Err(fault) => fault,
    }
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn column<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|item| item[key].as_str().unwrap()).collect()
}

fn newest_first(times: &[&str]) -> bool {
    times.len() > 1 && times.windows(2).all(|pair| pair[0] >= pair[1])
}

fn catalog() -> Vec<Value> {
    let catalog: Value = serde_json::from_str(include_str!("../inversion-consciente-tools.json")).unwrap();
    catalog.as_array().unwrap().clone()
}

#[test]
fn v026_v042_the_catalog_has_the_five_tools_with_draft_07_schemas() {
    let catalog = catalog();
    let names: Vec<_> = catalog.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS);
    for tool in &catalog {
        assert_eq!(keys(tool), ["name", "title", "description", "inputSchema", "annotations"]);
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        let schema = &tool["inputSchema"];
        assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
        assert_eq!(schema["additionalProperties"], false);
        assert!(jsonschema::draft7::new(schema).is_ok());
    }
}

#[test]
fn v037_v039_v041_limits_of_the_catalog_are_those_of_the_tools() {
    let catalog = catalog();
    for (tool, mut arguments, most) in [
        ("list_articles", json!({}), 50),
        ("search_articles", json!({ "query": "el" }), 30),
        ("my_recent_messages", json!({}), 50),
    ] {
        let limit =
            &catalog.iter().find(|own| own["name"] == tool).unwrap()["inputSchema"]["properties"]["limit"];
        assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(1), &json!(most)), "{tool}");
        let usual = asks("ana", tool, arguments.clone()).as_array().unwrap().len();
        assert_eq!(limit["default"], usual, "{tool}");
        for (asked, given) in
            [(json!(1), 1), (json!(3), 3), (json!(0), 1), (json!(-7), 1), (json!(null), usual)]
        {
            arguments["limit"] = asked.clone();
            assert_eq!(
                asks("ana", tool, arguments.clone()).as_array().unwrap().len(),
                given,
                "{tool} {asked}"
            );
        }
        arguments["limit"] = json!(i64::MAX);
        assert!(asks("ana", tool, arguments).as_array().unwrap().len() <= most);
    }
}

#[test]
fn v048_every_odd_call_gets_a_sentence_and_none_panics() {
    for tool in TOOLS {
        for arguments in [json!(null), json!([]), json!("x"), json!(1), json!(true)] {
            assert_eq!(refused("ana", tool, arguments), Fault::NotAnObject);
        }
        for odd in [json!(1), json!([]), json!({}), json!(true), json!("")] {
            let arguments = json!({ "slug": odd, "query": odd, "category": odd, "limit": odd });
            if let Err(fault) = call("ana", tool, &arguments, now()) {
                assert!(fault.sentence().ends_with('.'), "{fault:?}");
            }
        }
    }
    assert_eq!(refused("ana", "delete_article", json!({})), Fault::NoTool("delete_article".to_owned()));
}
