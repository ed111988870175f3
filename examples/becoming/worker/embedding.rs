//! Where a text stands among a few ideas: a small embedding that needs no model.
//!
//! `data/concepts.json` says which beginnings of words speak of which idea. A text's vector counts them, and two
//! texts are near when the angle between their vectors is small. A text that speaks of no idea has no embedding.

use std::collections::BTreeMap;

use super::text::{fold, words};

/// The ideas, each with the beginnings of its words.
#[derive(Debug)]
pub(super) struct Concepts(Vec<Vec<String>>);

/// A text's place, of length one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Embedding(Vec<f64>);

impl Concepts {
    pub(super) fn new(stems: &BTreeMap<String, Vec<String>>) -> Self {
        Self(stems.values().map(|stems| stems.iter().map(|stem| fold(stem)).collect()).collect())
    }

    /// The place of a text, if it speaks of any idea.
    pub(super) fn embed(&self, text: &str) -> Option<Embedding> {
        let words = words(text);
        let count = |stems: &Vec<String>| {
            let speaks = |word: &&String| stems.iter().any(|stem| word.starts_with(stem.as_str()));
            words.iter().filter(speaks).map(|_| 1.0).sum::<f64>()
        };
        let counts: Vec<f64> = self.0.iter().map(count).collect();
        let length = counts.iter().map(|count| count * count).sum::<f64>().sqrt();
        (length > 0.0).then(|| Embedding(counts.iter().map(|count| count / length).collect()))
    }
}

impl Embedding {
    /// How near two texts are: 1 for the same ideas, 0 for none in common.
    pub(super) fn likeness(&self, other: &Self) -> f64 {
        self.0.iter().zip(&other.0).map(|(own, other)| own * other).sum()
    }
}
