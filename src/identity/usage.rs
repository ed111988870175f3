//! When tokens and grants were last used: gathered in memory, written in batches.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::Identity;
use crate::domain::clock::Timestamp;
use crate::domain::verified::Verified;
use crate::store::StoreError;

const CHUNK: usize = 200;

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

    fn give_back(&self, unwritten: Vec<(String, Timestamp, bool)>) {
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, at, is_pat) in unwritten {
            let kind = if is_pat { &mut own.pats } else { &mut own.grants };
            kind.entry(id).or_insert(at);
        }
    }
}

impl Identity {
    /// Writes what was gathered, in small transactions and in one order on every node, so that no grant is locked
    /// for long and no two nodes wait for each other. What cannot be written now is kept for the next time.
    pub async fn flush_usage(&self) -> Result<usize, StoreError> {
        let Pending { pats, grants } = self.usage.take();
        let pats = pats.into_iter().map(|(id, at)| (id, at, true));
        let mut all: Vec<_> = pats.chain(grants.into_iter().map(|(id, at)| (id, at, false))).collect();
        all.sort();
        let mut done = 0;
        for chunk in all.chunks(CHUNK) {
            if let Err(error) = self.write_usage(chunk).await {
                self.usage.give_back(all.split_off(done));
                return Err(error);
            }
            done += chunk.len();
        }
        Ok(done)
    }

    async fn write_usage(&self, chunk: &[(String, Timestamp, bool)]) -> Result<(), StoreError> {
        self.store
            .transaction(async |tx| {
                for (id, at, is_pat) in chunk {
                    if *is_pat { tx.pat_used(id, *at).await? } else { tx.grant_used(id, *at).await? }
                }
                Ok(())
            })
            .await
    }
}
