//! Moments, all of them UTC.

use std::time::UNIX_EPOCH;

use jiff::Timestamp;

/// The machine's clock.
pub(super) fn machine() -> i64 {
    // A clock set before 1970 reads as 1970.
    UNIX_EPOCH.elapsed().map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

/// A moment as text: `2026-01-09T11:07:00Z`.
pub(super) fn stamp(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

/// True for a moment as ISO 8601 writes it.
pub(super) fn is_moment(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok()
}
