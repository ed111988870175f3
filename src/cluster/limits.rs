//! How often callers have called: one moment each, in memory, on each node.
//!
//! There is room for a bounded number of callers. Who owes nothing is forgotten first, then who owes least. Callers
//! with credentials and mere addresses have rooms of their own. Attack: strangers who come from ever new addresses
//! push out what is known of the callers that limits are for.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::domain::clock::Timestamp;
use crate::domain::limit::{Due, Limit};
use crate::domain::secret::Digest;

const CALLERS: usize = 200_000;
const ADDRESSES: usize = 100_000;
/// Locks that do not wait for each other.
const SHARDS: usize = 16;

type Map = HashMap<Digest, Due, foldhash::quality::RandomState>;

/// Who is counted: the names of strangers are kept apart from those of callers who are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Somebody with a credential.
    Caller,
    /// Nobody but an address.
    Address,
}

/// One counter: of what, and of whom. Names can be as long as strangers like, so only their digest is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    who: Who,
    digest: Digest,
}

impl Key {
    /// The counter of `whose` calls of `what`, a list of names.
    pub fn new(who: Who, what: [&str; 2], whose: &str) -> Self {
        // no name of ours holds a NUL, so two lists never read alike
        let [first, second] = what;
        Self { who, digest: Digest::of(&format!("{first}\0{second}\0{whose}")) }
    }
}

/// The counters.
pub struct Limits {
    callers: Room,
    addresses: Room,
}

impl Default for Limits {
    fn default() -> Self {
        Self { callers: Room::new(CALLERS), addresses: Room::new(ADDRESSES) }
    }
}

impl Limits {
    /// Counts a call, or says how long to wait. Exact, however many come at once.
    pub fn take(&self, key: &Key, limit: Limit, now: Timestamp) -> Result<(), Duration> {
        self.room(key).with(key, |map, capacity| {
            let due = limit.take(map.get(&key.digest).copied(), now)?;
            if map.len() >= capacity && !map.contains_key(&key.digest) {
                forget(map, capacity, now);
            }
            map.insert(key.digest, due);
            Ok(())
        })
    }

    /// Undoes a call that another limit has refused.
    pub fn give_back(&self, key: &Key, limit: Limit) {
        self.room(key).with(key, |map, _| {
            if let Some(due) = map.get_mut(&key.digest) {
                *due = limit.give_back(*due);
            }
        });
    }

    fn room(&self, key: &Key) -> &Room {
        match key.who {
            Who::Caller => &self.callers,
            Who::Address => &self.addresses,
        }
    }
}

impl std::fmt::Debug for Limits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Limits")
    }
}

struct Room {
    first: Mutex<Map>,
    others: [Mutex<Map>; SHARDS - 1],
    capacity: usize,
}

impl Room {
    fn new(capacity: usize) -> Self {
        Self {
            first: Mutex::default(),
            others: std::array::from_fn(|_| Mutex::default()),
            capacity: (capacity / SHARDS).max(4),
        }
    }

    fn with<T>(&self, key: &Key, work: impl FnOnce(&mut Map, usize) -> T) -> T {
        let shard = self.others.get(usize::from(key.digest.first()) % SHARDS).unwrap_or(&self.first);
        work(&mut shard.lock().unwrap_or_else(PoisonError::into_inner), self.capacity)
    }
}

/// Makes room for at least a quarter of the capacity, so that it is not done at every call.
fn forget(map: &mut Map, capacity: usize, now: Timestamp) {
    map.retain(|_, due| !due.is_past(now));
    let too_many = map.len().saturating_sub(capacity - capacity / 4);
    let Some(last) = too_many.checked_sub(1) else { return };
    let mut dues: Vec<Due> = map.values().copied().collect();
    let bound = *dues.select_nth_unstable(last).1;
    map.retain(|_, due| *due > bound);
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn limit(count: u32, burst: u32) -> Limit {
        let number = |number| NonZeroU32::new(number).unwrap();
        Limit::new(number(count), Duration::from_mins(1), number(burst))
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + seconds * 1000)
    }

    fn small() -> Limits {
        Limits { callers: Room::new(160), addresses: Room::new(160) }
    }

    fn held(room: &Room) -> usize {
        let count = |map: &Mutex<Map>| map.lock().unwrap().len();
        count(&room.first) + room.others.iter().map(count).sum::<usize>()
    }

    #[test]
    fn callers_are_counted_apart() {
        let (limits, limit) = (Limits::default(), limit(60, 1));
        let key = |what, whose| Key::new(Who::Caller, what, whose);
        assert_eq!(limits.take(&key(["s", ""], "a"), limit, at(0)), Ok(()));
        assert_eq!(limits.take(&key(["s", ""], "a"), limit, at(0)), Err(Duration::from_secs(1)));
        for other in [key(["s", ""], "b"), key(["s", "t"], "a"), key(["t", ""], "a"), key(["", "s"], "a")] {
            assert_eq!(limits.take(&other, limit, at(0)), Ok(()), "{other:?}");
        }
        assert_eq!(limits.take(&Key::new(Who::Address, ["s", ""], "a"), limit, at(0)), Ok(()));
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let (limits, limit) = (Limits::default(), limit(60, 1));
        let key = Key::new(Who::Caller, ["s", ""], "a");
        limits.take(&key, limit, at(0)).unwrap();
        limits.give_back(&key, limit);
        assert_eq!(limits.take(&key, limit, at(0)), Ok(()));
        assert!(limits.take(&key, limit, at(0)).is_err());
    }

    #[test]
    fn of_many_at_once_exactly_as_many_pass_as_may() {
        let (limits, limit) = (Limits::default(), limit(1, 10));
        let key = Key::new(Who::Caller, ["s", ""], "a");
        let passed: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| (0..100).filter(|_| limits.take(&key, limit, at(0)).is_ok()).count()))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(passed, 10);
    }

    #[test]
    fn there_are_never_too_many_and_strangers_push_nobody_out() {
        let (limits, limit) = (small(), limit(1, 1));
        let caller = Key::new(Who::Caller, ["s", ""], "grt_1");
        limits.take(&caller, limit, at(0)).unwrap();
        for number in 0..10_000 {
            let _ = limits.take(&Key::new(Who::Address, ["s", ""], &format!("{number}")), limit, at(0));
        }
        assert!(held(&limits.addresses) <= 160, "{}", held(&limits.addresses));
        assert!(limits.take(&caller, limit, at(1)).is_err(), "still counted");
    }

    #[test]
    fn who_owes_nothing_is_forgotten_first_and_then_who_owes_least() {
        let mut map = Map::default();
        let owes = |seconds| limit(60, 100).take(None, at(seconds)).unwrap();
        for number in 0..20 {
            map.insert(Digest::of(&number.to_string()), owes(number));
        }
        forget(&mut map, 20, at(10));
        assert_eq!(map.len(), 10, "ten owed nothing any more");
        forget(&mut map, 8, at(10));
        assert_eq!(map.len(), 6);
        assert!(map.contains_key(&Digest::of("19")) && !map.contains_key(&Digest::of("10")));
    }
}
