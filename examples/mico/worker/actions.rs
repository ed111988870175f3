//! The tool that lists what is still to be done.

use serde::Serialize;
use serde_json::{Value, json};

use super::data::{ActionItem, State, World};
use super::fault::Fault;
use super::page::Window;

#[derive(Serialize)]
struct Pending<'a> {
    #[serde(flatten)]
    item: &'a ActionItem,
    meeting_id: &'a str,
    meeting_title: &'a str,
}

/// `list_pending_action_items`: ordered by the item's own time, which may be later than its meeting.
#[expect(clippy::unnecessary_wraps, reason = "one signature for every tool")]
pub(super) fn pending(world: &World, owner: &str, arguments: &Value) -> Result<Value, Fault> {
    let window = Window::usual(arguments);
    let mut found: Vec<Pending> = world
        .meetings_of(owner)
        .flat_map(|meeting| {
            meeting.action_items.iter().map(|item| Pending {
                item,
                meeting_id: &meeting.facts.id,
                meeting_title: &meeting.facts.title,
            })
        })
        .filter(|pending| matches!(pending.item.status, State::Todo | State::InProgress))
        .collect();
    found.sort_by(|a, b| b.item.created_at.cmp(&a.item.created_at));
    let page = window.cut(&found);
    Ok(json!({ "action_items": page, "pagination": window.of_total(page.len(), found.len()) }))
}
