//! Request ids: unique, in order, and no secret, so a counter behind a random beginning is enough.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::domain::entropy::{self, Entropy};
use crate::domain::secret::base62;

/// Gives every request of this process its id.
#[derive(Debug)]
pub struct RequestIds {
    process: String,
    next: AtomicU64,
}

impl RequestIds {
    /// Ids that no other process gives.
    pub fn new(entropy: &dyn Entropy) -> Self {
        Self { process: base62(&entropy::bytes::<8>(entropy), 11) + "-", next: AtomicU64::new(0) }
    }

    /// The next id.
    pub fn next(&self) -> Arc<str> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        [&*self.process, itoa::Buffer::new().format(number)].concat().into()
    }
}
