//! The sample data of the two owners.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde_json::Value;

use super::table::Table;
use super::world::{Record, Room};

const SEEDS: [(bool, &str, &str); 4] = [
    (false, "ana", include_str!("data/ana.json")),
    (false, "bruno", include_str!("data/bruno.json")),
    (true, "ana", include_str!("data/partner-ana.json")),
    (true, "bruno", include_str!("data/partner-bruno.json")),
];
/// New ids come after this one, whatever the sample data has.
pub(super) const LAST: u64 = 1000;

/// The rooms of the sample data, by endpoint and owner.
pub(super) fn rooms(table: &Table) -> Result<HashMap<(bool, &'static str), Room>, String> {
    let read = |(partner, owner, text)| Ok(((partner, owner), room(table, text)?));
    SEEDS.into_iter().map(read).collect()
}

fn room(table: &Table, text: &str) -> Result<Room, String> {
    let kinds: IndexMap<String, Vec<Record>> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut room = Room::default();
    for (kind, records) in kinds {
        if !table.kinds.contains_key(&kind) && kind != "profile" {
            return Err(format!("sample data of no kind: {kind}"));
        }
        for record in records {
            let id = record.get("id").and_then(Value::as_str).and_then(number);
            let id = id.ok_or_else(|| format!("{kind}: an id has a number"))?;
            room.kinds.entry(kind.clone()).or_default().insert(id, record);
        }
    }
    Ok(room)
}

/// The number in an id.
pub(super) fn number(id: &str) -> Option<u64> {
    id.rsplit_once('_')?.1.parse().ok()
}

/// The first thing of a kind.
pub(super) fn sample(table: &Table, kind: &str) -> Result<Option<Value>, String> {
    let hidden = table.kinds.get(kind).map(|own| own.hidden.as_slice()).unwrap_or_default();
    for (_, owner, text) in SEEDS {
        if owner != "ana" {
            continue;
        }
        if let Some((_, record)) = room(table, text)?.of(kind).next() {
            let mut record = record.clone();
            record.retain(|name, _| !hidden.contains(name));
            return Ok(Some(Value::Object(record)));
        }
    }
    Ok(None)
}
