//! Counters of failures in a window: what slows guessing down.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use moka::sync::Cache;

use crate::domain::clock::Timestamp;

const KEYS: u64 = 100_000;

/// Failures by key (an account, an address) in a fixed window.
pub struct Counters {
    window: Duration,
    limit: u32,
    counts: Cache<(String, i64), Arc<AtomicU32>>,
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
        let count = self.counts.get(&(key.to_owned(), slot))?;
        (count.load(Ordering::Relaxed) >= self.limit).then_some(left)
    }

    /// Counts a failure.
    pub fn failed(&self, key: &str, now: Timestamp) {
        let (slot, _) = self.slot(now);
        self.counts.get_with((key.to_owned(), slot), Arc::default).fetch_add(1, Ordering::Relaxed);
    }
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
