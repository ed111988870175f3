//! Step 8: sending a permitted call, and what becomes of the upstream's answer.

use actix_web::http::StatusCode;
use actix_web::rt;
use tokio::time::Instant;

use super::answer::Answer;
use super::call::{Authenticated, Cx, Frame};
use super::credits::{self, Charge};
use super::finish::Finish;
use super::idempotency::{Claimed, Ticket};
use super::outgoing::Outgoing;
use super::policy::Permitted;
use super::refusal::Reason;
use super::relay::Relay;
use super::rest;
use super::service::Route;
use crate::mcp::translate;
use crate::upstream::worker;

/// Sends the call, or answers one that was done before with what the worker said then. Only what was permitted can be
/// sent: nothing else has this type, and nobody else is running it.
///
/// # Errors
/// The upstream's failures, and its refusals where the service says them as JSON-RPC errors.
pub async fn send(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    claimed: Claimed<'_>,
    frame: &Frame<'_>,
) -> Result<Answer, Reason> {
    let Claimed { mut call, key, ticket, kept, since, again } = claimed;
    let caller = again.as_ref().unwrap_or(caller);
    if let Some(answer) = kept {
        let finish = Finish { replayed: true, ..Finish::of(cx, &call) };
        return Ok(Answer::json(finish.whole(&answer)?, "replayed"));
    }
    if let Route::Generic(generic) = &call.tool().route {
        return rest::answer(cx, caller, &call, generic).await;
    }
    let deadline = since + call.tool().timeout;
    let (ticket, charge) = charged(cx, caller, &call, ticket, deadline).await?;
    let outgoing = Outgoing::new(cx, caller, &mut call, deadline).holding(key, charge);
    // up to 2025-11-25 a lost connection is no cancellation: what writes is seen through to the end
    let seen_through = !call.version().is_modern() && !call.tool().policy.read_only;
    let aborted = |_| Reason::Unavailable("call_aborted");
    let (answer, open) = if seen_through {
        rt::spawn(outgoing.settled(ticket)).await.map_err(aborted)?
    } else {
        outgoing.settled(ticket).await
    };
    match answer? {
        worker::Answer::Stream(body) => {
            let relay = Relay::new(cx, caller, &call, deadline, open);
            if frame.accepted.stream {
                return Ok(Answer::stream(relay.stream(body)));
            }
            let collected = if seen_through {
                rt::spawn(relay.collect(body)).await.map_err(aborted)?
            } else {
                relay.collect(body).await
            };
            Ok(Answer::json(collected, "allowed"))
        }
        answer => {
            let mut whole = Answer::json(Finish::of(cx, &call).whole(&answer)?, "allowed");
            if call.version().is_modern() && lacks_capability(&answer) {
                whole.status = StatusCode::BAD_REQUEST;
            }
            Ok(whole)
        }
    }
}

/// Reserves the cost of a call that has time left; its ticket is given up where that fails.
async fn charged(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Permitted<'_>,
    ticket: Option<Ticket>,
    deadline: Instant,
) -> Result<(Option<Ticket>, Option<Box<Charge>>), Reason> {
    let reserved = if Instant::now() < deadline {
        credits::reserve(cx, caller, call, ticket.as_ref().map(Ticket::run)).await
    } else {
        Err(Reason::Timeout)
    };
    match (reserved, ticket) {
        (Ok(charge), ticket) => Ok((ticket, charge)),
        (Err(reason), None) => Err(reason),
        (Err(reason), Some(ticket)) => {
            ticket.give_up().await;
            Err(reason)
        }
    }
}

/// True where a server wants what the client did not say it can do: the stateless revision says that by status too.
fn lacks_capability(answer: &worker::Answer) -> bool {
    let worker::Answer::Wrong(error) = answer else { return false };
    let error: serde_json::Value = serde_json::from_slice(error).unwrap_or_default();
    error.get("code").and_then(serde_json::Value::as_i64) == Some(translate::MISSING_CAPABILITY)
}
