//! What every test needs: a server, people, clients, workers.

pub mod answer;
pub mod app;
pub mod callers;
pub mod database;
pub mod flow;
pub mod http;
pub mod mcp;
pub mod worker;

pub use app::{TestApp, eventually};
pub use http::{Reply, request};

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
