//! The table of registrations that nobody has allowed anything yet is bounded, whoever fills it.

use std::time::Duration;

use portero::store::StoreError;
use portero::store::clients::Room;

use super::contract::client;
use super::{World, world};
use crate::support::app::postgres_database;

const CAP: i64 = 200;
/// How many give way at once.
const BATCH: usize = 2;
const YOUNG: Duration = Duration::from_hours(1);

/// Registers a new client from an address, if there is room.
async fn register(world: &World, id: &str, address: &str) -> bool {
    let own = client(world, id);
    let kept = world.store.transaction(async |tx| {
        let room = tx.make_room(address, CAP, tx.now.minus(YOUNG)).await? == Room::Made;
        if room {
            tx.register_client(&own, address).await?;
        }
        Ok::<_, StoreError>(room)
    });
    kept.await.unwrap()
}

/// How many of so many attempts find room; each is made from the address of its number.
async fn attempts(world: &World, name: &str, count: usize, address: impl Fn(usize) -> String) -> usize {
    let mut kept = 0;
    for number in 0..count {
        kept += usize::from(register(world, &format!("{name}-{number}"), &address(number)).await);
    }
    kept
}

async fn bounded(world: &World) {
    assert_eq!(attempts(world, "one", 300, |_| "192.0.2.1".to_owned()).await, 200, "one address fills it");
    assert_eq!(attempts(world, "other", 10, |_| "192.0.2.2".to_owned()).await, 10, "others find room");
    let many = attempts(world, "many", 300, |number| format!("198.51.100.{number}")).await;
    assert_eq!(many, 190, "until it is twice as full");
    assert!(!register(world, "late", "192.0.2.3").await, "then nobody does");
    let kept = world.store.clients().await.unwrap().len();
    assert_eq!(kept, 400);
    // An hour later the oldest of who holds most give way, a few at a time.
    world.clock.advance(YOUNG + Duration::from_secs(1));
    assert!(register(world, "next", "192.0.2.1").await);
    let ids: Vec<_> =
        world.store.clients().await.unwrap().into_iter().map(|own| own.id.to_string()).collect();
    assert_eq!(ids.len(), 400 - BATCH + 1);
    assert!(ids.contains(&"other-0".to_owned()) && ids.contains(&"next".to_owned()));
    assert_eq!(ids.iter().filter(|id| id.starts_with("one-")).count(), 200 - BATCH);
}

#[test]
fn registrations_are_bounded_and_room_is_kept_for_others() {
    for url in [None, Some(postgres_database())] {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let world = world(url).await;
            bounded(&world).await;
            world.store.close().await;
        });
    }
}
