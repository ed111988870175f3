//! What is read by URI: three collections, and one template for what is on each.

use serde_json::{Value, json};

use super::fault::Fault;
use super::highlights;
use super::sources;
use super::world::{Library, Note};

/// `GET /resources`.
pub(super) const COLLECTIONS: &str = include_str!("data/resources.json");
/// `GET /resources/templates`.
pub(super) const TEMPLATES: &str = include_str!("data/templates.json");
/// How many items of a collection are read at once, the newest first.
const RECENT: usize = 50;

/// `GET /resources/read?uri=`.
pub(super) fn read(library: &Library, uri: &str) -> Result<Value, Fault> {
    let absent = || Fault::Absent("resource", uri.chars().take(200).collect());
    let path = uri.strip_prefix("becoming://").ok_or_else(absent)?;
    let content = match path.split_once('/') {
        None => collection(library, path).ok_or_else(absent)?,
        Some((kind, id)) => {
            // One spelling for each: no sign, no zero in front.
            let number = id.parse::<i64>().ok().filter(|number| number.to_string() == id);
            item(library, kind, number.ok_or_else(absent)?).map_err(|_| absent())?
        }
    };
    let text = content.to_string();
    Ok(json!({ "contents": [{ "uri": uri, "mimeType": "application/json", "text": text }] }))
}

fn collection(library: &Library, name: &str) -> Option<Value> {
    let list: Vec<Value> = match name {
        "highlights" => {
            let newest = library.highlights.values().rev().take(RECENT);
            newest.map(|own| highlights::shown(library, own)).collect()
        }
        "sources" => {
            library.sources.values().rev().take(RECENT).map(|own| sources::shown(library, own)).collect()
        }
        "notes" => library.notes.values().rev().take(RECENT).map(note).collect(),
        _ => return None,
    };
    Some(json!({ name: list }))
}

fn item(library: &Library, kind: &str, id: i64) -> Result<Value, Fault> {
    match kind {
        "highlights" => Ok(json!({ "highlight": highlights::one(library, id)? })),
        "sources" => sources::whole(library, id),
        "notes" => {
            let own = library.notes.get(&id).ok_or_else(|| Fault::absent("note", id))?;
            Ok(json!({ "note": note(own) }))
        }
        _ => Err(Fault::absent("resource", id)),
    }
}

fn note(note: &Note) -> Value {
    json!({
        "id": note.id,
        "highlight_id": note.highlight_id,
        "body": note.body,
        "created_at": note.created_at,
    })
}
