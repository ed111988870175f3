//! `[database]`: where the durable truth is.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    error::{Findings, KeyPath},
    redact::{self, Secret},
};

/// Where the durable truth is kept.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DatabaseConfig {
    /// `sqlite://FILE` (a relative file is taken from the configuration's folder) for one node, or `postgres://…` for many.
    #[serde(serialize_with = "redact::secret_url")]
    #[schemars(extend("x-allowed" = "sqlite://FILE, or postgres://USER:PASSWORD@HOST/DATABASE"))]
    pub url: Secret,
    /// Apply migrations at start on PostgreSQL too; the embedded database always does.
    pub migrate: bool,
}

impl Default for DatabaseConfig {
    fn default() -> Self {
        Self { url: Secret::from("sqlite://portero.db"), migrate: false }
    }
}

/// Which database a URL names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseKind {
    /// An SQLite file.
    Sqlite(PathBuf),
    /// An SQLite database that ends with the process.
    SqliteMemory,
    /// A PostgreSQL server.
    Postgres,
}

impl DatabaseConfig {
    /// Which database the URL names; `None` for an unknown scheme, which loading refuses.
    pub fn kind(&self) -> Option<DatabaseKind> {
        let url = self.url.expose_secret();
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Some(DatabaseKind::Postgres);
        }
        let (file, parameters) = split_sqlite(url)?;
        if file == ":memory:" || parameters.contains("mode=memory") {
            return Some(DatabaseKind::SqliteMemory);
        }
        let file = percent_encoding::percent_decode_str(file).decode_utf8().ok()?;
        (!file.is_empty()).then(|| DatabaseKind::Sqlite(PathBuf::from(file.as_ref())))
    }

    /// Makes an SQLite file's path absolute.
    pub(super) fn resolve(&mut self, dir: &Path) {
        let Some(DatabaseKind::Sqlite(file)) = self.kind() else { return };
        let (_, parameters) = split_sqlite(self.url.expose_secret()).unwrap_or_default();
        let mark = if parameters.is_empty() { "" } else { "?" };
        let file = dir.join(file).to_string_lossy().replace('%', "%25").replace('?', "%3F").replace('#', "%23");
        self.url = Secret::from(format!("sqlite://{file}{mark}{parameters}").as_str());
    }

    pub(super) fn validate(&self, at: &KeyPath, out: &mut Findings) {
        out.refuse(
            self.kind().is_none(),
            &at.key("url"),
            "is no database URL; sqlite://FILE or postgres://USER:PASSWORD@HOST/DATABASE is allowed",
        );
    }
}

/// File and parameters of an SQLite URL.
fn split_sqlite(url: &str) -> Option<(&str, &str)> {
    let rest = url.strip_prefix("sqlite:")?;
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    Some(rest.split_once('?').unwrap_or((rest, "")))
}
