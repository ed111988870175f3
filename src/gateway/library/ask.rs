//! Asking a worker on a caller's behalf for what is no tool: the same identity headers, one deadline, and what
//! its statuses mean.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, USER_AGENT};
use http::{Method, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::time::Duration;

use super::super::call::{Authenticated, Cx};
use super::super::dispatch;
use super::super::prove::prove;
use super::super::refusal::Reason;
use super::super::service::Upstream;
use super::super::trace::Trace;
use crate::mcp::error::Code;
use crate::mcp::jsonrpc::Meta;
use crate::upstream::client::{Failure, Sending};
use crate::upstream::identity_headers::Carrier as _;
use crate::upstream::worker;

/// RFC 3986 unreserved characters stay as they are, so that nothing in a value can end it.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// What is asked.
pub struct Question<'a> {
    /// Of whom.
    pub upstream: &'a Upstream,
    /// The path below its URL, and the query.
    pub path: String,
    /// What is sent; a GET if nothing is.
    pub body: Option<Bytes>,
    /// How long it may take.
    pub timeout: Duration,
}

/// What a worker says.
pub enum Said {
    /// Here it is.
    Yes(Bytes),
    /// There is no such thing, for this caller.
    No,
}

/// A text as one step of a path or one value of a query.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, VALUE).to_string()
}

/// Asks.
///
/// # Errors
/// The upstream's failures, and its refusals of what the client sent.
pub async fn ask(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    meta: &Meta<'_>,
    question: Question<'_>,
) -> Result<Said, Reason> {
    let target = format!("{}{}", question.upstream.base, question.path);
    let uri: Uri = target.parse().map_err(|_| Reason::Unavailable("upstream_url"))?;
    let mut headers = headers(cx, caller, meta, &question);
    let method = if question.body.is_some() { Method::POST } else { Method::GET };
    let body = question.body.unwrap_or_default();
    if let Some(parties) = &question.upstream.assertion {
        let names = &cx.gateway.names;
        let mut facts = names.facts();
        facts.fixed(&headers);
        facts.path(&question.path);
        names.assertion(&mut headers, &prove(cx.app, parties, facts, &body)?);
    }
    let sending = Sending { method, uri: &uri, headers: &headers, body: &body };
    let answer = tokio::time::timeout(question.timeout, worker::ask(&cx.app.upstream, &sending));
    let (status, body) = answer.await.unwrap_or(Err(Failure::Timeout))?;
    let told = |code| Reason::Worker(code, dispatch::message(&String::from_utf8_lossy(&body)).into());
    match status.as_u16() {
        200 => Ok(Said::Yes(body)),
        // whose it is and whether it is there at all is the worker's to know and nobody's to learn
        403 | 404 | 405 | 410 | 501 => Ok(Said::No),
        // it wants to know for whom, and there is nobody
        401 if caller.credential.is_none() => Ok(Said::No),
        400 | 422 => Err(told(Code::InvalidArguments)),
        429 => Err(told(Code::RateLimited)),
        _ => Err(Reason::Unavailable("upstream_status")),
    }
}

fn headers(cx: Cx<'_>, caller: &Authenticated<'_>, meta: &Meta<'_>, question: &Question<'_>) -> HeaderMap {
    let names = &cx.gateway.names;
    let mut headers = HeaderMap::with_capacity(32);
    headers.extend(question.upstream.headers.clone());
    names.service(&mut headers, cx.service.policy.id.as_str());
    names.caller(&mut headers, caller.caller());
    Trace::new(cx, meta).write(&mut headers, None);
    headers.set(&HOST, &question.upstream.host);
    headers.insert(ACCEPT, JSON);
    if question.body.is_some() {
        headers.insert(CONTENT_TYPE, JSON);
    }
    headers.entry(USER_AGENT).or_insert(HeaderValue::from_static("portero"));
    headers
}
