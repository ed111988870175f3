//! Scopes: the grammar of RFC 6749 §3.3 and the set algebra on it.

use std::fmt;

/// A set of scopes that keeps the order it was given in.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ScopeSet(Vec<Box<str>>);

/// True for one scope token: `%x21 / %x23-5B / %x5D-7E`, at least one character.
pub fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| matches!(b, 0x21 | 0x23..=0x5b | 0x5d..=0x7e))
}

/// The words a client's request names, without `offline_access`: it is accepted, and changes nothing. Words that no
/// scope can be are among them: who names only such asks for nothing there is, not for everything.
pub fn asked(text: &str) -> ScopeSet {
    text.split(' ').filter(|word| !word.is_empty() && *word != "offline_access").collect()
}

impl ScopeSet {
    /// The empty set.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Reads a space-separated list. Words that are no scope tokens are dropped: asking for too much
    /// narrows, it does not fail.
    pub fn parse(text: &str) -> Self {
        text.split(' ').filter(|word| is_token(word)).collect()
    }

    /// True if nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many scopes are in it.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The scopes in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// True if `scope` is in the set.
    pub fn contains(&self, scope: &str) -> bool {
        self.0.iter().any(|own| **own == *scope)
    }

    /// True if every scope of `other` is in the set.
    pub fn covers(&self, other: &Self) -> bool {
        other.iter().all(|scope| self.contains(scope))
    }

    /// What is in both, in this set's order.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.iter().filter(|scope| other.contains(scope)).collect()
    }
}

impl<'a> FromIterator<&'a str> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = &'a str>>(scopes: I) -> Self {
        let mut set = Self::none();
        for scope in scopes {
            if !set.contains(scope) {
                set.0.push(scope.into());
            }
        }
        // Sets are kept by the hundred thousand.
        set.0.shrink_to_fit();
        set
    }
}

impl fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scope) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            f.write_str(scope)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_outside_the_grammar_are_dropped() {
        assert_eq!(ScopeSet::parse("a  b\tc a \"x\" d\\e é").to_string(), "a");
        assert_eq!(ScopeSet::parse("b a b").to_string(), "b a");
    }

    #[test]
    fn a_request_that_names_no_scope_there_can_be_names_something() {
        assert!(asked(" offline_access  ").is_empty());
        assert_eq!(asked("offline_access a\\b").to_string(), "a\\b");
    }

    #[test]
    fn the_algebra_keeps_the_left_order() {
        let (left, right) = (ScopeSet::parse("c a b"), ScopeSet::parse("b c x"));
        assert_eq!(left.intersection(&right).to_string(), "c b");
        assert!(left.covers(&ScopeSet::parse("a c")) && !left.covers(&right));
        assert!(left.covers(&ScopeSet::none()));
    }
}
