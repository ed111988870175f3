//! Access and refresh tokens: the family of a grant.

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::change::{Change, ChangeKind};
use crate::domain::clock::Timestamp;
use crate::domain::ids::GrantId;
use crate::domain::refresh::Link;
use crate::domain::scope::ScopeSet;
use crate::domain::secret::{Digest, hex, unhex32};

const INSERT_ACCESS: &str =
    "INSERT INTO access_tokens (digest, grant_id, issued_from, scopes, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6)";
const INSERT_REFRESH: &str = "INSERT INTO refresh_tokens (digest, grant_id, created_at, expires_at, racers)
     VALUES ($1, $2, $3, $4, 0)";
const CONSUME: &str =
    "UPDATE refresh_tokens SET consumed_at = $2, salt = $3 WHERE digest = $1 AND consumed_at IS NULL";
const RACED: &str = "UPDATE refresh_tokens SET racers = racers + 1 WHERE digest = $1";
const REFRESH: &str = "SELECT r.grant_id, r.expires_at, r.consumed_at, r.salt,
       CASE WHEN EXISTS (SELECT 1 FROM access_tokens a
         WHERE a.issued_from = r.digest AND a.first_used_at IS NOT NULL) THEN 1 ELSE 0 END AS used
     FROM refresh_tokens r WHERE r.digest = $1";
const GRANT_OF_REFRESH: &str = "SELECT grant_id FROM refresh_tokens WHERE digest = $1";
const GRANT_OF_ACCESS: &str = "SELECT grant_id FROM access_tokens WHERE digest = $1";
/// The grant is found and locked in one: the first write of the transaction.
const LOCK_GRANT_OF: &str = "UPDATE grants SET rev = rev + 1
     WHERE id = (SELECT grant_id FROM refresh_tokens WHERE digest = $1) RETURNING id";
const FIRST_USE: &str =
    "UPDATE access_tokens SET first_used_at = $2 WHERE digest = $1 AND first_used_at IS NULL";
const REVOKE: &str = "UPDATE access_tokens SET revoked_at = $2 WHERE digest = $1 AND revoked_at IS NULL";
const LIVE_REFRESH: &str =
    "SELECT COUNT(*) AS n FROM refresh_tokens WHERE grant_id = $1 AND consumed_at IS NULL";
const REFRESH_END: &str =
    "SELECT MAX(expires_at) AS ends FROM refresh_tokens WHERE grant_id = $1 AND consumed_at IS NULL";
const ERASE_SALTS: &str = "UPDATE refresh_tokens SET salt = NULL WHERE digest IN (
     SELECT digest FROM refresh_tokens WHERE salt IS NOT NULL AND consumed_at < $1 LIMIT $2)";
/// Rows of expired access tokens are needed as long as a lost answer may be recovered.
const SWEEP_ACCESS: &str = "DELETE FROM access_tokens WHERE digest IN (
     SELECT digest FROM access_tokens WHERE expires_at < $1 LIMIT $2)";

/// A stored refresh token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefreshRow {
    /// Its grant.
    pub grant: GrantId,
    /// What the refresh rules need to know.
    pub link: Link,
    /// The salt from which its successor is derived.
    pub salt: Option<[u8; 32]>,
}

/// A new access token.
#[derive(Clone, Debug)]
pub struct NewAccess<'a> {
    /// Its digest.
    pub digest: Digest,
    /// Its grant.
    pub grant: &'a GrantId,
    /// The refresh token it was issued in exchange for.
    pub issued_from: Option<Digest>,
    /// Its scopes.
    pub scopes: &'a ScopeSet,
    /// When it expires.
    pub expires_at: Timestamp,
}

impl Store {
    /// The grant a refresh token belongs to.
    pub async fn grant_of_refresh(&self, digest: &Digest) -> Result<Option<GrantId>, StoreError> {
        self.grant_of(GRANT_OF_REFRESH, digest).await
    }

    /// The grant an access token belongs to.
    pub async fn grant_of_access(&self, digest: &Digest) -> Result<Option<GrantId>, StoreError> {
        self.grant_of(GRANT_OF_ACCESS, digest).await
    }

    async fn grant_of(&self, sql: &'static str, digest: &Digest) -> Result<Option<GrantId>, StoreError> {
        let row = sqlx::query(sql).bind(digest.to_hex()).fetch_optional(&self.reader).await?;
        row.map(|row| row.text("grant_id").map(GrantId::from)).transpose()
    }

    /// Notes the first use of an access token. It is durable before the token's first answer, because it
    /// decides whether a repeated refresh is a lost answer or a replay.
    pub async fn first_use(&self, digest: &Digest, now: Timestamp) -> Result<(), StoreError> {
        sqlx::query(FIRST_USE).bind(digest.to_hex()).bind(now.millis()).execute(self.writer()).await?;
        Ok(())
    }

    /// How many live refresh tokens a grant has: never more than one.
    pub async fn live_refresh_tokens(&self, grant: &GrantId) -> Result<i64, StoreError> {
        sqlx::query(LIVE_REFRESH).bind(grant.as_str()).fetch_one(&self.reader).await?.number("n")
    }

    /// When a grant can no longer be refreshed, if it has a refresh token.
    pub async fn refresh_end(&self, grant: &GrantId) -> Result<Option<Timestamp>, StoreError> {
        sqlx::query(REFRESH_END).bind(grant.as_str()).fetch_one(&self.reader).await?.time_opt("ends")
    }
}

impl Tx {
    /// Keeps a new access token.
    pub async fn insert_access(&mut self, access: &NewAccess<'_>) -> Result<(), StoreError> {
        let now = self.now.millis();
        sqlx::query(INSERT_ACCESS)
            .bind(access.digest.to_hex())
            .bind(access.grant.as_str())
            .bind(access.issued_from.map(Digest::to_hex))
            .bind(access.scopes.to_string())
            .bind(now)
            .bind(access.expires_at.millis())
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Keeps a new refresh token.
    pub async fn insert_refresh(
        &mut self,
        digest: &Digest,
        grant: &GrantId,
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        let now = self.now.millis();
        sqlx::query(INSERT_REFRESH)
            .bind(digest.to_hex())
            .bind(grant.as_str())
            .bind(now)
            .bind(expires_at.millis())
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Locks the grant of a refresh token for the rest of the transaction, as [`Tx::lock_grant`] does. `None` if there
    /// is no such token.
    pub async fn lock_grant_of_refresh(&mut self, digest: &Digest) -> Result<Option<GrantId>, StoreError> {
        let row = sqlx::query(LOCK_GRANT_OF).bind(digest.to_hex()).fetch_optional(self.connection()).await?;
        row.map(|row| row.text("id").map(GrantId::from)).transpose()
    }

    /// The refresh token of a digest.
    pub async fn refresh_row(&mut self, digest: &Digest) -> Result<Option<RefreshRow>, StoreError> {
        let row = sqlx::query(REFRESH).bind(digest.to_hex()).fetch_optional(self.connection()).await?;
        let Some(row) = row else { return Ok(None) };
        let salt = row.text_opt("salt")?.as_deref().and_then(unhex32);
        Ok(Some(RefreshRow {
            grant: GrantId::from(row.text("grant_id")?),
            link: Link {
                expires_at: row.time("expires_at")?,
                consumed_at: row.time_opt("consumed_at")?,
                has_salt: salt.is_some(),
                issued_used: row.number("used")? == 1,
            },
            salt,
        }))
    }

    /// Consumes a refresh token and keeps the salt of its successor. False if it was consumed already.
    pub async fn consume_refresh(&mut self, digest: &Digest, salt: &[u8; 32]) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(CONSUME)
            .bind(digest.to_hex())
            .bind(now)
            .bind(hex(salt))
            .execute(self.connection())
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Counts a presenter that was led on to the live token.
    pub async fn refresh_raced(&mut self, digest: &Digest) -> Result<(), StoreError> {
        sqlx::query(RACED).bind(digest.to_hex()).execute(self.connection()).await?;
        Ok(())
    }

    /// Revokes one access token. False if it had been revoked already.
    pub async fn revoke_access(&mut self, digest: &Digest) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(REVOKE).bind(digest.to_hex()).bind(now).execute(self.connection()).await?;
        if done.rows_affected() > 0 {
            self.change(Change::new(ChangeKind::Access, digest.to_hex())).await?;
        }
        Ok(done.rows_affected() > 0)
    }

    /// Erases up to `limit` salts of tokens consumed before `before`.
    pub async fn erase_salts(&mut self, before: Timestamp, limit: i64) -> Result<u64, StoreError> {
        let done =
            sqlx::query(ERASE_SALTS).bind(before.millis()).bind(limit).execute(self.connection()).await?;
        Ok(done.rows_affected())
    }

    /// Deletes up to `limit` access tokens that expired before `before`.
    pub async fn sweep_access(&mut self, before: Timestamp, limit: i64) -> Result<u64, StoreError> {
        let done =
            sqlx::query(SWEEP_ACCESS).bind(before.millis()).bind(limit).execute(self.connection()).await?;
        Ok(done.rows_affected())
    }
}
