//! Listing, getting, creating, updating and deleting things of any kind.

use serde_json::{Map, Value, json};

use super::arguments::is_empty;
use super::call::{Call, id_of};
use super::fault::{Fault, invalid};
use super::text::speaks_of;
use super::world::Record;

/// Arguments that say which page, not which things.
const PAGING: [&str; 3] = ["search", "limit", "cursor"];

/// Every thing that an argument names has to be there.
fn check_references(call: &Call<'_>) -> Result<(), Fault> {
    for take in &call.operation.takes {
        let Some(kind) = &take.argument.of else { continue };
        match call.arguments.given(&take.name) {
            Some(Value::String(id)) => drop(call.find(kind, id)?),
            Some(Value::Array(ids)) => {
                for id in ids.iter().filter_map(Value::as_str) {
                    call.find(kind, id)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// True if a thing has what was asked for: the value itself, or among several.
fn fits(record: &Record, name: &str, value: &Value) -> bool {
    let several = record.get(&format!("{name}s")).and_then(Value::as_array);
    record.get(name) == Some(value) || several.is_some_and(|values| values.contains(value))
}

/// A page of things: `items`, and where the next page begins.
pub(super) fn list(call: &mut Call<'_>, kind: &str) -> Result<Value, Fault> {
    check_references(call)?;
    let limit = call.arguments.limit()?;
    let filters: Vec<(&String, &Value)> = call
        .arguments
        .0
        .iter()
        .filter(|(name, value)| !PAGING.contains(&name.as_str()) && !is_empty(value))
        .collect();
    let words = call.arguments.given("search").and_then(Value::as_str).unwrap_or_default();
    let mut found: Vec<&Record> = call.room.of(kind).map(|(_, record)| record).collect();
    if call.table.kinds.get(kind).is_some_and(|own| own.newest) {
        found.reverse();
    }
    found.retain(|record| filters.iter().all(|(name, value)| fits(record, name, value)));
    found.retain(|record| speaks_of(record, words));
    let total = found.len();
    let start = match call.arguments.given("cursor").and_then(Value::as_str) {
        None => 0,
        Some(cursor) => match found.iter().position(|record| id_of(record) == cursor) {
            Some(last) => last + 1,
            None => return invalid("cursor no es de esta lista; empieza otra vez sin él."),
        },
    };
    let page: Vec<&Record> = found.iter().skip(start).take(limit).copied().collect();
    let next = page.last().filter(|_| start + page.len() < total).map(|record| id_of(record));
    let items: Vec<Value> = page.iter().map(|record| call.shown(kind, record)).collect();
    Ok(json!({
        "items": items,
        "pagination": { "total": total, "returned": page.len(), "next_cursor": next },
    }))
}

/// The thing that a path names, and that has the rest of what the path says.
fn target(call: &Call<'_>, kind: &str) -> Result<Record, Fault> {
    let own = format!("{kind}_id");
    let record = call.named(&own, kind)?;
    for take in call.operation.takes.iter().filter(|take| call.operation.in_path(&take.name)) {
        let asked = call.arguments.id(&take.name);
        if take.name != own && record.get(&take.name).is_none_or(|value| value != asked) {
            return Err(Fault::Absent(kind.to_owned(), id_of(record).to_owned()));
        }
    }
    Ok(record.clone())
}

pub(super) fn get(call: &mut Call<'_>, kind: &str) -> Result<Value, Fault> {
    Ok(call.shown(kind, &target(call, kind)?))
}

/// A thing made of its arguments and of what the table sets.
pub(super) fn create(call: &mut Call<'_>, kind: &str) -> Result<Value, Fault> {
    check_references(call)?;
    let mut members = call.arguments.0.clone();
    members.retain(|_, value| !is_empty(value));
    members.extend(call.operation.sets.clone());
    let record = call.insert(kind, members);
    call.log(&format!("{kind}.created"), id_of(&record));
    Ok(call.shown(kind, &record))
}

/// Puts values into a thing; an empty one clears. An object is merged by its keys in the same way.
fn merge(record: &mut Map<String, Value>, values: Map<String, Value>) {
    for (name, value) in values {
        match (record.get_mut(&name), value) {
            (_, value) if is_empty(&value) => drop(record.shift_remove(&name)),
            (Some(Value::Object(own)), Value::Object(value)) => merge(own, value),
            (_, value) => drop(record.insert(name, value)),
        }
    }
}

pub(super) fn update(call: &mut Call<'_>, kind: &str) -> Result<Value, Fault> {
    let id = id_of(&target(call, kind)?).to_owned();
    check_references(call)?;
    let mut values = call.arguments.0.clone();
    values.retain(|name, _| !call.operation.in_path(name));
    let required = call.table.kinds.get(kind).map(|own| own.required.clone()).unwrap_or_default();
    if let Some(name) = required.iter().find(|name| values.get(*name).is_some_and(is_empty)) {
        return invalid(format!("{name} no puede quedar vacío."));
    }
    if values.is_empty() {
        return invalid("No hay nada que cambiar.");
    }
    change(call, kind, &id, values)
}

/// Sets what the table sets, and what is given beside the path.
pub(super) fn set(call: &mut Call<'_>, kind: &str) -> Result<Value, Fault> {
    let id = id_of(&target(call, kind)?).to_owned();
    check_references(call)?;
    let mut values = call.arguments.0.clone();
    values.retain(|name, _| !call.operation.in_path(name));
    values.extend(call.operation.sets.clone());
    change(call, kind, &id, values)
}

fn change(call: &mut Call<'_>, kind: &str, id: &str, values: Map<String, Value>) -> Result<Value, Fault> {
    let now = call.now.clone();
    let record = call.find_mut(kind, id)?;
    merge(record, values);
    record.insert("updated_at".to_owned(), now.into());
    let record = record.clone();
    call.log(&format!("{kind}.updated"), id);
    Ok(call.shown(kind, &record))
}

pub(super) fn delete(call: &mut Call<'_>, kind: &str) -> Result<Value, Fault> {
    let id = id_of(&target(call, kind)?).to_owned();
    call.remove(kind, &id);
    call.log(&format!("{kind}.deleted"), &id);
    Ok(json!({ "id": id, "deleted": true }))
}

/// A field goes with its value in every item of its collection.
pub(super) fn delete_field(call: &mut Call<'_>) -> Result<Value, Fault> {
    let field = target(call, "field")?;
    let key = field.get("key").and_then(Value::as_str).unwrap_or_default();
    let items = call.room.kinds.entry("item".to_owned()).or_default();
    for item in items.values_mut().filter(|item| item.get("collection_id") == field.get("collection_id")) {
        if let Some(Value::Object(data)) = item.get_mut("data") {
            data.shift_remove(key);
        }
    }
    delete(call, "field")
}

/// How many items a collection has.
pub(super) fn count(call: &mut Call<'_>) -> Result<Value, Fault> {
    check_references(call)?;
    let collection = Value::from(call.arguments.id("collection_id"));
    let count =
        call.room.of("item").filter(|(_, item)| item.get("collection_id") == Some(&collection)).count();
    Ok(json!({ "collection_id": collection, "count": count }))
}
