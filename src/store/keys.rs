//! Operator keys: credentials of resource servers that introspect, and of the admin API.

use sqlx::any::AnyRow;

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::change::{Change, ChangeKind};
use crate::domain::clock::Timestamp;
use crate::domain::ids::KeyId;
use crate::domain::secret::Digest;

const INSERT: &str =
    "INSERT INTO operator_keys (id, kind, name, digest, created_at) VALUES ($1, $2, $3, $4, $5)";
const LIST: &str =
    "SELECT id, name, created_at, revoked_at FROM operator_keys WHERE kind = $1 ORDER BY created_at, id";
const LIVE: &str = "SELECT id, name, created_at, revoked_at FROM operator_keys WHERE digest = $1 AND kind = $2 AND revoked_at IS NULL";
const REVOKE: &str =
    "UPDATE operator_keys SET revoked_at = $3 WHERE id = $1 AND kind = $2 AND revoked_at IS NULL";

/// What a key opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Token introspection.
    Introspection,
    /// The admin API.
    Admin,
}

impl KeyKind {
    const fn label(self) -> &'static str {
        match self {
            Self::Introspection => "introspection",
            Self::Admin => "admin",
        }
    }
}

/// An operator key's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorKey {
    /// Its id; for introspection also the client id.
    pub id: KeyId,
    /// Its name.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

fn key(row: &AnyRow) -> Result<OperatorKey, StoreError> {
    Ok(OperatorKey {
        id: KeyId::from(row.text("id")?),
        name: row.text("name")?,
        created_at: row.time("created_at")?,
        revoked_at: row.time_opt("revoked_at")?,
    })
}

impl Store {
    /// The live key of a secret's digest.
    pub async fn operator_key(
        &self,
        kind: KeyKind,
        digest: &Digest,
    ) -> Result<Option<OperatorKey>, StoreError> {
        let row =
            sqlx::query(LIVE).bind(digest.to_hex()).bind(kind.label()).fetch_optional(&self.reader).await?;
        row.as_ref().map(key).transpose()
    }

    /// Every key of a kind, oldest first.
    pub async fn operator_keys(&self, kind: KeyKind) -> Result<Vec<OperatorKey>, StoreError> {
        sqlx::query(LIST).bind(kind.label()).fetch_all(&self.reader).await?.iter().map(key).collect()
    }
}

impl Tx {
    /// Adds a key.
    pub async fn insert_operator_key(
        &mut self,
        kind: KeyKind,
        key: &OperatorKey,
        digest: &Digest,
    ) -> Result<(), StoreError> {
        sqlx::query(INSERT)
            .bind(key.id.as_str())
            .bind(kind.label())
            .bind(&key.name)
            .bind(digest.to_hex())
            .bind(key.created_at.millis())
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Revokes a key. False if there is no such live key.
    pub async fn revoke_operator_key(&mut self, kind: KeyKind, id: &KeyId) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(REVOKE)
            .bind(id.as_str())
            .bind(kind.label())
            .bind(now)
            .execute(self.connection())
            .await?;
        if done.rows_affected() > 0 {
            self.change(Change::new(ChangeKind::Key, id)).await?;
        }
        Ok(done.rows_affected() > 0)
    }
}
