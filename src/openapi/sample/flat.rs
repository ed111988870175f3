//! A schema with what it refers to and is put together of, laid side by side.

use indexmap::IndexMap;
use serde_json::{Map, Value};

/// Schemas that one value has to be good against.
#[derive(Debug, Default)]
pub(super) struct Flat<'s> {
    parts: Vec<&'s Map<String, Value>>,
    /// Property schemas by name.
    pub(super) properties: IndexMap<&'s str, Vec<&'s Value>>,
    pub(super) required: Vec<&'s str>,
    /// What properties without a schema of their own have to be.
    pub(super) rest: Option<&'s Value>,
}

/// Types, and the keywords that are about them alone.
const ABOUT: [(&str, &[&str]); 4] = [
    ("object", &["properties", "required", "additionalProperties", "minProperties", "patternProperties"]),
    ("array", &["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"]),
    ("string", &["pattern", "format", "minLength", "maxLength", "contentEncoding"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];

/// References and parts in one another.
const MAX_DEPTH: usize = 24;

impl<'s> Flat<'s> {
    /// Lays a schema out; of alternatives it takes the one of this number, or the last.
    pub(super) fn of(root: &'s Value, schema: &'s Value, turn: usize) -> Self {
        let mut flat = Self::default();
        flat.add(root, schema, turn, MAX_DEPTH);
        flat
    }

    fn add(&mut self, root: &'s Value, schema: &'s Value, turn: usize, depth: usize) {
        let (Some(keywords), true) = (schema.as_object(), depth > 0) else { return };
        self.parts.push(keywords);
        for (name, property) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.properties.entry(name).or_default().push(property);
        }
        for name in keywords.get("required").and_then(Value::as_array).into_iter().flatten() {
            self.required.extend(name.as_str().filter(|own| !self.required.contains(own)));
        }
        self.rest = self.rest.or(keywords.get("additionalProperties").filter(|own| own.is_object()));
        if let Some(target) =
            keywords.get("$ref").and_then(Value::as_str).and_then(|own| definition(root, own))
        {
            self.add(root, target, turn, depth - 1);
        }
        for part in keywords.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.add(root, part, turn, depth - 1);
        }
        for key in ["oneOf", "anyOf"] {
            let all = keywords.get(key).and_then(Value::as_array);
            // null is the last thing to show
            let (nulls, others): (Vec<_>, Vec<_>) =
                all.into_iter().flatten().partition(|own| own.get("type").is_some_and(|own| own == "null"));
            let ordered: Vec<&Value> = others.into_iter().chain(nulls).collect();
            if let Some(own) = ordered.get(turn).or(ordered.last()) {
                self.add(root, own, turn, depth - 1);
            }
        }
    }

    fn all(&self, key: &str) -> impl Iterator<Item = &'s Value> {
        self.parts.iter().filter_map(move |own| own.get(key))
    }

    /// A value that is given, not made.
    pub(super) fn fixed(&self, documented: bool) -> Option<Value> {
        if let Some(value) = self.all("const").next() {
            return Some(value.clone());
        }
        if let Some(Value::Array(values)) = self.all("examples").next()
            && documented
            && let Some(value) = values.iter().find(|own| self.may_be(own))
        {
            return Some(value.clone());
        }
        let choices = self.choices();
        if !choices.is_empty() {
            let default = self.all("default").find(|own| choices.contains(own)).cloned();
            return default.or_else(|| choices.into_iter().next());
        }
        let default = self.all("default").find(|own| documented && !own.is_null() && self.may_be(own));
        default.filter(|own| !is_empty(own)).cloned()
    }

    /// The values of `enum` that are good in every part, null last.
    pub(super) fn choices(&self) -> Vec<Value> {
        let mut lists = self.all("enum").filter_map(Value::as_array);
        let Some(first) = lists.next() else { return Vec::new() };
        let rest: Vec<_> = lists.collect();
        let good = |own: &&Value| rest.iter().all(|list| list.contains(own)) && self.may_be(own);
        let (nulls, others): (Vec<_>, Vec<_>) = first.iter().filter(good).cloned().partition(Value::is_null);
        others.into_iter().chain(nulls).collect()
    }

    /// True if the value is of a type that every part takes.
    fn may_be(&self, value: &Value) -> bool {
        self.all("type").all(|types| match types {
            Value::String(own) => is_of(value, own),
            Value::Array(all) => all.iter().filter_map(Value::as_str).any(|own| is_of(value, own)),
            _ => true,
        })
    }

    /// The type to make, the first that every part takes; without one, what the keywords are about.
    pub(super) fn kind(&self) -> &'s str {
        let lists: Vec<Vec<&'s str>> = self
            .all("type")
            .map(|types| match types {
                Value::String(own) => vec![own.as_str()],
                own => own.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
            })
            .collect();
        if let Some(first) = lists.first() {
            let covers = |list: &Vec<&str>, own: &str| {
                list.contains(&own) || (own == "integer" && list.contains(&"number"))
            };
            let candidates = lists.iter().flatten().filter(|own| lists.iter().all(|list| covers(list, own)));
            let (nulls, others): (Vec<&&str>, Vec<&&str>) = candidates.partition(|own| **own == "null");
            let chosen = others.into_iter().chain(nulls).next();
            return chosen.or(first.first()).copied().unwrap_or_default();
        }
        let is_about = |keys: &[&str]| keys.iter().any(|key| self.all(key).next().is_some());
        ABOUT.iter().find(|(_, keys)| is_about(keys)).map_or("any", |(kind, _)| kind)
    }

    /// The greatest of a lower bound's values, or the least of an upper one's.
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        let all = self.all(key).filter_map(Value::as_f64);
        if key.ends_with("aximum") { all.reduce(f64::min) } else { all.reduce(f64::max) }
    }

    /// The same for counts.
    pub(super) fn count(&self, key: &str) -> Option<usize> {
        let all = self.all(key).filter_map(Value::as_u64).filter_map(|own| usize::try_from(own).ok());
        if key.starts_with("max") { all.min() } else { all.max() }
    }

    /// A keyword that is text.
    pub(super) fn text(&self, key: &str) -> Option<&'s str> {
        self.all(key).find_map(Value::as_str)
    }

    /// A keyword that is a schema.
    pub(super) fn schema(&self, key: &str) -> Option<&'s Value> {
        self.all(key).next()
    }

    /// A keyword that is a list of schemas.
    pub(super) fn schemas(&self, key: &str) -> Vec<&'s Value> {
        self.all(key).next().and_then(Value::as_array).into_iter().flatten().collect()
    }

    /// A keyword that is true.
    pub(super) fn is(&self, key: &str) -> bool {
        self.all(key).any(|own| *own == Value::Bool(true))
    }
}

fn definition<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    root.get("$defs")?.get(reference.strip_prefix("#/$defs/")?)
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|own| own.fract() == 0.0),
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(own) => own.is_empty(),
        Value::Array(own) => own.is_empty(),
        Value::Object(own) => own.is_empty(),
        _ => false,
    }
}
