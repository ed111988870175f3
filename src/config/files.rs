//! What the configuration takes from other files: secrets, and paths that must lead somewhere.

use std::{fs, path::Path};

use serde_json::Value;

use super::{
    error::{Findings, KeyPath},
    schema::Shape,
};

/// TOML as JSON, which is what the schema speaks of.
pub(super) fn from_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        // JSON has no NaN; no key takes one either, so its text is refused as any other would be
        toml::Value::Float(number) => {
            serde_json::Number::from_f64(number).map_or_else(|| Value::from(number.to_string()), Value::Number)
        }
        toml::Value::Boolean(yes) => Value::Bool(yes),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(list) => list.into_iter().map(from_toml).collect(),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(key, value)| (key, from_toml(value))).collect())
        }
    }
}

/// Puts what `*_file` twins and `{ file = … }` headers name in their place.
pub(super) fn fill_in(shape: Shape<'_>, value: &mut Value, dir: &Path, at: &KeyPath, out: &mut Findings) {
    match value {
        Value::Array(list) => {
            let Some(items) = shape.items() else { return };
            for (index, item) in list.iter_mut().enumerate() {
                fill_in(items, item, dir, &at.index(index), out);
            }
        }
        Value::Object(table) => {
            let twins = shape.properties().filter_map(|(twin, shape)| Some((twin, shape.text("x-twin-of")?)));
            for (twin, key) in twins {
                let Some(file) = table.shift_remove(twin) else { continue };
                if table.contains_key(key) {
                    out.error(&at.key(twin), format!("stands beside {key}; one of them is allowed"));
                } else if let Some(secret) = read(dir, &file, &at.key(twin), out) {
                    table.insert(key.to_owned(), secret);
                }
            }
            for (key, value) in table.iter_mut() {
                let Some(below) = shape.step(key) else { continue };
                if below.get("x-secret-header").is_some() {
                    fill_header(value, dir, &at.key(key), out);
                } else {
                    fill_in(below, value, dir, &at.key(key), out);
                }
            }
        }
        _ => {}
    }
}

fn fill_header(value: &mut Value, dir: &Path, at: &KeyPath, out: &mut Findings) {
    let Value::Object(table) = value else { return };
    let filled = match (table.shift_remove("value"), table.shift_remove("file")) {
        (Some(inline), _) => Some(inline),
        (None, Some(file)) => read(dir, &file, &at.key("file"), out),
        (None, None) => None,
    };
    *value = filled.unwrap_or_else(|| Value::from(""));
}

fn read(dir: &Path, file: &Value, at: &KeyPath, out: &mut Findings) -> Option<Value> {
    let file = dir.join(file.as_str()?);
    match fs::read_to_string(&file) {
        Ok(text) if text.trim().is_empty() => {
            out.error(at, format!("{} is empty; a file with the secret is needed", file.display()));
            None
        }
        // editors end a file with a line end, which is no part of the secret
        Ok(text) => Some(Value::from(text.trim_end_matches(['\r', '\n']))),
        Err(error) => {
            out.error(at, format!("{} cannot be read ({error}); a readable file is needed", file.display()));
            None
        }
    }
}

/// Notes a path that leads to no file.
pub(super) fn readable(file: &Path, at: &KeyPath, out: &mut Findings) {
    out.refuse(!file.is_file(), at, format!("{} is not there; an existing file is needed", file.display()));
}
