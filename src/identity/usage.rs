//! When tokens and grants were last used: gathered in memory, written in batches.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::Identity;
use crate::domain::clock::Timestamp;
use crate::domain::verified::Verified;
use crate::store::StoreError;

/// Uses that wait to be written.
#[derive(Debug, Default)]
pub struct Usage(Mutex<Pending>);

#[derive(Debug, Default)]
struct Pending {
    pats: HashMap<String, Timestamp>,
    grants: HashMap<String, Timestamp>,
}

impl Usage {
    /// Notes a use. A grant's use is not a use of the token that authorized it.
    pub fn note(&self, verified: &Verified, now: Timestamp) {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (&verified.grant, &verified.pat) {
            (Some(grant), _) => pending.grants.insert(grant.to_string(), now),
            (None, Some(pat)) => pending.pats.insert(pat.to_string(), now),
            (None, None) => None,
        };
    }

    fn take(&self) -> Pending {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn give_back(&self, pending: Pending) {
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, at) in pending.pats {
            own.pats.entry(id).or_insert(at);
        }
        for (id, at) in pending.grants {
            own.grants.entry(id).or_insert(at);
        }
    }
}

impl Identity {
    /// Writes what was gathered, in one transaction. What cannot be written now is kept for the next time.
    pub async fn flush_usage(&self) -> Result<usize, StoreError> {
        let pending = self.usage.take();
        let count = pending.pats.len() + pending.grants.len();
        if count == 0 {
            return Ok(0);
        }
        let written = self
            .store
            .transaction(async |tx| {
                for (id, at) in &pending.pats {
                    tx.pat_used(id, *at).await?;
                }
                for (id, at) in &pending.grants {
                    tx.grant_used(id, *at).await?;
                }
                Ok::<_, StoreError>(())
            })
            .await;
        if let Err(error) = written {
            self.usage.give_back(pending);
            return Err(error);
        }
        Ok(count)
    }
}
