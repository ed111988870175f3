//! Regular expressions of documents, which are promised to be those of ECMA-262 and sometimes are not.

use std::collections::HashMap;

use serde_json::json;

/// Bytes of a pattern.
const MAX: usize = 4096;

/// Which patterns can be used, each tried once.
#[derive(Debug, Default)]
pub(super) struct Patterns(HashMap<String, bool>);

impl Patterns {
    /// True if a validator takes it.
    pub(super) fn is_good(&mut self, pattern: &str) -> bool {
        if let Some(known) = self.0.get(pattern) {
            return *known;
        }
        let good = pattern.len() <= MAX && jsonschema::draft202012::new(&json!({"pattern": pattern})).is_ok();
        self.0.insert(pattern.to_owned(), good);
        good
    }
}
