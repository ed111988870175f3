//! Properties that do not go a way: `readOnly` ones to the upstream, `writeOnly` ones from it. Where such a one is
//! required, it is required only on the other way (OpenAPI 3.0.4 §4.7.24.2), also if another part of an `allOf`
//! requires it.

use std::collections::HashSet;

use serde_json::Value;

use super::super::files::Files;
use super::super::node::Node;
use super::Side;

/// Parts of parts.
const MAX_DEPTH: usize = 8;

/// True for a property that does not go this way.
pub(super) fn is(files: &Files, side: Side, property: &Node<'_>) -> bool {
    if property.flag(side.hides()) == Some(true) {
        return true;
    }
    property.value.get("$ref").is_some()
        && files.follow(property.clone()).is_ok_and(|found| found.flag(side.hides()) == Some(true))
}

/// The names that do not go this way in a schema or in what it is made of.
pub(super) fn around(files: &Files, side: Side, node: &Node<'_>, outer: &HashSet<String>) -> HashSet<String> {
    let mut names = outer.clone();
    if node.value.get("properties").is_some() || node.value.get("allOf").is_some() {
        collect(files, side, node, &mut names, MAX_DEPTH);
    }
    names
}

fn collect(files: &Files, side: Side, node: &Node<'_>, names: &mut HashSet<String>, depth: usize) {
    if depth == 0 {
        return;
    }
    if let Some(properties) = node.get("properties") {
        let own = properties.members().filter(|(_, property)| is(files, side, property));
        names.extend(own.map(|(name, _)| name.to_owned()));
    }
    for part in node.get("allOf").iter().flat_map(Node::items) {
        if let Ok(part) = files.follow(part) {
            collect(files, side, &part, names, depth - 1);
        }
    }
    if let (Some(_), Some(Value::String(_))) = (node.value.get("properties"), node.value.get("$ref"))
        && let Ok(target) = files.follow(node.clone())
    {
        collect(files, side, &target, names, depth - 1);
    }
}
