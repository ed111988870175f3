//! Tool name → function.

use jiff::Timestamp;
use serde_json::Value;

use super::data::{self, World};
use super::fault::Fault;
use super::{articles, chat};

/// Answers one call. `subject` is empty where nobody is signed in.
///
/// Pure: the same call at the same time always gets the same answer, and nothing is written.
///
/// # Errors
/// [`Fault`] says in one sentence why not.
pub fn call(subject: &str, tool: &str, arguments: &Value, now: Timestamp) -> Result<Value, Fault> {
    let run: fn(&World, &Asked<'_>) -> Result<Value, Fault> = match tool {
        "list_articles" => articles::list,
        "get_article" => articles::get,
        "search_articles" => articles::search,
        "my_ai_usage" => chat::usage,
        "my_recent_messages" => chat::recent,
        _ => return Err(Fault::NoTool(tool.to_owned())),
    };
    if !arguments.is_object() {
        return Err(Fault::NotAnObject);
    }
    run(data::world().ok_or(Fault::Unreadable)?, &Asked { subject, arguments, now })
}

/// What was asked, by whom and when.
pub(super) struct Asked<'a> {
    subject: &'a str,
    pub(super) arguments: &'a Value,
    pub(super) now: Timestamp,
}

impl Asked<'_> {
    /// Whose call it is.
    pub(super) fn owner(&self) -> Result<&str, Fault> {
        if self.subject.is_empty() { Err(Fault::NoSession) } else { Ok(self.subject) }
    }
}
