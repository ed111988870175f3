//! The tool that gives a meeting's words, and how they are kept.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::data::World;
use super::fault::Fault;
use super::meetings::named;
use super::page::Window;

/// A transcript as its file has it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Written {
    Timed { segments: Vec<Segment> },
    Plain { text: String },
}

#[derive(Debug, Deserialize)]
pub(super) struct Segment {
    speaker: String,
    start_ms: usize,
    end_ms: usize,
    text: String,
}

/// A transcript as it is served.
#[derive(Debug)]
pub(super) enum Transcript {
    /// Every word has its times.
    Timed(Vec<Word>),
    /// Only the text is known.
    Plain(String),
}

/// One word and when it was said.
#[derive(Debug, Serialize)]
pub(super) struct Word {
    #[serde(rename = "word")]
    text: String,
    start_ms: usize,
    end_ms: usize,
    speaker: String,
}

impl From<Written> for Transcript {
    fn from(written: Written) -> Self {
        match written {
            Written::Timed { segments } => Self::Timed(segments.iter().flat_map(Segment::words).collect()),
            Written::Plain { text } => Self::Plain(text),
        }
    }
}

impl Segment {
    /// Shares the segment's time among its words by their length.
    fn words(&self) -> Vec<Word> {
        let letters: usize = self.text.split_whitespace().map(|word| word.chars().count()).sum();
        let spoken = self.end_ms.saturating_sub(self.start_ms);
        let at = |said: usize| self.start_ms + spoken * said / letters.max(1);
        let mut said = 0;
        let timed = |word: &str| {
            let start_ms = at(said);
            said += word.chars().count();
            Word { text: word.to_owned(), start_ms, end_ms: at(said), speaker: self.speaker.clone() }
        };
        self.text.split_whitespace().map(timed).collect()
    }
}

/// `get_meeting_transcript`: `text` is what the page's words say.
pub(super) fn get(world: &World, owner: &str, arguments: &Value) -> Result<Value, Fault> {
    let meeting = named(world, owner, arguments)?;
    let window = Window::of(arguments, 200, 500);
    let (text, words, total) = match world.transcript_of(meeting) {
        None => (String::new(), [].as_slice(), 0),
        Some(Transcript::Timed(all)) => {
            let page = window.cut(all);
            (spoken(page), page, all.len())
        }
        Some(Transcript::Plain(text)) => {
            // Without times there is nothing to page by: all of it at once, then nothing.
            let shown = if window.offset == 0 { text.clone() } else { String::new() };
            (shown, [].as_slice(), text.split_whitespace().count())
        }
    };
    Ok(json!({
        "meeting_id": meeting.facts.id,
        "text": text,
        "words": words,
        "pagination": window.of_total(words.len(), total),
    }))
}

fn spoken(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}
