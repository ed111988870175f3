//! Requests that only an upstream can answer, passed on in the client's session.

use std::sync::Arc;

use futures_util::future::join_all;
use tokio::time::timeout;

use super::find::Held;
use crate::gateway::answer::Answer;
use crate::gateway::call::{Authenticated, Cx, Resolved};
use crate::gateway::library::read;
use crate::gateway::refusal::Reason;
use crate::gateway::remote::read::{Question, Said, ask};
use crate::gateway::service::Upstream;
use crate::mcp::duplex::{Offers, find};
use crate::mcp::jsonrpc;
use crate::mcp::result;

/// RFC 5424's, by their MCP names.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// `logging/setLevel`, for every upstream of the session that logs.
///
/// # Errors
/// No such level; nobody who logs; a session that is missing or over.
pub async fn set_level(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    body: &[u8],
) -> Result<Answer, Reason> {
    let held = in_session(cx, caller)?;
    let level = find(std::str::from_utf8(body).unwrap_or_default(), &["params", "level"]);
    let known = level.filter(|raw| jsonrpc::text(raw).is_some_and(|level| LEVELS.contains(&&*level)));
    let level = known.ok_or(Reason::Params("level is a level of RFC 5424"))?.get();
    let logs = |upstream: &&Upstream| held.leg(upstream).is_some_and(|leg| leg.offers.has(Offers::LOGGING));
    let told = cx.service.upstreams.iter().filter(logs).map(|upstream| {
        let question = question("logging/setLevel", "level", level);
        async move { tell(cx, caller, call, upstream, &question).await }
    });
    let told = join_all(told.collect::<Vec<_>>()).await;
    if told.is_empty() {
        return Err(Reason::NoMethod);
    }
    told.into_iter().collect::<Result<(), _>>()?;
    Ok(done(cx, call))
}

/// `resources/subscribe` and `resources/unsubscribe`: who may read a resource may watch it.
///
/// # Errors
/// As for a read; an upstream whose resources cannot be watched.
pub async fn subscribe(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
) -> Result<Answer, Reason> {
    let held = in_session(cx, caller)?;
    let upstream = read::entitled(cx, caller, call).await?.upstream;
    if !upstream.keeps_sessions() {
        return Err(Reason::NoMethod);
    }
    // it was down when the session began
    let leg = held.leg(upstream).ok_or(Reason::Unavailable("upstream_without_session"))?;
    let uri = call.params.uri.filter(|_| leg.offers.has(Offers::SUBSCRIBE)).ok_or(Reason::NoMethod)?;
    let question = question(call.method.label(), "uri", uri.get());
    tell(cx, caller, call, upstream, &question).await?;
    Ok(done(cx, call))
}

fn in_session<'c>(cx: Cx<'_>, caller: &'c Authenticated<'_>) -> Result<&'c Arc<Held>, Reason> {
    if !super::keeps(cx.service) {
        return Err(Reason::NoMethod);
    }
    caller.session.as_ref().ok_or(Reason::NoSession)
}

fn question<'a>(method: &'static str, name: &'static str, value: &'a str) -> Question<'a> {
    Question { method, name: None, params: vec![(name, Some(value))], may_ask: false }
}

async fn tell(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    upstream: &Upstream,
    question: &Question<'_>,
) -> Result<(), Reason> {
    let remote = upstream.source.remote().ok_or(Reason::NoMethod)?;
    let said = timeout(upstream.timeout, ask(cx, caller, call, remote, question)).await;
    match said.unwrap_or(Err(Reason::Timeout))? {
        Said::Yes(_) => Ok(()),
        Said::Asks(_) | Said::No => Err(Reason::Unavailable("upstream_answer_unreadable")),
    }
}

fn done(cx: Cx<'_>, call: &Resolved<'_>) -> Answer {
    Answer::json(result::answer(call.id, call.version, &cx.service.info.trailer, ""), "allowed")
}
