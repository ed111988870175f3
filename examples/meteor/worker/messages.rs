//! Messages that go out, one by one and to many.

use serde_json::{Value, json};

use super::call::{Call, id_of};
use super::fault::Fault;
use super::records;

/// Sends a message, unless a person attends to the conversation.
pub(super) fn send(call: &mut Call<'_>) -> Result<Value, Fault> {
    let conversation = call.named("conversation_id", "conversation")?;
    let silenced = match conversation.get("autopilot").and_then(Value::as_str) {
        Some("off") => Some("el piloto automático está apagado"),
        Some("paused") => Some("el piloto automático está en pausa"),
        _ if conversation.get("human_requested") == Some(&Value::Bool(true)) => {
            Some("el contacto pidió hablar con una persona")
        }
        _ => None,
    };
    if let Some(why) = silenced {
        return Err(Fault::Conflict(
            "autopilot_silenced",
            format!("No se envió nada: {why}."),
            "Una persona atiende esta conversación. Avísale y no repitas el envío.",
        ));
    }
    let id = id_of(conversation).to_owned();
    let text = call.arguments.0.get("text").cloned();
    let message = json!({ "conversation_id": id, "direction": "out", "text": text });
    let Value::Object(message) = message else { return Err(Fault::Unknown("el mensaje".to_owned())) };
    let message = call.insert("message", message);
    let now = call.now.clone();
    call.find_mut("conversation", &id)?.insert("last_message_at".to_owned(), now.into());
    call.log("message.sent", id_of(&message));
    Ok(Value::Object(message))
}

/// The contacts that a tag reaches.
fn reached(call: &Call<'_>) -> Vec<Value> {
    let tag = Value::from(call.arguments.id("tag_id"));
    let has = |tags: &Value| tags.as_array().is_some_and(|tags| tags.contains(&tag));
    let contacts = call.room.of("contact").map(|(_, contact)| contact);
    contacts.filter(|own| own.get("tag_ids").is_some_and(has)).map(|own| id_of(own).into()).collect()
}

pub(super) fn audience(call: &mut Call<'_>) -> Result<Value, Fault> {
    call.named("tag_id", "tag")?;
    let contacts = reached(call);
    Ok(
        json!({ "tag_id": call.arguments.id("tag_id"), "recipients": contacts.len(), "contact_ids": contacts }),
    )
}

/// Creates a broadcast; one without a time is out at once.
pub(super) fn broadcast(call: &mut Call<'_>) -> Result<Value, Fault> {
    let recipients = reached(call).len();
    let later = call.arguments.given("send_at").is_some();
    let sets = json!({ "status": if later { "scheduled" } else { "sent" }, "recipients": recipients });
    if let Value::Object(sets) = sets {
        call.arguments.0.extend(sets);
    }
    records::create(call, "broadcast")
}

pub(super) fn report(call: &mut Call<'_>) -> Result<Value, Fault> {
    let broadcast = call.named("broadcast_id", "broadcast")?;
    let recipients = broadcast.get("recipients").and_then(Value::as_u64).unwrap_or_default();
    let sent = broadcast.get("status").is_some_and(|status| status == "sent");
    Ok(json!({
        "broadcast_id": id_of(broadcast),
        "status": broadcast.get("status"),
        "recipients": recipients,
        "delivered": if sent { recipients } else { 0 },
    }))
}
