//! How long what was read from the database may be remembered.
//!
//! It serves only while the change log was read a few seconds ago. And it falls with the first change that touches
//! anything it hangs on: every change gets a stamp, what is remembered keeps the stamp at which its reading *began*,
//! and a change with a later stamp ends it, so a reading that was under way while the change was made cannot outlive
//! it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use crate::domain::change::Change;
use crate::domain::clock::Timestamp;

/// Longer than any reading can take, so that no change is forgotten while one is under way.
const MEMORY: Duration = Duration::from_mins(3);

/// Taken before a reading begins; given back with what was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

impl Ticket {
    pub(super) const fn stamp(self) -> u64 {
        self.0
    }
}

/// The changes of late, and when they were last read.
#[derive(Debug)]
pub struct Freshness {
    changed: RwLock<HashMap<u32, (u64, Timestamp)>>,
    stamp: AtomicU64,
    read_at: AtomicI64,
    max_blind: Duration,
}

impl Freshness {
    /// What is remembered serves at most `max_blind` after the last reading of the change log.
    pub fn new(max_blind: Duration) -> Self {
        Self {
            changed: RwLock::default(),
            stamp: AtomicU64::new(0),
            read_at: AtomicI64::new(i64::MIN / 2),
            max_blind,
        }
    }

    /// To be taken before a reading begins.
    pub fn ticket(&self) -> Ticket {
        Ticket(self.stamp.load(Ordering::Acquire))
    }

    /// True if the change log was not read for so long that nothing remembered may be believed.
    pub fn is_blind(&self, now: Timestamp) -> bool {
        now.since(Timestamp::from_millis(self.read_at.load(Ordering::Acquire))) > self.max_blind
    }

    /// True if none of these (each a [`Change::fingerprint`]) has changed since a reading began.
    pub fn untouched(&self, touched: &[u32], since: Ticket) -> bool {
        let changed = self.changed.read().unwrap_or_else(PoisonError::into_inner);
        touched.iter().all(|key| changed.get(key).is_none_or(|(stamp, _)| *stamp <= since.0))
    }

    /// Takes in changes. `before` runs before a reading that begins from now on can be told from one that began
    /// earlier.
    pub fn apply(&self, changes: &[Change], now: Timestamp, before: impl FnOnce()) {
        let mut log = self.changed.write().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.stamp.load(Ordering::Acquire) + 1;
        log.retain(|_, (_, at)| now.since(*at) < MEMORY);
        log.extend(changes.iter().map(|change| (change.fingerprint(), (stamp, now))));
        before();
        self.stamp.store(stamp, Ordering::Release);
    }

    /// Notes that the change log was read as of `now`.
    pub fn log_read(&self, now: Timestamp) {
        self.read_at.store(now.millis(), Ordering::Release);
    }
}
