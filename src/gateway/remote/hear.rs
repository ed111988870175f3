//! Hearing one answer out where nobody wants to know how it comes: as JSON, or as the end of a stream.

use crate::mcp::peer::{self, Said};
use crate::mcp::sse::Decoder;
use crate::mcp::translate;
use crate::upstream::client::{Body, Failure};
use crate::upstream::mcp::Reply;
use crate::upstream::worker::MAX_ANSWER;

/// What a stream may carry altogether before its answer.
pub const MAX_STREAM: usize = 64 << 20;

/// An answer.
#[derive(Debug)]
pub enum Heard {
    /// The result: an object, JSON.
    Result(String),
    /// An error object of no revision in particular, JSON.
    Error(String),
}

const UNREADABLE: Failure = Failure::Unavailable("upstream_answer_unreadable");
const TOO_LONG: Failure = Failure::Unavailable("upstream_answer_too_long");

/// The answer to what was asked under `id`.
///
/// # Errors
/// There is none that could be read. What the gateway's own credentials are refused for is never the caller's 401.
pub async fn whole(reply: Reply, id: &str) -> Result<Heard, Failure> {
    match reply {
        Reply::Json(body) => one(&body, id)?.ok_or(UNREADABLE),
        Reply::Events(body) => of_stream(body, id).await,
        Reply::Accepted => Err(Failure::Unavailable("upstream_no_answer")),
        Reply::NotFound => Err(Failure::Unavailable("upstream_session_gone")),
        Reply::Refused(401 | 403 | 407, _) => Err(Failure::Unavailable("upstream_credentials_refused")),
        Reply::Refused(_, body) => match one(&body, id) {
            Ok(Some(error @ Heard::Error(_))) => Ok(error),
            _ => Err(Failure::Unavailable("upstream_status")),
        },
    }
}

async fn of_stream(mut body: Body, id: &str) -> Result<Heard, Failure> {
    let (mut decoder, mut total) = (Decoder::default(), 0);
    while let Some(chunk) = body.chunk().await {
        let chunk = chunk?;
        total += chunk.len();
        for event in decoder.push(&chunk) {
            if !event.data.is_empty()
                && let Some(heard) = one(&event.data, id)?
            {
                return Ok(heard);
            }
        }
        if decoder.held() > MAX_ANSWER || total > MAX_STREAM {
            return Err(TOO_LONG);
        }
    }
    Err(Failure::Unavailable("upstream_stream_broken"))
}

/// One message; `None` if it is not the answer.
fn one(json: &[u8], id: &str) -> Result<Option<Heard>, Failure> {
    match peer::read(json, id) {
        None => Err(UNREADABLE),
        Some(Said::Result(result)) => Ok(Some(Heard::Result(result.to_owned()))),
        Some(Said::Error(error)) => Ok(Some(Heard::Error(translate::wrong(&error)))),
        Some(Said::Notification(..) | Said::Request(..) | Said::Foreign) => Ok(None),
    }
}
