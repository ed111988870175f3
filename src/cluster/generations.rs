//! A map that forgets: what was put in longer ago than a while is let go, a whole generation at a time.
//!
//! A general cache keeps lists and clocks for every entry, several times what the entry itself takes here. Nothing
//! of that is needed where an entry's age is checked when it is used: what is too old must only not stay for ever,
//! and there must never be too many.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use crate::domain::clock::Timestamp;
use crate::domain::secret::Digest;

/// Locks that do not wait for each other.
const SHARDS: usize = 16;

type Map<V> = HashMap<Digest, V, foldhash::quality::RandomState>;

struct Shard<V> {
    young: Map<V>,
    old: Map<V>,
    since: Timestamp,
}

/// Values by digest, each for at least `life` unless there are too many, and at most twice as long.
pub(super) struct Generations<V> {
    shards: [RwLock<Shard<V>>; SHARDS],
    life: Duration,
    generation: usize,
}

impl<V: Clone> Generations<V> {
    /// An empty map of at most `capacity` values.
    pub(super) fn new(capacity: usize, life: Duration) -> Self {
        let shard = |_| {
            RwLock::new(Shard { young: Map::default(), old: Map::default(), since: Timestamp::default() })
        };
        Self { shards: std::array::from_fn(shard), life, generation: (capacity / 2 / SHARDS).max(1) }
    }

    fn shard(&self, digest: &Digest) -> Option<&RwLock<Shard<V>>> {
        self.shards.get(usize::from(digest.first()) % SHARDS)
    }

    pub(super) fn get(&self, digest: &Digest) -> Option<V> {
        let shard = read(self.shard(digest)?);
        shard.young.get(digest).or_else(|| shard.old.get(digest)).cloned()
    }

    pub(super) fn insert(&self, digest: Digest, value: V, now: Timestamp) {
        let Some(shard) = self.shard(&digest) else { return };
        let mut shard = write(shard);
        if shard.young.len() >= self.generation {
            shard.turn(now);
        }
        shard.young.insert(digest, value);
    }

    pub(super) fn remove(&self, digest: &Digest) {
        let Some(shard) = self.shard(digest) else { return };
        let mut shard = write(shard);
        shard.young.remove(digest);
        shard.old.remove(digest);
    }

    /// Lets go what is over. To be called now and then, also while nothing is put in.
    pub(super) fn forget(&self, now: Timestamp) {
        for shard in &self.shards {
            if now.since(read(shard).since) >= self.life {
                write(shard).turn(now);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        let count = |shard| {
            let shard = read(shard);
            shard.young.len() + shard.old.len()
        };
        self.shards.iter().map(count).sum()
    }
}

impl<V> Shard<V> {
    fn turn(&mut self, now: Timestamp) {
        self.old = std::mem::take(&mut self.young);
        self.since = now;
    }
}

fn read<V>(shard: &RwLock<Shard<V>>) -> RwLockReadGuard<'_, Shard<V>> {
    shard.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<V>(shard: &RwLock<Shard<V>>) -> RwLockWriteGuard<'_, Shard<V>> {
    shard.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    #[test]
    fn a_value_lasts_its_life_and_at_most_twice_as_long() {
        let map = Generations::new(1000, Duration::from_mins(1));
        let digest = Digest::of("a");
        map.forget(at(100));
        map.insert(digest, 1, at(159));
        map.forget(at(160));
        assert_eq!(map.get(&digest), Some(1), "the next generation is the young one now");
        map.forget(at(219));
        assert_eq!(map.get(&digest), Some(1));
        map.forget(at(220));
        assert_eq!((map.get(&digest), map.len()), (None, 0));
    }

    #[test]
    fn there_are_never_too_many() {
        let map = Generations::new(320, Duration::from_mins(1));
        for number in 0..10_000 {
            map.insert(Digest::of(&number.to_string()), number, at(0));
        }
        assert!(map.len() <= 320, "{}", map.len());
        assert!(map.get(&Digest::of("9999")).is_some(), "the latest is there");
    }

    #[test]
    fn what_is_removed_is_gone_from_both_generations() {
        let map = Generations::new(320, Duration::from_mins(1));
        let digest = Digest::of("a");
        map.insert(digest, 1, at(100));
        map.forget(at(100));
        map.insert(digest, 2, at(100));
        map.remove(&digest);
        assert_eq!(map.get(&digest), None);
    }
}
