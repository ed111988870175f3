//! Why a tool could not answer.

use serde_json::json;

use super::Answer;

/// Each case is one sentence for the model and one status for the gateway.
#[derive(Debug)]
pub(super) enum Fault {
    NotAnObject,
    Missing(&'static str),
    NotText(&'static str),
    NoMeeting(String),
    NoSharedNote(String),
    NoTool(String),
    Unreadable,
}

impl From<Fault> for Answer {
    fn from(fault: Fault) -> Self {
        let (status, error) = match fault {
            Fault::NotAnObject => (400, "arguments must be a JSON object".to_owned()),
            Fault::Missing(name) => (400, format!("{name} is required")),
            Fault::NotText(name) => (400, format!("{name} must be a string")),
            // Somebody else's meeting reads the same as none: the answer must not tell that it exists.
            Fault::NoMeeting(id) => (404, format!("meeting '{id}' not found")),
            Fault::NoSharedNote(id) => (404, format!("shared note '{id}' not found")),
            Fault::NoTool(name) => (404, format!("unknown tool '{name}'")),
            Fault::Unreadable => (500, "the meetings could not be read".to_owned()),
        };
        Self { status, body: json!({ "error": error }) }
    }
}
