//! Clients: dynamic registrations and those the operator made.

use sqlx::any::AnyRow;

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::change::{Change, ChangeKind};
use crate::domain::client::{Client, ClientKind};
use crate::domain::clock::Timestamp;
use crate::domain::ids::ClientId;

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT id, kind, metadata, secret_hash, epoch, disabled_at, created_at, last_granted_at
             FROM clients ",
            $tail
        )
    };
}
const BY_ID: &str = select!("WHERE id = $1 AND deleted_at IS NULL");
const LIST: &str = select!("WHERE deleted_at IS NULL ORDER BY created_at, id");
const UPSERT: &str = "INSERT INTO clients
     (id, kind, metadata, secret_hash, address, epoch, created_at, registered_at)
     VALUES ($1, $2, $3, $4, $5, 1, $6, $6)
     ON CONFLICT (id) DO UPDATE SET registered_at = excluded.registered_at, metadata = excluded.metadata,
       deleted_at = NULL
     WHERE clients.disabled_at IS NULL";
const TOUCH: &str = "UPDATE clients SET last_granted_at = $2 WHERE id = $1";
const DISABLE: &str =
    "UPDATE clients SET epoch = epoch + 1, disabled_at = $2 WHERE id = $1 AND disabled_at IS NULL";
const ENABLE: &str = "UPDATE clients SET disabled_at = NULL WHERE id = $1 AND disabled_at IS NOT NULL";
const DELETE: &str = "UPDATE clients SET epoch = epoch + 1, deleted_at = $2, secret_hash = NULL
     WHERE id = $1 AND deleted_at IS NULL";
/// Registrations that nobody has allowed anything yet: what the index `clients_never_granted` holds.
macro_rules! never_granted {
    ($head:literal, $tail:literal) => {
        concat!(
            $head,
            " FROM clients WHERE kind = 'dynamic' AND last_granted_at IS NULL AND disabled_at IS NULL ",
            $tail
        )
    };
}
const NEVER_GRANTED: &str = never_granted!("SELECT COUNT(*) AS n", "");
/// The address that holds most of them.
const HEAVIEST: &str =
    never_granted!("SELECT address", "GROUP BY address ORDER BY COUNT(*) DESC, address LIMIT 1");
const EVICT: &str = never_granted!(
    "DELETE FROM clients WHERE id IN (SELECT id",
    "AND registered_at < $1 AND address = $2 ORDER BY registered_at LIMIT $3)"
);
const PRUNE: &str = never_granted!(
    "DELETE FROM clients WHERE id IN (SELECT id",
    "AND registered_at < $1 ORDER BY registered_at LIMIT $2)"
);

fn client(row: &AnyRow) -> Result<Client, StoreError> {
    Ok(Client {
        id: ClientId::from(row.text("id")?),
        kind: ClientKind::from_label(&row.text("kind")?).ok_or(StoreError::Corrupt("kind"))?,
        metadata: serde_json::from_str(&row.text("metadata")?)
            .map_err(|_| StoreError::Corrupt("metadata"))?,
        secret_hash: row.text_opt("secret_hash")?,
        epoch: row.number("epoch")?,
        disabled_at: row.time_opt("disabled_at")?,
        created_at: row.time("created_at")?,
        last_granted_at: row.time_opt("last_granted_at")?,
    })
}

/// Whether there is room for one more registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// There is, perhaps after others gave way.
    Made,
    /// Not for this address, which holds most.
    Heaviest,
    /// For nobody.
    Full,
}

impl Store {
    /// The client of an id.
    pub async fn client(&self, id: &ClientId) -> Result<Option<Client>, StoreError> {
        let row = sqlx::query(BY_ID).bind(id.as_str()).fetch_optional(&self.reader).await?;
        row.as_ref().map(client).transpose()
    }

    /// Every client, oldest first.
    pub async fn clients(&self) -> Result<Vec<Client>, StoreError> {
        sqlx::query(LIST).fetch_all(&self.reader).await?.iter().map(client).collect()
    }
}

impl Tx {
    /// The client of an id, as this transaction sees it.
    pub async fn client(&mut self, id: &ClientId) -> Result<Option<Client>, StoreError> {
        let row = sqlx::query(BY_ID).bind(id.as_str()).fetch_optional(self.connection()).await?;
        row.as_ref().map(client).transpose()
    }

    /// Adds a client, or refreshes the registration of one with the same derived id. False if that one is
    /// disabled.
    pub async fn register_client(&mut self, client: &Client, address: &str) -> Result<bool, StoreError> {
        let metadata =
            serde_json::to_string(&client.metadata).map_err(|_| StoreError::Corrupt("metadata"))?;
        let done = sqlx::query(UPSERT)
            .bind(client.id.as_str())
            .bind(client.kind.label())
            .bind(metadata)
            .bind(client.secret_hash.as_deref())
            .bind(address)
            .bind(client.created_at.millis())
            .execute(self.connection())
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Makes room for one more registration from an address, if `cap` of those that were never granted are kept: the
    /// oldest of the address that holds most go first, none younger than `older_than`. Where all are younger, there
    /// is room for every other address, until twice the cap is reached.
    pub async fn make_room(
        &mut self,
        address: &str,
        cap: i64,
        older_than: Timestamp,
    ) -> Result<Room, StoreError> {
        let count = sqlx::query(NEVER_GRANTED).fetch_one(self.connection()).await?.number("n")?;
        if count < cap {
            return Ok(Room::Made);
        }
        let heaviest = sqlx::query(HEAVIEST).fetch_one(self.connection()).await?;
        let heaviest = heaviest.text_opt("address")?.unwrap_or_default();
        let (batch, old) = ((cap / 100).max(1), older_than.millis());
        let evict = sqlx::query(EVICT).bind(old).bind(&heaviest).bind(batch);
        if evict.execute(self.connection()).await?.rows_affected() > 0
            || self.prune_clients(older_than, batch).await? > 0
        {
            return Ok(Room::Made);
        }
        Ok(match heaviest == address {
            _ if count >= 2 * cap => Room::Full,
            true => Room::Heaviest,
            false => Room::Made,
        })
    }

    /// Deletes up to `limit` registrations that were never granted and are older than `before`.
    pub async fn prune_clients(&mut self, before: Timestamp, limit: i64) -> Result<u64, StoreError> {
        let done = sqlx::query(PRUNE).bind(before.millis()).bind(limit).execute(self.connection()).await?;
        Ok(done.rows_affected())
    }

    /// Notes that a person allowed the client something.
    pub async fn client_granted(&mut self, id: &ClientId) -> Result<(), StoreError> {
        let now = self.now.millis();
        sqlx::query(TOUCH).bind(id.as_str()).bind(now).execute(self.connection()).await?;
        Ok(())
    }

    /// Disables a client; everything granted to it ends. False if it was not there or disabled already.
    pub async fn disable_client(&mut self, id: &ClientId) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(DISABLE).bind(id.as_str()).bind(now).execute(self.connection()).await?;
        self.client_changed(id, done.rows_affected()).await
    }

    /// Enables a client again; nothing that ended comes back.
    pub async fn enable_client(&mut self, id: &ClientId) -> Result<bool, StoreError> {
        let done = sqlx::query(ENABLE).bind(id.as_str()).execute(self.connection()).await?;
        self.client_changed(id, done.rows_affected()).await
    }

    /// Deletes a client; everything granted to it ends.
    pub async fn delete_client(&mut self, id: &ClientId) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(DELETE).bind(id.as_str()).bind(now).execute(self.connection()).await?;
        self.client_changed(id, done.rows_affected()).await
    }

    async fn client_changed(&mut self, id: &ClientId, rows: u64) -> Result<bool, StoreError> {
        if rows > 0 {
            self.change(Change::new(ChangeKind::Client, id)).await?;
        }
        Ok(rows > 0)
    }
}
