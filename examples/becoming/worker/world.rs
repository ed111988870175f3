//! What there is: one library a person, and what all of them share.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Deserialize;
use serde_json::Value;

use super::arguments::Arguments;
use super::embedding::Concepts;
use super::imports::Import;

/// Everything, by owner.
#[derive(Debug)]
pub(super) struct World {
    pub(super) libraries: BTreeMap<String, Library>,
    pub(super) shared: Shared,
}

/// What belongs to nobody in particular.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) next: i64,
    pub(super) concepts: Concepts,
    pub(super) web: Web,
    pub(super) templates: Vec<Template>,
}

/// What belongs to one person.
#[derive(Debug, Default)]
pub(super) struct Library {
    pub(super) sources: BTreeMap<i64, Source>,
    pub(super) highlights: BTreeMap<i64, Highlight>,
    pub(super) notes: BTreeMap<i64, Note>,
    pub(super) imports: BTreeMap<i64, Import>,
    pub(super) themes: BTreeMap<i64, Theme>,
    pub(super) practices: BTreeMap<i64, Practice>,
    /// By practice.
    pub(super) reflections: BTreeMap<i64, Reflection>,
    pub(super) generations: BTreeMap<i64, Generation>,
    /// The last night that was swept.
    pub(super) night: i64,
}

/// A book, article, video or podcast.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) id: i64,
    pub(super) kind: &'static str,
    pub(super) title: String,
    pub(super) author: Option<String>,
    pub(super) url: Option<String>,
    pub(super) language: Option<String>,
    pub(super) added_at: String,
    /// Fragments of it that some import has taken up.
    pub(super) read: i64,
    /// Fragments that wait for credits.
    pub(super) waiting: i64,
}

/// A passage that somebody keeps.
#[derive(Clone, Debug)]
pub(super) struct Highlight {
    pub(super) id: i64,
    pub(super) source_id: i64,
    pub(super) content: String,
    pub(super) location: Option<String>,
    pub(super) timestamp_seconds: Option<i64>,
    pub(super) highlighted_at: String,
}

/// What somebody wrote beside a highlight.
#[derive(Clone, Debug)]
pub(super) struct Note {
    pub(super) id: i64,
    pub(super) highlight_id: i64,
    pub(super) body: String,
    pub(super) created_at: String,
}

/// An area of interest.
#[derive(Clone, Debug)]
pub(super) struct Theme {
    pub(super) id: i64,
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) started_on: Date,
    /// There once it is past.
    pub(super) ended_on: Option<Date>,
}

/// Something to do on a day.
#[derive(Clone, Debug)]
pub(super) struct Practice {
    pub(super) id: i64,
    pub(super) theme_id: i64,
    pub(super) day: Date,
    pub(super) reflects: bool,
    pub(super) title: String,
    pub(super) instructions: String,
    pub(super) status: &'static str,
}

/// What somebody wrote after a practice.
#[derive(Clone, Debug)]
pub(super) struct Reflection {
    pub(super) body: String,
    pub(super) saved_at: String,
}

/// A theme in the making.
#[derive(Clone, Debug)]
pub(super) struct Generation {
    pub(super) id: i64,
    pub(super) intent: Option<String>,
    pub(super) seed: Option<i64>,
    pub(super) started: i64,
    pub(super) theme_id: Option<i64>,
    pub(super) failure: Option<String>,
}

/// What the sample worker finds when it is sent to the web.
#[derive(Debug, Deserialize)]
pub(super) struct Web {
    pub(super) videos: Vec<Video>,
    /// What it takes for highlights of anything it reads.
    pub(super) passages: Vec<String>,
}

/// A video with a transcript.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Video {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) author: String,
    pub(super) minutes: i64,
}

/// A practice to choose from.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Template {
    pub(super) context: String,
    pub(super) kind: String,
    pub(super) title: String,
    pub(super) instructions: String,
}

impl Shared {
    /// An id that nothing has yet, whoever's it is.
    pub(super) fn id(&mut self) -> i64 {
        self.next += 1;
        self.next
    }
}

impl Library {
    /// The highlights of a source, oldest first.
    pub(super) fn highlights_of(&self, source: i64) -> impl Iterator<Item = &Highlight> + Clone {
        self.highlights.values().filter(move |highlight| highlight.source_id == source)
    }

    /// The notes of a highlight.
    pub(super) fn notes_of(&self, highlight: i64) -> impl Iterator<Item = &Note> {
        self.notes.values().filter(move |note| note.highlight_id == highlight)
    }

    /// The practices of a theme by their day.
    pub(super) fn practices_of(&self, theme: i64) -> Vec<&Practice> {
        let mut found: Vec<_> =
            self.practices.values().filter(|practice| practice.theme_id == theme).collect();
        found.sort_by_key(|practice| (practice.day, practice.id));
        found
    }
}

/// One call: whose library it is about, when, and what was asked.
pub(super) struct Call<'a> {
    pub(super) library: &'a mut Library,
    pub(super) shared: &'a mut Shared,
    pub(super) now: i64,
    /// True if the person's plan includes La Academia.
    pub(super) academy: bool,
    /// The credits that are left; none where nobody counts them.
    pub(super) credits: Option<i64>,
    pub(super) arguments: Arguments<'a>,
}

/// What a tool gives, and what it cost if that is not what it usually does.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) body: Value,
    pub(super) cost: Option<i64>,
}

impl From<Value> for Done {
    fn from(body: Value) -> Self {
        Self { body, cost: None }
    }
}
