//! Counters of failures in a window: what slows guessing down.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use moka::sync::Cache;

use crate::domain::clock::Timestamp;
use crate::domain::secret::Digest;

const KEYS: u64 = 100_000;

/// Failures by key (an account, an address) in a fixed window.
pub struct Counters {
    window: Duration,
    limit: u32,
    counts: Cache<(Digest, i64), Arc<AtomicU32>>,
}

impl Counters {
    /// Allows `limit` failures a key in each window.
    pub fn new(limit: u32, window: Duration) -> Self {
        let counts = Cache::builder().max_capacity(KEYS).time_to_live(window * 2).build();
        Self { window, limit, counts }
    }

    fn slot(&self, now: Timestamp) -> (i64, Duration) {
        let window = i64::try_from(self.window.as_millis()).unwrap_or(i64::MAX).max(1);
        let left = window - now.millis().rem_euclid(window);
        (now.millis().div_euclid(window), Duration::from_millis(u64::try_from(left).unwrap_or(0)))
    }

    /// How long a key has to wait, if it has failed too often.
    pub fn blocked(&self, key: &str, now: Timestamp) -> Option<Duration> {
        let (slot, left) = self.slot(now);
        let count = self.counts.get(&(digest(key), slot))?;
        (count.load(Ordering::Relaxed) >= self.limit).then_some(left)
    }

    /// Counts a failure.
    pub fn failed(&self, key: &str, now: Timestamp) {
        let _ = self.attempt(key, now);
    }

    /// Counts an attempt *before* it is made, so that many at once cannot all pass on an old count. Give it back
    /// with [`Attempt::succeeded`] if it was no failure; too many are told how long to wait.
    pub fn attempt(&self, key: &str, now: Timestamp) -> Result<Attempt, Duration> {
        let (slot, left) = self.slot(now);
        let count = self.counts.get_with((digest(key), slot), Arc::default);
        if count.fetch_add(1, Ordering::Relaxed) >= self.limit {
            return Err(left);
        }
        Ok(Attempt(count))
    }
}

/// An attempt that was counted as a failure.
#[derive(Debug)]
pub struct Attempt(Arc<AtomicU32>);

impl Attempt {
    /// It was no failure.
    pub fn succeeded(self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Keys are texts that strangers choose, as long as they like.
fn digest(key: &str) -> Digest {
    Digest::of(key)
}

impl std::fmt::Debug for Counters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Counters({} each {:?})", self.limit, self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_waits_for_the_next_window() {
        let counters = Counters::new(2, Duration::from_mins(1));
        let at = Timestamp::from_millis(10_000);
        counters.failed("a", at);
        assert_eq!(counters.blocked("a", at), None);
        counters.failed("a", at);
        assert_eq!(counters.blocked("a", at), Some(Duration::from_secs(50)));
        assert_eq!(counters.blocked("b", at), None);
        assert_eq!(counters.blocked("a", Timestamp::from_millis(60_000)), None);
    }
}
