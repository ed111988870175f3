//! Migrations: forward only, the same numbers on both databases.

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

use super::pool::{Dialect, Store};
use crate::store::StoreError;

const SQLITE: [(i64, &str, &str); 6] = [
    (1, "initial", include_str!("../../../migrations/sqlite/0001_initial.sql")),
    (2, "credits", include_str!("../../../migrations/sqlite/0002_credits.sql")),
    (3, "idempotency", include_str!("../../../migrations/sqlite/0003_idempotency.sql")),
    (4, "external_subjects", include_str!("../../../migrations/sqlite/0004_external_subjects.sql")),
    (5, "unused_indexes", include_str!("../../../migrations/sqlite/0005_unused_indexes.sql")),
    (6, "repeated_calls", include_str!("../../../migrations/sqlite/0006_repeated_calls.sql")),
];
const POSTGRES: [(i64, &str, &str); 6] = [
    (1, "initial", include_str!("../../../migrations/postgres/0001_initial.sql")),
    (2, "credits", include_str!("../../../migrations/postgres/0002_credits.sql")),
    (3, "idempotency", include_str!("../../../migrations/postgres/0003_idempotency.sql")),
    (4, "external_subjects", include_str!("../../../migrations/postgres/0004_external_subjects.sql")),
    (5, "unused_indexes", include_str!("../../../migrations/postgres/0005_unused_indexes.sql")),
    (6, "repeated_calls", include_str!("../../../migrations/postgres/0006_repeated_calls.sql")),
];

/// One migration and whether it stands in the database.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct MigrationState {
    /// Its number.
    pub version: i64,
    /// Its name.
    pub name: String,
    /// True if it has been applied.
    pub applied: bool,
}

fn list(dialect: Dialect) -> &'static [(i64, &'static str, &'static str)] {
    match dialect {
        Dialect::Sqlite => &SQLITE,
        Dialect::Postgres => &POSTGRES,
    }
}

impl Store {
    /// Applies what is missing.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        let migrations = list(self.dialect()).iter().map(|(version, name, sql)| {
            Migration::new(*version, (*name).into(), MigrationType::Simple, (*sql).into_sql_str(), false)
        });
        Migrator::with_migrations(migrations.collect())
            .run(&self.writer)
            .await
            .map_err(|error| StoreError::Unavailable(error.to_string()))
    }

    /// Every migration and whether it has been applied.
    pub async fn migrations(&self) -> Result<Vec<MigrationState>, StoreError> {
        self.ping().await?;
        let applied: Vec<i64> = sqlx::query_scalar("SELECT version FROM _sqlx_migrations")
            .fetch_all(&self.reader)
            .await
            .unwrap_or_default();
        let states = list(self.dialect()).iter().map(|(version, name, _)| MigrationState {
            version: *version,
            name: (*name).to_owned(),
            applied: applied.contains(version),
        });
        Ok(states.collect())
    }

    /// True if nothing is missing.
    pub async fn is_migrated(&self) -> Result<bool, StoreError> {
        Ok(self.migrations().await?.iter().all(|migration| migration.applied))
    }
}
