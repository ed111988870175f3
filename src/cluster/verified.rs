//! The verification cache: what is known of a token's whole chain, for as long as nothing has changed.
//!
//! An entry lives at most a minute, and as long as [`Freshness`] says: while the change log is being read and nothing
//! that the entry hangs on has changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use moka::sync::Cache;

use super::freshness::{Freshness, Ticket};
use super::generations::Generations;
use super::names::Names;
use crate::domain::change::Change;
use crate::domain::clock::Timestamp;
use crate::domain::secret::Digest;
use crate::domain::verified::Verified;

const LIFE: Duration = Duration::from_mins(1);
const ENTRIES: usize = 200_000;
const UNKNOWN_ENTRIES: u64 = 50_000;
const UNKNOWN_LIFE: Duration = Duration::from_secs(10);

/// Keys are digests, which nobody can choose; the seed is the process's own all the same.
type Hashes = foldhash::quality::RandomState;

struct Entry {
    verified: Arc<Verified>,
    touched: Box<[u32]>,
    filled: Ticket,
    filled_at: Timestamp,
    checked: AtomicU64,
    noted_at: AtomicI64,
}

/// What the cache says of a digest.
#[derive(Debug)]
pub enum Lookup {
    /// Alive. The flag is true if its use should be noted: it was not within half a minute.
    Alive(Arc<Verified>, bool),
    /// Known to be nothing.
    Unknown,
    /// Ask the store, and give back what it says with the ticket.
    Ask(Ticket),
}

/// The cache of one node.
pub struct VerifiedCache {
    entries: Generations<Arc<Entry>>,
    names: Names,
    unknown: Cache<Digest, (), Hashes>,
    fresh: Arc<Freshness>,
}

impl VerifiedCache {
    /// An empty cache that serves at most `max_blind` after the last reading of the change log.
    pub fn new(max_blind: Duration) -> Self {
        Self {
            entries: Generations::new(ENTRIES, LIFE),
            names: Names::default(),
            unknown: Cache::builder()
                .max_capacity(UNKNOWN_ENTRIES)
                .time_to_live(UNKNOWN_LIFE)
                .build_with_hasher(Hashes::default()),
            fresh: Arc::new(Freshness::new(max_blind)),
        }
    }

    /// How fresh what is remembered is, for other memories that hang on the same change log.
    pub fn freshness(&self) -> Arc<Freshness> {
        Arc::clone(&self.fresh)
    }

    /// What is known of a digest.
    pub fn look_up(&self, digest: &Digest, now: Timestamp) -> Lookup {
        let ask = Lookup::Ask(self.fresh.ticket());
        if self.fresh.is_blind(now) {
            return ask;
        }
        let Some(entry) = self.entries.get(digest) else {
            return if self.unknown.contains_key(digest) { Lookup::Unknown } else { ask };
        };
        if now.since(entry.filled_at) >= LIFE || !entry.verified.is_current(now) || !self.still_good(&entry) {
            self.entries.remove(digest);
            return ask;
        }
        let noted = Timestamp::from_millis(entry.noted_at.load(Ordering::Relaxed));
        let note = now.since(noted) >= Duration::from_secs(30);
        if note {
            entry.noted_at.store(now.millis(), Ordering::Relaxed);
        }
        Lookup::Alive(Arc::clone(&entry.verified), note)
    }

    fn still_good(&self, entry: &Entry) -> bool {
        let now = self.fresh.ticket();
        if entry.checked.load(Ordering::Acquire) >= now.stamp() {
            return true;
        }
        let good = self.fresh.untouched(&entry.touched, entry.filled);
        if good {
            entry.checked.store(now.stamp(), Ordering::Release);
        }
        good
    }

    /// What a reading found, holding in common with others what they have in common. A hundred thousand tokens of a
    /// few brands, plans and clients would otherwise carry as many copies of their names.
    pub fn shared(&self, mut verified: Verified) -> Arc<Verified> {
        verified.share(&|text| self.names.one(text));
        Arc::new(verified)
    }

    /// Keeps what a reading found.
    pub fn fill(&self, digest: Digest, ticket: Ticket, verified: Arc<Verified>, now: Timestamp) {
        let touched = verified.touched_by().iter().map(Change::fingerprint).collect();
        let entry = Entry {
            verified,
            touched,
            filled: ticket,
            filled_at: now,
            checked: AtomicU64::new(ticket.stamp()),
            noted_at: AtomicI64::new(now.millis()),
        };
        self.entries.insert(digest, Arc::new(entry), now);
    }

    /// Keeps that a reading found nothing.
    pub fn fill_unknown(&self, digest: Digest, ticket: Ticket) {
        if self.fresh.ticket() == ticket {
            self.unknown.insert(digest, ());
        }
    }

    /// Takes in changes: what they touch is asked again.
    pub fn apply(&self, changes: &[Change], now: Timestamp) {
        if changes.is_empty() {
            return;
        }
        self.fresh.apply(changes, now, || self.unknown.invalidate_all());
    }

    /// Notes that the change log was read as of `now`.
    pub fn log_read(&self, now: Timestamp) {
        self.entries.forget(now);
        self.fresh.log_read(now);
    }
}

impl std::fmt::Debug for VerifiedCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VerifiedCache({} entries)", self.entries.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::change::ChangeKind;
    use crate::domain::ids::{BrandId, PatId, UserId, WorkspaceId};
    use crate::domain::pat::Mode;
    use crate::domain::scope::ScopeSet;
    use crate::domain::verified::TokenKind;
    use crate::domain::workspace::WorkspaceStatus;

    fn verified() -> Arc<Verified> {
        Arc::new(Verified {
            kind: TokenKind::Pat,
            pat: Some(PatId::from("tok_1")),
            grant: None,
            client: None,
            user: UserId::from("usr_1"),
            subject: None,
            workspace: WorkspaceId::from("wsp_1"),
            brand: BrandId::from("mico"),
            service: None,
            scopes: ScopeSet::none(),
            mode: Mode::Live,
            plan: None,
            status: WorkspaceStatus::Active,
            issued_at: Timestamp::default(),
            expires_at: Some(Timestamp::from_millis(1_000_000)),
            access: None,
        })
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn ready() -> (VerifiedCache, Digest) {
        let cache = VerifiedCache::new(Duration::from_secs(5));
        cache.log_read(at(0));
        (cache, Digest::of("x"))
    }

    fn ticket(cache: &VerifiedCache, digest: &Digest) -> Ticket {
        match cache.look_up(digest, at(0)) {
            Lookup::Ask(ticket) => ticket,
            other => unreachable!("{other:?}"),
        }
    }

    fn alive(cache: &VerifiedCache, digest: &Digest, now: i64) -> bool {
        matches!(cache.look_up(digest, at(now)), Lookup::Alive(..))
    }

    #[test]
    fn an_entry_serves_until_it_is_a_minute_old_or_the_log_is_stale() {
        let (cache, digest) = ready();
        cache.fill(digest, ticket(&cache, &digest), verified(), at(0));
        assert!(alive(&cache, &digest, 5_000));
        assert!(!alive(&cache, &digest, 5_001), "blind for too long");
        cache.log_read(at(59_999));
        assert!(alive(&cache, &digest, 59_999));
        assert!(!alive(&cache, &digest, 60_000), "too old");
    }

    #[test]
    fn a_change_ends_what_it_touches_and_nothing_else() {
        let (cache, digest) = ready();
        cache.fill(digest, ticket(&cache, &digest), verified(), at(0));
        cache.apply(&[Change::new(ChangeKind::Pat, "tok_2")], at(0));
        assert!(alive(&cache, &digest, 1));
        cache.apply(&[Change::new(ChangeKind::Workspace, "wsp_1")], at(0));
        assert!(!alive(&cache, &digest, 1));
    }

    #[test]
    fn a_reading_that_began_before_a_change_does_not_outlive_it() {
        let (cache, digest) = ready();
        let before = ticket(&cache, &digest);
        cache.apply(&[Change::new(ChangeKind::Pat, "tok_1")], at(0));
        cache.fill(digest, before, verified(), at(0));
        assert!(!alive(&cache, &digest, 1));
        cache.fill(digest, ticket(&cache, &digest), verified(), at(0));
        assert!(alive(&cache, &digest, 1), "a reading that began after it does");
    }

    #[test]
    fn what_was_unknown_is_asked_again_after_any_change() {
        let (cache, digest) = ready();
        cache.fill_unknown(digest, ticket(&cache, &digest));
        assert!(matches!(cache.look_up(&digest, at(1)), Lookup::Unknown));
        cache.apply(&[Change::new(ChangeKind::User, "usr_9")], at(1));
        assert!(matches!(cache.look_up(&digest, at(1)), Lookup::Ask(_)));
    }

    #[test]
    fn an_expired_credential_is_not_served() {
        let (cache, digest) = ready();
        cache.log_read(at(999_999));
        cache.fill(digest, ticket(&cache, &digest), verified(), at(999_990));
        assert!(alive(&cache, &digest, 999_999));
        assert!(!alive(&cache, &digest, 1_000_000));
    }
}
