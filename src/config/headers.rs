//! `[headers]`: how the headers that tell a worker who calls are named.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{Findings, KeyPath};

/// How the headers that tell a worker who calls are named.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HeadersConfig {
    /// What the names of identity headers begin with. Headers of a client that begin so never reach a worker.
    pub prefix: String,
}

impl Default for HeadersConfig {
    fn default() -> Self {
        Self { prefix: "X-Portero-".to_owned() }
    }
}

impl HeadersConfig {
    pub(super) fn validate(&self, at: &KeyPath, out: &mut Findings) {
        let stem = self.prefix.strip_suffix('-').unwrap_or_default();
        let named = stem.starts_with(|c: char| c.is_ascii_alphabetic());
        out.refuse(
            !named || !stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'),
            &at.key("prefix"),
            format!("{:?} is no header prefix; letters, digits and - are allowed, and - ends it", self.prefix),
        );
    }
}
