//! Users and their passwords' hashes.

use sqlx::any::AnyRow;

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::change::{Change, ChangeKind};
use crate::domain::ids::UserId;
use crate::domain::user::{User, email_key};

macro_rules! select {
    ($tail:literal) => {
        concat!("SELECT id, email, name, external_id, epoch, locked_at, created_at FROM users ", $tail)
    };
}
const BY_ID: &str = select!("WHERE id = $1");
const BY_EMAIL: &str = select!("WHERE email_key = $1");
const LIST: &str = select!("ORDER BY created_at, id");
const INSERT: &str =
    "INSERT INTO users (id, email, email_key, name, external_id, password_hash, epoch, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, 1, $7)";
const PASSWORD_HASH: &str = "SELECT password_hash FROM users WHERE id = $1";
const SET_PASSWORD: &str = "UPDATE users SET password_hash = $2 WHERE id = $1";
const LOCK: &str = "UPDATE users SET epoch = epoch + 1, locked_at = $2 WHERE id = $1 AND locked_at IS NULL";
const UNLOCK: &str = "UPDATE users SET locked_at = NULL WHERE id = $1 AND locked_at IS NOT NULL";
const DELETE: &str = "DELETE FROM users WHERE id = $1";

fn user(row: &AnyRow) -> Result<User, StoreError> {
    Ok(User {
        id: UserId::from(row.text("id")?),
        email: row.text("email")?,
        name: row.text("name")?,
        external_id: row.text_opt("external_id")?,
        epoch: row.number("epoch")?,
        locked_at: row.time_opt("locked_at")?,
        created_at: row.time("created_at")?,
    })
}

impl Store {
    /// The user of an id.
    pub async fn user(&self, id: &UserId) -> Result<Option<User>, StoreError> {
        sqlx::query(BY_ID)
            .bind(id.as_str())
            .fetch_optional(&self.reader)
            .await?
            .as_ref()
            .map(user)
            .transpose()
    }

    /// The user of a mail address, in any case.
    pub async fn user_by_email(&self, email: &str) -> Result<Option<User>, StoreError> {
        let row = sqlx::query(BY_EMAIL).bind(email_key(email)).fetch_optional(&self.reader).await?;
        row.as_ref().map(user).transpose()
    }

    /// Every user, oldest first.
    pub async fn users(&self) -> Result<Vec<User>, StoreError> {
        sqlx::query(LIST).fetch_all(&self.reader).await?.iter().map(user).collect()
    }

    /// The stored password hash, if the user has a password.
    pub async fn password_hash(&self, id: &UserId) -> Result<Option<String>, StoreError> {
        let row = sqlx::query(PASSWORD_HASH).bind(id.as_str()).fetch_optional(&self.reader).await?;
        Ok(row.map(|row| row.text_opt("password_hash")).transpose()?.flatten())
    }
}

impl Tx {
    /// Adds a user. [`StoreError::Conflict`] if the address or the external id is taken.
    pub async fn insert_user(&mut self, user: &User, password_hash: Option<&str>) -> Result<(), StoreError> {
        sqlx::query(INSERT)
            .bind(user.id.as_str())
            .bind(&user.email)
            .bind(email_key(&user.email))
            .bind(&user.name)
            .bind(user.external_id.as_deref())
            .bind(password_hash)
            .bind(user.created_at.millis())
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Replaces the password hash.
    pub async fn set_password_hash(&mut self, id: &UserId, hash: &str) -> Result<(), StoreError> {
        sqlx::query(SET_PASSWORD).bind(id.as_str()).bind(hash).execute(self.connection()).await?;
        Ok(())
    }

    /// Locks the user; everything made under it ends. False if it was locked already.
    pub async fn lock_user(&mut self, id: &UserId) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(LOCK).bind(id.as_str()).bind(now).execute(self.connection()).await?;
        self.end_external(id).await?;
        self.user_changed(id, done.rows_affected()).await
    }

    /// Unlocks the user; nothing that ended comes back. False if it was not locked.
    pub async fn unlock_user(&mut self, id: &UserId) -> Result<bool, StoreError> {
        let done = sqlx::query(UNLOCK).bind(id.as_str()).execute(self.connection()).await?;
        self.user_changed(id, done.rows_affected()).await
    }

    /// Deletes the user; everything made under it ends. False if there was none.
    pub async fn delete_user(&mut self, id: &UserId) -> Result<bool, StoreError> {
        let done = sqlx::query(DELETE).bind(id.as_str()).execute(self.connection()).await?;
        self.forget_external(id).await?;
        self.user_changed(id, done.rows_affected()).await
    }

    async fn user_changed(&mut self, id: &UserId, rows: u64) -> Result<bool, StoreError> {
        if rows > 0 {
            self.change(Change::new(ChangeKind::User, id)).await?;
        }
        Ok(rows > 0)
    }
}
