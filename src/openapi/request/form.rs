//! `application/x-www-form-urlencoded` (OpenAPI 3.1.1 §4.8.14.3): arrays repeat their name, objects are JSON, unless
//! the document gives a property a style.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::body::Encoding;
use super::super::operation::Style;
use super::{encode, style};

/// Writes a form.
pub(super) fn write(members: &Map<String, Value>, encodings: &BTreeMap<String, Encoding>) -> String {
    let pairs =
        members.iter().flat_map(|(name, value)| match encodings.get(name).and_then(|own| own.styled) {
            Some((style, explode, reserved)) => {
                let encode = if reserved { encode::reserved } else { encode::value };
                style::pairs(style, explode, name, value, encode)
            }
            None if value.is_object() => {
                vec![format!("{}={}", encode::value(name), encode::value(&value.to_string()))]
            }
            None => style::pairs(Style::Form, true, name, value, encode::value),
        });
    pairs.collect::<Vec<_>>().join("&")
}
