//! A schema with the definitions that it needs, so that it stands alone.

use std::collections::{HashSet, VecDeque};

use serde_json::{Map, Value, json};

use super::{Definitions, Fragment};

/// Bytes of the definitions of one schema. What does not fit, farthest first, takes anything: the upstream still says
/// what is wrong, and nobody reads a schema of this length.
pub(in super::super) const MAX: usize = 256 << 10;

impl Definitions {
    /// The schema with what it refers to, near and far, as `$defs`; and the bytes that were left out.
    pub(in super::super) fn assemble(&self, root: &Fragment) -> Value {
        let Value::Object(mut whole) = root.value.clone() else { return root.value.clone() };
        let mut defs = Map::new();
        let (mut waiting, mut used) = (VecDeque::from(root.refs.clone()), 0);
        let mut seen = HashSet::new();
        while let Some(id) = waiting.pop_front() {
            let Some(own) = self.0.get(id) else { continue };
            if !seen.insert(id) {
                continue;
            }
            if used + own.size > MAX {
                let says = "left out here: all definitions together would be too long";
                defs.insert(own.name.clone(), json!({"description": says}));
                continue;
            }
            used += own.size;
            defs.insert(own.name.clone(), own.fragment.value.clone());
            waiting.extend(&own.fragment.refs);
        }
        if !defs.is_empty() {
            whole.insert("$defs".to_owned(), Value::Object(defs));
        }
        Value::Object(whole)
    }
}
