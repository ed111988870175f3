//! Speaking to an MCP server over Streamable HTTP: one POST, GET or DELETE, and what its status and type mean.
//!
//! What the messages say is the callers' business; here end the lies about how they come: redirects, types that are
//! none of the protocol's, refusals without an end, session ids that fit no header.

mod exchange;

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode};

pub use exchange::{Exchange, Mirrored};

use super::client::{self, Body, Client, Failure, Sending};
use super::worker::MAX_ANSWER;

/// A refusal is read no further than this: nobody shows more of it.
const MAX_REFUSAL: usize = 256 << 10;
/// A longer session id is none.
const MAX_SESSION: usize = 1024;

/// What a server said.
#[derive(Debug)]
pub enum Reply {
    /// One message: bytes that call themselves JSON, at most [`MAX_ANSWER`] of them.
    Json(Bytes),
    /// Messages as server-sent events, as they come.
    Events(Body),
    /// It has it, and has nothing to say.
    Accepted,
    /// 404 to a request with a session id: the session is gone.
    NotFound,
    /// Any other refusal: its status, and its body if that could be read.
    Refused(u16, Bytes),
}

/// What a server said, and the headers of its answer that count.
#[derive(Debug)]
pub struct Replied {
    /// What it said.
    pub reply: Reply,
    /// The `Mcp-Session-Id` it gave out.
    pub session: Option<String>,
    /// The header that says what the call cost, if it was asked for.
    pub cost: Option<HeaderValue>,
}

/// Sends a message. The caller's deadline ends it by dropping it.
///
/// # Errors
/// [`Failure`] where nothing came back that means anything in the protocol.
pub async fn post(client: &Client, exchange: &Exchange<'_>) -> Result<Replied, Failure> {
    send(client, Method::POST, exchange).await
}

/// Opens the stream on which a server speaks unasked; [`Reply::Refused`] with 405 from one that never does.
///
/// # Errors
/// As for [`post`].
pub async fn open(client: &Client, exchange: &Exchange<'_>) -> Result<Replied, Failure> {
    send(client, Method::GET, exchange).await
}

/// Ends a session; [`Reply::Refused`] with 405 from a server that ends them itself.
///
/// # Errors
/// As for [`post`].
pub async fn end(client: &Client, exchange: &Exchange<'_>) -> Result<Replied, Failure> {
    send(client, Method::DELETE, exchange).await
}

async fn send(client: &Client, method: Method, exchange: &Exchange<'_>) -> Result<Replied, Failure> {
    let headers = exchange.lines(&method);
    let reply = client
        .send(&Sending { method: method.clone(), uri: exchange.uri, headers: &headers, body: exchange.body })
        .await?;
    let [cost, session] = reply.noted;
    let session = session.map(|id| session_id(&id)).transpose()?;
    let kind = Kind::of(reply.content_type.as_ref());
    let reply = read(reply.status, kind, reply.body, exchange.session.is_some()).await?;
    Ok(Replied { reply, session, cost })
}

async fn read(status: StatusCode, kind: Kind, body: Body, in_session: bool) -> Result<Reply, Failure> {
    match status {
        StatusCode::ACCEPTED | StatusCode::NO_CONTENT => Ok(Reply::Accepted),
        StatusCode::NOT_FOUND if in_session => Ok(Reply::NotFound),
        _ if status.is_success() => match kind {
            Kind::Stream => Ok(Reply::Events(body)),
            Kind::Json => Ok(Reply::Json(client::read(body, MAX_ANSWER).await?)),
            // some say 200 to a notification, with nothing
            Kind::Other => match client::read(body, MAX_REFUSAL).await?.trim_ascii() {
                [] => Ok(Reply::Accepted),
                _ => Err(Failure::Unavailable("upstream_answer_unreadable")),
            },
        },
        // its credentials are the gateway's, and go where the operator said
        _ if status.is_redirection() => Err(Failure::Unavailable("upstream_redirect")),
        _ => Ok(Reply::Refused(status.as_u16(), client::read(body, MAX_REFUSAL).await.unwrap_or_default())),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Json,
    Stream,
    Other,
}

impl Kind {
    fn of(content_type: Option<&HeaderValue>) -> Self {
        let value = content_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
        // one known server says its type twice, with a comma between
        let essence = value.split([';', ',']).next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/json") {
            Self::Json
        } else if essence.eq_ignore_ascii_case("text/event-stream") {
            Self::Stream
        } else {
            Self::Other
        }
    }
}

/// Visible ASCII (2025-11-25, Transports › Session Management). Whatever else would be sent back later as a header.
fn session_id(value: &HeaderValue) -> Result<String, Failure> {
    let id = value.to_str().unwrap_or_default();
    let good = (1..=MAX_SESSION).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    if good { Ok(id.to_owned()) } else { Err(Failure::Unavailable("upstream_session_unreadable")) }
}
