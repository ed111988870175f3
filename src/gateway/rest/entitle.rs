//! Step 4 of a generic call: it becomes a call of the operation that it names, and is decided as that.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::call::{Authenticated, Cx, Entitled, Frame, Resolved};
use super::super::entitle::denied;
use super::super::refusal::Reason;
use super::super::service::Service;
use super::Operations;
use super::operations::{Entry, call_name};
use crate::domain::decide::{self, Caller, Denial};
use crate::mcp::arguments::is_intent;
use crate::mcp::jsonrpc::{self, Params};

/// What a generic call says beside the operation's arguments.
pub struct Spoken<'b> {
    /// True only if `confirm` was JSON `true`.
    pub confirmed: bool,
    /// `user_intent`, if it was a text of the right length.
    pub intent: Option<Cow<'b, str>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked<'b> {
    #[serde(borrow)]
    operation: Cow<'b, str>,
    #[serde(borrow, default)]
    arguments: Option<&'b RawValue>,
    #[serde(borrow, default)]
    confirm: Option<&'b RawValue>,
    #[serde(borrow, default)]
    user_intent: Option<&'b RawValue>,
}

/// The operation of a generic call, if this caller may use it. It stands in the tool's place from here on.
///
/// # Errors
/// Those of the operation; what is hidden answers as if it were absent, byte for byte.
pub fn operation<'b>(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    mut call: Resolved<'b>,
    operations: &Operations,
    frame: &mut Frame<'b>,
) -> Result<Entitled<'b>, Reason> {
    let asked = read(call.params.arguments, operations)?;
    let entry = match reached(cx.service, caller.caller(), operations, &asked.operation) {
        Ok(entry) => entry,
        Err((entry, reason)) => {
            frame.tool = entry.map(|entry| Arc::clone(&entry.tool));
            return Err(reason);
        }
    };
    frame.tool = Some(Arc::clone(&entry.tool));
    let spoken = Spoken {
        confirmed: asked.confirm.is_some_and(|raw| raw.get() == "true"),
        intent: asked.user_intent.and_then(jsonrpc::text).filter(|text| is_intent(text)),
    };
    call.params = Params { arguments: asked.arguments, ..call.params };
    Ok(Entitled { call, tool: Arc::clone(&entry.tool), spoken: Some(spoken) })
}

fn read<'b>(given: Option<&'b RawValue>, operations: &Operations) -> Result<Asked<'b>, Reason> {
    let text = given.map_or("{}", RawValue::get);
    let asked: Asked<'b> = serde_json::from_str(text).map_err(|_| {
        let name = call_name(&operations.prefix);
        Reason::Arguments(
            format!("{name} takes operation, a text, and arguments, an object; confirm and user_intent where the operation asks for them; each once.")
                .into(),
        )
    })?;
    match asked.arguments {
        Some(raw) if !jsonrpc::is_object(raw) => Err(Reason::Arguments("arguments is an object.".into())),
        _ => Ok(asked),
    }
}

/// An operation that a caller may call; or why not, and which one it is, if that may be known.
type Reached<'o> = Result<&'o Entry, (Option<&'o Entry>, Reason)>;

/// The operation of an id, under its policy. What is kept away from models is told to whoever could use it otherwise.
pub fn reached<'o>(service: &Service, who: Caller<'_>, operations: &'o Operations, id: &str) -> Reached<'o> {
    let absent = |label| Reason::unknown_operation(label, id, operations.search_name());
    let Some(entry) = operations.get(id) else {
        let reason = if who.credential.is_none() { Reason::NoCredentials(true) } else { absent("absent") };
        return Err((None, reason));
    };
    let denial = decide::decide(who, &service.policy, &entry.tool.policy).err();
    match (&denial, &entry.barred) {
        (Some(denial @ (Denial::Unknown(_) | Denial::Unauthorized)), _) => {
            Err((None, denied(&service.policy, who, denial, absent)))
        }
        (_, Some(barred)) => Err((None, Reason::Excluded(Arc::clone(barred)))),
        (Some(denial), None) => Err((Some(entry), denied(&service.policy, who, denial, absent))),
        (None, None) => Ok(entry),
    }
}
