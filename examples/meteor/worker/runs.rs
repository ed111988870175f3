//! What runs: Mets, Functions, automations, integrations. The sample runs nothing for real: a run says what it was
//! asked, and that is written down.

use serde_json::{Value, json};

use super::call::{Call, id_of};
use super::fault::{Fault, invalid};
use super::world::Record;

/// Runs a thing.
pub(super) fn run(call: &mut Call<'_>, kind: &str) -> Result<Value, Fault> {
    let target = call.named(&format!("{kind}_id"), kind)?.clone();
    let input = ["input", "payload"].iter().find_map(|name| call.arguments.given(name)).cloned();
    Ok(keep(call, kind, &target, input))
}

/// Runs one of an integration's actions.
pub(super) fn act(call: &mut Call<'_>) -> Result<Value, Fault> {
    let target = call.named("integration_id", "integration")?.clone();
    let action = call.arguments.0.get("action").cloned().unwrap_or_default();
    let known = target.get("actions").and_then(Value::as_array).cloned().unwrap_or_default();
    if !known.contains(&action) {
        let names: Vec<_> = known.iter().filter_map(Value::as_str).collect();
        return invalid(format!("action tiene que ser una de: {}.", names.join(", ")));
    }
    let input = json!({ "action": action, "payload": call.arguments.given("payload") });
    Ok(keep(call, "integration", &target, Some(input)))
}

fn keep(call: &mut Call<'_>, kind: &str, target: &Record, input: Option<Value>) -> Value {
    let name = target.get("name").and_then(Value::as_str).unwrap_or_default();
    let mut run = Record::new();
    run.insert(format!("{kind}_id"), id_of(target).into());
    run.extend(input.map(|input| ("input".to_owned(), input)));
    run.insert("status".to_owned(), "completed".into());
    run.insert(
        "output".to_owned(),
        format!("{name}: la muestra no ejecuta nada; queda escrito lo que se pidió.").into(),
    );
    let energy = if call.caller.test { 0 } else { call.operation.energy };
    run.insert("energy".to_owned(), energy.into());
    run.insert("mode".to_owned(), if call.caller.test { "test" } else { "live" }.into());
    let run = call.insert("run", run);
    call.log(&format!("{kind}.ran"), id_of(target));
    Value::Object(run)
}

/// Other credentials in the place of those there are; they are never shown.
pub(super) fn credentials(call: &mut Call<'_>) -> Result<Value, Fault> {
    let id = id_of(call.named("integration_id", "integration")?).to_owned();
    let new = call.arguments.0.get("credentials").cloned().unwrap_or_default();
    let now = call.now.clone();
    let own = call.find_mut("integration", &id)?;
    own.insert("credentials".to_owned(), new);
    own.insert("credentials_replaced_at".to_owned(), now.into());
    let own = own.clone();
    call.log("integration.credentials_replaced", &id);
    Ok(call.shown("integration", &own))
}
