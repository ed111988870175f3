//! Lists of ids inside things: the tags of a contact, the skills of a Met.

use serde_json::Value;

use super::call::Call;
use super::fault::Fault;

pub(super) fn tag(call: &mut Call<'_>) -> Result<Value, Fault> {
    put(call, "contact", "tag", true)
}

pub(super) fn untag(call: &mut Call<'_>) -> Result<Value, Fault> {
    put(call, "contact", "tag", false)
}

pub(super) fn attach(call: &mut Call<'_>) -> Result<Value, Fault> {
    put(call, "met", "skill", true)
}

pub(super) fn detach(call: &mut Call<'_>) -> Result<Value, Fault> {
    put(call, "met", "skill", false)
}

fn put(call: &mut Call<'_>, kind: &str, other: &str, present: bool) -> Result<Value, Fault> {
    let id = call.arguments.id(&format!("{kind}_id")).to_owned();
    let added = call.arguments.id(&format!("{other}_id")).to_owned();
    call.find(kind, &id)?;
    call.find(other, &added)?;
    put_one(call, (kind, &id), (other, &added), present)?;
    call.log(&format!("{kind}.updated"), &id);
    let record = call.find(kind, &id)?;
    Ok(call.shown(kind, record))
}

/// Puts one id into a thing's list, or takes it out.
pub(super) fn put_one(
    call: &mut Call<'_>,
    (kind, id): (&str, &str),
    (other, added): (&str, &str),
    present: bool,
) -> Result<(), Fault> {
    let record = call.find_mut(kind, id)?;
    let ids = record.entry(format!("{other}_ids")).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(ids) = ids {
        ids.retain(|own| own != added);
        if present {
            ids.push(added.into());
        }
    }
    Ok(())
}
