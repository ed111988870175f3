//! What every test needs: a server, people, clients, workers.

pub mod app;
pub mod callers;
pub mod flow;
pub mod http;
pub mod worker;

pub use app::{TestApp, eventually};
pub use http::{Reply, request};
