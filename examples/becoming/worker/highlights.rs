//! The tools that find and show highlights.

use serde_json::{Value, json};

use super::cursor::List;
use super::fault::Fault;
use super::search::{FULLTEXT, HYBRID, SEMANTIC, search};
use super::world::{Call, Done, Highlight, Library};

/// A query is no longer than this.
const LONGEST: usize = 1000;

/// `search_highlights`: best first.
pub(super) fn find(call: &mut Call<'_>) -> Result<Done, Fault> {
    let arguments = call.arguments;
    let query = arguments.saying("query", LONGEST)?;
    let mode = arguments.word("mode", &[FULLTEXT, SEMANTIC, HYBRID])?.unwrap_or(HYBRID);
    let source = arguments.number("source_id")?;
    let limit = arguments.limit(10)?;
    let list = List::of("search_highlights", &json!([query, mode, source]));
    let start = list.start(arguments)?.unwrap_or_default();
    let library = &*call.library;
    let among = library.highlights.values().filter(|own| source.is_none_or(|id| own.source_id == id));
    let found = search(&call.shared.concepts, among, query, mode);
    let skipped = usize::try_from(start).unwrap_or(usize::MAX);
    let page: Vec<Value> = found
        .ids
        .iter()
        .skip(skipped)
        .take(limit)
        .filter_map(|id| Some(shown(library, library.highlights.get(id)?)))
        .collect();
    let end = skipped.saturating_add(page.len());
    let next = (end < found.ids.len()).then(|| i64::try_from(end).ok()).flatten();
    let mut meta = list.meta(limit, page.len(), next);
    if let Some(meta) = meta.as_object_mut() {
        meta.insert("mode".to_owned(), found.mode.into());
        meta.insert("total".to_owned(), found.ids.len().into());
    }
    Ok(json!({ "highlights": page, "meta": meta }).into())
}

/// `get_highlight`: one of them.
pub(super) fn get(call: &mut Call<'_>) -> Result<Done, Fault> {
    let id = call.arguments.id("id")?;
    Ok(json!({ "highlight": one(call.library, id)? }).into())
}

/// A highlight by its id.
pub(super) fn one(library: &Library, id: i64) -> Result<Value, Fault> {
    let highlight = library.highlights.get(&id).ok_or_else(|| Fault::absent("highlight", id))?;
    Ok(shown(library, highlight))
}

/// A highlight with the facts of its source.
pub(super) fn shown(library: &Library, highlight: &Highlight) -> Value {
    let source = library.sources.get(&highlight.source_id).map(|source| {
        json!({
            "id": source.id,
            "type": source.kind,
            "title": source.title,
            "author": source.author,
            "url": source.url,
        })
    });
    json!({
        "id": highlight.id,
        "content": highlight.content,
        "location": highlight.location,
        "timestamp_seconds": highlight.timestamp_seconds,
        "highlighted_at": highlight.highlighted_at,
        "source": source,
        "notes_count": library.notes_of(highlight.id).count(),
    })
}
