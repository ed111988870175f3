//! The nightly sweep: at three o'clock it takes up videos that were cut short for want of credits, a little of each
//! a night, and every time as an import of its own. What the old import said stays as it is.

use super::imports::{Plan, begin};
use super::time::DAY;
use super::world::{Library, Shared};

/// When in the night, in seconds.
const HOUR: i64 = 3 * 3600;
/// Fragments of a source that one night gets through.
const NIGHTLY: i64 = 2;

/// The last night that had been swept by a moment.
pub(super) fn night_of(now: i64) -> i64 {
    (now - HOUR).div_euclid(DAY)
}

/// Sweeps the nights that have passed since the last time.
pub(super) fn nights(library: &mut Library, shared: &mut Shared, now: i64) {
    let tonight = night_of(now);
    while library.night < tonight {
        let waiting: Vec<(i64, i64)> = library
            .sources
            .values()
            .filter(|source| source.waiting > 0)
            .map(|source| (source.id, source.waiting))
            .collect();
        if waiting.is_empty() {
            library.night = tonight;
            return;
        }
        library.night += 1;
        let at = library.night * DAY + HOUR;
        for (source, waiting) in waiting {
            let fragments = waiting.min(NIGHTLY);
            begin(library, shared, source, at, Plan::Reads { fragments, waiting: waiting - fragments });
        }
    }
}
