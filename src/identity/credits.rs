//! Credits: reserved before something happens, settled after it.
//!
//! A reservation is a line of the ledger without an amount. It is settled once, whoever tries how often: what cannot be
//! written now is kept and tried again, and what nobody ever settles, because its process died, is given back after its
//! time. Whether such a call has happened cannot be known, and a customer is charged only for what has.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::Identity;
use crate::domain::clock::Timestamp;
use crate::domain::credits::{self, Month};
use crate::domain::ids::WorkspaceId;
use crate::store::StoreError;
use crate::store::credits::{Abandoned, By, Entry, Kind, Outcome};

/// So many wait to be written at most, while the database cannot be reached.
const WAITING: usize = 10_000;
const BATCH: i64 = 500;

/// What a workspace has used of a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// Which month.
    pub month: Month,
    /// How much, reservations included.
    pub used: i64,
}

impl Used {
    /// What is left of a plan's credits; below zero where more was used.
    pub fn balance(self, per_month: u64) -> i64 {
        credits::amount(per_month) - self.used
    }
}

/// How a call is charged in the end.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The call.
    pub entry: Entry,
    /// True if its cost was reserved.
    pub held: bool,
    /// What it costs.
    pub amount: i64,
    /// How it ended.
    pub outcome: Outcome,
}

impl Settlement {
    /// True if there is nothing to write: nothing was reserved and nothing is charged.
    pub fn is_nothing(&self) -> bool {
        !self.held && self.amount == 0
    }
}

/// Settlements that could not be written yet.
#[derive(Debug, Default)]
pub struct Unsettled(Mutex<VecDeque<Settlement>>);

impl Unsettled {
    fn next(&self) -> Option<Settlement> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// Whether somebody else has settled it already. Then nothing of the transaction may stay.
enum Stop {
    Settled,
    Store(StoreError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// It is no failure that somebody was quicker.
fn once(outcome: Result<(), Stop>) -> Result<bool, StoreError> {
    match outcome {
        Ok(()) => Ok(true),
        Err(Stop::Settled) => Ok(false),
        Err(Stop::Store(error)) => Err(error),
    }
}

impl Identity {
    /// What a workspace has used of this month.
    pub async fn credits_used(&self, workspace: &WorkspaceId) -> Result<Used, StoreError> {
        let month = Month::of(self.now());
        Ok(Used { month, used: self.store.credits_used(workspace, month).await? })
    }

    /// Reserves a call's cost, if the plan's credits of the month allow it.
    pub async fn reserve_credits(&self, entry: &Entry, per_month: u64) -> Result<bool, StoreError> {
        let allowance = credits::amount(per_month);
        self.store
            .transaction(async |tx| {
                let (workspace, month) = (&entry.workspace, entry.month);
                if !tx.reserve_credits(workspace, month, entry.reserved, allowance).await? {
                    return Ok(false);
                }
                tx.insert_credit_entry(entry).await
            })
            .await
    }

    /// Settles a call, once.
    pub async fn settle_credits(&self, settlement: &Settlement) -> Result<(), StoreError> {
        let Settlement { entry, held, amount, outcome } = settlement;
        let done = self.store.transaction(async |tx| {
            let reserved = if *held { entry.reserved } else { 0 };
            if *amount != reserved {
                tx.use_credits(&entry.workspace, entry.month, amount - reserved).await?;
            }
            let fresh = if *held {
                tx.settle_credit_entry(&entry.id, *amount, *outcome).await?
            } else {
                let entry = Entry { amount: Some(*amount), outcome: Some(*outcome), ..entry.clone() };
                tx.insert_credit_entry(&entry).await?
            };
            if fresh { Ok(()) } else { Err(Stop::Settled) }
        });
        once(done.await)?;
        Ok(())
    }

    /// Settles a call a moment later: for whoever cannot wait.
    pub fn settle_credits_later(&self, settlement: Settlement) {
        let mut waiting = self.unsettled.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < WAITING {
            waiting.push_back(settlement);
        } else {
            tracing::error!(
                workspace = %settlement.entry.workspace,
                amount = settlement.amount,
                "too many settlements wait for the database; what this one reserved is given back in time"
            );
        }
    }

    /// Writes the settlements that wait. What cannot be written now goes on waiting.
    pub async fn flush_credits(&self) -> Result<usize, StoreError> {
        let mut done = 0;
        while let Some(settlement) = self.unsettled.next() {
            if let Err(error) = self.settle_credits(&settlement).await {
                self.settle_credits_later(settlement);
                return Err(error);
            }
            done += 1;
        }
        Ok(done)
    }

    /// Gives back what was reserved by calls that nobody has settled in their time.
    pub async fn release_abandoned_credits(&self) -> Result<usize, StoreError> {
        let mut done = 0;
        for abandoned in self.store.abandoned_credits(self.now(), BATCH).await? {
            done += usize::from(self.release(&abandoned).await?);
        }
        Ok(done)
    }

    async fn release(&self, own: &Abandoned) -> Result<bool, StoreError> {
        let done = self.store.transaction(async |tx| {
            tx.use_credits(&own.workspace, own.month, -own.reserved).await?;
            let fresh = tx.settle_credit_entry(&own.id, 0, Outcome::Abandoned).await?;
            if fresh { Ok(()) } else { Err(Stop::Settled) }
        });
        once(done.await)
    }

    /// Takes credits of this month, as the operator's own program says; the balance may go below zero. `id` makes it
    /// happen once: false if it has happened before.
    pub async fn spend_credits(
        &self,
        id: &str,
        workspace: &WorkspaceId,
        credits: u64,
        note: Option<&str>,
    ) -> Result<bool, StoreError> {
        self.book(line(id, workspace, self.now()), Kind::Spend, credits::amount(credits), note).await
    }

    /// Gives credits of this month back. `id` makes it happen once: false if it has happened before.
    pub async fn refund_credits(
        &self,
        id: &str,
        workspace: &WorkspaceId,
        credits: u64,
        note: Option<&str>,
    ) -> Result<bool, StoreError> {
        self.book(line(id, workspace, self.now()), Kind::Refund, -credits::amount(credits), note).await
    }

    async fn book(
        &self,
        entry: Entry,
        kind: Kind,
        amount: i64,
        note: Option<&str>,
    ) -> Result<bool, StoreError> {
        let note = note.map(str::to_owned);
        let entry = Entry { kind, amount: Some(amount), outcome: Some(Outcome::Done), note, ..entry };
        let done = self.store.transaction(async |tx| {
            tx.use_credits(&entry.workspace, entry.month, amount).await?;
            if tx.insert_credit_entry(&entry).await? { Ok(()) } else { Err(Stop::Settled) }
        });
        once(done.await)
    }
}

/// A line about a workspace that says nothing yet.
pub fn line(id: &str, workspace: &WorkspaceId, now: Timestamp) -> Entry {
    Entry {
        id: id.to_owned(),
        workspace: workspace.clone(),
        month: Month::of(now),
        at: now,
        kind: Kind::Call,
        reserved: 0,
        amount: None,
        outcome: None,
        expires_at: now,
        by: By::default(),
        note: None,
    }
}
