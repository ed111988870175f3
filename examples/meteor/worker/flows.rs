//! Flows: a draft of steps, and what is published of it.

use serde_json::{Value, json};

use super::call::{Call, id_of};
use super::fault::{Fault, invalid};
use super::world::Record;

/// Kinds of steps.
const STEPS: [&str; 6] = ["message", "question", "condition", "met", "function", "wait"];

fn steps(call: &Call<'_>, flow: &str) -> Vec<Record> {
    let own = call.room.of("step").map(|(_, step)| step);
    own.filter(|step| step.get("flow_id").is_some_and(|id| id == flow)).cloned().collect()
}

fn flow(call: &Call<'_>) -> Result<Record, Fault> {
    call.named("flow_id", "flow").cloned()
}

pub(super) fn draft(call: &mut Call<'_>) -> Result<Value, Fault> {
    let flow = flow(call)?;
    Ok(json!({ "flow_id": id_of(&flow), "version": flow.get("version"), "steps": steps(call, id_of(&flow)) }))
}

/// Other steps in the place of the draft's; all of them or none.
pub(super) fn replace(call: &mut Call<'_>) -> Result<Value, Fault> {
    let flow = id_of(&flow(call)?).to_owned();
    let new = call.arguments.list("steps");
    let known = |step: &Value| step["type"].as_str().is_some_and(|kind| STEPS.contains(&kind));
    if let Some(place) = new.iter().position(|step| !known(step)) {
        return invalid(format!("steps[{place}].type tiene que ser uno de: {}.", STEPS.join(", ")));
    }
    for old in steps(call, &flow) {
        call.remove("step", id_of(&old));
    }
    for step in new {
        let mut own = Record::new();
        own.insert("flow_id".to_owned(), flow.clone().into());
        for name in ["type", "settings"] {
            own.extend(step.get(name).map(|value| (name.to_owned(), value.clone())));
        }
        call.insert("step", own);
    }
    call.log("flow.updated", &flow);
    draft(call)
}

/// What keeps a draft from being published.
fn faults(steps: &[Record]) -> Vec<String> {
    let silent = steps.iter().filter(|step| {
        let text = step.get("settings").and_then(|settings| settings.get("text")).and_then(Value::as_str);
        step.get("type").is_some_and(|kind| kind == "message") && text.is_none_or(str::is_empty)
    });
    let mut faults: Vec<_> = silent.map(|step| format!("El paso {} no tiene texto.", id_of(step))).collect();
    if steps.is_empty() {
        faults.push("El borrador no tiene pasos.".to_owned());
    }
    faults
}

pub(super) fn validate(call: &mut Call<'_>) -> Result<Value, Fault> {
    let flow = flow(call)?;
    let faults = faults(&steps(call, id_of(&flow)));
    Ok(json!({ "flow_id": id_of(&flow), "valid": faults.is_empty(), "faults": faults }))
}

pub(super) fn publish(call: &mut Call<'_>) -> Result<Value, Fault> {
    let flow = flow(call)?;
    let steps = steps(call, id_of(&flow));
    let faults = faults(&steps);
    if !faults.is_empty() {
        let hint = "Corrige el borrador y vuelve a publicar.";
        return Err(Fault::Conflict("draft_invalid", faults.join(" "), hint));
    }
    let version = flow.get("version").and_then(Value::as_u64).unwrap_or_default() + 1;
    let published: Vec<Value> = steps
        .iter()
        .map(|step| json!({ "type": step.get("type"), "settings": step.get("settings") }))
        .collect();
    let own = call.find_mut("flow", id_of(&flow))?;
    for (name, value) in
        [("status", json!("published")), ("version", json!(version)), ("published", json!(published))]
    {
        own.insert(name.to_owned(), value);
    }
    let own = own.clone();
    call.log("flow.published", id_of(&own));
    Ok(Value::Object(own))
}
