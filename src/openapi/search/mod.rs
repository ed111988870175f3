//! Finding an operation by what somebody says of it, in Spanish or in English.
//!
//! An id, a path or `GET /path` comes first; then BM25 over weighted fields (Robertson and Zaragoza, *The Probabilistic
//! Relevance Framework*, 2009), where a word counts in all its forms and, for less, in those of its synonyms. A word
//! that nothing has stands for those that begin with it. Everything is counted over what the asker may see: what is
//! hidden changes neither results nor their order. Equal ones stay in the document's order.

mod exact;
mod synonyms;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;
use std::ops::Bound;

use exact::Exact;
use synonyms::Synonyms;
use words::Word;

/// So many words of a query count, and so many of an operation's text.
const MOST_WORDS: usize = 24;
const MOST_TEXT: usize = 600;
/// So many words may stand for the beginning of one.
const MOST_ENDINGS: usize = 64;
/// A shorter beginning stands for nothing.
const SHORTEST_START: usize = 2;

/// What a synonym and a beginning count beside the word itself.
const SYNONYM: f32 = 0.8;
const BEGINNING: f32 = 0.5;
/// How soon more of the same word counts no more, and how much length counts.
const K1: f32 = 1.2;
const B: f32 = 0.4;

/// What is known of an operation, as far as it can be searched.
#[derive(Clone, Debug, Default)]
pub struct Entry<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its method, such as `GET`.
    pub method: &'a str,
    /// Its path, with templates in braces.
    pub path: &'a str,
    /// One line.
    pub summary: &'a str,
    /// More of it.
    pub description: &'a str,
    /// Its tags.
    pub tags: Vec<&'a str>,
    /// The names of what it takes.
    pub parameters: Vec<&'a str>,
}

impl Entry<'_> {
    /// Every text and what a word of it counts.
    fn texts(&self) -> impl Iterator<Item = (&str, f32)> {
        let own = [
            (self.summary, 3.0),
            (self.id, 2.5),
            (self.path, 2.0),
            (does(self.method, self.path), 1.0),
            (self.description, 1.0),
        ];
        let tags = self.tags.iter().map(|tag| (*tag, 1.5));
        own.into_iter().chain(tags).chain(self.parameters.iter().map(|name| (*name, 0.5)))
    }
}

/// What a method does, in words.
fn does(method: &str, path: &str) -> &'static str {
    match method {
        "GET" | "HEAD" if path.ends_with('}') => "get read",
        "GET" | "HEAD" => "list get read",
        "POST" => "create add",
        "PUT" => "replace update",
        "PATCH" => "update modify",
        "DELETE" => "delete",
        _ => "",
    }
}

/// Where a word is and what it counts there.
#[derive(Clone, Copy, Debug)]
struct Place {
    entry: u32,
    weight: f32,
}

impl Place {
    fn at(self) -> usize {
        self.entry as usize
    }
}

/// The operations of a document, by their words.
#[derive(Debug)]
pub struct Index {
    places: BTreeMap<Box<str>, Vec<Place>>,
    lengths: Vec<f32>,
    exact: Exact,
}

impl Index {
    /// Reads operations; results are their positions.
    pub fn new<'a>(entries: impl IntoIterator<Item = Entry<'a>>) -> Self {
        let mut index = Self { places: BTreeMap::new(), lengths: Vec::new(), exact: Exact::default() };
        for (at, entry) in (0u32..).zip(entries) {
            index.add(at, &entry);
        }
        index
    }

    fn add(&mut self, at: u32, entry: &Entry<'_>) {
        self.exact.add(entry);
        let mut length = 0.0;
        let mut forms: BTreeMap<String, f32> = BTreeMap::new();
        for (text, weight) in entry.texts() {
            for word in words::words(text).filter(|word| !word.is_stop()).take(MOST_TEXT) {
                length += weight;
                for form in word.forms {
                    *forms.entry(form).or_default() += weight;
                }
            }
        }
        for (form, weight) in forms {
            self.places.entry(form.into()).or_default().push(Place { entry: at, weight });
        }
        self.lengths.push(length);
    }

    /// How many operations it knows.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// True if it knows none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The positions of the operations that fit best, among those of which `visible` is true. Without a word in the
    /// query nothing is found.
    pub fn search(&self, query: &str, visible: impl Fn(usize) -> bool) -> Vec<usize> {
        let seen = Seen::new(self, visible);
        let scores = self.scores(query, &seen).into_iter().enumerate();
        let named = scores.map(|(at, score)| (at, self.exact.named(query, at).unwrap_or(score)));
        let mut found: Vec<(usize, f32)> =
            named.filter(|(at, score)| seen.has(*at) && *score > 0.0).collect();
        found.sort_by(|(one, before), (other, after)| after.total_cmp(before).then(one.cmp(other)));
        found.into_iter().map(|(at, _)| at).collect()
    }

    /// What each operation has of the query: the sum over its words, for less the more of them it lacks.
    fn scores(&self, query: &str, seen: &Seen) -> Vec<f32> {
        let asked = asked(query);
        let mut total = vec![(0.0f32, 0usize); self.len()];
        for word in &asked {
            let mut best = vec![0.0f32; self.len()];
            for (form, weight) in self.forms(word, seen) {
                for (at, score) in self.scored(form, seen) {
                    if let Some(own) = best.get_mut(at) {
                        *own = own.max(weight * score);
                    }
                }
            }
            for ((total, words), best) in total.iter_mut().zip(best) {
                *total += best;
                *words += usize::from(best > 0.0);
            }
        }
        let of = float(asked.len()).max(1.0);
        total.into_iter().map(|(total, words)| total * float(words) / of).collect()
    }

    /// What a word of the query is looked up as, and what each counts.
    fn forms<'a>(&'a self, word: &'a Word, seen: &Seen) -> Vec<(&'a str, f32)> {
        let own = word.forms.iter().map(|form| (form.as_str(), 1.0));
        let same = Synonyms::get().of(word).into_iter().map(|form| (form, SYNONYM));
        let forms: Vec<_> = own.chain(same).filter(|(form, _)| self.is_seen(form, seen)).collect();
        if forms.is_empty() && word.folded.chars().count() >= SHORTEST_START {
            return self.beginning(&word.folded, seen);
        }
        forms
    }

    fn beginning(&self, start: &str, seen: &Seen) -> Vec<(&str, f32)> {
        let range = self.places.range::<str, _>((Bound::Included(start), Bound::Unbounded));
        let forms = range.map(|(form, _)| &**form).take_while(|form| form.starts_with(start));
        let seen = forms.filter(|form| self.is_seen(form, seen));
        seen.take(MOST_ENDINGS).map(|form| (form, BEGINNING)).collect()
    }

    fn is_seen(&self, form: &str, seen: &Seen) -> bool {
        self.places.get(form).is_some_and(|places| places.iter().any(|place| seen.has(place.at())))
    }

    /// BM25 of one form for every operation that has it.
    fn scored<'a>(&'a self, form: &str, seen: &'a Seen) -> impl Iterator<Item = (usize, f32)> + 'a {
        let places = self.places.get(form).into_iter().flatten();
        let places: Vec<&Place> = places.filter(|place| seen.has(place.at())).collect();
        let having = float(places.len());
        let rarity = (1.0 + (seen.count - having + 0.5) / (having + 0.5)).ln();
        places.into_iter().map(move |place| {
            let at = place.at();
            let length = self.lengths.get(at).copied().unwrap_or_default() / seen.mean;
            let often = place.weight * (K1 + 1.0) / (place.weight + K1 * (1.0 - B + B * length));
            (at, rarity * often)
        })
    }
}

/// What the asker may see, and what is counted over it.
struct Seen {
    visible: Vec<bool>,
    count: f32,
    mean: f32,
}

impl Seen {
    fn new(index: &Index, visible: impl Fn(usize) -> bool) -> Self {
        let visible: Vec<bool> = (0..index.len()).map(visible).collect();
        let lengths =
            index.lengths.iter().zip(&visible).filter(|(_, seen)| **seen).map(|(length, _)| *length);
        let (count, sum) = lengths.fold((0usize, 0.0), |(count, sum), length| (count + 1, sum + length));
        let count = float(count);
        Self { visible, count, mean: (sum / count.max(1.0)).max(1.0) }
    }

    fn has(&self, at: usize) -> bool {
        self.visible.get(at).copied().unwrap_or_default()
    }
}

/// The words of a query that say something, each once; if none does, all of them.
fn asked(query: &str) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::new();
    for word in words::words(query).take(MOST_WORDS * 4) {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    let telling: Vec<Word> = all.iter().filter(|word| !word.is_stop()).cloned().collect();
    let mut asked = if telling.is_empty() { all } else { telling };
    asked.truncate(MOST_WORDS);
    asked
}

/// A count as a number to reckon with; counts here are far below what that could not hold.
fn float(count: usize) -> f32 {
    f32::from(u16::try_from(count).unwrap_or(u16::MAX))
}
