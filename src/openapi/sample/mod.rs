//! Arguments that are good against a schema, to show how a call looks.
//!
//! Schemas say what is refused, not what is good, so a sample is made by the likely reading of each keyword and then
//! checked; if it is none, another try reads fewer of the document's own examples and takes other alternatives.

mod flat;
mod string;

use serde_json::{Map, Number, Value, json};

use flat::Flat;

/// How much is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// What is required.
    Required,
    /// Every argument that there is, and within them what is near.
    Everything,
}

/// Levels in all.
const MAX_DEPTH: usize = 24;
/// Values of one sample.
const MAX_VALUES: usize = 5_000;

/// One way to make a sample.
struct Try {
    /// True if the document's own examples and defaults are taken.
    documented: bool,
    /// Which of alternatives is taken.
    turn: usize,
    /// Levels within which optional properties are made, if everything is wanted.
    full: usize,
}

const TRIES: [Try; 7] = [
    Try { documented: true, turn: 0, full: 3 },
    Try { documented: true, turn: 1, full: 3 },
    Try { documented: false, turn: 0, full: 3 },
    Try { documented: true, turn: 0, full: 1 },
    Try { documented: false, turn: 0, full: 1 },
    Try { documented: false, turn: 1, full: 1 },
    Try { documented: false, turn: 2, full: 1 },
];

/// Arguments for an input schema; where not everything goes together, those that are required.
pub(super) fn arguments(schema: &Value, extent: Extent) -> Option<Map<String, Value>> {
    let validator = jsonschema::draft202012::options().should_validate_formats(true).build(schema).ok()?;
    let extents = [extent, Extent::Required];
    extents.into_iter().find_map(|extent| {
        TRIES.iter().find_map(|own| {
            let mut sampler = Sampler { root: schema, extent, own, left: MAX_VALUES };
            let mut value = sampler.value(schema, 0)?;
            if !validator.is_valid(&value) {
                mend(schema, &validator, &mut value);
            }
            match (validator.is_valid(&value), value) {
                (true, Value::Object(arguments)) => Some(arguments),
                _ => None,
            }
        })
    })
}

/// An optional argument for which nothing good was found is left out.
fn mend(schema: &Value, validator: &jsonschema::Validator, value: &mut Value) {
    let required = names(schema.get("required"));
    for _ in 0..64 {
        let Some(arguments) = value.as_object() else { return };
        let bad = validator.iter_errors(value).find_map(|error| {
            let pointer = error.instance_path().as_str().to_owned();
            let name = pointer.split('/').nth(1)?.replace("~1", "/").replace("~0", "~");
            (arguments.contains_key(&name) && !required.contains(&name)).then_some(name)
        });
        let Some(bad) = bad else { return };
        if let Some(arguments) = value.as_object_mut() {
            arguments.shift_remove(&bad);
        }
    }
}

struct Sampler<'s> {
    root: &'s Value,
    extent: Extent,
    own: &'s Try,
    /// Values that may still be made.
    left: usize,
}

impl<'s> Sampler<'s> {
    fn value(&mut self, schema: &'s Value, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH || self.left == 0 {
            return None;
        }
        self.left -= 1;
        if let Value::Bool(any) = schema {
            return any.then(|| json!("example"));
        }
        let flat = Flat::of(self.root, schema, self.own.turn);
        if let Some(value) = flat.fixed(self.own.documented) {
            return Some(value);
        }
        match flat.kind() {
            "object" => self.object(&flat, depth),
            "array" => self.array(&flat, depth),
            "string" => string::sample(&flat, self.own.turn),
            "integer" => number(&flat, true),
            "number" => number(&flat, false),
            "boolean" => Some(json!(true)),
            "null" => Some(Value::Null),
            _ => Some(json!("example")),
        }
    }

    fn object(&mut self, flat: &Flat<'s>, depth: usize) -> Option<Value> {
        let mut out = Map::new();
        let full = self.extent == Extent::Everything && depth < self.own.full;
        // an argument that is an object shows something
        let open =
            !flat.properties.is_empty() || flat.schema("additionalProperties") != Some(&Value::Bool(false));
        let shown = usize::from(depth == 1 && open);
        let least = flat.count("minProperties").unwrap_or(0).max(shown);
        for (name, schemas) in &flat.properties {
            let required = flat.required.contains(name);
            if !required && !full {
                continue;
            }
            match self.all(schemas, depth + 1) {
                Some(value) => {
                    out.insert((*name).to_owned(), value);
                }
                None if required => return None,
                None => {}
            }
        }
        for name in flat.required.iter().filter(|name| !flat.properties.contains_key(*name)) {
            let value = match flat.rest {
                Some(schema) => self.value(schema, depth + 1)?,
                None => json!("example"),
            };
            out.insert((*name).to_owned(), value);
        }
        for (name, schemas) in &flat.properties {
            if out.len() < least && !out.contains_key(*name) {
                out.extend(self.all(schemas, depth + 1).map(|value| ((*name).to_owned(), value)));
            }
        }
        let wanted =
            if full && flat.properties.is_empty() && flat.rest.is_some() { least.max(1) } else { least };
        for number in 0..wanted.min(64) {
            if out.len() >= wanted {
                break;
            }
            let value = match flat.rest {
                Some(schema) => self.value(schema, depth + 1)?,
                None => json!("example"),
            };
            out.insert(format!("key{number}"), value);
        }
        Some(Value::Object(out))
    }

    /// A value for several schemas at once.
    fn all(&mut self, schemas: &[&'s Value], depth: usize) -> Option<Value> {
        // the later ones narrow the first, and what one of them fixes holds for all
        let fixed = schemas.iter().find(|own| own.get("const").is_some() || own.get("enum").is_some());
        self.value(fixed.or(schemas.first())?, depth)
    }

    fn array(&mut self, flat: &Flat<'s>, depth: usize) -> Option<Value> {
        let least = flat.count("minItems").unwrap_or(0);
        let most = flat.count("maxItems").unwrap_or(usize::MAX);
        let first: Vec<&'s Value> = flat.schemas("prefixItems");
        let item = flat.schema("items");
        let contains = flat.schema("contains");
        let wanted = least.max(first.len()).max(1).min(most).min(256);
        let mut out = Vec::new();
        for index in 0..wanted {
            let schema = first.get(index).copied().or(contains.filter(|_| index == 0)).or(item);
            let value = match schema {
                Some(schema) => self.value(schema, depth + 1),
                None => Some(json!("example")),
            };
            match value {
                Some(value) if flat.is("uniqueItems") => {
                    out.extend(other_than(&out, value, schema, self.root));
                }
                Some(value) => out.push(value),
                None if index >= least => break,
                None => return None,
            }
        }
        (out.len() >= least).then_some(Value::Array(out))
    }
}

/// The value, or one like it that is not in the list yet.
fn other_than(list: &[Value], value: Value, schema: Option<&Value>, root: &Value) -> Option<Value> {
    if !list.contains(&value) {
        return Some(value);
    }
    let flat = schema.map(|schema| Flat::of(root, schema, 0));
    let choices = flat.iter().flat_map(Flat::choices).find(|own| !list.contains(own));
    choices.or_else(|| {
        (1..=list.len() + 1)
            .map(|number| match &value {
                Value::String(text) => json!(format!("{text}{number}")),
                Value::Number(own) => {
                    json!(own.as_i64().unwrap_or_default() + i64::try_from(number).unwrap_or(0))
                }
                other => json!([other, number]),
            })
            .find(|own| !list.contains(own))
    })
}

fn number(flat: &Flat<'_>, whole: bool) -> Option<Value> {
    let step = flat.number("multipleOf").filter(|own| *own > 0.0);
    let unit = step.unwrap_or(1.0);
    let low = flat.number("minimum");
    let above = flat.number("exclusiveMinimum");
    let high = flat.number("maximum");
    let below = flat.number("exclusiveMaximum");
    let good = |own: &f64| {
        low.is_none_or(|bound| *own >= bound)
            && above.is_none_or(|bound| *own > bound)
            && high.is_none_or(|bound| *own <= bound)
            && below.is_none_or(|bound| *own < bound)
            && (!whole || own.fract() == 0.0)
    };
    let floor = low.into_iter().chain(above).fold(f64::MIN, f64::max);
    let ceiling = high.into_iter().chain(below).fold(f64::MAX, f64::min);
    let up = (floor / unit).ceil() * unit;
    let down = (ceiling / unit).floor() * unit;
    let candidates =
        [unit, 0.0, up, up + unit, down, down - unit, f64::midpoint(floor, ceiling), floor, ceiling];
    let found = candidates.into_iter().find(good)?;
    if found.fract() == 0.0 && found.abs() < 9e15 {
        return format!("{found:.0}").parse::<i64>().ok().map(Value::from);
    }
    Number::from_f64(found).map(Value::Number)
}

fn names(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}
