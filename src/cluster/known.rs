//! Rows that are asked for all the time and hardly ever change, remembered as [`Freshness`] allows.

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;

use super::freshness::{Freshness, Ticket};
use crate::domain::change::Change;
use crate::domain::clock::Timestamp;

const LIFE: Duration = Duration::from_mins(1);

struct Entry<V> {
    value: V,
    touched: u32,
    filled: Ticket,
    filled_at: Timestamp,
}

/// Values by key, each hanging on one thing in the change log.
pub struct Known<V> {
    entries: Cache<String, Arc<Entry<V>>>,
    fresh: Arc<Freshness>,
}

impl<V: Clone + Send + Sync + 'static> Known<V> {
    /// At most `capacity` values.
    pub fn new(capacity: u64, fresh: Arc<Freshness>) -> Self {
        Self { entries: Cache::builder().max_capacity(capacity).time_to_live(LIFE).build(), fresh }
    }

    /// The value of a key.
    ///
    /// # Errors
    /// Where it has to be asked for: the ticket to give back with what was read.
    pub fn get(&self, key: &str, now: Timestamp) -> Result<V, Ticket> {
        let ask = self.fresh.ticket();
        let entry = self.entries.get(key).ok_or(ask)?;
        let old = now.since(entry.filled_at) >= LIFE || self.fresh.is_blind(now);
        if old || !self.fresh.untouched(&[entry.touched], entry.filled) {
            return Err(ask);
        }
        Ok(entry.value.clone())
    }

    /// Keeps what was read, until `on` changes.
    pub fn fill(&self, key: &str, ticket: Ticket, value: V, on: &Change, now: Timestamp) {
        let entry = Entry { value, touched: on.fingerprint(), filled: ticket, filled_at: now };
        self.entries.insert(key.to_owned(), Arc::new(entry));
    }
}

impl<V> std::fmt::Debug for Known<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Known")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::change::ChangeKind;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn change(id: &str) -> Change {
        Change::new(ChangeKind::Client, id)
    }

    #[test]
    fn a_row_is_remembered_until_it_changes_ages_or_the_log_is_stale() {
        let fresh = Arc::new(Freshness::new(Duration::from_secs(5)));
        let known = Known::new(10, Arc::clone(&fresh));
        fresh.log_read(at(0));
        let early = known.get("a", at(0)).unwrap_err();
        known.fill("a", early, 1, &change("a"), at(0));
        assert_eq!(known.get("a", at(5_000)), Ok(1));
        assert!(known.get("a", at(5_001)).is_err(), "blind for too long");
        fresh.log_read(at(59_999));
        assert_eq!(known.get("a", at(59_999)), Ok(1));
        assert!(known.get("a", at(60_000)).is_err(), "too old");
        fresh.apply(&[change("b")], at(59_999), || ());
        assert_eq!(known.get("a", at(59_999)), Ok(1), "another one's change");
        fresh.apply(&[change("a")], at(59_999), || ());
        assert!(known.get("a", at(59_999)).is_err());
        known.fill("a", early, 2, &change("a"), at(59_999));
        assert!(known.get("a", at(59_999)).is_err(), "the reading began before the change");
    }
}
