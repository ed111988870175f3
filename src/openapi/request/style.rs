//! Styles (OpenAPI 3.1.1 §4.8.12.3 and §4.8.12.4, after RFC 6570): how arrays and objects become text.
//!
//! `null` and what is empty is undefined and stands nowhere. Arrays and objects within others have no form of their
//! own, except in `deepObject`, where brackets go on, and become JSON.

use std::borrow::Cow;

use serde_json::Value;

use super::super::operation::Style;
use super::encode;

/// Brackets within brackets.
const MAX_DEPTH: usize = 16;

/// How a single value is written.
pub(super) type Encode = fn(&str) -> String;

/// As it is, for headers.
pub(super) fn as_it_is(text: &str) -> String {
    text.to_owned()
}

fn items(value: &Value) -> impl Iterator<Item = Cow<'_, str>> {
    value.as_array().into_iter().flatten().filter_map(encode::text)
}

fn members(value: &Value) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
    let members = value.as_object().into_iter().flatten();
    members.filter_map(|(name, value)| Some((name.as_str(), encode::text(value)?)))
}

/// All values of an array or an object in one, with the names of an object between or before them.
fn joined(value: &Value, explode: bool, between: &str, encode: Encode) -> String {
    let parts: Vec<String> = match value {
        Value::Array(_) => items(value).map(|own| encode(&own)).collect(),
        Value::Object(_) if explode => {
            members(value).map(|(name, own)| format!("{}={}", encode(name), encode(&own))).collect()
        }
        Value::Object(_) => members(value).flat_map(|(name, own)| [encode(name), encode(&own)]).collect(),
        _ => encode::text(value).map(|own| encode(&own)).into_iter().collect(),
    };
    parts.join(between)
}

/// A value of a path or a header: `simple`, `label` or `matrix`.
pub(super) fn whole(style: Style, explode: bool, name: &str, value: &Value, encode: Encode) -> String {
    let is_defined = match value {
        Value::Null => false,
        Value::Array(own) => !own.is_empty(),
        Value::Object(own) => !own.is_empty(),
        _ => true,
    };
    match style {
        _ if !is_defined => String::new(),
        Style::Label => format!(".{}", joined(value, explode, if explode { "." } else { "," }, encode)),
        Style::Matrix => matrix(explode, name, value, encode),
        _ => joined(value, explode, ",", encode),
    }
}

fn matrix(explode: bool, name: &str, value: &Value, encode: Encode) -> String {
    let pair = |name: &str, own: &str| match own {
        "" => format!(";{}", encode(name)),
        own => format!(";{}={}", encode(name), encode(own)),
    };
    match value {
        Value::Array(_) if explode => items(value).map(|own| pair(name, &own)).collect(),
        Value::Object(_) if explode => members(value).map(|(name, own)| pair(name, &own)).collect(),
        Value::Array(_) | Value::Object(_) => {
            format!(";{}={}", encode(name), joined(value, false, ",", encode))
        }
        _ => pair(name, &encode::text(value).unwrap_or_default()),
    }
}

/// Pairs of a query, a cookie or a form, each already encoded: `name=value`.
pub(super) fn pairs(style: Style, explode: bool, name: &str, value: &Value, encode: Encode) -> Vec<String> {
    let own_name = encode::value(name);
    match (style, value) {
        (Style::Deep, Value::Array(_) | Value::Object(_)) => {
            let mut out = Vec::new();
            deep(&own_name, value, encode, MAX_DEPTH, &mut out);
            out
        }
        (_, Value::Array(_)) if explode => {
            items(value).map(|own| format!("{own_name}={}", encode(&own))).collect()
        }
        (_, Value::Object(_)) if explode => {
            members(value).map(|(name, own)| format!("{}={}", encode::value(name), encode(&own))).collect()
        }
        (_, Value::Array(_) | Value::Object(_)) => {
            let between = match style {
                Style::Space => "%20",
                Style::Pipe => "%7C",
                _ => ",",
            };
            let text = joined(value, false, between, encode);
            if text.is_empty() { Vec::new() } else { vec![format!("{own_name}={text}")] }
        }
        _ => encode::text(value).map(|own| format!("{own_name}={}", encode(&own))).into_iter().collect(),
    }
}

/// `name[member]=value`, brackets encoded.
fn deep(name: &str, value: &Value, encode: Encode, depth: usize, out: &mut Vec<String>) {
    let inner = |key: &str| format!("{name}%5B{}%5D", encode::value(key));
    match value {
        Value::Object(members) if depth > 0 => {
            for (key, own) in members {
                deep(&inner(key), own, encode, depth - 1, out);
            }
        }
        Value::Array(items) if depth > 0 => {
            for (index, own) in items.iter().enumerate() {
                deep(&inner(&index.to_string()), own, encode, depth - 1, out);
            }
        }
        _ => out.extend(encode::text(value).map(|own| format!("{name}={}", encode(&own)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_table_of_the_specification() {
        let (empty, text) = (json!(""), json!("blue"));
        let (array, object) = (json!(["blue", "black", "brown"]), json!({"R": 100, "G": 200, "B": 150}));
        for (style, explode, expected) in [
            (Style::Simple, false, ["", "blue", "blue,black,brown", "R,100,G,200,B,150"]),
            (Style::Simple, true, ["", "blue", "blue,black,brown", "R=100,G=200,B=150"]),
            (Style::Label, false, [".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"]),
            (Style::Label, true, [".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"]),
            (
                Style::Matrix,
                false,
                [";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"],
            ),
            (
                Style::Matrix,
                true,
                [";color", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"],
            ),
        ] {
            let values = [&empty, &text, &array, &object];
            let found = values.map(|value| whole(style, explode, "color", value, encode::value));
            assert_eq!(found, expected.map(str::to_owned), "{style:?} {explode}");
        }
        for (style, explode, expected) in [
            (
                Style::Form,
                false,
                ["color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
            ),
            (
                Style::Form,
                true,
                ["color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
            ),
            (
                Style::Space,
                false,
                ["color=", "color=blue", "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"],
            ),
            (
                Style::Pipe,
                false,
                ["color=", "color=blue", "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"],
            ),
            (
                Style::Deep,
                true,
                [
                    "color=",
                    "color=blue",
                    "color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown",
                    "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
                ],
            ),
        ] {
            let values = [&empty, &text, &array, &object];
            let found = values.map(|value| pairs(style, explode, "color", value, encode::value).join("&"));
            assert_eq!(found, expected.map(str::to_owned), "{style:?} {explode}");
        }
    }

    #[test]
    fn nothing_stands_for_nothing() {
        for value in [json!(null), json!([]), json!({}), json!([null])] {
            assert_eq!(pairs(Style::Form, true, "a", &value, encode::value), Vec::<String>::new(), "{value}");
            assert_eq!(
                pairs(Style::Form, false, "a", &value, encode::value),
                Vec::<String>::new(),
                "{value}"
            );
        }
        assert_eq!(whole(Style::Label, true, "a", &json!([]), encode::value), "");
    }

    #[test]
    fn brackets_go_on_and_other_styles_write_json() {
        let value = json!({"a": {"b": [1, {"c": "x&y"}]}, "d": null});
        assert_eq!(
            pairs(Style::Deep, true, "q", &value, encode::value),
            ["q%5Ba%5D%5Bb%5D%5B0%5D=1", "q%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=x%26y"]
        );
        assert_eq!(pairs(Style::Form, true, "q", &json!([{"a": 1}]), encode::value), ["q=%7B%22a%22%3A1%7D"]);
    }
}
