//! The workspace itself: what the headers say of it, and what was used.

use serde_json::{Value, json};

use super::call::Call;

pub(super) fn workspace(call: &Call<'_>) -> Value {
    let caller = call.caller;
    let count = |kind: &str| call.room.of(kind).count();
    json!({
        "id": caller.workspace,
        "mode": if caller.test { "test" } else { "live" },
        "contacts": count("contact"),
        "mets": count("met"),
        "collections": count("collection"),
    })
}

pub(super) fn plan(call: &Call<'_>) -> Value {
    let features: Vec<_> = call.caller.features.split_whitespace().collect();
    json!({ "plan": call.caller.plan, "features": features })
}

pub(super) fn energy(call: &Call<'_>) -> Value {
    let left = call.caller.credits;
    json!({ "metered": left.is_some(), "left": left })
}

pub(super) fn usage(call: &Call<'_>) -> Value {
    let spent = |(_, run): (_, &super::world::Record)| run.get("energy").and_then(Value::as_u64);
    let energy: u64 = call.room.of("run").filter_map(spent).sum();
    let messages =
        call.room.of("message").filter(|(_, own)| own.get("direction").is_some_and(|way| way == "out"));
    json!({ "runs": call.room.of("run").count(), "messages_sent": messages.count(), "energy": energy })
}
