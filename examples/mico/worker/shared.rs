//! The tools for what other people share.

use serde_json::{Value, json};

use super::arguments::required;
use super::data::{Audience, Shared, SharedNote, World};
use super::fault::Fault;
use super::page::Window;
use super::text::{find, fold, snippet};

/// The longest text given, in characters.
const LONGEST: usize = 12_000;

/// `search_shared_notes`: every word must be in the title or the text.
pub(super) fn search(world: &World, reader: &str, arguments: &Value) -> Result<Value, Fault> {
    let query = required(arguments, "query")?;
    let words: Vec<Vec<char>> = query.split_whitespace().map(fold).collect();
    let window = Window::of(arguments, 10, 20);
    let found: Vec<Value> =
        world.shared.readable_by(reader).filter_map(|note| result(note, &words)).collect();
    let page = window.cut(&found);
    Ok(json!({ "results": page, "pagination": window.of_total(page.len(), found.len()) }))
}

/// `get_shared_note`: one that the reader could have found.
pub(super) fn get(world: &World, reader: &str, arguments: &Value) -> Result<Value, Fault> {
    let id = required(arguments, "share_id")?;
    let note = world
        .shared
        .readable_by(reader)
        .find(|note| note.share_id == id)
        .ok_or_else(|| Fault::NoSharedNote(id.to_owned()))?;
    let mut rest = note.text.chars();
    let text: String = rest.by_ref().take(LONGEST).collect();
    Ok(json!({
        "share_id": note.share_id,
        "title": note.title,
        "team": note.team(),
        "published_at": note.published_at,
        "text": text,
        "truncated": rest.next().is_some(),
    }))
}

fn result(note: &SharedNote, words: &[Vec<char>]) -> Option<Value> {
    let (title, text) = (fold(&note.title), fold(&note.text));
    let mut first = None;
    for word in words {
        match find(&text, word) {
            Some(at) => first = first.or(Some((at, word.len()))),
            None if find(&title, word).is_some() => {}
            None => return None,
        }
    }
    // A hit in the title alone shows how the text begins.
    let (at, length) = first.unwrap_or_default();
    Some(json!({
        "share_id": note.share_id,
        "title": note.title,
        "team": note.team(),
        "published_at": note.published_at,
        "snippet": snippet(&note.text, at, length),
    }))
}

impl Shared {
    /// What others share with `reader` or with a team of theirs, newest first.
    fn readable_by<'a, 'r>(&'a self, reader: &'r str) -> impl Iterator<Item = &'a SharedNote> + use<'a, 'r> {
        self.notes.iter().filter(move |note| note.shared_by != reader && self.reaches(note, reader))
    }

    fn reaches(&self, note: &SharedNote, reader: &str) -> bool {
        match &note.audience {
            Audience::User(user) => user == reader,
            Audience::Team(team) => {
                self.teams.get(team).is_some_and(|members| members.iter().any(|member| member == reader))
            }
        }
    }
}

impl SharedNote {
    fn team(&self) -> Option<&str> {
        match &self.audience {
            Audience::Team(team) => Some(team),
            Audience::User(_) => None,
        }
    }
}
