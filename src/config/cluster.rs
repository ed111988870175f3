//! `[cluster]`: what several nodes share beside PostgreSQL.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    error::{Findings, KeyPath},
    redact::{self, Secret},
};

/// What several nodes share beside PostgreSQL.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClusterConfig {
    /// Redis, which makes several nodes quicker: revocations are seen in milliseconds, rates are counted together. Losing it makes nothing wrong.
    #[serde(serialize_with = "redact::optional_secret_url")]
    pub redis_url: Option<Secret>,
}

impl ClusterConfig {
    pub(super) fn validate(&self, at: &KeyPath, out: &mut Findings) {
        let Some(url) = &self.redis_url else { return };
        let known = ["redis://", "rediss://", "redis+unix://", "unix://"];
        out.refuse(
            !known.iter().any(|scheme| url.expose_secret().starts_with(scheme)),
            &at.key("redis_url"),
            "is no Redis URL; redis://, rediss://, redis+unix:// and unix:// are allowed",
        );
    }
}
