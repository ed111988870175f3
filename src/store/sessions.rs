//! Browser sessions of signed-in people.

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::clock::Timestamp;
use crate::domain::ids::{UserId, WorkspaceId};
use crate::domain::secret::Digest;

/// Only while the password is still the one that was checked.
const INSERT: &str =
    "INSERT INTO sessions (digest, user_id, user_epoch, workspace_id, created_at, seen_at, expires_at)
     SELECT $1, u.id, u.epoch, $3, $4, $4, $5 FROM users u
     WHERE u.id = $2 AND u.locked_at IS NULL AND u.password_hash = $6";
const BY_DIGEST: &str = "SELECT s.user_id, s.workspace_id, s.seen_at, s.expires_at, s.created_at
     FROM sessions s JOIN users u ON u.id = s.user_id AND u.epoch = s.user_epoch AND u.locked_at IS NULL
     WHERE s.digest = $1 AND s.expires_at > $2";
const SEEN: &str = "UPDATE sessions SET seen_at = $2, expires_at = $3 WHERE digest = $1";
const DELETE: &str = "DELETE FROM sessions WHERE digest = $1";
const DELETE_OTHERS: &str = "DELETE FROM sessions WHERE user_id = $1 AND digest <> $2";
const SWEEP: &str =
    "DELETE FROM sessions WHERE digest IN (SELECT digest FROM sessions WHERE expires_at < $1 LIMIT $2)";

/// A live session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Whose it is.
    pub user: UserId,
    /// The workspace the person has open.
    pub workspace: WorkspaceId,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last seen, to about a minute.
    pub seen_at: Timestamp,
}

impl Store {
    /// The live session of a cookie's digest.
    pub async fn session(&self, digest: &Digest, now: Timestamp) -> Result<Option<Session>, StoreError> {
        let row = sqlx::query(BY_DIGEST)
            .bind(digest.to_hex())
            .bind(now.millis())
            .fetch_optional(&self.reader)
            .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(Session {
            user: UserId::from(row.text("user_id")?),
            workspace: WorkspaceId::from(row.text("workspace_id")?),
            created_at: row.time("created_at")?,
            seen_at: row.time("seen_at")?,
        }))
    }
}

impl Tx {
    /// Begins a session of somebody whose password was checked against `password_hash`. False if that is no longer
    /// the password, or the user is locked.
    pub async fn insert_session(
        &mut self,
        digest: &Digest,
        session: &Session,
        password_hash: &str,
        expires_at: Timestamp,
    ) -> Result<bool, StoreError> {
        let done = sqlx::query(INSERT)
            .bind(digest.to_hex())
            .bind(session.user.as_str())
            .bind(session.workspace.as_str())
            .bind(session.created_at.millis())
            .bind(expires_at.millis())
            .bind(password_hash)
            .execute(self.connection())
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Notes that a session was seen and when it will end.
    pub async fn session_seen(&mut self, digest: &Digest, expires_at: Timestamp) -> Result<(), StoreError> {
        let now = self.now.millis();
        sqlx::query(SEEN)
            .bind(digest.to_hex())
            .bind(now)
            .bind(expires_at.millis())
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Ends a session.
    pub async fn delete_session(&mut self, digest: &Digest) -> Result<(), StoreError> {
        sqlx::query(DELETE).bind(digest.to_hex()).execute(self.connection()).await?;
        Ok(())
    }

    /// Ends every session of a user but one; all of them with none to keep.
    pub async fn delete_other_sessions(
        &mut self,
        user: &UserId,
        keep: Option<&Digest>,
    ) -> Result<(), StoreError> {
        let keep = keep.map(|digest| digest.to_hex()).unwrap_or_default();
        sqlx::query(DELETE_OTHERS).bind(user.as_str()).bind(keep).execute(self.connection()).await?;
        Ok(())
    }

    /// Deletes up to `limit` sessions that ended before `before`.
    pub async fn sweep_sessions(&mut self, before: Timestamp, limit: i64) -> Result<u64, StoreError> {
        let done = sqlx::query(SWEEP).bind(before.millis()).bind(limit).execute(self.connection()).await?;
        Ok(done.rows_affected())
    }
}
