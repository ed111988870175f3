//! The workspace itself: what the headers say of it, and what was used.

use serde_json::{Value, json};

use super::call::Call;
use super::fault::Fault;

pub(super) fn workspace(call: &mut Call<'_>) -> Result<Value, Fault> {
    let caller = call.caller;
    let count = |kind: &str| call.room.of(kind).count();
    Ok(json!({
        "id": caller.workspace,
        "mode": if caller.test { "test" } else { "live" },
        "contacts": count("contact"),
        "mets": count("met"),
        "collections": count("collection"),
    }))
}

pub(super) fn plan(call: &mut Call<'_>) -> Result<Value, Fault> {
    let features: Vec<_> = call.caller.features.split_whitespace().collect();
    Ok(json!({ "plan": call.caller.plan, "features": features }))
}

pub(super) fn energy(call: &mut Call<'_>) -> Result<Value, Fault> {
    let left = call.caller.credits;
    Ok(json!({ "metered": left.is_some(), "left": left }))
}

pub(super) fn usage(call: &mut Call<'_>) -> Result<Value, Fault> {
    let spent = |(_, run): (_, &super::world::Record)| run.get("energy").and_then(Value::as_u64);
    let energy: u64 = call.room.of("run").filter_map(spent).sum();
    let sent =
        call.room.of("message").filter(|(_, own)| own.get("direction").is_some_and(|way| way == "out"));
    Ok(json!({ "runs": call.room.of("run").count(), "messages_sent": sent.count(), "energy": energy }))
}
