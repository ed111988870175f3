//! The store's contract: one suite, both databases.

mod contract;
mod credits;
mod room;

use std::sync::Arc;

use portero::domain::clock::{Clock, ManualClock, Timestamp};
use portero::store::Store;

/// A fresh, migrated store with a clock that is moved by hand.
pub struct World {
    pub store: Store,
    pub clock: Arc<ManualClock>,
    _dir: tempfile::TempDir,
}

pub async fn world(url: Option<String>) -> World {
    let dir = tempfile::tempdir().unwrap();
    let url = url.unwrap_or_else(|| format!("sqlite://{}", dir.path().join("store.db").display()));
    let clock = Arc::new(ManualClock::at(Timestamp::from_millis(1_000_000)));
    let store = Store::open(&url, Arc::clone(&clock) as Arc<dyn Clock>).unwrap();
    store.migrate().await.unwrap();
    World { store, clock, _dir: dir }
}

/// Runs the whole contract on one store.
fn run(url: Option<String>) {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let world = world(url).await;
        contract::everything(&world).await;
        world.store.close().await;
    });
}

#[test]
fn sqlite_keeps_the_contract() {
    run(None);
}

#[test]
fn postgres_keeps_the_contract() {
    run(Some(crate::support::app::postgres_database()));
}
