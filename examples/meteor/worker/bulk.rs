//! Many things at once: all of them or none.

use serde_json::{Value, json};

use super::call::{Call, id_of};
use super::fault::{Fault, invalid};
use super::tags;
use super::world::Record;

/// What a row of contacts may say.
const CONTACT: [&str; 4] = ["name", "phone", "email", "notes"];

/// Creates a thing of every row. Rows of items are their values; rows of contacts have a contact's members.
pub(super) fn import(call: &mut Call<'_>, kind: &str) -> Result<Value, Fault> {
    let rows = call.arguments.list("rows");
    let mut records = Vec::new();
    for (place, row) in rows.into_iter().enumerate() {
        let Value::Object(mut row) = row else { continue };
        if kind == "contact" {
            row.retain(|name, _| CONTACT.contains(&name.as_str()));
            if row.get("name").and_then(Value::as_str).is_none_or(str::is_empty) {
                return invalid(format!("rows[{place}].name es obligatorio."));
            }
            records.push(row);
        } else {
            let collection = id_of(call.named("collection_id", "collection")?);
            let mut record = Record::new();
            record.insert("collection_id".to_owned(), collection.into());
            record.insert("data".to_owned(), Value::Object(row));
            records.push(record);
        }
    }
    let made: Vec<Record> = records.into_iter().map(|record| call.insert(kind, record)).collect();
    let ids: Vec<&str> = made.iter().map(id_of).collect();
    call.log(&format!("{kind}.imported"), ids.first().copied().unwrap_or_default());
    Ok(json!({ "created": ids.len(), "ids": ids }))
}

/// Puts a tag on many contacts.
pub(super) fn tag(call: &mut Call<'_>) -> Result<Value, Fault> {
    let tag = id_of(call.named("tag_id", "tag")?).to_owned();
    let contacts = call.arguments.list("contact_ids");
    let contacts: Vec<&str> = contacts.iter().filter_map(Value::as_str).collect();
    for id in &contacts {
        call.find("contact", id)?;
    }
    for id in &contacts {
        tags::put_one(call, ("contact", id), ("tag", &tag), true)?;
    }
    call.log("tag.put", &tag);
    Ok(json!({ "tag_id": tag, "tagged": contacts.len() }))
}

/// The things of a kind with the same name or shortcut.
fn namesakes(call: &Call<'_>, kind: &str, member: &str, value: Option<&Value>) -> Vec<String> {
    let own = call.room.of(kind).map(|(_, record)| record);
    own.filter(|record| value.is_some() && record.get(member) == value)
        .map(|own| id_of(own).to_owned())
        .collect()
}

/// Installs a snapshot in the place of what is called the same.
pub(super) fn install(call: &mut Call<'_>) -> Result<Value, Fault> {
    let snapshot = call.named("snapshot_id", "snapshot")?.clone();
    let parts = |name: &str| snapshot.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let (mut replaced, mut installed) = (0, Vec::new());
    for (list, kind, member) in
        [("collections", "collection", "name"), ("quick_replies", "quick_reply", "shortcut")]
    {
        for part in parts(list) {
            let Value::Object(mut part) = part else { continue };
            for old in namesakes(call, kind, member, part.get(member)) {
                call.remove(kind, &old);
                replaced += 1;
            }
            let fields = part.shift_remove("fields");
            let made = id_of(&call.insert(kind, part)).to_owned();
            for field in fields.as_ref().and_then(Value::as_array).into_iter().flatten() {
                let Value::Object(mut field) = field.clone() else { continue };
                field.insert("collection_id".to_owned(), made.clone().into());
                call.insert("field", field);
            }
            installed.push(made);
        }
    }
    call.log("snapshot.installed", id_of(&snapshot));
    Ok(json!({ "snapshot_id": id_of(&snapshot), "installed": installed, "replaced": replaced }))
}
