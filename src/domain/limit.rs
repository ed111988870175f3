//! How often: the generic cell rate algorithm (GCRA, ITU-T I.371), as a plain function.
//!
//! One moment a caller is all there is to keep: when the calls so far will have been paid back. A call is let through
//! if that lies no further ahead than the burst allows, and moves it on by one interval. In any window there are never
//! more calls than the burst and what the rate gives in that time; a caller who keeps to the rate never waits.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use super::clock::Timestamp;

const NANOS: i64 = 1_000_000;

/// Whose calls are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// One connection.
    Grant,
    /// A person.
    User,
    /// A workspace.
    Workspace,
}

/// A limit, and whose calls it counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Whose.
    pub per: Per,
    /// How many.
    pub limit: Limit,
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = match self.per {
            Per::Grant => "connection or token",
            Per::User => "person",
            Per::Workspace => "workspace",
        };
        let Limit { interval, tolerance } = self.limit;
        let pause = Duration::from_nanos(interval.unsigned_abs());
        write!(f, "one every {pause:?} and {} at once for each {whose}", tolerance / interval + 1)
    }
}

/// So many calls in so long, and so many at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Nanoseconds between two calls at the rate; rounded up, so that never more than the limit fit.
    interval: i64,
    /// How far ahead the moment may lie.
    tolerance: i64,
}

/// When the calls so far will have been paid back, in nanoseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due(i64);

impl Due {
    /// True if nothing is owed any more: the same as never having called.
    pub fn is_past(self, now: Timestamp) -> bool {
        self.0 <= nanos(now)
    }
}

impl Limit {
    /// `count` calls in `window`, `burst` of them at once.
    pub fn new(count: NonZeroU32, window: Duration, burst: NonZeroU32) -> Self {
        let window = i64::try_from(window.as_nanos()).unwrap_or(i64::MAX);
        let count = i64::from(count.get());
        let interval = (window.saturating_add(count - 1) / count).max(1);
        Self { interval, tolerance: interval.saturating_mul(i64::from(burst.get()) - 1) }
    }

    /// Lets one call through, or says how long to wait for the next. A refused call costs nothing.
    ///
    /// No caller can owe more than a whole burst: what lies further ahead comes from a clock that was set back or
    /// from a limit that was another, and is not held against them.
    pub fn take(self, due: Option<Due>, now: Timestamp) -> Result<Due, Duration> {
        let now = nanos(now);
        let most = now.saturating_add(self.tolerance).saturating_add(self.interval);
        let due = due.map_or(now, |due| due.0.clamp(now, most));
        let ahead = due.saturating_sub(now).saturating_sub(self.tolerance);
        if ahead > 0 {
            return Err(Duration::from_nanos(u64::try_from(ahead).unwrap_or(0)));
        }
        Ok(Due(due.saturating_add(self.interval)))
    }

    /// Undoes one call.
    pub fn give_back(self, due: Due) -> Due {
        Due(due.0.saturating_sub(self.interval))
    }
}

fn nanos(at: Timestamp) -> i64 {
    at.millis().saturating_mul(NANOS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn limit(count: u32, window: Duration, burst: u32) -> Limit {
        Limit::new(NonZeroU32::new(count).unwrap(), window, NonZeroU32::new(burst).unwrap())
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + millis)
    }

    #[test]
    fn a_burst_and_then_one_an_interval() {
        let limit = limit(120, Duration::from_mins(1), 3);
        let mut due = None;
        for _ in 0..3 {
            due = Some(limit.take(due, at(0)).unwrap());
        }
        assert_eq!(limit.take(due, at(0)), Err(Duration::from_millis(500)));
        assert_eq!(limit.take(due, at(499)), Err(Duration::from_millis(1)));
        due = Some(limit.take(due, at(500)).unwrap());
        assert_eq!(limit.take(due, at(500)), Err(Duration::from_millis(500)));
        assert!(!due.unwrap().is_past(at(1999)) && due.unwrap().is_past(at(2000)));
    }

    #[test]
    fn a_clock_that_is_set_back_costs_at_most_a_burst() {
        let limit = limit(60, Duration::from_mins(1), 1);
        let due = limit.take(None, at(3_600_000)).unwrap();
        assert_eq!(limit.take(Some(due), at(0)), Err(Duration::from_secs(1)));
    }

    #[test]
    fn the_extremes_neither_overflow_nor_let_everything_through() {
        let slow = limit(1, Duration::from_hours(1), u32::MAX);
        assert!(slow.take(Some(slow.take(None, at(0)).unwrap()), at(0)).is_ok());
        let quick = limit(u32::MAX, Duration::from_secs(1), 1);
        assert!(quick.take(Some(quick.take(None, at(0)).unwrap()), at(0)).is_err());
    }

    proptest! {
        /// Whatever comes whenever: in no window more than the burst and what the rate gives in that time.
        #[test]
        fn never_more_than_burst_and_rate_in_any_window(
            count in 1u32..500,
            window in prop::sample::select(vec![1u64, 60, 3600]),
            burst in 1u32..50,
            steps in prop::collection::vec(0i64..5000, 1..200),
        ) {
            let limit = limit(count, Duration::from_secs(window), burst);
            let (mut due, mut now, mut passed) = (None, 0i64, Vec::new());
            for step in steps {
                now += step;
                if let Ok(next) = limit.take(due, at(now)) {
                    due = Some(next);
                    passed.push(now);
                }
            }
            for (first, start) in passed.iter().enumerate() {
                for (last, end) in passed.iter().enumerate().skip(first) {
                    let calls = i128::try_from(last - first + 1).unwrap();
                    // calls <= burst + elapsed * count / window, without rounding
                    let elapsed = i128::from(end - start);
                    let window = i128::from(window) * 1000;
                    prop_assert!((calls - i128::from(burst)) * window <= elapsed * i128::from(count));
                }
            }
        }

        /// What a refusal says is exact: a moment before it is refused, then it is let through.
        #[test]
        fn the_wait_is_exact(
            count in 1u32..500,
            burst in 1u32..50,
            steps in prop::collection::vec(0i64..300, 1..100),
        ) {
            let limit = limit(count, Duration::from_mins(1), burst);
            let (mut due, mut now) = (None, 0i64);
            for step in steps {
                now += step;
                match limit.take(due, at(now)) {
                    Ok(next) => due = Some(next),
                    Err(wait) => {
                        let whole = i64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap();
                        prop_assert!(limit.take(due, at(now + whole)).is_ok());
                        prop_assert!(limit.take(due, at(now + whole - 1)).is_err());
                    }
                }
            }
        }

        /// Who keeps to the rate never waits, and what was given back was never taken.
        #[test]
        fn who_keeps_to_the_rate_never_waits(count in 1u32..60, calls in 1usize..200) {
            let limit = limit(count, Duration::from_mins(1), 1);
            let pause = 60_000 / i64::from(count) + 1;
            let mut due = None;
            for call in 0..i64::try_from(calls).unwrap() {
                let next = limit.take(due, at(call * pause)).unwrap();
                prop_assert!(limit.give_back(next).is_past(at(call * pause)));
                due = Some(next);
            }
        }
    }
}
