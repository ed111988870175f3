//! Properties that do not go a way: `readOnly` ones to the upstream, `writeOnly` ones from it. Where such a one is
//! required, it is required only on the other way (OpenAPI 3.0.4 §4.7.24.2), also if another part of an `allOf`
//! requires it.

use std::collections::HashSet;

use super::super::files::Files;
use super::super::node::{Node, Spot};
use super::Side;

/// Parts of one schema that are looked at.
const MAX_PARTS: usize = 64;

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
    let mut walk = Walk { files, side, names: outer.clone(), seen: HashSet::new() };
    if node.value.get("properties").is_some() || node.value.get("allOf").is_some() {
        walk.collect(node);
    }
    walk.names
}

struct Walk<'f> {
    files: &'f Files,
    side: Side,
    names: HashSet<String>,
    /// Parts may be shared by parts.
    seen: HashSet<Spot>,
}

impl Walk<'_> {
    fn collect(&mut self, node: &Node<'_>) {
        if self.seen.len() == MAX_PARTS || !self.seen.insert(node.spot.clone()) {
            return;
        }
        if let Some(properties) = node.get("properties") {
            let own = properties.members().filter(|(_, property)| is(self.files, self.side, property));
            self.names.extend(own.map(|(name, _)| name.to_owned()));
        }
        let parts = node.get("allOf");
        let beside = node.value.get("$ref").map(|_| node.clone());
        for part in parts.iter().flat_map(Node::items).chain(beside) {
            if let Ok(part) = self.files.follow(part) {
                self.collect(&part);
            }
        }
    }
}
