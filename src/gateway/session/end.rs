//! `DELETE`: the client is done, and so are its sessions upstream.

use actix_web::http::StatusCode;
use futures_util::future::join_all;

use super::find;
use super::reach::legs;
use crate::gateway::answer::Answer;
use crate::gateway::call::{Authenticated, Cx};
use crate::gateway::refusal::Reason;
use crate::upstream::mcp::Reply;

/// Ends a session.
///
/// # Errors
/// 405 in the stateless revision and where no upstream lets its clients end sessions; 404 for one that is over.
pub async fn end(cx: Cx<'_>, caller: &Authenticated<'_>) -> Result<Answer, Reason> {
    if find::is_modern(cx) {
        return Err(Reason::Method);
    }
    let held = find::required(cx, caller)?;
    let said =
        join_all(legs(cx, caller, &held).into_iter().map(|(reach, leg)| async move { reach.end(leg).await }))
            .await;
    let count = |is: fn(&Reply) -> bool| said.iter().flatten().filter(|reply| is(reply)).count();
    let kept = count(|reply| matches!(reply, Reply::Refused(405, _)));
    let gone = count(|reply| matches!(reply, Reply::NotFound));
    if !said.is_empty() && kept == said.len() {
        return Err(Reason::Method);
    }
    cx.gateway.sessions.end(&held);
    if !said.is_empty() && gone == said.len() {
        return Err(Reason::Session("session_gone_upstream"));
    }
    Ok(Answer { status: StatusCode::NO_CONTENT, ..Answer::accepted() })
}

/// A request found that an upstream knows the session no more: nobody needs to ask it again.
pub fn gone(cx: Cx<'_>, caller: &Authenticated<'_>, reason: Reason) -> Reason {
    if let (Some(held), Reason::Session(_)) = (&caller.session, &reason) {
        cx.gateway.sessions.end(held);
    }
    reason
}
