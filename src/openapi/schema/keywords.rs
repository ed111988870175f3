//! The keywords of a schema, one by one. A value that is none for its keyword is left out with a warning, so that
//! what comes out is always valid.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::super::node::Node;
use super::convert::{Converter, Frame};
use super::{Side, hidden, nullable};

const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];
/// Bytes of an example that is shown with its schema.
const EXAMPLE: usize = 1024;

impl<'d> Converter<'d> {
    /// The keywords of a schema object, without its `$ref`.
    pub(super) fn keywords(&mut self, frame: &mut Frame<'_>, node: &Node<'d>) -> Value {
        let hidden = hidden::around(self.files, frame.side, node, frame.hidden);
        let mut frame = Frame { side: frame.side, refs: &mut *frame.refs, hidden: &hidden };
        let mut out = Map::new();
        for (key, member) in node.members() {
            let kept = match self.keyword(&mut frame, node, key, &member) {
                Ok(kept) => kept,
                Err(wanted) => {
                    self.warn(&member.spot, format!("is left out: {wanted} is wanted"));
                    continue;
                }
            };
            if let Some((key, value)) = kept {
                out.insert(key.to_owned(), value);
            }
        }
        bounds(&mut out, node);
        nullable::allow(&mut out, node);
        Value::Object(out)
    }

    /// What a keyword becomes: nothing if it says nothing to JSON Schema.
    fn keyword(
        &mut self,
        frame: &mut Frame<'_>,
        node: &Node<'d>,
        key: &'d str,
        member: &Node<'d>,
    ) -> Result<Option<(&'d str, Value)>, &'static str> {
        let value = member.value;
        let same = |value: Value| Ok(Some((key, value)));
        match key {
            "title" | "description" | "format" | "contentEncoding" | "contentMediaType" => match value {
                Value::String(_) => same(value.clone()),
                _ => Err("text"),
            },
            "deprecated" | "readOnly" | "writeOnly" | "uniqueItems" => match value {
                Value::Bool(_) => same(value.clone()),
                _ => Err("true or false"),
            },
            "maximum" | "minimum" => {
                if value.is_number() {
                    same(value.clone())
                } else {
                    Err("a number")
                }
            }
            // booleans are OpenAPI 3.0's, which `bounds` reads
            "exclusiveMaximum" | "exclusiveMinimum" => match value {
                Value::Number(_) => same(value.clone()),
                Value::Bool(_) => Ok(None),
                _ => Err("a number"),
            },
            "multipleOf" => match value.as_f64() {
                Some(number) if number > 0.0 => same(value.clone()),
                _ => Err("a number above 0"),
            },
            "maxLength" | "minLength" | "maxItems" | "minItems" | "maxProperties" | "minProperties"
            | "maxContains" | "minContains" => match count(value) {
                Some(count) => same(Value::from(count)),
                None => Err("a whole number, 0 or more"),
            },
            "default" | "const" => same(value.clone()),
            "example" | "examples" => Ok(examples(frame.side, key, value).map(|value| ("examples", value))),
            "enum" => {
                if value.is_array() {
                    same(value.clone())
                } else {
                    Err("a list")
                }
            }
            "type" => types(value).map(|value| value.map(|value| (key, value))),
            "pattern" => match value.as_str() {
                Some(pattern) if self.patterns.is_good(pattern) => same(value.clone()),
                _ => Err("a regular expression of ECMA-262"),
            },
            "required" => required(frame, value).map(|value| value.map(|value| (key, value))),
            "dependentRequired" => dependent(value).map(|value| Some((key, value))),
            _ => self.applicator(frame, node, key, member),
        }
    }

    /// Keywords that hold schemas.
    fn applicator(
        &mut self,
        frame: &mut Frame<'_>,
        node: &Node<'d>,
        key: &'d str,
        member: &Node<'d>,
    ) -> Result<Option<(&'d str, Value)>, &'static str> {
        match key {
            // the lists of older drafts
            "items" if member.value.is_array() => self.list(frame, "prefixItems", member),
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => self.list(frame, key, member),
            "items"
            | "contains"
            | "additionalProperties"
            | "propertyNames"
            | "not"
            | "if"
            | "then"
            | "else"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "contentSchema" => {
                let nothing = HashSet::new();
                let mut inner = Frame { side: frame.side, refs: &mut *frame.refs, hidden: &nothing };
                Ok(Some((key, self.schema(&mut inner, member))))
            }
            "properties" | "patternProperties" | "dependentSchemas" => {
                if !member.value.is_object() {
                    return Err("an object of schemas");
                }
                Ok(Some((key, self.properties(frame, node, key, member))))
            }
            _ => Ok(None),
        }
    }

    fn list(
        &mut self,
        frame: &mut Frame<'_>,
        key: &'d str,
        member: &Node<'d>,
    ) -> Result<Option<(&'d str, Value)>, &'static str> {
        let schemas: Vec<_> = member.items().map(|item| self.schema(frame, &item)).collect();
        if schemas.is_empty() {
            return Err("a list of schemas that is not empty");
        }
        Ok(Some((key, Value::Array(schemas))))
    }

    fn properties(&mut self, frame: &mut Frame<'_>, node: &Node<'d>, key: &str, member: &Node<'d>) -> Value {
        let mut out = Map::new();
        let nothing = HashSet::new();
        for (name, property) in member.members() {
            if key == "properties" && hidden::is(self.files, frame.side, &property) {
                continue;
            }
            if key == "patternProperties" && !self.patterns.is_good(name) {
                self.warn(&property.spot, "is left out: a regular expression of ECMA-262 is wanted");
                continue;
            }
            if property.value.get("required").is_some_and(Value::is_boolean) {
                let says = format!(
                    "`required` is a list of names beside `properties` of {}",
                    self.files.place(&node.spot)
                );
                self.warn(&property.spot, says);
            }
            let mut inner = Frame { side: frame.side, refs: &mut *frame.refs, hidden: &nothing };
            out.insert(name.to_owned(), self.schema(&mut inner, &property));
        }
        Value::Object(out)
    }
}

/// `exclusiveMaximum: true` of OpenAPI 3.0 makes the maximum itself no good value.
fn bounds(out: &mut Map<String, Value>, node: &Node<'_>) {
    for (exclusive, bound) in [("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")] {
        if node.flag(exclusive) == Some(true)
            && let Some(limit) = out.shift_remove(bound)
        {
            out.insert(exclusive.to_owned(), limit);
        }
    }
}

fn count(value: &Value) -> Option<u64> {
    // 3.0 is as whole as 3
    value.as_u64().or_else(|| {
        let number = value.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0)?;
        format!("{number:.0}").parse().ok()
    })
}

fn types(value: &Value) -> Result<Option<Value>, &'static str> {
    const WANTED: &str = "null, boolean, object, array, number, string or integer, or a list of those";
    let good = |value: &Value| value.as_str().is_some_and(|own| TYPES.contains(&own));
    match value {
        Value::Array(all) if !all.is_empty() && all.iter().all(good) => {
            let mut kept: Vec<&Value> = Vec::new();
            for one in all {
                if !kept.contains(&one) {
                    kept.push(one);
                }
            }
            Ok(Some(Value::Array(kept.into_iter().cloned().collect())))
        }
        // what Swagger 2 called bytes
        Value::String(own) if own == "file" => Ok(Some(Value::from("string"))),
        value if good(value) => Ok(Some(value.clone())),
        _ => Err(WANTED),
    }
}

/// The required names, each once, without those that do not go this way.
fn required(frame: &Frame<'_>, value: &Value) -> Result<Option<Value>, &'static str> {
    // the boolean is told where the property stands
    if value.is_boolean() {
        return Ok(None);
    }
    let names = names(value)?;
    let kept: Vec<_> = names.into_iter().filter(|name| !frame.hidden.contains(*name)).collect();
    Ok((!kept.is_empty()).then(|| Value::from(kept)))
}

fn names(value: &Value) -> Result<Vec<&str>, &'static str> {
    const WANTED: &str = "a list of names";
    let mut names = Vec::new();
    for name in value.as_array().ok_or(WANTED)? {
        let name = name.as_str().ok_or(WANTED)?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

fn dependent(value: &Value) -> Result<Value, &'static str> {
    let lists = value.as_object().ok_or("an object of lists of names")?;
    let lists = lists.iter().map(|(key, list)| Ok((key.clone(), Value::from(names(list)?))));
    lists.collect::<Result<Map<_, _>, &'static str>>().map(Value::Object)
}

/// Examples help whoever makes a value; whoever reads one sees it.
fn examples(side: Side, key: &str, value: &Value) -> Option<Value> {
    let list = match (side, key, value) {
        (Side::Output, ..) => return None,
        (_, "example", one) => vec![one.clone()],
        (_, _, Value::Array(all)) => all.clone(),
        // the named examples that belong to media types
        (_, _, Value::Object(all)) => all.values().filter_map(|own| own.get("value")).cloned().collect(),
        _ => return None,
    };
    let list: Vec<_> = list.into_iter().filter(|one| one.to_string().len() <= EXAMPLE).take(3).collect();
    (!list.is_empty()).then_some(Value::Array(list))
}
