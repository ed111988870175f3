//! `[keys]`: the file with the sealing and signing keys.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the sealing and signing keys are, which never stand in the database.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeysConfig {
    /// The key file. On PostgreSQL it must be named, and be the same for all nodes (`portero keys init` makes it).
    #[serde(default)]
    #[schemars(extend("x-default" = "`portero.keys` beside the SQLite file"))]
    pub file: PathBuf,
}
