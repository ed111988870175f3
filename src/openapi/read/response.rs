//! What a success answers (OpenAPI 3.1.1 §4.8.16): its JSON Schema, and whether a model can read it at all.

use serde_json::{Value, json};

use super::super::media;
use super::super::node::Node;
use super::super::schema::{Converter, Fragment, Side};

/// What a success answers.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The schema of the JSON.
    pub(super) output: Option<Fragment>,
    /// The media types to ask for.
    pub(super) accept: Vec<String>,
    /// Why no model can read the answer.
    pub(super) unreadable: Option<String>,
}

/// Reads the successes among `responses`; `default` counts where no success is described.
pub(super) fn read<'d>(converter: &mut Converter<'d>, operation: &Node<'d>) -> Answers {
    let responses = operation.get("responses");
    let all: Vec<_> = responses.iter().flat_map(Node::members).collect();
    let is_success = |code: &str| code.len() == 3 && code.starts_with('2');
    let any = all.iter().any(|(code, _)| is_success(code));
    let (mut json, mut text, mut other, mut empty) = (Vec::new(), Vec::new(), Vec::new(), false);
    let mut schemas: Vec<Fragment> = Vec::new();
    for (code, response) in all {
        // the others may be dangling too
        let Some(response) = converter.follow(response) else { continue };
        if !(is_success(code) || (!any && code == "default")) {
            continue;
        }
        let content = response.get("content");
        empty |=
            content.as_ref().is_none_or(|own| own.value.as_object().is_none_or(serde_json::Map::is_empty));
        for (name, content) in content.iter().flat_map(Node::members) {
            let essence = media::essence(name);
            if media::is_json(&essence) || essence.contains('*') {
                json.push(name.to_owned());
                if let Some(schema) = content.get("schema") {
                    schemas.push(converter.convert(Side::Output, &schema));
                }
            } else if media::is_text(&essence) {
                text.push(name.to_owned());
            } else {
                other.push(name.to_owned());
            }
        }
    }
    let unreadable = (json.is_empty() && text.is_empty() && !empty && !other.is_empty())
        .then(|| format!("it answers {}, which does not pass through a model", other.join(", ")));
    let output = if text.is_empty() { one_of(schemas) } else { None };
    Answers { output, accept: distinct(if json.is_empty() { text } else { json }), unreadable }
}

fn distinct(names: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}

/// One schema for all successes.
fn one_of(schemas: Vec<Fragment>) -> Option<Fragment> {
    let mut kept: Vec<Fragment> = Vec::new();
    for schema in schemas {
        if !kept.iter().any(|own| own.value == schema.value) {
            kept.push(schema);
        }
    }
    if kept.len() < 2 {
        return kept.pop();
    }
    let refs = kept.iter().flat_map(|own| own.refs.clone()).collect();
    let values: Vec<Value> = kept.into_iter().map(|own| own.value).collect();
    Some(Fragment { value: json!({"anyOf": values}), refs })
}
