//! `add_highlights`: keeping passages in a source of the library, or in a book or article that is found there or made.
//! All of them are checked before the first is kept.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::fault::{Fault, invalid};
use super::highlights::shown;
use super::sources::{self, LONGEST, New};
use super::time::stamp;
use super::world::{Call, Done, Highlight};

/// The most passages of one call.
const MOST: usize = 20;
/// The longest passage.
const PASSAGE: usize = 5000;

/// A passage that may be kept.
struct Passage<'a> {
    content: &'a str,
    location: Option<&'a str>,
    timestamp_seconds: Option<i64>,
}

/// `add_highlights`.
pub(super) fn add(call: &mut Call<'_>) -> Result<Done, Fault> {
    let arguments = call.arguments;
    let passages = passages(arguments)?;
    let (source, made) = match (arguments.number("source_id")?, arguments.object("source")?) {
        (Some(id), None) if call.library.sources.contains_key(&id) => (id, false),
        (Some(id), None) => return Err(Fault::absent("source", id)),
        (None, Some(source)) => found_or_made(call, source)?,
        _ => return invalid("either source_id or source is required, and not both"),
    };
    let kept: Vec<i64> = passages.iter().map(|passage| keep(call, source, passage)).collect();
    let library = &*call.library;
    let highlights: Vec<Value> =
        kept.iter().filter_map(|id| Some(shown(library, library.highlights.get(id)?))).collect();
    let source = library.sources.get(&source).map(|source| sources::shown(library, source));
    Ok(json!({ "source": source, "source_created": made, "highlights": highlights }).into())
}

fn passages(arguments: Arguments<'_>) -> Result<Vec<Passage<'_>>, Fault> {
    let items = arguments.list("highlights")?;
    if items.is_empty() || items.len() > MOST {
        return invalid(format!("highlights must be 1 to {MOST} passages"));
    }
    items.iter().map(passage).collect()
}

fn passage(item: &Value) -> Result<Passage<'_>, Fault> {
    let Some(members) = item.as_object() else { return invalid("each of highlights must be an object") };
    let passage = Arguments(members);
    let timestamp_seconds = passage.number("timestamp_seconds")?;
    if timestamp_seconds.is_some_and(|seconds| seconds < 0) {
        return invalid("timestamp_seconds must not be negative");
    }
    Ok(Passage {
        content: passage.saying("content", PASSAGE)?,
        location: passage.said("location", LONGEST)?,
        timestamp_seconds,
    })
}

/// A book needs an author, an article its address: without them nobody could find it again.
fn found_or_made(call: &mut Call<'_>, source: Arguments<'_>) -> Result<(i64, bool), Fault> {
    let Some(kind) = source.word("type", &["Book", "Article"])? else {
        return invalid("source.type is required");
    };
    let new = New {
        kind,
        title: source.saying("title", LONGEST)?,
        author: source.said("author", LONGEST)?,
        url: source.said("url", LONGEST)?,
        language: source.said("language", 35)?,
    };
    match (kind, new.author, new.url) {
        ("Book", None, _) => return invalid("source.author is required for a Book"),
        ("Article", _, None) => return invalid("source.url is required for an Article"),
        _ => {}
    }
    Ok(match new.known(call.library) {
        Some(known) => (known.id, false),
        None => (new.keep(call), true),
    })
}

fn keep(call: &mut Call<'_>, source_id: i64, passage: &Passage<'_>) -> i64 {
    let id = call.shared.id();
    let highlight = Highlight {
        id,
        source_id,
        content: passage.content.to_owned(),
        location: passage.location.map(str::to_owned),
        timestamp_seconds: passage.timestamp_seconds,
        highlighted_at: stamp(call.now),
    };
    call.library.highlights.insert(id, highlight);
    id
}
