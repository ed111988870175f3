//! Time as a value.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// A moment, in milliseconds since the Unix epoch (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since the Unix epoch, as JSON documents carry them.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// This moment plus a length of time.
    #[must_use]
    pub fn plus(self, length: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(length.as_millis()).unwrap_or(i64::MAX)))
    }

    /// This moment minus a length of time.
    #[must_use]
    pub fn minus(self, length: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(length.as_millis()).unwrap_or(i64::MAX)))
    }

    /// How long ago `earlier` was; zero if it lies ahead.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

/// Where the time comes from. Only the production implementation reads the machine's clock.
pub trait Clock: Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> Timestamp;
}

/// A clock that stands still until it is moved: for tests.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock standing at `start`.
    pub fn at(start: Timestamp) -> Self {
        Self(AtomicI64::new(start.millis()))
    }

    /// Moves the clock on.
    pub fn advance(&self, length: Duration) {
        let millis = i64::try_from(length.as_millis()).unwrap_or(i64::MAX);
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}
