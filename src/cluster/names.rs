//! Texts that many entries of a cache hold, each kept in memory once: a brand, a plan, a client, a person.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Half of the texts that are known at most.
const HALF: usize = 20_000;

/// Known texts, in two halves: when the young one is full it becomes the old one, and what only the old one knew is
/// forgotten. Forgetting costs memory, never truth.
#[derive(Default)]
pub(super) struct Names(Mutex<Halves>);

#[derive(Default)]
struct Halves {
    young: HashSet<Arc<str>>,
    old: HashSet<Arc<str>>,
}

impl Names {
    /// The one copy of a text.
    pub(super) fn one(&self, text: &Arc<str>) -> Arc<str> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Halves { young, old } = &mut *known;
        if let Some(own) = young.get(text) {
            return Arc::clone(own);
        }
        let own = old.take(text).unwrap_or_else(|| Arc::clone(text));
        if young.len() >= HALF {
            *old = std::mem::take(young);
        }
        young.insert(Arc::clone(&own));
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_and_there_are_never_too_many() {
        let names = Names::default();
        let first = names.one(&Arc::from("mico"));
        for number in 0..3 * HALF {
            names.one(&Arc::from(number.to_string()));
            // What is used stays.
            assert!(Arc::ptr_eq(&first, &names.one(&Arc::from("mico"))));
        }
        let known = names.0.lock().unwrap();
        assert!(known.young.len() <= HALF && known.old.len() <= HALF);
    }
}
