//! The change log, read by every node.

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::change::{Change, ChangeKind};
use crate::domain::clock::Timestamp;

/// Rows read at once.
pub const PAGE: usize = 5000;
const AFTER: &str = "SELECT seq, kind, id FROM changes WHERE seq > $1 ORDER BY seq LIMIT 5000";
const SETTLED: &str = "SELECT COALESCE(MAX(seq), 0) AS n FROM changes WHERE at < $1";
const SWEEP: &str = "DELETE FROM changes WHERE seq IN (SELECT seq FROM changes WHERE at < $1 LIMIT $2)";
const DATA_VERSION: &str = "PRAGMA data_version";

/// A connection of its own that notices commits of other processes: SQLite's `data_version` is per connection.
/// It belongs to no pool: it is held for good, and a store that closes would wait for it for ever.
pub struct CommitWatch(sqlx::AnyConnection);

impl CommitWatch {
    /// A number that differs from the last one if another connection has committed in between.
    pub async fn version(&mut self) -> Result<i64, StoreError> {
        let row = sqlx::query(DATA_VERSION).fetch_one(&mut self.0).await?;
        row.number("data_version")
    }
}

impl Store {
    /// Changes with a sequence number above `floor`, with their numbers.
    pub async fn changes_after(&self, floor: i64) -> Result<Vec<(i64, Change)>, StoreError> {
        let (mut changes, mut last) = (Vec::new(), floor);
        loop {
            let rows = sqlx::query(AFTER).bind(last).fetch_all(&self.reader).await?;
            for row in &rows {
                last = row.number("seq")?;
                // A kind that a newer version writes is skipped, not fatal: this version caches nothing of it.
                if let Some(kind) = ChangeKind::from_label(&row.text("kind")?) {
                    changes.push((last, Change { kind, id: row.text("id")? }));
                }
            }
            // A full page is not all there is, and half a log must not pass for a read one.
            if rows.len() < PAGE {
                return Ok(changes);
            }
        }
    }

    /// The newest sequence number written before `before`.
    pub async fn settled_change(&self, before: Timestamp) -> Result<i64, StoreError> {
        sqlx::query(SETTLED).bind(before.millis()).fetch_one(&self.reader).await?.number("n")
    }

    /// Takes a connection out of the readers, who open another in its place, to watch for commits.
    pub async fn watch_commits(&self) -> Result<CommitWatch, StoreError> {
        Ok(CommitWatch(self.reader.connection().await?))
    }
}

impl Tx {
    /// Deletes up to `limit` changes older than `before`.
    pub async fn sweep_changes(&mut self, before: Timestamp, limit: i64) -> Result<u64, StoreError> {
        let done = sqlx::query(SWEEP).bind(before.millis()).bind(limit).execute(self.connection()).await?;
        Ok(done.rows_affected())
    }
}
