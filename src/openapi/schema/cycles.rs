//! Definitions that are defined by themselves alone, such as a pet that is a cat or a dog where a cat is a pet and
//! more: whoever validates against them never ends. The reference that closes such a circle is taken out.
//!
//! Circles through properties and items are no such thing: every turn goes one level deeper into a value.

use std::collections::HashSet;

use serde_json::Value;

use super::{Definition, Definitions};

/// Takes closing references out; the numbers of the definitions that had one.
pub(super) fn cut(definitions: &mut Definitions) -> HashSet<usize> {
    let edges: Vec<Vec<usize>> = definitions.0.iter().map(|own| targets(own, definitions)).collect();
    let closing = closing(&edges);
    for (from, to) in &closing {
        let Some(name) = definitions.0.get(*to).map(|own| format!("#/$defs/{}", own.name)) else { continue };
        if let Some(own) = definitions.0.get_mut(*from) {
            in_place_mut(&mut own.fragment.value, &mut |keywords| {
                if keywords.get("$ref").and_then(Value::as_str) == Some(&name) {
                    keywords.shift_remove("$ref");
                }
            });
        }
    }
    closing.into_iter().map(|(from, _)| from).collect()
}

/// The definitions that a definition refers to without going into the value.
fn targets(own: &Definition, definitions: &Definitions) -> Vec<usize> {
    let mut names = HashSet::new();
    in_place(&own.fragment.value, &mut |reference| {
        names.insert(reference.trim_start_matches("#/$defs/"));
    });
    let is_target =
        |id: &&usize| definitions.0.get(**id).is_some_and(|own| names.contains(own.name.as_str()));
    own.fragment.refs.iter().filter(is_target).copied().collect()
}

/// Edges that lead back to where a walk came from. The walk keeps its own stack: chains may be long.
fn closing(edges: &[Vec<usize>]) -> Vec<(usize, usize)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        Open,
        Done,
    }
    let mut seen = vec![Seen::No; edges.len()];
    let mut found = Vec::new();
    let mark = |seen: &mut Vec<Seen>, id: usize, as_: Seen| {
        if let Some(own) = seen.get_mut(id) {
            *own = as_;
        }
    };
    for start in 0..edges.len() {
        if seen.get(start) != Some(&Seen::No) {
            continue;
        }
        mark(&mut seen, start, Seen::Open);
        let mut stack = vec![(start, 0)];
        while let Some((id, next)) = stack.pop() {
            let Some(&to) = edges.get(id).and_then(|all| all.get(next)) else {
                mark(&mut seen, id, Seen::Done);
                continue;
            };
            stack.push((id, next + 1));
            match seen.get(to) {
                Some(Seen::No) => {
                    mark(&mut seen, to, Seen::Open);
                    stack.push((to, 0));
                }
                Some(Seen::Open) => found.push((id, to)),
                _ => {}
            }
        }
    }
    found
}

const IN_PLACE: [&str; 4] = ["not", "if", "then", "else"];
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Visits every reference that applies to the value itself.
fn in_place<'v>(schema: &'v Value, visit: &mut impl FnMut(&'v str)) {
    let Some(keywords) = schema.as_object() else { return };
    if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
        visit(reference);
    }
    for key in IN_PLACE {
        if let Some(inner) = keywords.get(key) {
            in_place(inner, visit);
        }
    }
    for key in LISTS {
        for inner in keywords.get(key).and_then(Value::as_array).into_iter().flatten() {
            in_place(inner, visit);
        }
    }
    for inner in keywords.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten() {
        in_place(inner.1, visit);
    }
}

fn in_place_mut(schema: &mut Value, visit: &mut impl FnMut(&mut serde_json::Map<String, Value>)) {
    let Some(keywords) = schema.as_object_mut() else { return };
    visit(keywords);
    for key in IN_PLACE {
        if let Some(inner) = keywords.get_mut(key) {
            in_place_mut(inner, visit);
        }
    }
    for key in LISTS {
        for inner in keywords.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            in_place_mut(inner, visit);
        }
    }
    for inner in keywords.get_mut("dependentSchemas").and_then(Value::as_object_mut).into_iter().flatten() {
        in_place_mut(inner.1, visit);
    }
}
