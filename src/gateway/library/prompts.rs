//! Prompts: listed from the catalog, got from the worker.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashMap;

use super::super::answer::Answer;
use super::super::call::{Authenticated, Cx, Resolved};
use super::super::library::{self, ReadyPrompt};
use super::super::refusal::Reason;
use super::super::{entitle, methods, rate};
use super::ask::{Question, Said, What, ask};
use crate::mcp::jsonrpc;
use crate::mcp::{contents, result};

/// `prompts/list`, in one page.
///
/// # Errors
/// A cursor, since none was given out.
pub fn list(cx: Cx<'_>, caller: &Authenticated<'_>, call: &Resolved<'_>) -> Result<Answer, Reason> {
    let library = cx.service.library.load();
    if !library.has_prompts {
        return Err(Reason::NoMethod);
    }
    methods::one_page(call)?;
    let mut out = Vec::with_capacity(4 << 10);
    result::open(&mut out, call.id);
    out.extend_from_slice(b"{\"prompts\":");
    let all = library.prompts().map(|prompt| &prompt.ready);
    let everybody = library::write_list(all, caller.caller(), &cx.service.policy, &mut out);
    out.extend_from_slice(methods::caching(call, methods::LIST_TTL, everybody).as_bytes());
    result::close(&mut out, call.version, &cx.service.info.trailer, false);
    Ok(Answer::json(out, "allowed"))
}

/// `prompts/get`.
///
/// # Errors
/// To whom a prompt is hidden, it answers as if it were absent, byte for byte.
pub async fn get(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    body: &Bytes,
) -> Result<Answer, Reason> {
    let library = cx.service.library.load_full();
    if !library.has_prompts {
        return Err(Reason::NoMethod);
    }
    let name = call.params.name.and_then(jsonrpc::text).ok_or(Reason::Params("name is a string"))?;
    let absent = |label| Reason::unknown_prompt(label, &name);
    let Some(prompt) = library.prompt(&name) else {
        return Err(if caller.credential.is_none() {
            Reason::NoCredentials(true)
        } else if library.pending {
            Reason::Unavailable("catalog_pending")
        } else {
            absent("absent")
        });
    };
    let rule = &prompt.ready.rule;
    entitle::guarded(cx, caller, &rule.policy, absent)?;
    rate::read(cx, caller)?;
    let sent = match call.params.arguments.filter(|raw| !jsonrpc::is_null(raw)) {
        Some(given) => {
            complete(prompt, given)?;
            body.slice_ref(given.get().as_bytes())
        }
        None if prompt.required.is_empty() => Bytes::from_static(b"{}"),
        None => return Err(MISSING),
    };
    let gone = Reason::Unavailable("catalog_stale");
    let upstream = cx.service.upstreams.get(prompt.ready.upstream).ok_or(gone.clone())?;
    let question = Question {
        upstream,
        what: What::Prompt(&name, sent),
        timeout: rule.timeout.unwrap_or(upstream.timeout),
    };
    let answer = match ask(cx, caller, call, question).await? {
        Said::Yes(answer) => answer,
        Said::Asks(result) => return methods::asks(cx, call, &result),
        Said::No => return Err(gone),
    };
    let (description, messages) =
        contents::messages(&answer).ok_or(Reason::Unavailable("upstream_answer_unreadable"))?;
    let description = description.map(|text| format!("\"description\":{text},")).unwrap_or_default();
    let members = format!("{description}\"messages\":{messages}");
    let answer = result::answer(call.id, call.version, &cx.service.info.trailer, &members);
    Ok(Answer::json(answer, "allowed"))
}

const MISSING: Reason = Reason::Params("arguments lack one that the prompt needs");

/// Every argument is a text, and none that is needed is missing.
fn complete(prompt: &ReadyPrompt, given: &RawValue) -> Result<(), Reason> {
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Texts(HashMap<String, String>);
    let texts: Texts = serde_json::from_str(given.get())
        .map_err(|_| Reason::Params("arguments of a prompt are an object of strings"))?;
    if prompt.required.iter().all(|name| texts.0.contains_key(name)) { Ok(()) } else { Err(MISSING) }
}
