//! Operator keys: made here, shown once, ended like everything else by [`super::revoke`].

use super::Identity;
use crate::domain::change::{Change, ChangeKind};
use crate::domain::ids::KeyId;
use crate::domain::secret::{Digest, Secret};
use crate::store::StoreError;
use crate::store::audit::Event;
use crate::store::keys::{KeyKind, OperatorKey};

impl Identity {
    /// The live operator key of a secret's digest, from memory while nothing has changed.
    pub async fn operator_key(
        &self,
        kind: KeyKind,
        digest: &Digest,
    ) -> Result<Option<OperatorKey>, StoreError> {
        let (name, now) = (format!("{kind:?} {}", digest.to_hex()), self.now());
        let ticket = match self.known_keys.get(&name, now) {
            Ok(key) => return Ok(Some(key)),
            Err(ticket) => ticket,
        };
        let key = self.store.operator_key(kind, digest).await?;
        if let Some(key) = &key {
            let on = Change::new(ChangeKind::Key, &key.id);
            self.known_keys.fill(&name, ticket, key.clone(), &on, now);
        }
        Ok(key)
    }

    /// Makes an operator key whose secret begins with `prefix`.
    pub async fn create_operator_key(
        &self,
        kind: KeyKind,
        prefix: &str,
        name: &str,
    ) -> Result<(OperatorKey, Secret), StoreError> {
        let secret = Secret::generate(prefix, self.entropy.as_ref());
        let key = OperatorKey {
            id: KeyId::generate(self.entropy.as_ref()),
            name: name.to_owned(),
            created_at: self.now(),
            revoked_at: None,
        };
        self.store
            .transaction(async |tx| {
                tx.insert_operator_key(kind, &key, &secret.digest()).await?;
                let detail = Some(key.id.to_string());
                tx.audit(Event { event: "key.created", detail, ..Event::default() }).await
            })
            .await?;
        Ok((key, secret))
    }
}
