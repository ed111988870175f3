//! What happens beside requests. Each job has a `run_once`, so that a test can run it at a time of its choosing.

pub mod clock;
pub mod credits_flush;
pub mod keys;
pub mod sweep;
pub mod usage_flush;
