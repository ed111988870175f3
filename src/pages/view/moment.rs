//! Points in time as people say them, always UTC, always measured from a given now.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::locale::{Locale, Value};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// From here on a date says more than a count of days.
const FAR: i64 = 30;

/// One point in time in the forms a page needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// For `<time datetime>`.
    pub iso: String,
    /// Date, time and zone in words.
    pub exact: String,
    /// Seen from now: "yesterday", "in 12 days", and the date once that is far.
    pub relative: String,
    /// The date alone.
    pub date: String,
    /// The time of day and its zone.
    pub clock: String,
}

impl Moment {
    /// The moment `at_ms`, seen from `now_ms` (both in Unix milliseconds).
    pub fn new(locale: Locale, at_ms: i64, now_ms: i64) -> Self {
        let at = civil(at_ms);
        let clock = locale.t1("time-clock", "time", at.strftime("%H:%M").to_string());
        let date = locale.args("time-date", &date_values(at));
        Self {
            iso: at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            exact: locale
                .args("time-exact", &[("date", date.as_str().into()), ("clock", clock.as_str().into())]),
            relative: relative(locale, at_ms, now_ms, &date),
            date,
            clock,
        }
    }
}

fn civil(ms: i64) -> DateTime {
    let at = Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH);
    TimeZone::UTC.to_datetime(at)
}

fn date_values(at: DateTime) -> [(&'static str, Value<'static>); 3] {
    [
        ("day", Value::from(at.day())),
        ("month", Value::from(at.month())),
        // As text: a number would get a thousands separator in some languages.
        ("year", Value::from(at.year().to_string())),
    ]
}

fn relative(locale: Locale, at_ms: i64, now_ms: i64, date: &str) -> String {
    let ahead = at_ms > now_ms;
    let distance = (at_ms - now_ms).abs();
    let days = (at_ms.div_euclid(DAY) - now_ms.div_euclid(DAY)).abs();
    let (key, count) = match (ahead, distance, days) {
        (_, distance, _) if distance < MINUTE => ("time-now", 0),
        (false, distance, _) if distance < HOUR => ("time-minutes-ago", distance / MINUTE),
        (true, distance, _) if distance < HOUR => ("time-in-minutes", distance / MINUTE),
        (_, _, 0) => ("time-today", 0),
        (false, _, 1) => ("time-yesterday", 1),
        (true, _, 1) => ("time-tomorrow", 1),
        (false, _, days) if days < FAR => ("time-days-ago", days),
        (true, _, days) if days < FAR => ("time-in-days", days),
        _ => return locale.t1("time-on-date", "date", date),
    };
    locale.t1(key, "count", count)
}

#[cfg(test)]
mod tests {
    use super::super::Lang;
    use super::*;

    const NOW: i64 = 1_796_054_400_000; // 2026-11-30 16:00 UTC

    fn said(lang: Lang, offset: i64) -> String {
        Moment::new(Locale::new(lang), NOW + offset, NOW).relative
    }

    #[test]
    fn near_moments_are_counted_and_far_ones_dated() {
        assert_eq!(said(Lang::En, -5_000), "just now");
        assert_eq!(said(Lang::En, -MINUTE), "1 minute ago");
        assert_eq!(said(Lang::En, -12 * MINUTE), "12 minutes ago");
        assert_eq!(said(Lang::En, -5 * HOUR), "today");
        assert_eq!(said(Lang::En, -20 * HOUR), "yesterday");
        assert_eq!(said(Lang::En, -3 * DAY), "3 days ago");
        assert_eq!(said(Lang::En, 12 * DAY), "in 12 days");
        assert_eq!(said(Lang::En, DAY), "tomorrow");
        assert_eq!(said(Lang::En, -200 * DAY), "on 14 May 2026");
        assert_eq!(said(Lang::Es, -3 * DAY), "hace 3 días");
        assert_eq!(said(Lang::Es, 45 * MINUTE), "dentro de 45 minutos");
        assert_eq!(said(Lang::Es, -200 * DAY), "el 14 de mayo de 2026");
    }

    #[test]
    fn the_exact_moment_names_its_zone() {
        let moment = Moment::new(Locale::new(Lang::Es), NOW, NOW);
        assert_eq!(moment.iso, "2026-11-30T16:00:00Z");
        assert_eq!(moment.exact, "30 de noviembre de 2026, 16:00 UTC");
        assert_eq!(Moment::new(Locale::new(Lang::En), NOW, NOW).exact, "30 November 2026, 16:00 UTC");
    }

    #[test]
    fn a_moment_beyond_the_calendar_does_not_stop_a_page() {
        assert_eq!(Moment::new(Locale::new(Lang::En), i64::MAX / 4, NOW).iso, "1970-01-01T00:00:00Z");
    }
}
