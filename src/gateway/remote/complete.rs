//! `completion/complete`: suggestions for an argument of a prompt or of a resource template, from the server that
//! offers it, to whoever may use it.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::super::answer::Answer;
use super::super::call::{Authenticated, Cx, Resolved};
use super::super::library::{Library, Ready};
use super::super::refusal::Reason;
use super::super::service::Source;
use super::super::{entitle, rate};
use super::read::{Question, Said, ask};
use crate::mcp::jsonrpc::{self, is_object, text};
use crate::mcp::result;

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "ref")]
    of: &'a RawValue,
    #[serde(borrow)]
    argument: &'a RawValue,
    #[serde(borrow, default)]
    context: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Reference<'a> {
    #[serde(borrow, rename = "type")]
    kind: &'a RawValue,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Completed<'a> {
    #[serde(borrow)]
    completion: &'a RawValue,
}

const SHAPE: Reason = Reason::Params("ref and argument say what is completed");
const NOTHING: &str = "{\"values\":[]}";

/// Answers, with nothing where the upstream knows of no completions.
///
/// # Errors
/// A prompt or template that this caller may not use is answered as if it were absent.
pub async fn complete(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    body: &Bytes,
) -> Result<Answer, Reason> {
    let library = cx.service.library.load_full();
    if !library.completes {
        return Err(Reason::NoMethod);
    }
    let Request { params } = serde_json::from_slice(body).map_err(|_| SHAPE)?;
    if !is_object(params.of) || !is_object(params.argument) {
        return Err(SHAPE);
    }
    let ready = found(cx, caller, &library, params.of)?;
    rate::read(cx, caller)?;
    let answered = asked(cx, caller, call, ready, &params).await?;
    let completion = match &answered {
        None => NOTHING,
        Some(body) => {
            let read: Option<Completed<'_>> = serde_json::from_slice(body).ok();
            let values = read.map(|read| read.completion).filter(|raw| is_object(raw));
            values.ok_or(Reason::Unavailable("upstream_answer_unreadable"))?.get()
        }
    };
    let members = format!("\"completion\":{completion}");
    Ok(Answer::json(result::answer(call.id, call.version, &cx.service.info.trailer, &members), "allowed"))
}

/// What is completed, if this caller may use it.
fn found<'l>(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    library: &'l Library,
    of: &RawValue,
) -> Result<&'l Ready, Reason> {
    let of: Reference<'_> = serde_json::from_str(of.get()).map_err(|_| SHAPE)?;
    match text(of.kind).as_deref() {
        Some("ref/prompt") => {
            let name = of.name.and_then(text).ok_or(SHAPE)?;
            let absent = |label| Reason::unknown_prompt(label, &name);
            let ready = &library.prompt(&name).ok_or_else(|| nobodys(caller, absent("absent")))?.ready;
            entitle::guarded(cx, caller, &ready.rule.policy, absent)?;
            Ok(ready)
        }
        Some("ref/resource") => {
            let uri = of.uri.and_then(text).ok_or(SHAPE)?;
            let absent = |label| Reason::NoResource(label, uri.as_ref().into());
            let ready = library.template(&uri).ok_or_else(|| nobodys(caller, absent("absent")))?;
            entitle::guarded(cx, caller, &ready.rule.policy, absent)?;
            Ok(ready)
        }
        _ => Err(SHAPE),
    }
}

/// Anonymous callers are told the same of what is absent and of what is not theirs.
fn nobodys(caller: &Authenticated<'_>, absent: Reason) -> Reason {
    if caller.credential.is_none() { Reason::NoCredentials(true) } else { absent }
}

async fn asked(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    ready: &Ready,
    params: &Params<'_>,
) -> Result<Option<Bytes>, Reason> {
    let upstream = cx.service.upstreams.get(ready.upstream).ok_or(Reason::Unavailable("catalog_stale"))?;
    let Source::Remote(remote) = &upstream.source else { return Ok(None) };
    let able = remote.learnt().and_then(|learnt| learnt.facts().map(|facts| facts.can("completions")));
    if able != Some(true) {
        return Ok(None);
    }
    let context = params.context.filter(|raw| !jsonrpc::is_null(raw)).map(RawValue::get);
    let question = Question {
        method: "completion/complete",
        name: None,
        params: vec![
            ("ref", Some(params.of.get())),
            ("argument", Some(params.argument.get())),
            ("context", context),
        ],
        may_ask: false,
    };
    let limit = ready.rule.timeout.unwrap_or(upstream.timeout);
    let answer = timeout(limit, ask(cx, caller, call, remote, &question)).await;
    match answer.unwrap_or(Err(Reason::Timeout))? {
        Said::Yes(body) => Ok(Some(body)),
        Said::No | Said::Asks(_) => Ok(None),
    }
}
