//! What the gateway answers by itself: operations that are found and described.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::answer::Answer;
use super::super::call::{Authenticated, Cx};
use super::super::credits;
use super::super::dispatch::Finish;
use super::super::policy::Permitted;
use super::super::refusal::Reason;
use super::super::service::Service;
use super::generic::{MAX_QUERY, MOST_FOUND, USUALLY_FOUND};
use super::{Generic, Operations, describe, entitle};
use crate::config::Language;
use crate::domain::decide::{Caller, Visibility, visibility};
use crate::store::credits::Outcome;
use crate::upstream::worker;

/// Answers a permitted call of a generic tool. It is charged like any other, once it has an answer.
///
/// # Errors
/// Arguments that say nothing, an operation that the caller does not see, and those of credits.
pub async fn answer(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Permitted<'_>,
    generic: &Generic,
) -> Result<Answer, Reason> {
    let said = match generic {
        Generic::Search(operations) => found(cx, caller.caller(), operations, call.body())?,
        Generic::Describe(operations) => described(cx.service, caller.caller(), operations, call.body())?,
        // it became a call of an operation before it was decided on
        Generic::Call(_) => return Err(Reason::Unavailable("generic_call")),
    };
    if let Some(charge) = credits::reserve(cx, caller, call, None).await? {
        charge.settle(Outcome::Done).await;
    }
    let said = worker::Answer::Json(Bytes::from(said.to_string()));
    Ok(Answer::json(Finish::of(cx, call).whole(&said)?, "allowed"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    query: String,
    #[serde(default)]
    limit: Option<usize>,
}

fn found(cx: Cx<'_>, who: Caller<'_>, operations: &Operations, sent: &[u8]) -> Result<Value, Reason> {
    let wanted: Wanted = serde_json::from_slice(sent).map_err(|_| {
        Reason::Arguments("The search takes query, a text, and limit, a whole number; each once.".into())
    })?;
    let (length, limit) = (wanted.query.chars().count(), wanted.limit.unwrap_or(USUALLY_FOUND));
    if wanted.query.trim().is_empty() || length > MAX_QUERY || !(1..=MOST_FOUND).contains(&limit) {
        return Err(Reason::Arguments(
            format!("query has 1 to {MAX_QUERY} characters, and limit is 1 to {MOST_FOUND}.").into(),
        ));
    }
    let seen = |at: usize| {
        operations.at(at).is_some_and(|entry| {
            let policy = (&cx.service.policy, &entry.tool.policy);
            entry.barred.is_none() && visibility(who, policy.0, policy.1) != Visibility::Hidden
        })
    };
    let all = operations.api.index.search(&wanted.query, seen);
    let entries = all.iter().filter_map(|at| operations.at(*at));
    let lines: Vec<Value> =
        entries.filter_map(|entry| describe::line(cx.service, who, entry)).take(limit).collect();
    let mut said = json!({"operations": lines, "total": all.len()});
    if all.is_empty()
        && let Some(members) = said.as_object_mut()
    {
        members.insert("hint".into(), nothing(cx.gateway.language).into());
    }
    Ok(said)
}

const fn nothing(language: Language) -> &'static str {
    match language {
        Language::En => "Nothing fits. Try other or fewer words: what is acted on, and what is done to it.",
        Language::Es => {
            "Nada encaja. Prueba con otras palabras o con menos: sobre qué se actúa y qué se le hace."
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    operation: String,
}

fn described(
    service: &Service,
    who: Caller<'_>,
    operations: &Operations,
    sent: &[u8],
) -> Result<Value, Reason> {
    let Named { operation: id } = serde_json::from_slice(sent).map_err(|_| {
        Reason::Arguments("The description takes operation, a text, and nothing else.".into())
    })?;
    let refused = match entitle::reached(service, who, operations, &id) {
        Err((None, reason)) => return Err(reason),
        Err((Some(_), reason)) => Some(reason),
        Ok(_) => None,
    };
    // what is listed although it cannot be called now is described too
    let whole = operations.get(&id).and_then(|entry| describe::whole(service, who, entry));
    whole.ok_or_else(|| refused.unwrap_or(Reason::Unavailable("operation_gone")))
}
