//! One exchange with a server, in a session where it keeps them: one that is gone is made anew, once.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName};

use super::sessions::{Session, said};
use super::voice::Voice;
use super::{Remote, Way};
use crate::upstream::client::Failure;
use crate::upstream::mcp::{self, Exchange, Mirrored, Replied, Reply};

/// A message and what goes with it.
pub struct Message<'a> {
    /// How it is spoken.
    pub way: Way,
    /// Its headers.
    pub headers: &'a HeaderMap,
    /// What the stateless revision repeats of it.
    pub mirrored: &'a Mirrored<'a>,
    /// In which header of the answer its cost is looked for.
    pub cost: Option<&'a HeaderName>,
    /// Itself.
    pub body: &'a Bytes,
}

/// A server knows the caller's own session no more.
pub const OWN_SESSION_GONE: Failure = Failure::Unavailable("session_gone_upstream");

/// Sends it; `on_its_way` hears in which session, before anything is sent there.
///
/// # Errors
/// What keeps an answer from coming.
pub async fn talk(
    remote: &Arc<Remote>,
    voice: &Voice,
    message: &Message<'_>,
    mut on_its_way: impl FnMut(Option<Arc<Session>>),
) -> Result<Replied, Failure> {
    let mut gone = None;
    loop {
        let session = match &voice.own {
            Some(own) => Some(Arc::clone(&own.session)),
            None if message.way.in_session => {
                Some(remote.sessions.of(remote, voice, message.way.version, gone.as_ref()).await?)
            }
            None => None,
        };
        on_its_way(session.clone());
        let version = session.as_ref().map_or(message.way.version, |session| session.version);
        let exchange = Exchange {
            session: session.as_ref().and_then(|session| session.id.as_deref()),
            version: said(version),
            mirrored: version.is_modern().then_some(message.mirrored),
            cost: message.cost,
            ..Exchange::new(&remote.uri, message.headers, message.body)
        };
        let replied = mcp::post(&voice.client, &exchange).await.inspect_err(|failure| {
            if *failure == Failure::Unavailable("upstream_refused") {
                remote.health.lost(&remote.ids, "upstream_refused");
            }
        })?;
        match replied.reply {
            // whose it is has to begin a new one: what was in it is not here to be made again
            Reply::NotFound if voice.own.is_some() => return Err(OWN_SESSION_GONE),
            // it knows nothing of what was said there, so it has done nothing
            Reply::NotFound if gone.is_none() => gone = session,
            Reply::NotFound => return Err(Failure::Unavailable("upstream_session_gone")),
            _ => {
                // not what it was: another revision, or sessions where there were none
                if matches!(replied.reply, Reply::Refused(400 | 404 | 405, _)) {
                    remote.doubt();
                }
                return Ok(replied);
            }
        }
    }
}
