//! What a client says in a session without asking: its answers to what it was asked, and notifications.
//!
//! Each goes to the upstream that it concerns; of an answer its id says which, and one to a question that was never
//! asked goes nowhere.

use bytes::Bytes;
use futures_util::future::join_all;

use super::end::gone;
use super::find::{self, Held};
use super::own::Own;
use super::reach::{Reach, legs};
use crate::gateway::answer::Answer;
use crate::gateway::call::{Authenticated, Cx};
use crate::gateway::refusal::Reason;
use crate::gateway::remote::cancel;
use crate::mcp::duplex::{find, find_text, quoted, replaced};
use crate::mcp::jsonrpc::{self, Incoming};
use crate::upstream::client::Failure;
use crate::upstream::mcp::Reply;

/// Takes a message that wants no answer: 202.
///
/// # Errors
/// 404 for a session that is none or over; an upstream that cannot be told.
pub async fn told(cx: Cx<'_>, caller: &Authenticated<'_>, body: &Bytes) -> Result<Answer, Reason> {
    if find::is_modern(cx) {
        return Ok(Answer::accepted());
    }
    let caller = &Authenticated { session: find::held(cx, caller, false)?, ..caller.clone() };
    let here = cancel::notified(cx, caller, body);
    let Some(held) = &caller.session else { return Ok(Answer::accepted()) };
    let text = std::str::from_utf8(body).unwrap_or_default();
    let outcome = match jsonrpc::parse(body) {
        Ok(Incoming::Response) => {
            let own = find_text(text, &["id"]).and_then(|id| held.wrapper.answered(&cx.app.keys, &id));
            to_one(cx, caller, held, own, text, &["id"]).await
        }
        Ok(Incoming::Notification(method)) => match &*method {
            "notifications/progress" => {
                const TOKEN: &[&str] = &["params", "progressToken"];
                let own = find_text(text, TOKEN).and_then(|token| held.wrapper.told(&cx.app.keys, &token));
                to_one(cx, caller, held, own, text, TOKEN).await
            }
            "notifications/initialized" | "notifications/roots/list_changed" => {
                to_all(cx, caller, held, body).await
            }
            // the call may be another node's: only its upstream knows its id, and the others nothing of it
            "notifications/cancelled" if !here => match given_up(text) {
                Some(message) => to_all(cx, caller, held, &message).await,
                None => Ok(()),
            },
            _ => Ok(()),
        },
        _ => Ok(()),
    };
    outcome.map(|()| Answer::accepted()).map_err(|reason| gone(cx, caller, reason))
}

/// The same of a call, under the id that it has upstream.
fn given_up(text: &str) -> Option<Bytes> {
    const ID: &[&str] = &["params", "requestId"];
    let own = quoted(&Own::call(find(text, ID)?.get()));
    replaced(text, ID, &own).map(Bytes::from)
}

/// To the upstream whose id or token it was, under the one that it gave.
async fn to_one(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    held: &Held,
    own: Option<(String, String)>,
    text: &str,
    path: &[&str],
) -> Result<(), Reason> {
    let Some((upstream, own)) = own else { return Ok(()) };
    let at = cx.service.upstreams.iter().find(|one| one.id == upstream);
    let reach = at.and_then(|upstream| Reach::new(cx, caller, upstream));
    let message = replaced(text, path, &own);
    let (Some(reach), Some(leg), Some(message)) = (reach, held.session.leg(&upstream), message) else {
        return Ok(());
    };
    taken(reach.post(Some(leg), &Bytes::from(message)).await.map(|replied| replied.reply))
}

async fn to_all(cx: Cx<'_>, caller: &Authenticated<'_>, held: &Held, body: &Bytes) -> Result<(), Reason> {
    let told = legs(cx, caller, held).into_iter().map(|(reach, leg)| async move {
        taken(reach.post(Some(leg), body).await.map(|replied| replied.reply))
    });
    join_all(told).await.into_iter().collect()
}

fn taken(reply: Result<Reply, Failure>) -> Result<(), Reason> {
    match reply? {
        Reply::Accepted | Reply::Json(_) => Ok(()),
        Reply::NotFound => Err(Reason::Session("session_gone_upstream")),
        Reply::Events(_) | Reply::Refused(..) => Err(Reason::Unavailable("upstream_status")),
    }
}
