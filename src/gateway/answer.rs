//! The answer of the MCP endpoint on its way out.

use actix_web::HttpMessage as _;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use bytes::Bytes;
use futures_util::stream;
use std::convert::Infallible;
use tokio::sync::mpsc::Receiver;

use super::accept::Accepted;
use super::call::{Cx, Frame};
use crate::http::record::Record;
use crate::mcp::sse;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
/// What somebody was told by their token is nobody else's (RFC 9111 §5.2.2.5).
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NO_STORE_STREAM: HeaderValue = HeaderValue::from_static("no-store, no-transform");

/// An answer.
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// One header that only this answer has.
    pub header: Option<(HeaderName, HeaderValue)>,
    /// Its body.
    pub body: Body,
    /// What was decided, for the log line.
    pub decision: &'static str,
}

/// What an answer carries.
pub enum Body {
    /// Nothing.
    Empty,
    /// One JSON object.
    Json(Vec<u8>),
    /// Events as they come.
    Stream(Receiver<Bytes>),
}

impl Answer {
    /// 200 and JSON.
    pub fn json(body: Vec<u8>, decision: &'static str) -> Self {
        Self { status: StatusCode::OK, header: None, body: Body::Json(body), decision }
    }

    /// 200 and events.
    pub fn stream(events: Receiver<Bytes>) -> Self {
        Self { status: StatusCode::OK, header: None, body: Body::Stream(events), decision: "allowed" }
    }

    /// 202 and nothing: what a message that wants no answer gets.
    pub fn accepted() -> Self {
        Self { status: StatusCode::ACCEPTED, header: None, body: Body::Empty, decision: "allowed" }
    }

    /// The HTTP response for a client that takes `accepted`.
    pub fn into_response(self, accepted: Accepted) -> HttpResponse {
        let mut builder = HttpResponse::build(self.status);
        let mut response = match self.body {
            Body::Empty => builder.finish(),
            Body::Json(json) if accepted.json || self.status != StatusCode::OK => {
                builder.insert_header((CONTENT_TYPE, JSON)).body(json)
            }
            Body::Json(json) => {
                let mut event = Vec::with_capacity(json.len() + 32);
                sse::write_event(&mut event, &json);
                builder.insert_header((CONTENT_TYPE, EVENTS)).body(event)
            }
            Body::Stream(events) => {
                let chunks = stream::unfold(events, |mut events| async {
                    let chunk = events.recv().await?;
                    Some((Ok::<Bytes, Infallible>(chunk), events))
                });
                // nginx and its like would hold events back
                builder.insert_header((CONTENT_TYPE, EVENTS)).insert_header(("x-accel-buffering", "no"));
                let mut response = builder.streaming(chunks);
                response.headers_mut().insert(CACHE_CONTROL, NO_STORE_STREAM);
                return with(response, self.header);
            }
        };
        response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
        with(response, self.header)
    }
}

/// The response, with what the log line says of it.
pub fn finish(cx: Cx<'_>, frame: &Frame<'_>, answer: Answer) -> HttpResponse {
    cx.request.extensions_mut().insert(Record {
        service: Some(cx.service.policy.id.clone()),
        tool: frame.tool.as_ref().map(|tool| tool.name.clone()),
        decision: answer.decision,
    });
    answer.into_response(frame.accepted)
}

fn with(mut response: HttpResponse, header: Option<(HeaderName, HeaderValue)>) -> HttpResponse {
    if let Some((name, value)) = header {
        response.headers_mut().insert(name, value);
    }
    response
}
