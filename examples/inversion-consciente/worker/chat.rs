//! The tools of the person: their own conversations with the site's assistant, and nobody else's.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::arguments::limit;
use super::data::{Message, Role, World};
use super::fault::Fault;
use super::tools::Asked;

/// `my_ai_usage`: the questions of today, by UTC.
pub(super) fn usage(world: &World, asked: &Asked<'_>) -> Result<Value, Fault> {
    let owner = asked.owner()?;
    let today = date(asked.now);
    let used = world
        .messages_of(owner)
        .filter(|message| message.role == Role::User && date(said_at(message, asked.now)) == today)
        .count();
    let most = world.daily_limit_of(owner);
    let midnight = today.tomorrow().and_then(|day| TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0)));
    Ok(json!({
        "date": today.to_string(),
        "messages_used": used,
        "messages_limit": most,
        "messages_remaining": most.saturating_sub(used),
        "resets_at": midnight.map_err(|_| Fault::Unreadable)?.to_string(),
    }))
}

/// `my_recent_messages`: questions and answers, latest first; 10 unless told, 50 at most.
pub(super) fn recent(world: &World, asked: &Asked<'_>) -> Result<Value, Fault> {
    let found = world.messages_of(asked.owner()?).take(limit(asked.arguments, 10, 50));
    Ok(found
        .map(|message| {
            json!({
                "id": message.id,
                "conversation_id": message.conversation_id,
                "role": message.role,
                "content": message.content,
                "created_at": said_at(message, asked.now).to_string(),
            })
        })
        .collect())
}

fn date(when: Timestamp) -> Date {
    TimeZone::UTC.to_datetime(when).date()
}

/// To the second, and before now: the sample conversations never grow old.
fn said_at(message: &Message, now: Timestamp) -> Timestamp {
    let ago = SignedDuration::from_mins(message.minutes_ago);
    let second = Timestamp::from_second(now.as_second()).unwrap_or(now);
    second.checked_sub(ago).unwrap_or(Timestamp::MIN)
}
