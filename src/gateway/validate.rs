//! Arguments against a tool's own schema, where the service asks for it: a mistake is told by the gateway, in words a
//! model can act on, before a worker is asked.
//!
//! What is checked is what the worker will read: an object with a member twice is refused, because the two could
//! read it differently. No schema is fetched from anywhere.

use jsonschema::Validator;
use serde_json::{Map, Value};

use super::refusal::Reason;
use crate::http::members;

/// So many mistakes are told at once.
const TOLD: usize = 3;
/// And so many characters of each: a schema's own lists can be long, and so can a client's names.
const MAX_WORDS: usize = 240;
const MAX_PATH: usize = 120;
/// Of more values it is not told where a mistake is: the schema's reader makes a list of all of them first, hundreds of
/// bytes for each value, however few are taken.
const MAX_VALUES: usize = 10_000;
const TOO_MANY: &str =
    "Arguments do not fit the tool's inputSchema, and hold too many values to say where. Send fewer at once.";

/// Compiles the schema of a tool's arguments, in the dialect of its `$schema` (2020-12 where it names none).
///
/// # Errors
/// Names the tool and what is wrong.
pub fn compile(tool: &str, schema: &Value) -> Result<Validator, String> {
    jsonschema::options().offline().build(schema).map_err(|error| {
        format!(
            "tool {tool:?} has an inputSchema that arguments cannot be checked against: {}",
            short(&error.to_string(), MAX_WORDS)
        )
    })
}

/// Checks arguments, and gives them as they were read.
///
/// # Errors
/// Where a mistake is and what is wanted there; never what was sent. Attack: one body of millions of mistakes.
pub fn arguments(schema: &Validator, sent: &[u8]) -> Result<Map<String, Value>, Reason> {
    let unreadable = |error: members::NotObject| Reason::Arguments(format!("Arguments: {error}.").into());
    let value = Value::Object(members::read(sent).map_err(unreadable)?);
    if schema.is_valid(&value) {
        return match value {
            Value::Object(members) => Ok(members),
            _ => Ok(Map::new()),
        };
    }
    let mut room = MAX_VALUES;
    if !fits(&value, &mut room) {
        return Err(Reason::Arguments(TOO_MANY.into()));
    }
    let told: Vec<String> = schema
        .iter_errors(&value)
        .take(TOLD)
        .map(|error| {
            let path = short(&format!("arguments{}", error.instance_path()), MAX_PATH);
            format!("{path}: {}", short(&error.masked_with("the value").to_string(), MAX_WORDS))
        })
        .collect();
    Err(Reason::Arguments(format!("{}.", told.join("; ")).into()))
}

/// True if there are no more values in it than there is room for.
fn fits(value: &Value, room: &mut usize) -> bool {
    let Some(left) = room.checked_sub(1) else { return false };
    *room = left;
    match value {
        Value::Array(items) => items.iter().all(|item| fits(item, room)),
        Value::Object(members) => members.values().all(|member| fits(member, room)),
        _ => true,
    }
}

/// A text of at most so many characters, and a sign if there was more.
pub fn short(text: &str, most: usize) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() { format!("{start}…") } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tool::{Descriptor, parse_catalog};

    fn tool(schema: &str) -> Descriptor {
        parse_catalog(format!("[{{\"name\":\"a\",\"inputSchema\":{schema}}}]").as_bytes()).unwrap().remove(0)
    }

    fn compiled(tool: &Descriptor) -> Result<Validator, String> {
        compile(&tool.name, tool.input_schema())
    }

    fn check(schema: &str, sent: &str) -> Result<(), String> {
        match arguments(&compiled(&tool(schema)).unwrap(), sent.as_bytes()) {
            Ok(_) => Ok(()),
            Err(Reason::Arguments(words)) => Err(words.into()),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_mistake_is_told_by_its_place_and_never_by_its_value() {
        let schema = r#"{"type":"object","properties":{"n":{"type":"integer","maximum":9},
            "list":{"type":"array","items":{"enum":["a","b"]}}},"required":["n"],"additionalProperties":false}"#;
        assert_eq!(check(schema, r#"{"n":3,"list":["a"]}"#), Ok(()));
        assert_eq!(check(schema, "{}").unwrap_err(), "arguments: \"n\" is a required property.");
        let secret = "s3cret".repeat(50);
        let told = check(schema, &format!(r#"{{"n":"{secret}","list":["a","{secret}"]}}"#)).unwrap_err();
        assert!(told.contains("arguments/n: the value is not of type \"integer\""), "{told}");
        assert!(told.contains("arguments/list/1: the value is not one of \"a\" or \"b\""), "{told}");
        assert!(!told.contains("s3cret"), "{told}");
        let names = format!(r#"{{"n":1,"{secret}":1}}"#);
        assert!(check(schema, &names).unwrap_err().len() < 400);
        assert_eq!(
            check(schema, r#"{"n":1,"n":"x"}"#).unwrap_err(),
            "Arguments: a member is there twice.",
            "a worker may read the other one"
        );
    }

    #[test]
    fn of_millions_of_mistakes_none_is_told() {
        let schema = r#"{"type":"object","properties":{
            "list":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}},"required":["list"]}"#;
        let list = |item: &str, count: usize| format!(r#"{{"list":[{}]}}"#, vec![item; count].join(","));
        assert_eq!(check(schema, &list("\"a\"", 100_000)), Ok(()));
        assert_eq!(check(schema, &list("1", MAX_VALUES - 1)).unwrap_err(), TOO_MANY);
        let told = check(schema, &list("1", 1_000)).unwrap_err();
        assert!(told.starts_with("arguments/list: "), "{told}");
        let text = format!(r#"{{"text":"{}"}}"#, "a".repeat(1 << 20));
        assert_eq!(check(schema, &text).unwrap_err(), "arguments: \"list\" is a required property.");
    }

    #[test]
    fn each_dialect_is_read_as_its_own() {
        let tuple = |dialect: &str| {
            format!(
                r#"{{"$schema":"{dialect}","type":"object","properties":{{"t":{{"items":[{{"type":"string"}}]}}}}}}"#
            )
        };
        let draft7 = tuple("http://json-schema.org/draft-07/schema#");
        assert!(check(&draft7, r#"{"t":["a",1]}"#).is_ok() && check(&draft7, r#"{"t":[1]}"#).is_err());
        let newest = tool(&tuple("https://json-schema.org/draft/2020-12/schema"));
        assert!(compiled(&newest).is_err(), "there `items` is one schema");
        let newest = r#"{"type":"object","properties":{"t":{"prefixItems":[{"type":"string"}]}}}"#;
        assert!(check(newest, r#"{"t":[1]}"#).is_err(), "2020-12 where nothing is said");
    }

    #[test]
    fn a_schema_that_does_not_compile_names_its_tool() {
        for schema in [
            r#"{"type":"object","properties":{"a":{"type":"strin"}}}"#,
            r#"{"type":"object","properties":{"a":{"$ref":"https://example.com/schema.json"}}}"#,
            r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}"##,
        ] {
            let fault = compiled(&tool(schema)).unwrap_err();
            assert!(fault.starts_with("tool \"a\" has an inputSchema that arguments cannot"), "{fault}");
        }
    }
}
