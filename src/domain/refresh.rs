//! What happens when a refresh token is presented: one pure function.
//!
//! Clients run in several processes that share one token, and answers get lost. So a consumed token is not by
//! itself a theft: within a short window every presenter is led to the one live successor, and later too as
//! long as nothing that came of the first answer was ever used. Everything else is a replay and ends the grant.

use std::time::Duration;

use super::clock::Timestamp;

/// How long after its consumption an unused answer counts as lost.
pub const RECOVERY: Duration = Duration::from_hours(72);

/// No chain inside one window is longer; a longer one is treated as a replay.
pub const MAX_HOPS: usize = 64;

/// One stored refresh token on the way from the presented one to the live one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its own end if it is never used.
    pub expires_at: Timestamp,
    /// When it was exchanged.
    pub consumed_at: Option<Timestamp>,
    /// True while the salt is kept from which its successor is derived.
    pub has_salt: bool,
    /// True if any access token issued in exchange for it was used.
    pub issued_used: bool,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The presented token is live: consume it and issue its successor.
    Rotate,
    /// Answer with the live token `hops` further on, and a fresh access token.
    Follow {
        /// How many links after the presented one the live one stands.
        hops: usize,
        /// True if the first answer was lost and is given again after the window.
        recovered: bool,
    },
    /// Expired, or its successor can no longer be derived: refused, and the grant lives on.
    Dead,
    /// A replay: refused, and the grant ends.
    Reuse,
}

/// Decides for a presented token (`chain[0]`) and its successors in order, as far as they exist.
pub fn decide(now: Timestamp, grace: Duration, chain: &[Link]) -> Verdict {
    let Some(presented) = chain.first() else { return Verdict::Dead };
    let Some(consumed_at) = presented.consumed_at else {
        return if now < presented.expires_at { Verdict::Rotate } else { Verdict::Dead };
    };
    let in_window = |at: Timestamp| now.since(at) <= grace;
    if in_window(consumed_at) {
        return follow(now, chain, |link| link.consumed_at.is_some_and(in_window));
    }
    let unused = !presented.issued_used && chain.get(1).is_none_or(|next| next.consumed_at.is_none());
    if now.since(consumed_at) <= RECOVERY && unused {
        return match follow(now, chain, |_| false) {
            Verdict::Follow { hops, .. } => Verdict::Follow { hops, recovered: true },
            other => other,
        };
    }
    Verdict::Reuse
}

fn follow(now: Timestamp, chain: &[Link], passes: impl Fn(&Link) -> bool) -> Verdict {
    for (index, link) in chain.iter().enumerate() {
        if index > MAX_HOPS {
            return Verdict::Reuse;
        }
        if link.consumed_at.is_none() {
            let live = now < link.expires_at;
            return if live { Verdict::Follow { hops: index, recovered: false } } else { Verdict::Dead };
        }
        if index > 0 && !passes(link) {
            return Verdict::Reuse;
        }
        if !link.has_salt {
            return Verdict::Dead;
        }
    }
    Verdict::Dead
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRACE: Duration = Duration::from_mins(1);

    fn live() -> Link {
        Link {
            expires_at: Timestamp::from_millis(i64::MAX),
            consumed_at: None,
            has_salt: false,
            issued_used: false,
        }
    }

    fn consumed(at: i64) -> Link {
        Link { consumed_at: Some(Timestamp::from_millis(at * 1000)), has_salt: true, ..live() }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    #[test]
    fn a_live_token_rotates_and_an_expired_one_is_dead() {
        assert_eq!(decide(at(0), GRACE, &[live()]), Verdict::Rotate);
        assert_eq!(decide(at(9), GRACE, &[Link { expires_at: at(9), ..live() }]), Verdict::Dead);
        assert_eq!(decide(at(9), GRACE, &[]), Verdict::Dead);
    }

    #[test]
    fn racers_inside_the_window_reach_the_live_leaf() {
        assert_eq!(
            decide(at(60), GRACE, &[consumed(0), live()]),
            Verdict::Follow { hops: 1, recovered: false }
        );
        let two = [consumed(0), consumed(30), live()];
        assert_eq!(decide(at(50), GRACE, &two), Verdict::Follow { hops: 2, recovered: false });
    }

    #[test]
    fn a_used_answer_makes_a_late_repeat_a_replay() {
        let used = Link { issued_used: true, ..consumed(0) };
        assert_eq!(decide(at(61), GRACE, &[used, live()]), Verdict::Reuse);
        assert_eq!(decide(at(61), GRACE, &[consumed(0), consumed(10), live()]), Verdict::Reuse);
    }

    #[test]
    fn a_lost_answer_is_given_again_for_three_days() {
        let chain = [consumed(0), live()];
        let found = Verdict::Follow { hops: 1, recovered: true };
        assert_eq!(decide(at(61), GRACE, &chain), found);
        assert_eq!(decide(at(72 * 3600), GRACE, &chain), found);
        assert_eq!(decide(at(72 * 3600 + 1), GRACE, &chain), Verdict::Reuse);
    }

    #[test]
    fn a_missing_salt_keeps_the_grant() {
        let erased = Link { has_salt: false, ..consumed(0) };
        assert_eq!(decide(at(5), GRACE, &[erased, live()]), Verdict::Dead);
        assert_eq!(decide(at(100), GRACE, &[erased, live()]), Verdict::Dead);
    }

    #[test]
    fn a_grandparent_outside_the_window_is_a_replay() {
        assert_eq!(decide(at(100), GRACE, &[consumed(0), consumed(90), live()]), Verdict::Reuse);
    }
}
