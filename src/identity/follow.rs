//! Reads the change log for the verification cache, so that what another process revokes is seen here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::cluster::verified::VerifiedCache;
use crate::domain::change::Change;
use crate::domain::clock::{Clock, Timestamp};
use crate::store::changes::CommitWatch;
use crate::store::{Dialect, Store, StoreError};

/// The log is read at least this often.
const INTERVAL: Duration = Duration::from_millis(250);
/// How often SQLite is asked whether another process has committed.
const PEEK: Duration = Duration::from_millis(20);
/// A reading that takes longer is given up, and tried again.
const DEADLINE: Duration = Duration::from_secs(3);
/// Commit order is not number order: no transaction commits later than this after one with a higher number.
const LOOK_BACK: Duration = Duration::from_secs(10);

/// A reader of the change log.
pub struct Follower {
    store: Store,
    verified: Arc<VerifiedCache>,
    clock: Arc<dyn Clock>,
    floor: Option<i64>,
    seen: BTreeMap<i64, Timestamp>,
}

impl Follower {
    /// A follower that has read nothing yet.
    pub fn new(store: Store, verified: Arc<VerifiedCache>, clock: Arc<dyn Clock>) -> Self {
        Self { store, verified, clock, floor: None, seen: BTreeMap::new() }
    }

    /// Reads what is new and tells the cache.
    pub async fn read(&mut self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let floor = match self.floor {
            Some(floor) => floor,
            None => self.store.settled_change(now.minus(LOOK_BACK)).await?,
        };
        self.floor = Some(floor);
        let rows = self.store.changes_after(floor).await?;
        let fresh: Vec<Change> = rows
            .into_iter()
            .filter(|(seq, _)| self.seen.insert(*seq, now).is_none())
            .map(|(_, change)| change)
            .collect();
        self.verified.apply(&fresh, now);
        self.verified.log_read(now);
        self.forget(now);
        Ok(())
    }

    fn forget(&mut self, now: Timestamp) {
        while let Some(first) = self.seen.first_entry() {
            if now.since(*first.get()) < LOOK_BACK {
                break;
            }
            self.floor = Some(*first.key());
            first.remove();
        }
    }

    /// Reads for as long as the process lives. Trouble is logged when it begins and when it ends.
    pub async fn run(mut self) {
        let mut failing = false;
        let mut watch = None;
        loop {
            let read = tokio::time::timeout(DEADLINE, self.read()).await;
            match read.unwrap_or_else(|_| Err(StoreError::Unavailable("statement deadline".to_owned()))) {
                Ok(()) if failing => {
                    tracing::info!("the change log can be read again");
                    failing = false;
                }
                Err(error) if !failing => {
                    tracing::warn!(%error, "the change log cannot be read; tokens are checked in the database");
                    failing = true;
                }
                Ok(()) | Err(_) => {}
            }
            self.wait(&mut watch).await;
        }
    }

    async fn wait(&self, watch: &mut Option<(CommitWatch, i64)>) {
        if self.store.dialect() != Dialect::Sqlite {
            return tokio::time::sleep(INTERVAL).await;
        }
        if watch.is_none()
            && let Ok(mut own) = self.store.watch_commits().await
            && let Ok(version) = own.version().await
        {
            *watch = Some((own, version));
        }
        let mut waited = Duration::ZERO;
        while waited < INTERVAL {
            tokio::time::sleep(PEEK).await;
            waited += PEEK;
            let Some((own, last)) = watch.as_mut() else { continue };
            match own.version().await {
                Ok(version) if version == *last => {}
                Ok(version) => {
                    *last = version;
                    return;
                }
                Err(_) => *watch = None,
            }
        }
    }
}
