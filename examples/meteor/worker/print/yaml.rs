//! YAML of a JSON value: blocks for what is large, JSON's own notation (which is YAML) for what fits on a line.

use std::fmt::Write as _;

use serde_json::Value;

/// How long a line may get.
const WIDTH: usize = 100;

/// A document.
pub(super) fn document(value: &Value) -> String {
    let mut text = String::new();
    block(value, 0, &mut text);
    text
}

fn block(value: &Value, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                let _ = write!(text, "{indent}{}:", key(name));
                entry(member, depth, text);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let _ = write!(text, "{indent}-");
                entry(item, depth, text);
            }
        }
        other => {
            let _ = writeln!(text, "{indent}{other}");
        }
    }
}

fn entry(value: &Value, depth: usize, text: &mut String) {
    let line = value.to_string();
    let scalar = !matches!(value, Value::Object(_) | Value::Array(_));
    if scalar
        || (depth > 2 && line.chars().count() + 2 * depth < WIDTH)
        || matches!(line.as_str(), "{}" | "[]")
    {
        let _ = writeln!(text, " {line}");
    } else {
        text.push('\n');
        block(value, depth + 1, text);
    }
}

/// A name as YAML reads it back: plain where it cannot be taken for anything else.
fn key(name: &str) -> String {
    let plain = name.chars().all(|sign| sign.is_ascii_alphabetic() || matches!(sign, '_' | '-'));
    if plain && !name.is_empty() { name.to_owned() } else { Value::from(name).to_string() }
}
