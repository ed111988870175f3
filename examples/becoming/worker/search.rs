//! Searching highlights: by words, by meaning, and by both.

use std::collections::BTreeMap;

use super::embedding::{Concepts, Embedding};
use super::text::words;
use super::world::Highlight;

/// The constant of reciprocal rank fusion: a first place counts 1/61, a second 1/62.
const FUSION: u32 = 60;
/// Texts less alike than this have nothing to do with each other.
const ALIKE: f64 = 0.2;
/// Words that say nothing by themselves.
const STOPWORDS: [&str; 24] = [
    "a", "al", "con", "de", "del", "el", "en", "es", "la", "las", "lo", "los", "no", "o", "para", "por",
    "que", "se", "sin", "su", "un", "una", "y", "yo",
];

/// How a search is done.
pub(super) const FULLTEXT: &str = "fulltext";
/// By meaning alone.
pub(super) const SEMANTIC: &str = "semantic";
/// By both; what is done unless told otherwise.
pub(super) const HYBRID: &str = "hybrid";

/// What was found, best first, and how it was searched in the end.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) ids: Vec<i64>,
    pub(super) mode: &'static str,
}

/// Searches in one of the modes. Without an embedding of the query only its words are left to go by.
pub(super) fn search<'a>(
    concepts: &Concepts,
    highlights: impl Iterator<Item = &'a Highlight> + Clone,
    query: &str,
    mode: &'static str,
) -> Found {
    let place = concepts.embed(query).filter(|_| mode != FULLTEXT);
    let Some(place) = place else {
        return Found { ids: by_words(highlights, query), mode: FULLTEXT };
    };
    let by_meaning = by_meaning(concepts, highlights.clone(), &place);
    let ids = if mode == SEMANTIC { by_meaning } else { fuse(&[by_words(highlights, query), by_meaning]) };
    Found { ids, mode }
}

/// Those that hold every word of the query, those that hold them most often first.
fn by_words<'a>(highlights: impl Iterator<Item = &'a Highlight>, query: &str) -> Vec<i64> {
    let asked = words(query);
    let mut telling: Vec<&String> = asked.iter().filter(|word| !STOPWORDS.contains(&word.as_str())).collect();
    if telling.is_empty() {
        telling = asked.iter().collect();
    }
    let scored = highlights.filter_map(|highlight| {
        let own = words(&highlight.content);
        let times = |word: &&String| own.iter().filter(|own| own.starts_with(word.as_str())).count();
        let all = telling.iter().map(times).try_fold(0, |sum, times| (times > 0).then_some(sum + times))?;
        (all > 0).then_some((highlight.id, all))
    });
    let mut found: Vec<(i64, usize)> = scored.collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then(b.0.cmp(&a.0)));
    found.into_iter().map(|(id, _)| id).collect()
}

/// Those that speak of the same ideas, the nearest first.
fn by_meaning<'a>(
    concepts: &Concepts,
    highlights: impl Iterator<Item = &'a Highlight>,
    place: &Embedding,
) -> Vec<i64> {
    let near = highlights.filter_map(|highlight| {
        let likeness = concepts.embed(&highlight.content)?.likeness(place);
        (likeness >= ALIKE).then_some((highlight.id, likeness))
    });
    ranked(near.collect())
}

/// Reciprocal rank fusion: each list gives 1/(60 + place) to what is on it.
fn fuse(lists: &[Vec<i64>]) -> Vec<i64> {
    let mut scores: BTreeMap<i64, f64> = BTreeMap::new();
    for list in lists {
        for (place, id) in (1..).zip(list) {
            *scores.entry(*id).or_default() += 1.0 / f64::from(FUSION + place);
        }
    }
    ranked(scores.into_iter().collect())
}

/// Best first; of equals the newest.
fn ranked(mut scored: Vec<(i64, f64)>) -> Vec<i64> {
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    scored.into_iter().map(|(id, _)| id).collect()
}
