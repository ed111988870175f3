//! Protocol revisions and which of them a service serves.

/// A revision of the protocol; the order is the order in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// 2024-11-05, its messages over Streamable HTTP.
    V20241105,
    /// 2025-03-26: the first with Streamable HTTP, and what a missing header means.
    V20250326,
    /// 2025-06-18: structured results, the version header.
    V20250618,
    /// 2025-11-25: the last with `initialize`.
    V20251125,
    /// 2026-07-28: stateless, metadata in every request.
    V20260728,
}

impl Version {
    /// Every revision, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V20241105, Self::V20250326, Self::V20250618, Self::V20251125, Self::V20260728];

    /// The revision as messages write it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::V20241105 => "2024-11-05",
            Self::V20250326 => "2025-03-26",
            Self::V20250618 => "2025-06-18",
            Self::V20251125 => "2025-11-25",
            Self::V20260728 => "2026-07-28",
        }
    }

    /// The revision of a label.
    pub fn parse(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.label() == label)
    }

    /// True from 2026-07-28 on: no handshake, per-request metadata, header validation.
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::V20260728)
    }

    /// True where results may carry `structuredContent` and implementations a `title`.
    pub fn is_structured(self) -> bool {
        self >= Self::V20250618
    }
}

/// True for a label that names a revision after the last one with `initialize`: a client that sends it
/// speaks the stateless protocol even if we do not know that revision.
pub fn names_modern(label: &str) -> bool {
    let dated = label.len() == 10
        && label
            .bytes()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
    dated && label > Version::V20251125.label()
}

/// The revisions a service serves, oldest first, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served(Vec<Version>);

impl Served {
    /// From a configured list; `None` if it is empty.
    pub fn new(versions: impl IntoIterator<Item = Version>) -> Option<Self> {
        let mut list: Vec<Version> = versions.into_iter().collect();
        list.sort_unstable();
        list.dedup();
        (!list.is_empty()).then_some(Self(list))
    }

    /// True if `version` is served.
    pub fn has(&self, version: Version) -> bool {
        self.0.contains(&version)
    }

    /// True if a stateless revision is served.
    pub fn has_modern(&self) -> bool {
        self.0.iter().any(|version| version.is_modern())
    }

    /// What `initialize` settles on: the asked revision if it is served and has a handshake, else the newest
    /// that has one.
    pub fn negotiate(&self, asked: &str) -> Option<Version> {
        let legacy = || self.0.iter().copied().filter(|version| !version.is_modern());
        let exact = Version::parse(asked).and_then(|wanted| legacy().find(|version| *version == wanted));
        exact.or_else(|| legacy().next_back())
    }

    /// What a message without any version means: 2025-03-26 if served, as the specification asks, else the
    /// oldest.
    pub fn assumed(&self) -> Version {
        let oldest = self.0.first().copied().unwrap_or(Version::V20250326);
        if self.has(Version::V20250326) { Version::V20250326 } else { oldest }
    }

    /// Newest first, as clients are told.
    pub fn iter(&self) -> impl Iterator<Item = Version> {
        self.0.iter().rev().copied()
    }

    /// The JSON array of labels, newest first.
    pub fn json(&self) -> String {
        let labels: Vec<String> = self.iter().map(|version| format!("\"{}\"", version.label())).collect();
        format!("[{}]", labels.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negotiation_settles_on_a_legacy_revision() {
        let all = Served::new(Version::ALL).unwrap();
        assert_eq!(all.negotiate("2025-06-18"), Some(Version::V20250618));
        for asked in ["2099-01-01", "2026-07-28", "", "x"] {
            assert_eq!(all.negotiate(asked), Some(Version::V20251125), "{asked}");
        }
        let one = Served::new([Version::V20250326]).unwrap();
        assert_eq!(one.negotiate("2025-11-25"), Some(Version::V20250326));
        assert_eq!(Served::new([Version::V20260728]).unwrap().negotiate("2025-11-25"), None);
        assert_eq!(Served::new([]), None);
    }

    #[test]
    fn a_missing_version_means_the_first_streamable_one() {
        assert_eq!(Served::new(Version::ALL).unwrap().assumed(), Version::V20250326);
        assert_eq!(
            Served::new([Version::V20251125, Version::V20250618]).unwrap().assumed(),
            Version::V20250618
        );
    }

    #[test]
    fn later_dates_are_modern_even_if_unknown() {
        assert!(names_modern("2026-07-28") && names_modern("2031-01-01"));
        for label in ["2025-11-25", "2023-01-01", "latest", "2026-7-28", "", "2026-07-28x", "9999-99-9é"] {
            assert!(!names_modern(label), "{label}");
        }
    }
}
