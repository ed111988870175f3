//! Checks a file against the schema, in sentences, and mends a copy so that what is right is still looked at.

use jsonschema::{Draft, ValidationError, error::ValidationErrorKind};
use serde_json::{Map, Value};

use super::{
    brand::PatExpiry,
    error::{Findings, KeyPath},
    rate::RateLimit,
    schema::Shape,
    value::{ByteSize, Period, parse_network},
};

/// Notes everything in `value` that the schema does not allow.
///
/// The answer is a copy that deserializes: what is wrong is left out or replaced, and every place so touched has its
/// fault in `out`, which keeps consequences of the mending from being reported.
pub(super) fn check(schema: &Value, value: &Value, out: &mut Findings) -> Value {
    let validator = match validator(schema) {
        Ok(validator) => validator,
        Err(error) => {
            out.error(&KeyPath::default(), format!("the schema itself is wrong: {error}"));
            return value.clone();
        }
    };
    let mut mended = value.clone();
    for error in validator.iter_errors(value) {
        report(Shape::new(schema), value, &error, &mut mended, out);
    }
    mended
}

fn validator(schema: &Value) -> Result<jsonschema::Validator, Box<ValidationError<'static>>> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_format("portero-duration", |text: &str| text.parse::<Period>().is_ok())
        .with_format("portero-size", |text: &str| text.parse::<ByteSize>().is_ok())
        .with_format("portero-rate", |text: &str| text.parse::<RateLimit>().is_ok())
        .with_format("portero-expiry", |text: &str| text.parse::<PatExpiry>().is_ok())
        .with_format("portero-address", |text: &str| text.parse::<std::net::SocketAddr>().is_ok())
        .with_format("portero-network", |text: &str| parse_network(text).is_some())
        .should_validate_formats(true)
        .build(schema)
        .map_err(Box::new)
}

fn report(root: Shape<'_>, value: &Value, error: &ValidationError<'_>, mended: &mut Value, out: &mut Findings) {
    let steps = steps(error.instance_path().as_str());
    let Some((path, shape)) = walk(root, value, &steps) else {
        out.error(&KeyPath::default(), error.to_string());
        return;
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            for key in unexpected {
                out.error(&path.key(key), unknown_key(shape, key));
                if let Some(Value::Object(table)) = find(mended, &steps) {
                    table.remove(key);
                }
            }
        }
        ValidationErrorKind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            let expected = shape.property(key).map_or_else(String::new, Shape::expected);
            out.error(&path.key(key), format!("is missing; {expected} is needed"));
            let placeholder = shape.property(key).map_or(Value::Null, placeholder);
            if let Some(Value::Object(table)) = find(mended, &steps) {
                table.insert(key.to_owned(), placeholder);
            }
        }
        _ => {
            let shown = if shape.get("x-secret").is_some() || shape.get("x-secret-header").is_some() {
                "the value".to_owned()
            } else {
                shown(error.instance())
            };
            out.error(&path, format!("{shown} is not {}", shape.expected()));
            mend(root, mended, &steps);
        }
    }
}

fn unknown_key(shape: Shape<'_>, key: &str) -> String {
    let known: Vec<&str> = shape.properties().map(|(known, _)| known.as_str()).collect();
    let near = known.iter().map(|known| (strsim::damerau_levenshtein(known, &key.to_lowercase()), known)).min();
    match near {
        Some((distance, near)) if distance <= 1.max(key.len() / 3) => format!("is no known key; did you mean {near}?"),
        _ => format!("is no known key; {} are allowed", known.join(", ")),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().count() > 60 => format!("{:?}", text.chars().take(57).collect::<String>() + "…"),
        Value::String(text) => format!("{text:?}"),
        Value::Array(list) if list.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "this table".to_owned(),
        other => other.to_string(),
    }
}

/// The steps of a JSON pointer.
fn steps(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
}

fn walk<'a>(root: Shape<'a>, value: &Value, steps: &[String]) -> Option<(KeyPath, Shape<'a>)> {
    let (mut path, mut shape, mut value) = (KeyPath::default(), root, value);
    for step in steps {
        shape = shape.step(step)?;
        value = match value {
            Value::Array(list) => {
                let index = step.parse().ok()?;
                path = path.index(index);
                list.get(index)?
            }
            _ => {
                path = path.key(step);
                value.get(step)?
            }
        };
    }
    Some((path, shape))
}

fn find<'v>(value: &'v mut Value, steps: &[String]) -> Option<&'v mut Value> {
    steps.iter().try_fold(value, |value, step| match value {
        Value::Array(list) => list.get_mut(step.parse::<usize>().ok()?),
        Value::Object(table) => table.get_mut(step),
        _ => None,
    })
}

/// Leaves a wrong value out, or puts something of the right shape in its place where it cannot be left out.
fn mend(root: Shape<'_>, mended: &mut Value, steps: &[String]) {
    let Some((last, above)) = steps.split_last() else {
        *mended = placeholder(root);
        return;
    };
    let Some(parent) = above.iter().try_fold(root, |shape, step| shape.step(step)) else { return };
    let Some(shape) = parent.step(last) else { return };
    let optional = parent.property(last).is_some() && !parent.requires(last);
    let in_map = parent.property(last).is_none() && parent.values().is_some();
    let in_list = parent.items().is_some();
    if in_list && !shape.is_table() {
        return mend(root, mended, above);
    }
    match find(mended, above) {
        Some(Value::Object(table)) if optional || (in_map && !shape.is_table()) => {
            table.remove(last);
        }
        Some(Value::Object(table)) => {
            table.insert(last.clone(), placeholder(shape));
        }
        Some(Value::Array(list)) => {
            if let Some(item) = last.parse::<usize>().ok().and_then(|index| list.get_mut(index)) {
                *item = placeholder(shape);
            }
        }
        _ => {}
    }
}

/// The least value of a shape that deserializes.
fn placeholder(shape: Shape<'_>) -> Value {
    if let Some(Value::Array(options)) = shape.get("enum") {
        return options.first().cloned().unwrap_or_default();
    }
    match shape.text("type") {
        Some("object") => {
            let required = shape.properties().filter(|(key, _)| shape.requires(key));
            Value::Object(required.map(|(key, shape)| (key.clone(), placeholder(shape))).collect::<Map<_, _>>())
        }
        Some("array") => Value::Array(Vec::new()),
        Some("boolean") => Value::Bool(false),
        Some("integer") => Value::from(1),
        _ => Value::String(String::new()),
    }
}
