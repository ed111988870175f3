//! The tools that list, show and search meetings.

use serde_json::{Value, json};

use super::arguments::{optional, required};
use super::data::{Facts, Meeting, World};
use super::fault::Fault;
use super::page::Window;
use super::text::{fold, holds};

/// `list_meetings`: the total is not told, since a store behind it would not want to count.
pub(super) fn list(world: &World, owner: &str, arguments: &Value) -> Result<Value, Fault> {
    let query = optional(arguments, "query")?.map(fold).unwrap_or_default();
    let series = optional(arguments, "series_id")?;
    let window = Window::usual(arguments);
    let found = facts_where(world, owner, |meeting| {
        let facts = &meeting.facts;
        series.is_none_or(|id| facts.series_id.as_deref() == Some(id))
            && (holds(&facts.title, &query) || holds(&facts.id, &query))
    });
    let page = window.cut(&found);
    Ok(json!({ "meetings": page, "pagination": window.untold(page.len(), found.len()) }))
}

/// `get_meeting`: all but the words.
pub(super) fn get(world: &World, owner: &str, arguments: &Value) -> Result<Value, Fault> {
    let meeting = named(world, owner, arguments)?;
    serde_json::to_value(meeting).map_err(|_| Fault::Unreadable)
}

/// `get_recurring_meeting_history`: the asked meeting is in it too.
pub(super) fn history(world: &World, owner: &str, arguments: &Value) -> Result<Value, Fault> {
    let series = named(world, owner, arguments)?.facts.series_id.as_deref();
    let found =
        facts_where(world, owner, |meeting| series.is_some() && meeting.facts.series_id.as_deref() == series);
    Ok(counted(&found, Window::usual(arguments)))
}

/// `search_meetings`: titles and summaries, neither notes nor words.
pub(super) fn search(world: &World, owner: &str, arguments: &Value) -> Result<Value, Fault> {
    let query = fold(required(arguments, "query")?);
    let found = facts_where(world, owner, |meeting| {
        holds(&meeting.facts.title, &query)
            || meeting.summaries.iter().any(|summary| holds(&summary.markdown, &query))
    });
    Ok(counted(&found, Window::usual(arguments)))
}

/// The meeting that `meeting_id` names, if it is the owner's.
pub(super) fn named<'a>(world: &'a World, owner: &str, arguments: &Value) -> Result<&'a Meeting, Fault> {
    let id = required(arguments, "meeting_id")?;
    world
        .meetings_of(owner)
        .find(|meeting| meeting.facts.id == id)
        .ok_or_else(|| Fault::NoMeeting(id.to_owned()))
}

fn facts_where<'a>(world: &'a World, owner: &str, keep: impl Fn(&Meeting) -> bool) -> Vec<&'a Facts> {
    world.meetings_of(owner).filter(|meeting| keep(meeting)).map(|meeting| &meeting.facts).collect()
}

fn counted(found: &[&Facts], window: Window) -> Value {
    let page = window.cut(found);
    json!({ "meetings": page, "pagination": window.of_total(page.len(), found.len()) })
}
