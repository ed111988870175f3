//! Requests that only an upstream can answer, passed on in the client's session.

use bytes::Bytes;
use futures_util::future::join_all;

use super::end::gone;
use super::find::Held;
use super::reach::{Reach, legs};
use super::seal::Leg;
use crate::gateway::answer::Answer;
use crate::gateway::call::{Authenticated, Cx, Resolved};
use crate::gateway::entitle;
use crate::gateway::library::read;
use crate::gateway::refusal::Reason;
use crate::gateway::service::Upstream;
use crate::mcp::duplex::{Offers, find, find_text};
use crate::mcp::error::Code;
use crate::mcp::jsonrpc;
use crate::mcp::result;

/// RFC 5424's, by their MCP names.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
/// What an upstream's sentence may take.
const MAX_MESSAGE: usize = 2000;

/// `logging/setLevel`, for every upstream of the session that logs.
///
/// # Errors
/// No such level; nobody who logs; a session that is missing or over.
pub async fn set_level(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    body: &Bytes,
) -> Result<Answer, Reason> {
    let held = in_session(cx, caller)?;
    let level = find_text(text(body), &["params", "level"]);
    if !level.is_some_and(|level| LEVELS.contains(&&*level)) {
        return Err(Reason::Params("level is a level of RFC 5424"));
    }
    let all = legs(cx, caller, held).into_iter().filter(|(_, leg)| leg.offers.has(Offers::LOGGING));
    let id = call.id.as_json();
    let said = join_all(all.map(|(reach, leg)| async move { reach.ask(leg, id, body).await })).await;
    if said.is_empty() {
        return Err(Reason::NoMethod);
    }
    for answer in said {
        outcome(&answer.map_err(|reason| gone(cx, held, reason))?)?;
    }
    Ok(done(cx, call, ""))
}

/// `resources/subscribe` and `resources/unsubscribe`: who may read a resource may watch it.
///
/// # Errors
/// As for a read; an upstream whose resources cannot be watched.
pub async fn subscribe(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    body: &Bytes,
) -> Result<Answer, Reason> {
    let held = in_session(cx, caller)?;
    let readable = read::entitled(cx, caller, call).await?;
    let (reach, leg) = reached(cx, caller, held, readable.upstream, Offers::SUBSCRIBE)?;
    let answer = reach.ask(leg, call.id.as_json(), body).await.map_err(|reason| gone(cx, held, reason))?;
    outcome(&answer)?;
    Ok(done(cx, call, ""))
}

/// `completion/complete`: who may get a prompt, or read what a template makes, may have its arguments completed.
///
/// # Errors
/// As for that prompt or template; an upstream that completes nothing.
pub async fn complete(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    body: &Bytes,
) -> Result<Answer, Reason> {
    let held = in_session(cx, caller)?;
    let upstream = referred(cx, caller, text(body))?;
    let (reach, leg) = reached(cx, caller, held, upstream, Offers::COMPLETIONS)?;
    let answer = reach.ask(leg, call.id.as_json(), body).await.map_err(|reason| gone(cx, held, reason))?;
    let completion = find(outcome(&answer)?, &["completion"]).filter(|raw| jsonrpc::is_object(raw));
    let completion = completion.ok_or(Reason::Unavailable("upstream_answer_unreadable"))?;
    Ok(done(cx, call, &format!("\"completion\":{}", completion.get())))
}

fn text(body: &Bytes) -> &str {
    std::str::from_utf8(body).unwrap_or_default()
}

fn in_session<'c>(cx: Cx<'_>, caller: &'c Authenticated<'_>) -> Result<&'c Held, Reason> {
    if !super::keeps(cx.service) {
        return Err(Reason::NoMethod);
    }
    caller.session.as_deref().ok_or(Reason::NoSession)
}

/// The upstream of what a completion refers to.
fn referred<'s>(cx: Cx<'s>, caller: &Authenticated<'_>, body: &str) -> Result<&'s Upstream, Reason> {
    const BAD: Reason = Reason::Params("ref is a prompt's name or a resource template");
    let library = cx.service.library.load();
    let part = |name: &str| find_text(body, &["params", "ref", name]);
    let ready = match part("type").as_deref() {
        Some("ref/prompt") => {
            let name = part("name").ok_or(BAD)?;
            let absent = |label| Reason::unknown_prompt(label, &name);
            let ready = library.prompt(&name).map(|prompt| &prompt.ready).ok_or_else(|| absent("absent"))?;
            entitle::guarded(cx, caller, &ready.rule.policy, absent)?;
            ready
        }
        Some("ref/resource") => {
            let uri = part("uri").ok_or(BAD)?;
            let absent = |label| Reason::NoResource(label, uri.as_ref().into());
            let ready = library.template(&uri).ok_or_else(|| absent("absent"))?;
            entitle::guarded(cx, caller, &ready.rule.policy, absent)?;
            ready
        }
        _ => return Err(BAD),
    };
    cx.service.upstreams.get(ready.upstream).ok_or(Reason::Unavailable("catalog_stale"))
}

fn reached<'h>(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    held: &'h Held,
    upstream: &Upstream,
    offer: Offers,
) -> Result<(Reach, &'h Leg), Reason> {
    if !upstream.keeps_sessions() {
        return Err(Reason::NoMethod);
    }
    // down when the session began
    let leg = held.leg(upstream).ok_or(Reason::Unavailable("upstream_without_session"))?;
    let at = cx.service.upstreams.iter().position(|one| one.id == upstream.id);
    let reach = at.and_then(|at| Reach::new(cx, caller, at)).filter(|_| leg.offers.has(offer));
    reach.map(|reach| (reach, leg)).ok_or(Reason::NoMethod)
}

/// The result of an answer, or the upstream's no in its own words.
fn outcome(answer: &str) -> Result<&str, Reason> {
    if let Some(result) = find(answer, &["result"]).filter(|raw| jsonrpc::is_object(raw)) {
        return Ok(result.get());
    }
    let number = find(answer, &["error", "code"]).and_then(|raw| raw.get().parse::<i64>().ok());
    let message = find_text(answer, &["error", "message"]).unwrap_or_default();
    let code = match number {
        Some(-32601) => return Err(Reason::NoMethod),
        Some(-32602) => Code::InvalidParams,
        Some(-32002) => Code::ResourceNotFound,
        _ => return Err(Reason::Unavailable("upstream_error")),
    };
    Err(Reason::Worker(code, message.chars().take(MAX_MESSAGE).collect()))
}

fn done(cx: Cx<'_>, call: &Resolved<'_>, members: &str) -> Answer {
    Answer::json(result::answer(call.id, call.version, &cx.service.info.trailer, members), "allowed")
}
