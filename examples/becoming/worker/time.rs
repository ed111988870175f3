//! Moments and days, all of them UTC.

use std::time::UNIX_EPOCH;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

/// A day in seconds.
pub(super) const DAY: i64 = 86_400;

/// The machine's clock.
pub(super) fn machine() -> i64 {
    // A clock set before 1970 reads as 1970.
    UNIX_EPOCH.elapsed().map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

/// A moment as text: `2026-01-09T11:07:00Z`.
pub(super) fn stamp(seconds: i64) -> String {
    moment(seconds).to_string()
}

/// The day of a moment.
pub(super) fn day_of(seconds: i64) -> Date {
    moment(seconds).to_zoned_datetime(TimeZone::UTC).date()
}

/// So many days after a day, or before it.
pub(super) fn days_after(day: Date, days: i64) -> Date {
    day.saturating_add(Span::new().days(days.clamp(-100_000, 100_000)))
}

fn moment(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap_or_default()
}
