//! A partner's own: who it is and what it earns. Which partner that is, the headers say.

use serde_json::{Value, json};

use super::call::{Call, id_of};
use super::fault::Fault;

pub(super) fn profile(call: &Call<'_>) -> Value {
    let own = call.room.of("profile").next().map(|(_, profile)| profile.clone()).unwrap_or_default();
    json!({ "id": own.get("id"), "name": own.get("name"), "clients": call.room.of("client").count() })
}

pub(super) fn usage(call: &mut Call<'_>) -> Result<Value, Fault> {
    let client = call.named("client_id", "client")?;
    let energy = client.get("energy_used").and_then(Value::as_u64).unwrap_or_default();
    Ok(json!({ "client_id": id_of(client), "energy": energy }))
}

pub(super) fn earnings(call: &Call<'_>) -> Value {
    let amounts = call.room.of("commission").filter_map(|(_, own)| own.get("amount").and_then(Value::as_u64));
    json!({ "total": amounts.sum::<u64>(), "currency": "COP" })
}
