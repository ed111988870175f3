//! The session of a request: whose id it sends, and whether it is its own.

use std::sync::Arc;

use super::seal::{self, Leg, Session};
use super::wrap::Wrapper;
use crate::domain::secret::Digest;
use crate::gateway::call::{Authenticated, Cx, Frame, Resolved};
use crate::gateway::names;
use crate::gateway::refusal::Reason;
use crate::gateway::service::Upstream;
use crate::mcp::method::Method;
use crate::mcp::version;

/// A session that was found.
pub struct Held {
    /// What stands in its id.
    pub session: Session,
    /// Wraps what its upstreams say.
    pub wrapper: Wrapper,
    /// What it is known by here.
    pub digest: Digest,
    /// True if the client reads a stream on the way to this answer.
    pub streams: bool,
}

impl Held {
    /// Its session at an upstream.
    pub fn leg(&self, upstream: &Upstream) -> Option<&Leg> {
        self.session.leg(&upstream.id)
    }
}

/// The caller with its session, for a message that was read. Without an id there is none; the stateless revision
/// ignores it, and so does a service whose upstreams keep none.
///
/// # Errors
/// 404.
pub fn attach<'r>(
    cx: Cx<'r>,
    caller: &Authenticated<'r>,
    call: &mut Resolved<'_>,
    frame: &mut Frame<'_>,
) -> Result<Authenticated<'r>, Reason> {
    let mut caller = caller.clone();
    if call.version.is_modern() || call.method == Method::Initialize {
        return Ok(caller);
    }
    caller.session = held(cx, &caller, frame.accepted.stream)?;
    if let Some(held) = &caller.session
        && !cx.headers().contains_key(&names::PROTOCOL_VERSION)
    {
        call.version = held.session.version;
        frame.version = call.version;
    }
    Ok(caller)
}

/// The session whose id a request sends; `streams` if its client reads one.
///
/// # Errors
/// 404 for every id that is none, or not this caller's: it may not learn which.
pub fn held(cx: Cx<'_>, caller: &Authenticated<'_>, streams: bool) -> Result<Option<Arc<Held>>, Reason> {
    if !super::keeps(cx.service) || !cx.headers().contains_key(&names::SESSION_ID) {
        return Ok(None);
    }
    let text = cx.header(&names::SESSION_ID).ok_or(Reason::Session("session_unreadable"))?;
    let principal = caller.credential.as_ref().ok_or(Reason::Session("session_of_nobody"))?.principal();
    let service = cx.service.policy.id.as_str();
    let session =
        seal::open(&cx.app.keys, cx.app.clock.now(), &principal, service, text).map_err(|label| {
            // never the id: whoever reads logs could use it
            tracing::warn!(service, cause = label, "a session id that is not this caller's");
            Reason::Session(label)
        })?;
    let digest = Digest::of(text);
    if cx.gateway.sessions.has_ended(digest) {
        return Err(Reason::Session("session_ended"));
    }
    Ok(Some(Arc::new(Held { session, wrapper: Wrapper::new(digest), digest, streams })))
}

/// The session of a request that is nothing without one.
///
/// # Errors
/// 400 without an id, else as [`held`].
pub fn required(cx: Cx<'_>, caller: &Authenticated<'_>) -> Result<Arc<Held>, Reason> {
    held(cx, caller, false)?.ok_or(Reason::NoSession)
}

/// True if the header names the stateless revision, which has no sessions.
pub fn is_modern(cx: Cx<'_>) -> bool {
    cx.header(&names::PROTOCOL_VERSION).is_some_and(version::names_modern)
}
