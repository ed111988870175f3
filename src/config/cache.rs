//! `[cache]`: how long a node may trust what it remembers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    error::{Findings, KeyPath},
    value::Period,
};

/// How long a node may trust what it remembers.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CacheConfig {
    /// How long a node may answer from its cache without having read the changes; at most 60s.
    pub max_blind: Period,
}

impl Default for CacheConfig {
    fn default() -> Self {
        Self { max_blind: Period::seconds(5) }
    }
}

impl CacheConfig {
    pub(super) fn validate(&self, at: &KeyPath, out: &mut Findings) {
        let blind = self.max_blind.get();
        out.refuse(
            blind.is_zero() || blind.as_secs() > 60 || (blind.as_secs() == 60 && blind.subsec_nanos() > 0),
            &at.key("max_blind"),
            format!("{} is not allowed; more than 0s and at most 60s is", self.max_blind),
        );
    }
}
