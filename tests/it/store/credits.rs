//! Credits as the use-cases keep them, on both databases: exact under concurrency, each thing once.

use std::sync::Arc;
use std::time::Duration;

use portero::app::doors::OsEntropy;
use portero::cluster::verified::VerifiedCache;
use portero::domain::clock::Clock;
use portero::domain::ids::WorkspaceId;
use portero::identity::credits::{Settlement, line};
use portero::identity::{Identity, Lifetimes};
use portero::store::StoreError;
use portero::store::credits::{By, Entry, Kind, Outcome};

use super::{World, world};

fn identity(world: &World) -> Identity {
    let hour = Duration::from_hours(1);
    let lifetimes =
        Lifetimes { access: hour, refresh: hour, grant: hour, code: hour, grace: hour, transaction: hour };
    let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
    Identity::new(
        world.store.clone(),
        Arc::new(VerifiedCache::new(hour)),
        clock,
        Arc::new(OsEntropy),
        lifetimes,
    )
}

fn call(world: &World, id: &str, cost: i64) -> Entry {
    let now = world.clock.now();
    Entry {
        reserved: cost,
        expires_at: now.plus(Duration::from_mins(1)),
        by: By { service: Some("mico".into()), tool: Some("t".into()), ..By::default() },
        ..line(id, &WorkspaceId::from("wsp_1"), now)
    }
}

async fn everything(world: &World) {
    let identity = identity(world);
    reservations(world, &identity).await;
    settlements(world, &identity).await;
    the_operators_own(&identity).await;
    repetitions(world, &identity).await;
}

async fn used(identity: &Identity) -> i64 {
    identity.credits_used(&WorkspaceId::from("wsp_1")).await.unwrap().used
}

async fn reservations(world: &World, identity: &Identity) {
    assert!(
        !identity.reserve_credits(&call(world, "dear", 101), 100).await.unwrap(),
        "more than there ever is"
    );
    assert_eq!(used(identity).await, 0);
    let racers = (0..64).map(|number| {
        let entry = call(world, &format!("r{number}"), 30);
        async move { identity.reserve_credits(&entry, 100).await.unwrap() }
    });
    let passed = futures_util::future::join_all(racers).await;
    assert_eq!(passed.iter().filter(|passed| **passed).count(), 3);
    assert_eq!(used(identity).await, 90);
    let entries = world.store.credit_entries(&WorkspaceId::from("wsp_1"), 100).await.unwrap();
    assert_eq!(entries.len(), 3);
    assert!(entries.iter().all(|entry| entry.amount.is_none() && entry.reserved == 30));
    world.clock.advance(Duration::from_mins(2));
    assert_eq!(identity.release_abandoned_credits().await.unwrap(), 3);
    assert_eq!((identity.release_abandoned_credits().await.unwrap(), used(identity).await), (0, 0));
    // who wakes up after all cannot charge what was given back
    let late = Settlement { entry: entries[0].clone(), held: true, amount: 30, outcome: Outcome::Done };
    identity.settle_credits(&late).await.unwrap();
    assert_eq!(used(identity).await, 0);
}

async fn settlements(world: &World, identity: &Identity) {
    let entry = call(world, "one", 66);
    assert!(identity.reserve_credits(&entry, 100).await.unwrap());
    let settlement = Settlement { entry, held: true, amount: 10, outcome: Outcome::Done };
    for _ in 0..2 {
        identity.settle_credits(&settlement).await.unwrap();
        assert_eq!(used(identity).await, 10, "once, however often it is tried");
    }
    let free = Settlement { entry: call(world, "two", 0), held: false, amount: 5, outcome: Outcome::Left };
    for _ in 0..2 {
        identity.settle_credits_later(free.clone());
        assert_eq!(identity.flush_credits().await.unwrap(), 1);
        assert_eq!(used(identity).await, 15);
    }
    assert_eq!(identity.flush_credits().await.unwrap(), 0);
    let entries = world.store.credit_entries(&WorkspaceId::from("wsp_1"), 100).await.unwrap();
    let find = |id: &str| entries.iter().find(|entry| entry.id == id).unwrap();
    assert_eq!((find("one").amount, find("one").outcome), (Some(10), Some(Outcome::Done)));
    assert_eq!((find("two").amount, find("two").outcome), (Some(5), Some(Outcome::Left)));
    assert_eq!(find("two").by.tool.as_deref(), Some("t"));
}

async fn the_operators_own(identity: &Identity) {
    let workspace = WorkspaceId::from("wsp_1");
    assert!(identity.spend_credits("s", &workspace, 100, Some("a video")).await.unwrap());
    assert!(!identity.spend_credits("s", &workspace, 100, None).await.unwrap(), "once");
    assert_eq!(used(identity).await, 115);
    assert_eq!(identity.credits_used(&workspace).await.unwrap().balance(100), -15);
    assert!(identity.refund_credits("r", &workspace, 40, None).await.unwrap());
    assert!(!identity.refund_credits("r", &workspace, 40, None).await.unwrap(), "once");
    assert_eq!(used(identity).await, 75);
    let entries = identity.store.credit_entries(&workspace, 100).await.unwrap();
    let find = |id: &str| entries.iter().find(|entry| entry.id == id).unwrap();
    assert_eq!(
        (find("s").kind, find("s").amount, find("s").note.as_deref()),
        (Kind::Spend, Some(100), Some("a video"))
    );
    assert_eq!((find("r").kind, find("r").amount), (Kind::Refund, Some(-40)));
    let other = identity.credits_used(&WorkspaceId::from("wsp_2")).await.unwrap();
    assert_eq!(other.used, 0);
}

/// Runs of one call, of which each ends what those before it have taken, in whatever month that was.
async fn repetitions(world: &World, identity: &Identity) {
    let month = |entry: &Entry| entry.month;
    let in_month = async |of| world.store.credits_used(&WorkspaceId::from("wsp_1"), of).await.unwrap();
    let run = |id: &str, cost: i64| Entry { call: Some("c1".into()), ..call(world, id, cost) };
    let first = run("crd_c1", 20);
    let before = in_month(month(&first)).await;
    assert!(identity.reserve_credits(&first, 1000).await.unwrap());
    world.clock.advance(Duration::from_hours(31 * 24));
    let second = run("crd_2", 30);
    assert_ne!(month(&first), month(&second));
    assert!(!identity.reserve_credits_again(&second, "c1", 29).await.unwrap(), "too dear");
    assert_eq!(in_month(month(&first)).await, before + 20, "then the first keeps what it has");
    assert!(identity.reserve_credits_again(&second, "c1", 30).await.unwrap());
    assert_eq!((in_month(month(&first)).await, in_month(month(&second)).await), (before, 30));
    assert_eq!(identity.credits_of_call("c1", month(&second)).await.unwrap(), 30);
    let settle = async |entry: &Entry, held, amount, outcome| {
        let settlement = Settlement { entry: entry.clone(), held, amount, outcome };
        identity.settle_credits(&settlement).await.unwrap();
    };
    settle(&first, true, 15, Outcome::Done).await;
    assert_eq!(in_month(month(&first)).await, before, "it is over");
    settle(&second, true, 40, Outcome::Left).await;
    // one that costs nothing ends the others too
    let third = run("crd_3", 0);
    assert!(identity.reserve_credits_again(&third, "c1", 0).await.unwrap());
    assert_eq!((in_month(month(&first)).await, in_month(month(&second)).await), (before, 0));
    settle(&third, true, 0, Outcome::Failed).await;

    // a first run whose worker alone says what it costs, and that is settled too late
    let free = Entry { call: Some("c2".into()), ..call(world, "crd_c2", 0) };
    let next = Entry { call: Some("c2".into()), ..call(world, "next", 0) };
    assert!(identity.reserve_credits_again(&next, "c2", 0).await.unwrap());
    settle(&free, false, 25, Outcome::Left).await;
    assert_eq!(in_month(month(&free)).await, 0);
    assert!(
        matches!(
            identity.reserve_credits(&Entry { reserved: 1, ..free }, 100).await,
            Err(StoreError::Conflict)
        ),
        "nor can it begin"
    );
    assert_eq!(in_month(month(&next)).await, 0);
    settle(&next, true, 25, Outcome::Done).await;
    assert_eq!(in_month(month(&next)).await, 25);
    settled_while_repeated(world, identity).await;
}

/// A run that is settled in the moment in which the call is sent again: whichever is first, it is charged once.
async fn settled_while_repeated(world: &World, identity: &Identity) {
    let before = used(identity).await;
    for round in 0..40i64 {
        let name = format!("r{round}");
        let run = |id: &str, cost: i64| Entry { call: Some(name.clone()), ..call(world, id, cost) };
        // its cost is reserved before, or comes from its worker alone; it costs what it did, or something else
        let (held, amount) = (round % 2 == 0, if round % 4 < 2 { 5 } else { 9 });
        let first = run(&format!("crd_{name}"), if held { 5 } else { 0 });
        if held {
            assert!(identity.reserve_credits(&first, 10_000).await.unwrap());
        }
        let late = Settlement { entry: first, held, amount, outcome: Outcome::Left };
        let next = run(&format!("next_{name}"), 7);
        let (settled, reserved) = tokio::join!(
            identity.settle_credits(&late),
            identity.reserve_credits_again(&next, &name, 10_000)
        );
        settled.unwrap();
        assert!(reserved.unwrap());
        assert_eq!(used(identity).await, before + 7 * (round + 1), "{round}");
        let last = Settlement { entry: next, held: true, amount: 7, outcome: Outcome::Done };
        identity.settle_credits(&last).await.unwrap();
    }
    assert_eq!(used(identity).await, before + 280);
}

fn run(url: Option<String>) {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let world = world(url).await;
        everything(&world).await;
        world.store.close().await;
    });
}

#[test]
fn credits_on_sqlite() {
    run(None);
}

#[test]
fn credits_on_postgres() {
    run(Some(crate::support::app::postgres_database()));
}
