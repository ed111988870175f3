//! Calls of tools that write: who runs one now, and what came of it.
//!
//! A row has one holder at a time. Whoever lost it, because its lease ran out, can no longer say what came of it.

use std::time::Duration;

use sqlx::Any;
use sqlx::any::AnyArguments;
use sqlx::query::Query;

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::clock::Timestamp;

/// Free is what is not there, what is over, and what was begun with the same arguments and is held by nobody. Only the
/// last of these is the same call as before: it keeps the name that its first holder gave it.
const CLAIM: &str = "INSERT INTO idempotency (digest, arguments, holder, lease_until, expires_at, call)
     VALUES ($1, $2, $3, $4, $5, $3)
     ON CONFLICT (digest) DO UPDATE SET arguments = excluded.arguments, holder = excluded.holder,
         lease_until = excluded.lease_until, expires_at = excluded.expires_at, outcome = NULL, answer = NULL,
         call = CASE WHEN idempotency.expires_at <= $6 THEN excluded.call
             ELSE COALESCE(idempotency.call, excluded.call) END
     WHERE idempotency.expires_at <= $6 OR (idempotency.outcome IS NULL AND idempotency.lease_until <= $6
         AND idempotency.arguments = excluded.arguments)
     RETURNING call";
const BY_DIGEST: &str =
    "SELECT arguments, lease_until, outcome, answer, expires_at FROM idempotency WHERE digest = $1";
const KEEP: &str = "UPDATE idempotency SET outcome = $3, answer = $4, expires_at = $5
     WHERE digest = $1 AND holder = $2 AND outcome IS NULL";
const GIVE_UP: &str = "UPDATE idempotency SET lease_until = 0, expires_at = $3
     WHERE digest = $1 AND holder = $2 AND outcome IS NULL";
const SWEEP: &str =
    "DELETE FROM idempotency WHERE digest IN (SELECT digest FROM idempotency WHERE expires_at < $1 LIMIT $2)";

/// Of a statement, its connection included.
const DEADLINE: Duration = Duration::from_secs(5);

/// Whose turn it is to be.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// Which call.
    pub digest: &'a str,
    /// With which arguments: a keyed digest.
    pub arguments: &'a str,
    /// Who asks: a value of its own for each attempt.
    pub holder: &'a str,
    /// Until when nobody else may run it.
    pub lease_until: Timestamp,
    /// Until when it is known.
    pub expires_at: Timestamp,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What kind of answer.
    pub outcome: String,
    /// The answer, sealed; none if it was too long to be kept.
    pub answer: Option<String>,
}

/// A call that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its arguments: a keyed digest.
    pub arguments: String,
    /// Until when somebody may still be running it.
    pub lease_until: Timestamp,
    /// Until when it is known.
    pub expires_at: Timestamp,
    /// What came of it, once something has.
    pub kept: Option<Kept>,
}

impl Store {
    /// Takes a call on, and gives its name: the first holder's. `None` if somebody else has it, or had it with other
    /// arguments.
    pub async fn claim_call(&self, claim: &Claim<'_>) -> Result<Option<String>, StoreError> {
        let query = sqlx::query(CLAIM)
            .bind(claim.digest.to_owned())
            .bind(claim.arguments.to_owned())
            .bind(claim.holder.to_owned())
            .bind(claim.lease_until.millis())
            .bind(claim.expires_at.millis())
            .bind(self.clock().now().millis());
        let rows = in_time(query.fetch_all(self.writer())).await?;
        rows.first().map(|row| row.text("call")).transpose()
    }

    /// What is known of a call.
    pub async fn recorded_call(&self, digest: &str) -> Result<Option<Recorded>, StoreError> {
        let row = sqlx::query(BY_DIGEST).bind(digest).fetch_optional(&self.reader).await?;
        let Some(row) = row else { return Ok(None) };
        let answer = row.text_opt("answer")?;
        Ok(Some(Recorded {
            arguments: row.text("arguments")?,
            lease_until: row.time("lease_until")?,
            expires_at: row.time("expires_at")?,
            kept: row.text_opt("outcome")?.map(|outcome| Kept { outcome, answer }),
        }))
    }

    /// Keeps what came of a call, if `holder` still has it.
    pub async fn keep_answer(
        &self,
        digest: &str,
        holder: &str,
        kept: Kept,
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        let query = sqlx::query(KEEP)
            .bind(digest.to_owned())
            .bind(holder.to_owned())
            .bind(kept.outcome)
            .bind(kept.answer)
            .bind(expires_at.millis());
        self.write_call(query).await.map(drop)
    }

    /// Leaves a call to whoever asks again, if `holder` still has it: nothing is known of what came of it.
    pub async fn give_up_call(
        &self,
        digest: &str,
        holder: &str,
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        let query =
            sqlx::query(GIVE_UP).bind(digest.to_owned()).bind(holder.to_owned()).bind(expires_at.millis());
        self.write_call(query).await.map(drop)
    }

    async fn write_call(&self, query: Query<'_, Any, AnyArguments>) -> Result<u64, StoreError> {
        Ok(in_time(query.execute(self.writer())).await?.rows_affected())
    }
}

async fn in_time<T>(work: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, StoreError> {
    let done = tokio::time::timeout(DEADLINE, work).await;
    Ok(done.map_err(|_| StoreError::Unavailable("statement deadline".to_owned()))??)
}

impl Tx {
    /// Deletes up to `limit` calls that were known until `before`.
    pub async fn sweep_calls(&mut self, before: Timestamp, limit: i64) -> Result<u64, StoreError> {
        let done = sqlx::query(SWEEP).bind(before.millis()).bind(limit).execute(self.connection()).await?;
        Ok(done.rows_affected())
    }
}
