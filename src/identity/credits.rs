//! Credits: reserved before something happens, settled after it.
//!
//! A reservation is a line of the ledger without an amount. It is settled once, whoever tries how often: what cannot be
//! written now is kept and tried again, and what nobody ever settles, because its process died, is given back after its
//! time. Whether such a call has happened cannot be known, and a customer is charged only for what has.
//!
//! A call that broke off may be sent again under its key. Its runs are charged once together: the next one gives back what
//! those before it have taken, and its own line then says that they are over, whoever still wants to settle them.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use super::Identity;
use crate::domain::clock::Timestamp;
use crate::domain::credits::{self, Month};
use crate::domain::ids::WorkspaceId;
use crate::store::credits::{By, Entry, Held, Kind, Outcome};
use crate::store::{StoreError, Tx};

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

/// Why nothing of a transaction may stay.
enum Stop {
    /// Somebody else has settled it already.
    Settled,
    /// There are not enough credits.
    Short,
    Store(StoreError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// It is no failure that somebody was quicker, or that there is too little.
fn once(outcome: Result<(), Stop>) -> Result<bool, StoreError> {
    match outcome {
        Ok(()) => Ok(true),
        Err(Stop::Settled | Stop::Short) => Ok(false),
        Err(Stop::Store(error)) => Err(error),
    }
}

impl Identity {
    /// What a workspace has used of this month.
    pub async fn credits_used(&self, workspace: &WorkspaceId) -> Result<Used, StoreError> {
        let month = Month::of(self.now());
        Ok(Used { month, used: self.store.credits_used(workspace, month).await? })
    }

    /// What the runs of a call have taken out of a month so far.
    pub async fn credits_of_call(&self, call: &str, month: Month) -> Result<i64, StoreError> {
        self.store.credits_of_call(call, month).await
    }

    /// Reserves a call's cost, if the plan's credits of the month allow it. A line that is there already means that the
    /// call was sent again meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] for such a line.
    pub async fn reserve_credits(&self, entry: &Entry, per_month: u64) -> Result<bool, StoreError> {
        let done = self.store.transaction(async |tx| take(tx, entry, per_month).await);
        once(done.await)
    }

    /// The same for a call that is sent again: what its earlier runs have taken is given back first. Where that is
    /// still not enough, they keep it.
    ///
    /// # Errors
    /// As [`Self::reserve_credits`].
    pub async fn reserve_credits_again(
        &self,
        entry: &Entry,
        call: &str,
        per_month: u64,
    ) -> Result<bool, StoreError> {
        let done = self.store.transaction(async |tx| {
            end_runs(tx, entry, call).await?;
            take(tx, entry, per_month).await
        });
        once(done.await)
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

    async fn release(&self, own: &Held) -> Result<bool, StoreError> {
        let done = self.store.transaction(async |tx| {
            tx.use_credits(&own.workspace, own.month, -own.credits).await?;
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

/// A line without a cost asks no allowance: what was spent beyond it does not hold it up.
async fn take(tx: &mut Tx, entry: &Entry, per_month: u64) -> Result<(), Stop> {
    let (allowance, cost) = (credits::amount(per_month), entry.reserved);
    if cost > 0 && !tx.reserve_credits(&entry.workspace, entry.month, cost, allowance).await? {
        return Err(Stop::Short);
    }
    let fresh = tx.insert_credit_entry(entry).await?;
    if fresh { Ok(()) } else { Err(Stop::Store(StoreError::Conflict)) }
}

/// Gives back what the runs of a call before `entry` have taken. The months' rows are taken first, the oldest before the
/// others, so that whoever settles such a run waits, or is waited for. The first run writes its line at its end where
/// its cost is not known before: that line is written here in its place, and so the run can write none any more.
async fn end_runs(tx: &mut Tx, entry: &Entry, call: &str) -> Result<(), StoreError> {
    let mut months: BTreeSet<Month> = tx.runs_of_call(call).await?.iter().map(|run| run.month).collect();
    months.insert(entry.month);
    for month in months {
        tx.use_credits(&entry.workspace, month, 0).await?;
    }
    let (amount, outcome) = (Some(0), Some(Outcome::Repeated));
    tx.insert_credit_entry(&Entry { id: first_line(call), reserved: 0, amount, outcome, ..entry.clone() })
        .await?;
    for run in tx.runs_of_call(call).await? {
        if tx.give_run_back(&run.id).await? {
            tx.use_credits(&run.workspace, run.month, -run.credits).await?;
        }
    }
    Ok(())
}

/// The id of the line that the first run of a call has.
pub fn first_line(call: &str) -> String {
    format!("crd_{call}")
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
        call: None,
    }
}
