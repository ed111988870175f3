//! Credits: what a plan gives each month, and what a call costs.
//!
//! What is kept is how much of a month was used, not what is left: so the month renews itself, and a new plan counts at
//! once. A balance is the plan's credits of the month less what was used; nothing is carried into the next month,
//! neither what is left nor what is owed.

use super::clock::Timestamp;

/// No price, allowance or figure is higher: sums of them stay far from the end of a number.
pub const MOST: u64 = 1_000_000_000_000;

/// A calendar month in UTC, as the number `202611`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month(i64);

impl Month {
    /// The month of a moment.
    pub fn of(at: Timestamp) -> Self {
        let day = jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default();
        let day = jiff::tz::TimeZone::UTC.to_datetime(day).date();
        Self(i64::from(day.year()) * 100 + i64::from(day.month()))
    }

    /// From its number.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// Its number.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// `2026-11`.
    pub fn label(self) -> String {
        format!("{:04}-{:02}", self.0 / 100, self.0 % 100)
    }

    /// The day on which the next one begins, such as `2026-12-01`.
    pub fn renews_on(self) -> String {
        let (year, month) = (self.0 / 100, self.0 % 100);
        let (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        format!("{year:04}-{month:02}-01")
    }
}

/// An amount as the database counts it.
pub fn amount(credits: u64) -> i64 {
    i64::try_from(credits.min(MOST)).unwrap_or(i64::MAX)
}

/// What a worker says that a call cost: a whole number that is not negative. `None` for anything else.
pub fn stated(text: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(text.trim_ascii()).ok()?;
    let digits = Some(digits).filter(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))?;
    digits.parse().ok().filter(|credits| *credits <= MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_begin_and_end_in_utc() {
        // 2026-11-30T23:59:59.999Z and a millisecond later
        let last = Timestamp::from_millis(1_796_083_199_999);
        let next = Timestamp::from_millis(1_796_083_200_000);
        assert_eq!((Month::of(last).number(), Month::of(last).label()), (202_611, "2026-11".to_owned()));
        assert_eq!(Month::of(last).renews_on(), "2026-12-01");
        assert_eq!((Month::of(next).number(), Month::of(next).renews_on().as_str()), (202_612, "2027-01-01"));
    }

    #[test]
    fn a_stated_cost_is_a_whole_number() {
        for (text, cost) in [
            ("0", Some(0)),
            ("66", Some(66)),
            (" 7 ", Some(7)),
            ("007", Some(7)),
            ("1000000000000", Some(MOST)),
        ] {
            assert_eq!(stated(text.as_bytes()), cost, "{text}");
        }
        for text in
            ["", " ", "-1", "+1", "1.5", "1e3", "x", "6 6", "1, 2", "1000000000001", "99999999999999999999"]
        {
            assert_eq!(stated(text.as_bytes()), None, "{text}");
        }
        assert_eq!(stated(&[0xff]), None);
    }
}
