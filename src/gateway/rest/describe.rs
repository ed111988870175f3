//! What is said of operations: a line each where they are found, everything where one is described.

use serde_json::{Map, Value, json};

use super::super::catalog::lock;
use super::super::service::Service;
use super::super::validate::short;
use super::operations::Entry;
use crate::domain::decide::{self, Caller, Visibility};
use crate::domain::tool::Confirm;

const MAX_SUMMARY: usize = 300;

/// A line of what is found. `None` if this caller does not see it.
pub fn line(service: &Service, who: Caller<'_>, entry: &Entry) -> Option<Value> {
    let mut line = head(service, who, entry)?;
    line.insert("scope".into(), scope(entry));
    line.insert("confirm".into(), confirm(entry));
    Some(Value::Object(line))
}

/// Everything about one. `None` if this caller does not see it.
pub fn whole(service: &Service, who: Caller<'_>, entry: &Entry) -> Option<Value> {
    let mut whole = head(service, who, entry)?;
    let operation = &entry.operation;
    if !operation.description.trim().is_empty() {
        whole.insert("description".into(), operation.description.trim().into());
    }
    whole.insert("parameters".into(), operation.input_schema());
    whole.insert("scope".into(), scope(entry));
    let others: Vec<String> = entry.tool.policy.alternatives.iter().map(ToString::to_string).collect();
    if !others.is_empty() {
        whole.insert("scope_alternatives".into(), others.into());
    }
    whole.insert("confirm".into(), confirm(entry));
    // the confirmation is no part of it: that is for the person to give
    let example = operation.example();
    whole.insert(
        "example".into(),
        example.map_or(Value::Null, |arguments| json!({"operation": operation.id, "arguments": arguments})),
    );
    Some(Value::Object(whole))
}

fn head(service: &Service, who: Caller<'_>, entry: &Entry) -> Option<Map<String, Value>> {
    let locked = match decide::visibility(who, &service.policy, &entry.tool.policy) {
        Visibility::Hidden => return None,
        Visibility::Listed => None,
        Visibility::Locked(lack, feature) => Some(lock(service, lack, feature)),
    };
    let operation = &entry.operation;
    let mut head = Map::new();
    head.insert("operation".into(), operation.id.as_str().into());
    head.insert("method".into(), operation.method.as_str().into());
    head.insert("path".into(), operation.path.as_str().into());
    let said = if operation.summary.trim().is_empty() { &operation.description } else { &operation.summary };
    if !said.trim().is_empty() {
        head.insert("summary".into(), short(said.trim(), MAX_SUMMARY).into());
    }
    if operation.deprecated {
        head.insert("deprecated".into(), true.into());
    }
    if let Some(locked) = locked {
        head.insert("locked".into(), locked);
    }
    Some(head)
}

/// The scopes that a call needs, as OAuth writes them; empty if none is needed.
fn scope(entry: &Entry) -> Value {
    let policy = &entry.tool.policy;
    if policy.public { Value::from("") } else { Value::from(policy.scopes.to_string()) }
}

fn confirm(entry: &Entry) -> Value {
    match entry.tool.policy.confirm {
        Confirm::No => false.into(),
        Confirm::Yes => true.into(),
        Confirm::Intent => "intent".into(),
    }
}
