//! Tool name → function.

use serde_json::Value;

use super::Answer;
use super::data::{self, World};
use super::fault::Fault;
use super::{actions, meetings, shared, transcript};

type Tool = fn(&World, &str, &Value) -> Result<Value, Fault>;

/// Answers one call. Pure: the same call always gets the same answer, and nothing is written.
pub fn call(subject: &str, tool: &str, arguments: &Value) -> Answer {
    match answer(subject, tool, arguments) {
        Ok(body) => Answer { status: 200, body },
        Err(fault) => fault.into(),
    }
}

fn answer(subject: &str, tool: &str, arguments: &Value) -> Result<Value, Fault> {
    let run = find(tool).ok_or_else(|| Fault::NoTool(tool.to_owned()))?;
    if !arguments.is_object() {
        return Err(Fault::NotAnObject);
    }
    run(data::world().ok_or(Fault::Unreadable)?, subject, arguments)
}

fn find(tool: &str) -> Option<Tool> {
    Some(match tool {
        "list_meetings" => meetings::list,
        "get_meeting" => meetings::get,
        "get_meeting_transcript" => transcript::get,
        "get_recurring_meeting_history" => meetings::history,
        "search_meetings" => meetings::search,
        "list_pending_action_items" => actions::pending,
        "search_shared_notes" => shared::search,
        "get_shared_note" => shared::get,
        _ => return None,
    })
}
