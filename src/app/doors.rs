//! The two doors to the machine: its clock and its randomness. Nothing else in the program reads either.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use rand::TryRng;
use rand::rngs::SysRng;

use super::Doors;
use crate::domain::clock::{Clock, Timestamp};
use crate::domain::entropy::Entropy;

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where time enters")]
    fn now(&self) -> Timestamp {
        // a clock set before 1970 reads as 1970: everything has ended long since or has not begun
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// The operating system's randomness.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        if SysRng.try_fill_bytes(buffer).is_err() {
            // A predictable secret would be worse than no program: there is nothing to go on with.
            tracing::error!("the operating system gives no randomness");
            std::process::abort();
        }
    }
}

impl Doors {
    /// The real ones.
    pub fn system() -> Self {
        Self { clock: Arc::new(SystemClock), entropy: Arc::new(OsEntropy) }
    }
}
