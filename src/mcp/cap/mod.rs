//! Shortening what is too long for a model: the answer stays JSON, and says what it lacks.
//!
//! Lists give way first, those that cost most, and keep their beginning; when each has come down to one item, long
//! texts are cut; when that is not enough, objects lose their last members. What is left stands in an envelope:
//! `{"truncated":true,"note":…,"data":…}`. What is no JSON is cut between two characters.

mod fit;
mod note;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::result::write_string;
use super::tree::{self, Node};
use fit::Limits;
pub use note::Language;
use note::Note;

/// What the envelope and its note may take.
const RESERVE: usize = 390;

/// How long an answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// Unicode scalar values of a text; 500 at least.
    pub chars: usize,
    /// Of the note.
    pub language: Language,
}

/// A shortened document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortened {
    /// The whole of it, in its envelope.
    pub text: String,
    data: Range<usize>,
}

impl Shortened {
    /// What is left of the document, without the envelope.
    pub fn data(&self) -> &str {
        self.text.get(self.data.clone()).unwrap_or("null")
    }
}

impl Cap {
    /// A JSON document in at most [`Cap::chars`] characters; `None` if it fits as it is.
    pub fn json(&self, json: &str) -> Option<Shortened> {
        if self.fits(json) {
            return None;
        }
        let Some(tree) = tree::read(json, self.chars) else { return Some(self.beginning(json)) };
        let whole = fit::size(&tree, &Limits::NONE);
        if whole <= self.chars {
            // it was long by the space between its tokens alone
            let mut text = String::with_capacity(json.len());
            fit::write(&mut text, &tree, &Limits::NONE, &mut Note::default());
            let data = 0..text.len();
            return Some(Shortened { text, data });
        }
        Some(match fit::limits(&tree, self.chars.saturating_sub(RESERVE)) {
            Some(limits) => self.within(&tree, &limits),
            None => self.beginning(json),
        })
    }

    /// Any other text in at most [`Cap::chars`] characters; `None` if it fits as it is.
    pub fn text(&self, text: &str) -> Option<String> {
        if self.fits(text) {
            return None;
        }
        let shown = self.chars.saturating_sub(RESERVE);
        let note = note::of_text(self.language, shown, text.chars().count());
        let end = text.char_indices().nth(shown).map_or(text.len(), |(at, _)| at);
        Some(format!("{}…\n\n[{note}]", text.get(..end).unwrap_or_default()))
    }

    /// A content's text, whatever it holds; `None` if it fits as it is.
    pub fn content(&self, text: &str) -> Option<String> {
        if self.fits(text) {
            return None;
        }
        if super::result::is_json(text) {
            self.json(text).map(|shortened| shortened.text)
        } else {
            self.text(text)
        }
    }

    fn fits(&self, text: &str) -> bool {
        text.len() <= self.chars || text.chars().count() <= self.chars
    }

    fn within(&self, tree: &Node<'_>, limits: &Limits) -> Shortened {
        let (mut data, mut note) = (String::with_capacity(self.chars), Note::default());
        fit::write(&mut data, tree, limits, &mut note);
        envelope(&note.words(self.language), &data)
    }

    /// What cannot be taken apart: its beginning, as a text.
    fn beginning(&self, json: &str) -> Shortened {
        // escaping makes at most six characters of one
        let room = self.chars.saturating_sub(RESERVE);
        let (mut used, mut shown, mut end) = (3, 0, 0);
        for (at, char) in json.char_indices() {
            used += match char {
                '"' | '\\' | '\n' | '\r' | '\t' => 2,
                control if control.is_control() => 6,
                _ => 1,
            };
            if used > room {
                break;
            }
            (shown, end) = (shown + 1, at + char.len_utf8());
        }
        let note = note::of_text(self.language, shown, json.chars().count());
        let mut data = Vec::new();
        write_string(&mut data, &format!("{}…", json.get(..end).unwrap_or_default()));
        envelope(&note, &String::from_utf8_lossy(&data))
    }
}

fn envelope(note: &str, data: &str) -> Shortened {
    let mut head = b"{\"truncated\":true,\"note\":".to_vec();
    write_string(&mut head, note);
    let mut text = String::from_utf8_lossy(&head).into_owned();
    text.push_str(",\"data\":");
    let from = text.len();
    text.push_str(data);
    let data = from..text.len();
    text.push('}');
    Shortened { text, data }
}
