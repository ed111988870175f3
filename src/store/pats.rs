//! Personal access tokens.

use std::collections::HashSet;

use sqlx::any::AnyRow;

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::change::{Change, ChangeKind};
use crate::domain::clock::Timestamp;
use crate::domain::grant::EndReason;
use crate::domain::ids::{BrandId, PatId, UserId, WorkspaceId};
use crate::domain::pat::Pat;
use crate::domain::secret::Digest;

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT p.id, p.user_id, p.workspace_id, p.brand, p.name, p.scopes, p.mode, p.hint, p.created_at,
               p.expires_at, p.last_used_at, p.ended_at FROM pats p ",
            $tail
        )
    };
}
const BY_ID: &str = select!("WHERE p.id = $1");
const BY_DIGEST: &str = select!("WHERE p.digest = $1 OR p.previous_digest = $1");
const OF_USER: &str = select!("WHERE p.user_id = $1 ORDER BY p.created_at DESC, p.id");
const LIST: &str = select!("ORDER BY p.created_at, p.id");
const INSERT: &str = "INSERT INTO pats (id, digest, user_id, workspace_id, brand, name, scopes, mode, hint,
       user_epoch, membership_epoch, created_at, expires_at)
     SELECT $1, $2, u.id, m.workspace_id, $3, $4, $5, $6, $7, u.epoch, m.epoch, $8, $9
     FROM users u JOIN memberships m ON m.user_id = u.id AND m.removed_at IS NULL
     WHERE u.id = $10 AND m.workspace_id = $11 AND u.locked_at IS NULL";
const END: &str = "UPDATE pats SET ended_at = $2, ended_reason = $3 WHERE id = $1 AND ended_at IS NULL";
const ROTATE: &str = "UPDATE pats SET previous_digest = digest, previous_until = $3, digest = $2, hint = $4
     WHERE id = $1 AND ended_at IS NULL";
const USED: &str =
    "UPDATE pats SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";
const CUT_OFF: &str = "SELECT p.id FROM pats p
     LEFT JOIN users u ON u.id = p.user_id AND u.epoch = p.user_epoch AND u.locked_at IS NULL
     LEFT JOIN memberships m ON m.user_id = p.user_id AND m.workspace_id = p.workspace_id
       AND m.epoch = p.membership_epoch AND m.removed_at IS NULL
     WHERE p.ended_at IS NULL AND (u.id IS NULL OR m.user_id IS NULL)";
const LIVE_COUNT: &str = "SELECT COUNT(*) AS n FROM pats WHERE user_id = $1 AND ended_at IS NULL
     AND (expires_at IS NULL OR expires_at > $2)";

fn pat(row: &AnyRow) -> Result<Pat, StoreError> {
    Ok(Pat {
        id: PatId::from(row.text("id")?),
        user: UserId::from(row.text("user_id")?),
        workspace: WorkspaceId::from(row.text("workspace_id")?),
        brand: BrandId::from(row.text("brand")?),
        name: row.text("name")?,
        scopes: row.scopes("scopes")?,
        mode: row.mode("mode")?,
        hint: row.text("hint")?,
        created_at: row.time("created_at")?,
        expires_at: row.time_opt("expires_at")?,
        last_used_at: row.time_opt("last_used_at")?,
        ended_at: row.time_opt("ended_at")?,
    })
}

impl Store {
    /// The token of an id.
    pub async fn pat(&self, id: &PatId) -> Result<Option<Pat>, StoreError> {
        sqlx::query(BY_ID).bind(id.as_str()).fetch_optional(&self.reader).await?.as_ref().map(pat).transpose()
    }

    /// The token of a digest, its own or the one before its last rotation, whether it is alive or not.
    pub async fn pat_of(&self, digest: &Digest) -> Result<Option<Pat>, StoreError> {
        let row = sqlx::query(BY_DIGEST).bind(digest.to_hex()).fetch_optional(&self.reader).await?;
        row.as_ref().map(pat).transpose()
    }

    /// The tokens of a user, newest first; of everybody, oldest first, without one.
    pub async fn pats(&self, user: Option<&UserId>) -> Result<Vec<Pat>, StoreError> {
        let rows = match user {
            Some(user) => sqlx::query(OF_USER).bind(user.as_str()).fetch_all(&self.reader).await?,
            None => sqlx::query(LIST).fetch_all(&self.reader).await?,
        };
        rows.iter().map(pat).collect()
    }

    /// The tokens that did not end themselves but were cut off from above: their user was locked or deleted, or
    /// left their workspace.
    pub async fn cut_off_pats(&self) -> Result<HashSet<PatId>, StoreError> {
        let rows = sqlx::query(CUT_OFF).fetch_all(&self.reader).await?;
        rows.iter().map(|row| row.text("id").map(PatId::from)).collect()
    }

    /// How many live tokens a user has.
    pub async fn live_pats(&self, user: &UserId, now: Timestamp) -> Result<i64, StoreError> {
        let row =
            sqlx::query(LIVE_COUNT).bind(user.as_str()).bind(now.millis()).fetch_one(&self.reader).await?;
        row.number("n")
    }
}

impl Tx {
    /// Adds a token. False if its user is locked or not a member of its workspace.
    pub async fn insert_pat(&mut self, pat: &Pat, digest: &Digest) -> Result<bool, StoreError> {
        let done = sqlx::query(INSERT)
            .bind(pat.id.as_str())
            .bind(digest.to_hex())
            .bind(pat.brand.as_str())
            .bind(&pat.name)
            .bind(pat.scopes.to_string())
            .bind(pat.mode.label())
            .bind(&pat.hint)
            .bind(pat.created_at.millis())
            .bind(pat.expires_at.map(Timestamp::millis))
            .bind(pat.user.as_str())
            .bind(pat.workspace.as_str())
            .execute(self.connection())
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Ends a token, and by the chain every connection it authorized. False if it had ended already.
    pub async fn end_pat(&mut self, id: &PatId, reason: EndReason) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(END)
            .bind(id.as_str())
            .bind(now)
            .bind(reason.label())
            .execute(self.connection())
            .await?;
        self.pat_changed(id, done.rows_affected()).await
    }

    /// Gives a token a new secret; the old one works until `previous_until`.
    pub async fn rotate_pat(
        &mut self,
        id: &PatId,
        digest: &Digest,
        previous_until: Timestamp,
        hint: &str,
    ) -> Result<bool, StoreError> {
        let done = sqlx::query(ROTATE)
            .bind(id.as_str())
            .bind(digest.to_hex())
            .bind(previous_until.millis())
            .bind(hint)
            .execute(self.connection())
            .await?;
        self.pat_changed(id, done.rows_affected()).await
    }

    async fn pat_changed(&mut self, id: &PatId, rows: u64) -> Result<bool, StoreError> {
        if rows > 0 {
            self.change(Change::new(ChangeKind::Pat, id)).await?;
        }
        Ok(rows > 0)
    }

    /// Notes when a token was last used.
    pub async fn pat_used(&mut self, id: &str, at: Timestamp) -> Result<(), StoreError> {
        sqlx::query(USED).bind(id).bind(at.millis()).execute(self.connection()).await?;
        Ok(())
    }
}
