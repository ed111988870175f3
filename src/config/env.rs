//! `PORTERO__SECTION__KEY` in the environment, laid over the file.

use serde_json::Value;

use super::{
    error::{Findings, KeyPath},
    files::from_toml,
    schema::Shape,
};

const PREFIX: &str = "PORTERO__";

/// Lays the environment over the file; answers which variable set which key.
pub(super) fn merge(
    schema: &Value,
    file: &mut Value,
    env: impl Iterator<Item = (String, String)>,
    out: &mut Findings,
) -> Vec<(KeyPath, String)> {
    let mut variables: Vec<(String, String)> = env.filter(|(name, _)| name.starts_with(PREFIX)).collect();
    // the environment has no order of its own, and what is said about it should not change from run to run
    variables.sort();
    let mut sources = Vec::new();
    for (name, text) in variables {
        let steps: Vec<&str> = name.get(PREFIX.len()..).unwrap_or_default().split("__").collect();
        match set(file, Shape::new(schema), &steps, &text) {
            Some(path) => sources.push((path, name)),
            None => out.error(
                &KeyPath::default(),
                format!("{name} leads to no key; {PREFIX}SECTION__KEY with keys of the file is allowed, and for lists a number or id"),
            ),
        }
    }
    sources
}

fn set(file: &mut Value, root: Shape<'_>, steps: &[&str], text: &str) -> Option<KeyPath> {
    let (last, above) = steps.split_last()?;
    let (mut value, mut shape, mut path) = (file, Some(root), KeyPath::default());
    for step in above {
        (value, shape, path) = enter(value, shape, path, step)?;
    }
    let table = value.as_object_mut()?;
    let key = spelling(table.keys(), shape, last)?;
    let twin = key.strip_suffix("_file").map_or_else(|| format!("{key}_file"), str::to_owned);
    if shape.and_then(|shape| shape.property(&twin)).is_some() {
        table.shift_remove(&twin);
    }
    let only_text = shape.and_then(|shape| shape.step(&key)).is_some_and(|shape| shape.text("type") == Some("string"));
    table.insert(key.clone(), if only_text { Value::from(text) } else { read(text) });
    Some(path.key(&key))
}

fn enter<'v, 's>(
    value: &'v mut Value,
    shape: Option<Shape<'s>>,
    path: KeyPath,
    step: &str,
) -> Option<(&'v mut Value, Option<Shape<'s>>, KeyPath)> {
    match value {
        Value::Array(list) => {
            let index = step.parse().ok().or_else(|| list.iter().position(|item| is_named(item, step)))?;
            Some((list.get_mut(index)?, shape.and_then(Shape::items), path.index(index)))
        }
        Value::Object(table) => {
            let key = spelling(table.keys(), shape, step)?;
            let below = shape.and_then(|shape| shape.step(&key));
            let path = path.key(&key);
            Some((table.entry(key).or_insert_with(|| Value::Object(serde_json::Map::new())), below, path))
        }
        _ => None,
    }
}

/// A variable's name has neither case nor dashes, so it means the key that is there, else the one that is known.
fn spelling<'k>(mut present: impl Iterator<Item = &'k String>, shape: Option<Shape<'_>>, step: &str) -> Option<String> {
    if step.is_empty() {
        return None;
    }
    let known = || shape.into_iter().flat_map(Shape::properties).map(|(key, _)| key).find(|key| same(key, step)).cloned();
    present.find(|key| same(key, step)).cloned().or_else(known).or_else(|| Some(step.to_ascii_lowercase()))
}

fn same(key: &str, step: &str) -> bool {
    key.replace('-', "_").eq_ignore_ascii_case(&step.replace('-', "_"))
}

fn is_named(item: &Value, step: &str) -> bool {
    ["id", "name"].iter().filter_map(|key| item.get(key)?.as_str()).any(|name| same(name, step))
}

fn read(text: &str) -> Value {
    text.parse::<toml::Value>().map_or_else(|_| Value::from(text), from_toml)
}
