//! Clients that the operator makes, lets in again or clears away. Those that register themselves are the
//! authorization server's.

use super::Identity;
use crate::domain::change::{Change, ChangeKind};
use crate::domain::client::{Client, ClientKind, ClientMetadata, stored_secret};
use crate::domain::clock::Timestamp;
use crate::domain::ids::ClientId;
use crate::domain::secret::Secret;
use crate::store::StoreError;
use crate::store::audit::Event;

/// Rows deleted in one transaction, so that no other writer waits for long.
const BATCH: u32 = 1000;

fn event(event: &'static str, client: &ClientId) -> Event {
    Event { event, client: Some(client.clone()), ..Event::default() }
}

impl Identity {
    /// The client of an id, from memory while nothing has changed: whether it proves itself can be said from that.
    /// What hangs on it asks the database for the whole chain.
    pub async fn known_client(&self, id: &ClientId) -> Result<Option<Client>, StoreError> {
        let now = self.now();
        let ticket = match self.known_clients.get(id.as_str(), now) {
            Ok(client) => return Ok(Some(client)),
            Err(ticket) => ticket,
        };
        let client = self.store.client(id).await?;
        // one that is let in again must not be told for a while that it is unknown
        if let Some(client) = client.as_ref().filter(|client| client.disabled_at.is_none()) {
            let on = Change::new(ChangeKind::Client, id);
            self.known_clients.fill(id.as_str(), ticket, client.clone(), &on, now);
        }
        Ok(client)
    }

    /// Makes a client with these metadata; with a prefix it gets a secret too.
    pub async fn create_client(
        &self,
        metadata: ClientMetadata,
        secret_prefix: Option<&str>,
    ) -> Result<(Client, Option<Secret>), StoreError> {
        let secret = secret_prefix.map(|prefix| Secret::generate(prefix, self.entropy.as_ref()));
        let client = Client {
            id: ClientId::generate(self.entropy.as_ref()),
            kind: ClientKind::Operator,
            metadata,
            secret_hash: secret.as_ref().map(|own| stored_secret(&own.digest())),
            epoch: 1,
            disabled_at: None,
            created_at: self.now(),
            last_granted_at: None,
        };
        self.store
            .transaction(async |tx| {
                tx.register_client(&client, "").await?;
                tx.audit(event("client.created", &client.id)).await
            })
            .await?;
        Ok((client, secret))
    }

    /// Enables a client. What disabling ended stays ended. False if there is no such disabled client.
    pub async fn enable_client(&self, client: &ClientId) -> Result<bool, StoreError> {
        self.store
            .transaction(async |tx| {
                let done = tx.enable_client(client).await?;
                if done {
                    tx.audit(event("client.enabled", client)).await?;
                }
                Ok(done)
            })
            .await
    }

    /// Deletes every registration older than `before` that nobody ever allowed anything. Answers how many.
    pub async fn prune_clients(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut pruned = 0;
        loop {
            let limit = i64::from(BATCH);
            let batch = self.store.transaction(async |tx| tx.prune_clients(before, limit).await).await?;
            pruned += batch;
            if batch < u64::from(BATCH) {
                return Ok(pruned);
            }
        }
    }
}
