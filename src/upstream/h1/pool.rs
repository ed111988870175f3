//! Idle connections: a stack for each authority in each thread, the last one back the first one out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::uri::Authority;
use tokio::time::Instant;

use super::connection::Connection;
use crate::domain::table::Table;
use crate::upstream::client::IDLE;

/// Idle connections of one thread to one authority.
const MAX_IDLE: usize = 512;
const SWEEP: Duration = Duration::from_secs(1);

#[derive(Default)]
struct Idle {
    /// By authority as the configuration spells it.
    stacks: Table<Box<str>, VecDeque<(Connection, Instant)>>,
    swept: bool,
}

/// Locked by its own thread and, every second, by its sweeper.
type Shared = Arc<Mutex<Idle>>;

thread_local! {
    static POOL: Shared = Shared::default();
}

fn lock(pool: &Mutex<Idle>) -> MutexGuard<'_, Idle> {
    pool.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection on which nothing has happened since.
pub fn take(authority: &Authority) -> Option<Connection> {
    POOL.with(|pool| {
        let mut idle = lock(pool);
        let stack = idle.stacks.get_mut(authority.as_str())?;
        let now = Instant::now();
        while let Some((connection, since)) = stack.pop_back() {
            if now.duration_since(since) < IDLE && connection.is_quiet() {
                return Some(connection);
            }
        }
        None
    })
}

/// Takes a connection back.
pub fn put(connection: Connection) {
    POOL.with(|pool| {
        let mut idle = lock(pool);
        let entry = (connection, Instant::now());
        match idle.stacks.get_mut(entry.0.authority.as_str()) {
            Some(stack) if stack.len() < MAX_IDLE => stack.push_back(entry),
            Some(_) => {}
            None => {
                idle.stacks.insert(entry.0.authority.as_str().into(), VecDeque::from([entry]));
            }
        }
        if !idle.swept {
            idle.swept = true;
            tokio::spawn(sweep(Sweeper(Arc::clone(pool))));
        }
    });
}

/// Runs while something is idle. If it ends before its time, its runtime has ended, and the connections that
/// belong to it end with it.
struct Sweeper(Shared);

impl Drop for Sweeper {
    fn drop(&mut self) {
        *lock(&self.0) = Idle::default();
    }
}

async fn sweep(sweeper: Sweeper) {
    loop {
        tokio::time::sleep(SWEEP).await;
        let mut idle = lock(&sweeper.0);
        let now = Instant::now();
        idle.stacks.retain(|_, stack| {
            while stack.front().is_some_and(|(_, since)| now.duration_since(*since) >= IDLE) {
                stack.pop_front();
            }
            !stack.is_empty()
        });
        if idle.stacks.is_empty() {
            return;
        }
    }
}
