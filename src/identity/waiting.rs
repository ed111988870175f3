//! Authorization requests that wait for their decision: how many are kept, and who gives way.
//!
//! Anybody may ask without having signed in, so asking must not push out those who are about to decide.

use std::sync::atomic::{AtomicI64, Ordering};

use super::Identity;
use crate::domain::ids::{TransactionId, UserId};
use crate::store::transactions::Transaction;
use crate::store::{StoreError, Tx};

/// So many may wait, give or take [`STEP`] a node.
const CAP: i64 = 50_000;
/// So many are kept between two counts of all that wait: counting each time would cost more than keeping.
const STEP: i64 = CAP / 100;
/// So many of one person's never give way.
const OWN: i64 = 20;

/// How many more are kept before they are counted again. Nothing is known at first.
#[derive(Debug, Default)]
pub struct Waiting(AtomicI64);

impl Identity {
    /// Keeps a request that came from `address`, making room for it where there is none.
    pub async fn keep_request(&self, kept: &Transaction, address: &str) -> Result<(), StoreError> {
        let counted = self.waiting.0.fetch_sub(1, Ordering::Relaxed) > 0;
        self.store
            .transaction(async |tx| {
                if !counted {
                    make_room(tx).await?;
                }
                tx.insert_authorization(kept, address).await
            })
            .await?;
        if !counted {
            self.waiting.0.store(STEP, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Binds a waiting request to the person who signed in on it. False if it is another's.
    pub async fn bind(&self, transaction: &TransactionId, user: &UserId) -> Result<bool, StoreError> {
        self.store.transaction(async |tx| tx.bind_authorization(transaction, user).await).await
    }

    /// Gives a waiting request of somebody who leaves a new id, for whoever signs in next; the old one is over.
    /// `None` if it was decided meanwhile.
    pub async fn hand_on(
        &self,
        transaction: &TransactionId,
        owner: &UserId,
    ) -> Result<Option<TransactionId>, StoreError> {
        let to = TransactionId::generate(self.entropy.as_ref());
        let done = self
            .store
            .transaction(async |tx| tx.hand_on_authorization(transaction, &to, owner).await)
            .await?;
        Ok(done.then_some(to))
    }
}

async fn make_room(tx: &mut Tx) -> Result<(), StoreError> {
    let over = tx.waiting_authorizations().await? - CAP;
    if over >= 0 {
        let gone = tx.evict_authorizations(over + STEP, OWN).await?;
        tracing::warn!(
            gone,
            "more authorization requests wait than are kept; those of who holds most gave way"
        );
    }
    Ok(())
}
