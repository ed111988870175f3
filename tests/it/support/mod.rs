//! What every test needs: a server, people, clients, workers.

pub mod answer;
pub mod app;
pub mod callers;
pub mod chaos;
pub mod database;
pub mod flow;
pub mod http;
pub mod issuer;
pub mod mcp;
pub mod nodes;
pub mod peer;
pub mod session_server;
pub mod site;
pub mod verify_assertion;
pub mod wire;
pub mod worker;

use std::sync::Barrier;

pub use app::{Builder, TestApp};
pub use http::{Reply, request};
pub use nodes::Nodes;
pub use site::{Site, eventually, patiently};

/// Tests of this name on each database: each is a function of the builder it starts its server from.
macro_rules! on_both_databases {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] fn $name() { super::$name(crate::support::TestApp::builder()); })*
        }
        mod postgres {
            $(#[test] fn $name() { super::$name(crate::support::TestApp::builder().on_postgres()); })*
        }
    };
}
pub(crate) use on_both_databases;

/// Runs `work` on `count` threads that start together.
pub fn together<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let barrier = Barrier::new(count);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|index| {
                let (barrier, work) = (&barrier, &work);
                scope.spawn(move || {
                    barrier.wait();
                    work(index)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Real time that has passed: for what happens in other processes, which no clock of ours moves.
pub struct Stopwatch(std::time::Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "measures other processes")]
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }

    pub fn elapsed(&self) -> std::time::Duration {
        self.0.elapsed()
    }
}
