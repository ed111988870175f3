//! The path of a request. A value stays within its segment: `/` is encoded, and what a server may take for a way up is
//! refused, because many decode before they route.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::super::operation::{Style, Wire};
use super::{Fault, Given, encode, style};

/// The names in a path template, in order.
pub(in super::super) fn names(path: &str) -> Result<Vec<&str>, &'static str> {
    let mut names = Vec::new();
    for piece in pieces(path) {
        if let Piece::Name(name) = piece? {
            names.push(name);
        }
    }
    Ok(names)
}

enum Piece<'p> {
    Literal(&'p str),
    Name(&'p str),
}

fn pieces(path: &str) -> impl Iterator<Item = Result<Piece<'_>, &'static str>> {
    let mut rest = path;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(begin) = rest.find('{') else { return Some(literal(std::mem::take(&mut rest))) };
        if begin > 0 {
            let (before, after) = rest.split_at(begin);
            rest = after;
            return Some(literal(before));
        }
        let Some((name, after)) = rest.get(1..).unwrap_or_default().split_once('}') else {
            rest = "";
            return Some(Err("has a { without its }"));
        };
        rest = after;
        Some(if name.is_empty() || name.contains('{') {
            Err("has a parameter without a name")
        } else {
            Ok(Piece::Name(name))
        })
    })
}

fn literal(text: &str) -> Result<Piece<'_>, &'static str> {
    if text.contains('}') { Err("has a } without its {") } else { Ok(Piece::Literal(text)) }
}

/// Writes the path, and the query that some documents write into it; what stands behind `#` only tells documents' paths
/// apart.
pub(super) fn write(path: &str, given: &Given<'_>) -> Result<String, Fault> {
    let path = path.split('#').next().unwrap_or_default();
    let mut out = String::with_capacity(path.len() + 32);
    let mut in_query = false;
    for piece in pieces(path) {
        match piece.map_err(|says| Fault::new("", format!("the path {says}")))? {
            Piece::Literal(text) => {
                for (index, part) in text.splitn(if in_query { 1 } else { 2 }, '?').enumerate() {
                    if index > 0 {
                        out.push('?');
                        in_query = true;
                    }
                    out.push_str(&encode::literal(part, in_query));
                }
            }
            Piece::Name(name) => {
                let found = given.iter().find(|(parameter, _)| parameter.name == name);
                let Some((parameter, value)) = found else {
                    return Err(Fault::new(name, "is required"));
                };
                let refuse = |says: &str| Fault::new(&parameter.argument, says);
                if climbs(value) {
                    return Err(refuse(
                        "may not lead to another path: no `.` or `..` between slashes, no control characters",
                    ));
                }
                let text = match parameter.wire {
                    Wire::Styled { style, explode, .. } => {
                        style::whole(style, explode, name, value, encode::value)
                    }
                    Wire::Json => encode::value(&value.to_string()),
                    Wire::Text => style::whole(Style::Simple, false, name, value, encode::value),
                };
                if text.is_empty() {
                    return Err(refuse("is empty, and a path with nothing there is another path"));
                }
                out.push_str(&text);
            }
        }
    }
    let segments = out.split('?').next().unwrap_or_default().split('/');
    if segments.into_iter().any(|segment| is_dots(&decoded(segment))) {
        return Err(Fault::new("", "the path would lead to another one: a part of it is `.` or `..`"));
    }
    Ok(out)
}

fn is_dots(segment: &str) -> bool {
    segment == "." || segment == ".."
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// True for a text that, also decoded once or twice more, goes up or ends the line.
fn climbs(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let once = decoded(text);
            let twice = decoded(&once);
            [text, &once, &twice]
                .into_iter()
                .any(|own| own.contains(char::is_control) || own.split(['/', '\\']).any(is_dots))
        }
        Value::Array(items) => items.iter().any(climbs),
        Value::Object(members) => {
            members.iter().any(|(name, own)| climbs(own) || climbs(&Value::from(name.as_str())))
        }
        _ => false,
    }
}
