//! Calling a worker: plain HTTP in, plain HTTP out.
//!
//! A worker answers JSON, a finished result (`application/vnd.mcp.result+json`) or a stream of server-sent
//! events: `event: progress` carries `{"progress":…,"total":…,"message":…}`, `event: error` the JSON that a
//! 4xx would have carried, and `event: result` (or an event without a name) the JSON that a 200 would have
//! carried. The stream ends with one of the last two.

use bytes::Bytes;
use http::header::{HOST, HeaderMap, HeaderValue};
use http::{Method, StatusCode, Uri};

use super::client::{self, Body, Client, Failure, Headers, Sending};
use crate::mcp::result;

/// A longer answer is no answer: clients cap frames at about this size.
pub const MAX_ANSWER: usize = 16 << 20;

/// What a worker said.
#[derive(Debug)]
pub enum Answer {
    /// It did it: JSON.
    Json(Bytes),
    /// It made the whole result itself: JSON.
    Result(Bytes),
    /// It will not: its status and its JSON.
    Refused(u16, Bytes),
    /// An MCP server asks for input before it does it: its result, JSON.
    Asks(Bytes),
    /// An MCP server answers with an error: the error object of no revision in particular, JSON.
    Wrong(Bytes),
    /// It is still at it.
    Stream(Body),
}

/// What a worker said, and the header of its answer that was asked for.
#[derive(Debug)]
pub struct Answered {
    /// What it said.
    pub answer: Answer,
    /// The header.
    pub noted: Option<HeaderValue>,
}

/// Calls a tool with these headers. The caller's deadline ends it by dropping it.
///
/// # Errors
/// [`Failure`] where there is no answer that could be passed on.
pub async fn call(
    client: &Client,
    uri: &Uri,
    headers: &impl Headers,
    body: &Bytes,
) -> Result<Answered, Failure> {
    let reply = client.send(&Sending { method: Method::POST, uri, headers, body }).await?;
    let kind = Kind::of(reply.content_type.as_ref());
    let [noted, _] = reply.noted;
    if reply.status.is_success() && kind == Kind::Stream {
        return Ok(Answered { answer: Answer::Stream(reply.body), noted });
    }
    let body = client::read(reply.body, MAX_ANSWER).await?;
    Ok(Answered { answer: classify(reply.status, kind, body)?, noted })
}

/// Fetches one of the optional documents of a worker, such as its catalog.
///
/// # Errors
/// [`Failure`] unless it answers 200.
pub async fn fetch(client: &Client, uri: &Uri, headers: &HeaderMap) -> Result<Bytes, Failure> {
    let mut headers = headers.clone();
    if let Some(Ok(host)) = uri.authority().map(|authority| HeaderValue::from_str(authority.as_str())) {
        headers.entry(HOST).or_insert(host);
    }
    let request = Sending { method: Method::GET, uri, headers: &headers, body: &Bytes::new() };
    let reply = client.send(&request).await?;
    if reply.status != StatusCode::OK {
        return Err(Failure::Unavailable("upstream_status"));
    }
    client::read(reply.body, MAX_ANSWER).await
}

/// Asks a worker for something that is no tool: whatever it says, its status and its body. The caller's deadline
/// ends it by dropping it.
///
/// # Errors
/// [`Failure`] where there is no answer at all.
pub async fn ask(client: &Client, request: &Sending<'_, HeaderMap>) -> Result<(StatusCode, Bytes), Failure> {
    let reply = client.send(request).await?;
    let body = client::read(reply.body, MAX_ANSWER).await?;
    Ok((reply.status, body))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Result,
    Stream,
    Other,
}

impl Kind {
    fn of(content_type: Option<&HeaderValue>) -> Self {
        let value = content_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = value.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/vnd.mcp.result+json") {
            Self::Result
        } else if essence.eq_ignore_ascii_case("text/event-stream") {
            Self::Stream
        } else {
            Self::Other
        }
    }
}

fn classify(status: StatusCode, kind: Kind, body: Bytes) -> Result<Answer, Failure> {
    let unavailable = Err(Failure::Unavailable("upstream_status"));
    if status == StatusCode::NO_CONTENT {
        return Ok(Answer::Json(Bytes::from_static(b"{}")));
    }
    let Ok(text) = std::str::from_utf8(&body) else {
        return Err(Failure::Unavailable("upstream_answer_unreadable"));
    };
    if status.is_success() {
        return match kind {
            Kind::Result => Ok(Answer::Result(body)),
            _ if result::is_json(text) => Ok(Answer::Json(body)),
            _ => Err(Failure::Unavailable("upstream_answer_unreadable")),
        };
    }
    // a worker's own refusal is its to word; a 5xx without `error` is a crash page
    let own_words = match status.as_u16() {
        400..=499 => result::is_json(text),
        500..=599 => result::has_error(text),
        _ => return unavailable,
    };
    if own_words { Ok(Answer::Refused(status.as_u16(), body)) } else { unavailable }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, kind: Kind, body: &'static str) -> Result<Answer, Failure> {
        classify(StatusCode::from_u16(status).unwrap(), kind, Bytes::from_static(body.as_bytes()))
    }

    #[test]
    fn what_a_worker_can_answer() {
        assert!(matches!(check(200, Kind::Other, "[1]"), Ok(Answer::Json(_))));
        assert!(matches!(check(201, Kind::Other, "3"), Ok(Answer::Json(_))));
        assert!(matches!(check(204, Kind::Other, ""), Ok(Answer::Json(_))));
        assert!(matches!(check(200, Kind::Result, "{}"), Ok(Answer::Result(_))));
        assert!(matches!(check(404, Kind::Other, "{\"error\":\"no\"}"), Ok(Answer::Refused(404, _))));
        assert!(matches!(check(409, Kind::Other, "{}"), Ok(Answer::Refused(409, _))));
        assert!(matches!(check(500, Kind::Other, "{\"error\":\"no\"}"), Ok(Answer::Refused(500, _))));
    }

    #[test]
    fn what_is_no_answer() {
        for (status, body) in [
            (200, ""),
            (200, "<html>"),
            (200, "{"),
            (302, "{}"),
            (404, "not found"),
            (500, "{}"),
            (502, "<html>"),
        ] {
            assert!(
                matches!(check(status, Kind::Other, body), Err(Failure::Unavailable(_))),
                "{status} {body}"
            );
        }
    }
}
