//! The plain exchange of a refresh token, in one statement where the database has it.
//!
//! Almost every refresh is this: a live token, asked for all its scopes. Lock, chain, consumption and both new tokens
//! as statements of their own cost nine journeys to the database; together they cost one. Whatever else a presented
//! token may be is for the rules of [`crate::domain::refresh`].

use super::sql::Dialect;
use super::verification::{above_grant, family, from_grant};
use super::{Store, StoreError};
use crate::domain::clock::Timestamp;
use crate::domain::ids::{ClientId, ServiceId};
use crate::domain::secret::{Digest, hex};
use crate::domain::verified::Verified;

/// The plain exchange of a refresh token, all of it: the live chain, the lock, the consumption, both new tokens.
/// Only PostgreSQL writes several tables in one statement. Racers wait at the grant's row; whoever comes second finds
/// the token consumed there, and gets nothing from this statement.
const ROTATE: &str = concat!(
    "WITH chain AS (",
    family!(),
    "WHERE g.id = (SELECT grant_id FROM refresh_tokens WHERE digest = $1) AND g.ended_at IS NULL
       AND g.client_id = $2 AND strpos($3, ' ' || g.service || ' ') > 0
       AND (g.pat_id IS NULL OR p.id IS NOT NULL)
       AND LEAST(g.expires_at, p.expires_at) > $4),
     locked AS (UPDATE grants SET rev = rev + 1 FROM chain
       WHERE grants.id = chain.grant_id AND grants.ended_at IS NULL RETURNING grants.id),
     consumed AS (UPDATE refresh_tokens r SET consumed_at = $4, salt = $5 FROM locked
       WHERE r.digest = $1 AND r.grant_id = locked.id AND r.consumed_at IS NULL AND r.expires_at > $4
       RETURNING r.grant_id),
     successor AS (INSERT INTO refresh_tokens (digest, grant_id, created_at, expires_at, racers)
       SELECT $6, chain.grant_id, $4, LEAST($7, grant_expires_at, pat_expires_at), 0
       FROM chain JOIN consumed ON consumed.grant_id = chain.grant_id),
     access AS (INSERT INTO access_tokens (digest, grant_id, issued_from, scopes, created_at, expires_at)
       SELECT $8, chain.grant_id, $1, scopes, $4, LEAST($9, grant_expires_at, pat_expires_at)
       FROM chain JOIN consumed ON consumed.grant_id = chain.grant_id)
     SELECT chain.* FROM chain JOIN consumed ON consumed.grant_id = chain.grant_id"
);

/// What [`Store::rotate`] exchanges for what.
#[derive(Debug)]
pub struct Rotation<'a> {
    /// The presented refresh token.
    pub presented: Digest,
    /// Who presents it.
    pub client: &'a ClientId,
    /// The services it may be for.
    pub services: &'a [&'a ServiceId],
    /// The salt of the successor.
    pub salt: [u8; 32],
    /// The successor.
    pub successor: Digest,
    /// When it would expire.
    pub successor_ends: Timestamp,
    /// The new access token.
    pub access: Digest,
    /// When that would expire.
    pub access_ends: Timestamp,
}

impl Store {
    /// Whether the database can write several tables in one statement, as [`Store::rotate`] does.
    pub fn rotates_at_once(&self) -> bool {
        self.dialect() == Dialect::Postgres
    }

    /// Exchanges a live refresh token in one statement. `None` if it is anything but that: nothing has happened then.
    pub async fn rotate(
        &self,
        rotation: &Rotation<'_>,
        now: Timestamp,
    ) -> Result<Option<Verified>, StoreError> {
        let services: Vec<&str> = rotation.services.iter().map(|id| id.as_str()).collect();
        let services = format!(" {} ", services.join(" "));
        let row = sqlx::query(ROTATE)
            .bind(rotation.presented.to_hex())
            .bind(rotation.client.as_str())
            .bind(services)
            .bind(now.millis())
            .bind(hex(&rotation.salt))
            .bind(rotation.successor.to_hex())
            .bind(rotation.successor_ends.millis())
            .bind(rotation.access.to_hex())
            .bind(rotation.access_ends.millis())
            .fetch_optional(&self.reader)
            .await?;
        let Some(row) = row else { return Ok(None) };
        // It is committed: what cannot be read now must not look as if nothing had happened.
        from_grant(&row, now)?.map(Some).ok_or(StoreError::Corrupt("grant_id"))
    }
}
