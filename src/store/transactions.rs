//! Authorization requests that wait for their decision.

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::clock::Timestamp;
use crate::domain::ids::{TransactionId, UserId};

const INSERT: &str =
    "INSERT INTO transactions (id, request, address, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)";
const BY_ID: &str =
    "SELECT request, user_id, created_at, expires_at, decision FROM transactions WHERE id = $1";
const BIND: &str = "UPDATE transactions SET user_id = $2 WHERE id = $1 AND decided_at IS NULL
     AND (user_id IS NULL OR user_id = $2)";
const DECIDE: &str = "UPDATE transactions
     SET decided_at = $2, decision = $3, user_id = COALESCE(user_id, $4)
     WHERE id = $1 AND decided_at IS NULL AND expires_at > $2
       AND (user_id IS NULL OR user_id = COALESCE($4, user_id))";
/// The same request under another id, for whoever comes next. One row and one statement: there is no moment at which
/// it could be decided twice.
const HAND_ON: &str = "UPDATE transactions SET id = $2, user_id = NULL
     WHERE id = $1 AND decided_at IS NULL AND (user_id IS NULL OR user_id = $3)";
const WAITING: &str = "SELECT COUNT(*) AS n FROM transactions WHERE decided_at IS NULL";
/// Each person, and each address of those that are nobody's yet, holds a pile with the newest on top. What lies
/// deepest in its pile goes first, so a flood digs up its own; a person's first `$2` never go. Who was bound
/// between the choice and the deletion is no longer the one that was chosen.
const EVICT: &str = "DELETE FROM transactions WHERE decided_at IS NULL AND (id, COALESCE(user_id, '')) IN (
     SELECT id, person FROM (
         SELECT id, COALESCE(user_id, '') AS person, created_at, ROW_NUMBER() OVER (
             PARTITION BY COALESCE(user_id, address, '') ORDER BY created_at DESC, id) AS depth
         FROM transactions WHERE decided_at IS NULL) AS waiting
     WHERE person = '' OR depth > $2
     ORDER BY depth DESC, created_at, id LIMIT $1)";
const SWEEP: &str =
    "DELETE FROM transactions WHERE id IN (SELECT id FROM transactions WHERE expires_at < $1 LIMIT $2)";

/// A kept authorization request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Its id.
    pub id: TransactionId,
    /// The request, as JSON of the authorization endpoint.
    pub request: String,
    /// Who it is bound to, once somebody has signed in on it.
    pub user: Option<UserId>,
    /// When it was kept.
    pub created_at: Timestamp,
    /// When it can no longer be decided.
    pub expires_at: Timestamp,
    /// `allow` or `deny`, once decided.
    pub decision: Option<String>,
}

impl Store {
    /// The transaction of an id.
    pub async fn authorization(&self, id: &TransactionId) -> Result<Option<Transaction>, StoreError> {
        let row = sqlx::query(BY_ID).bind(id.as_str()).fetch_optional(&self.reader).await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(Transaction {
            id: id.clone(),
            request: row.text("request")?,
            user: row.text_opt("user_id")?.map(UserId::from),
            created_at: row.time("created_at")?,
            expires_at: row.time("expires_at")?,
            decision: row.text_opt("decision")?,
        }))
    }
}

impl Tx {
    /// Keeps a request that came from `address`.
    pub async fn insert_authorization(
        &mut self,
        kept: &Transaction,
        address: &str,
    ) -> Result<(), StoreError> {
        sqlx::query(INSERT)
            .bind(kept.id.as_str())
            .bind(&kept.request)
            .bind(address)
            .bind(kept.created_at.millis())
            .bind(kept.expires_at.millis())
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// How many requests wait.
    pub async fn waiting_authorizations(&mut self) -> Result<i64, StoreError> {
        sqlx::query(WAITING).fetch_one(self.connection()).await?.number("n")
    }

    /// Deletes `count` requests that wait, of those first who hold most; a person's newest `own` stay.
    pub async fn evict_authorizations(&mut self, count: i64, own: i64) -> Result<u64, StoreError> {
        let done = sqlx::query(EVICT).bind(count).bind(own).execute(self.connection()).await?;
        Ok(done.rows_affected())
    }

    /// Gives a request that waits, and is nobody's or `user`'s, a new id and binds it to nobody. False if it was
    /// decided meanwhile or is another's.
    pub async fn hand_on_authorization(
        &mut self,
        id: &TransactionId,
        to: &TransactionId,
        user: &UserId,
    ) -> Result<bool, StoreError> {
        let bound = sqlx::query(HAND_ON).bind(id.as_str()).bind(to.as_str()).bind(user.as_str());
        Ok(bound.execute(self.connection()).await?.rows_affected() > 0)
    }

    /// Binds a request to the person who signed in on it. False if it is another's or decided.
    pub async fn bind_authorization(
        &mut self,
        id: &TransactionId,
        user: &UserId,
    ) -> Result<bool, StoreError> {
        let done = sqlx::query(BIND).bind(id.as_str()).bind(user.as_str()).execute(self.connection()).await?;
        Ok(done.rows_affected() > 0)
    }

    /// Takes the one decision, as this person if somebody is known. False if it was taken already, is too late, or
    /// the request is another person's.
    pub async fn decide_authorization(
        &mut self,
        id: &TransactionId,
        decision: &str,
        user: Option<&UserId>,
    ) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(DECIDE)
            .bind(id.as_str())
            .bind(now)
            .bind(decision)
            .bind(user.map(UserId::as_str))
            .execute(self.connection())
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Deletes up to `limit` requests that ended before `before`.
    pub async fn sweep_authorizations(&mut self, before: Timestamp, limit: i64) -> Result<u64, StoreError> {
        let done = sqlx::query(SWEEP).bind(before.millis()).bind(limit).execute(self.connection()).await?;
        Ok(done.rows_affected())
    }
}
