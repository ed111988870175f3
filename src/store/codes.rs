//! Authorization codes.

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::clock::Timestamp;
use crate::domain::ids::{ClientId, GrantId, UserId};
use crate::domain::secret::Digest;

const INSERT: &str =
    "INSERT INTO codes (digest, grant_id, client_id, redirect_uri, challenge, expires_at, wrong_tries)
     VALUES ($1, $2, $3, $4, $5, $6, 0)";
const BY_DIGEST: &str =
    "SELECT grant_id, client_id, redirect_uri, challenge, expires_at, consumed_at, wrong_tries
     FROM codes WHERE digest = $1";
const CONSUME: &str = "UPDATE codes SET consumed_at = $2 WHERE digest = $1 AND consumed_at IS NULL";
const CHALLENGED: &str =
    "SELECT COUNT(*) AS n FROM (SELECT 1 FROM codes WHERE challenge = $1 AND client_id = $2 LIMIT 1) AS seen";
const WRONG: &str = "UPDATE codes SET wrong_tries = wrong_tries + 1 WHERE digest = $1";
const DROP_PENDING: &str = "DELETE FROM codes WHERE consumed_at IS NULL AND grant_id IN
     (SELECT id FROM grants WHERE user_id = $1 AND activated_at IS NULL)";
/// Consumed codes stay as evidence until their grant is gone; unredeemed ones go with the grant that never was.
const SWEEP: &str = "DELETE FROM codes WHERE digest IN (SELECT digest FROM codes
     WHERE expires_at < $1 AND consumed_at IS NULL LIMIT $2)";

/// A stored code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The grant it activates.
    pub grant: GrantId,
    /// The client it was given to.
    pub client: ClientId,
    /// Where it was sent, as the exact string.
    pub redirect_uri: String,
    /// The S256 challenge.
    pub challenge: String,
    /// When it can no longer be redeemed.
    pub expires_at: Timestamp,
    /// When it was redeemed.
    pub consumed_at: Option<Timestamp>,
    /// How often it was presented with a wrong verifier.
    pub wrong_tries: i64,
}

impl Store {
    /// The code of a digest.
    pub async fn code(&self, digest: &Digest) -> Result<Option<Code>, StoreError> {
        let row = sqlx::query(BY_DIGEST).bind(digest.to_hex()).fetch_optional(&self.reader).await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(Code {
            grant: GrantId::from(row.text("grant_id")?),
            client: ClientId::from(row.text("client_id")?),
            redirect_uri: row.text("redirect_uri")?,
            challenge: row.text("challenge")?,
            expires_at: row.time("expires_at")?,
            consumed_at: row.time_opt("consumed_at")?,
            wrong_tries: row.number("wrong_tries")?,
        }))
    }
}

impl Tx {
    /// Keeps a code.
    pub async fn insert_code(&mut self, digest: &Digest, code: &Code) -> Result<(), StoreError> {
        sqlx::query(INSERT)
            .bind(digest.to_hex())
            .bind(code.grant.as_str())
            .bind(code.client.as_str())
            .bind(&code.redirect_uri)
            .bind(&code.challenge)
            .bind(code.expires_at.millis())
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// True if a code of this client with this challenge was kept before.
    pub async fn challenge_seen(&mut self, client: &ClientId, challenge: &str) -> Result<bool, StoreError> {
        let seen = sqlx::query(CHALLENGED).bind(challenge).bind(client.as_str());
        Ok(seen.fetch_one(self.connection()).await?.number("n")? > 0)
    }

    /// Consumes a code, once. False if another request was first.
    pub async fn consume_code(&mut self, digest: &Digest) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(CONSUME).bind(digest.to_hex()).bind(now).execute(self.connection()).await?;
        Ok(done.rows_affected() > 0)
    }

    /// Counts a wrong verifier.
    pub async fn wrong_verifier(&mut self, digest: &Digest) -> Result<(), StoreError> {
        sqlx::query(WRONG).bind(digest.to_hex()).execute(self.connection()).await?;
        Ok(())
    }

    /// Deletes the codes of a user that were not redeemed yet.
    pub async fn drop_pending_codes(&mut self, user: &UserId) -> Result<(), StoreError> {
        sqlx::query(DROP_PENDING).bind(user.as_str()).execute(self.connection()).await?;
        Ok(())
    }

    /// Deletes up to `limit` codes that expired unredeemed before `before`.
    pub async fn sweep_codes(&mut self, before: Timestamp, limit: i64) -> Result<u64, StoreError> {
        let done = sqlx::query(SWEEP).bind(before.millis()).bind(limit).execute(self.connection()).await?;
        Ok(done.rows_affected())
    }
}
