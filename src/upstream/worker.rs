//! Calling a worker: plain HTTP in, plain HTTP out.
//!
//! A worker answers JSON, a finished result (`application/vnd.mcp.result+json`) or a stream of server-sent
//! events: `event: progress` carries `{"progress":…,"total":…,"message":…}`, `event: error` the JSON that a
//! 4xx would have carried, and `event: result` (or an event without a name) the JSON that a 200 would have
//! carried. The stream ends with one of the last two.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap};
use http::{Method, Request, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::Incoming;

use super::client::{self, Client, Failure};
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
    /// It is still at it.
    Stream(Incoming),
}

/// Calls a tool with the headers that `headers` makes. The caller's deadline ends it by dropping it.
///
/// # Errors
/// [`Failure`] where there is no answer that could be passed on.
pub async fn call(
    client: &Client,
    uri: &Uri,
    headers: impl Fn() -> HeaderMap,
    body: &Bytes,
) -> Result<Answer, Failure> {
    let build = || {
        let mut request = Request::new(Full::new(body.clone()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri.clone();
        *request.headers_mut() = headers();
        request
    };
    let response = client.send(build).await?;
    let (head, body) = response.into_parts();
    let kind = Kind::of(&head.headers);
    if head.status.is_success() && kind == Kind::Stream {
        return Ok(Answer::Stream(body));
    }
    let body = client::read(body, MAX_ANSWER).await?;
    classify(head.status, kind, body)
}

/// Fetches one of the optional documents of a worker, such as its catalog.
///
/// # Errors
/// [`Failure`] unless it answers 200.
pub async fn fetch(client: &Client, uri: &Uri, headers: &HeaderMap) -> Result<Bytes, Failure> {
    let build = || {
        let mut request = Request::new(Full::default());
        *request.uri_mut() = uri.clone();
        *request.headers_mut() = headers.clone();
        request
    };
    let response = client.send(build).await?;
    if response.status() != StatusCode::OK {
        return Err(Failure::Unavailable("upstream_status"));
    }
    client::read(response.into_body(), MAX_ANSWER).await
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Result,
    Stream,
    Other,
}

impl Kind {
    fn of(headers: &HeaderMap) -> Self {
        let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
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
