//! Asking an upstream on a caller's behalf for what is no tool: the same identity headers, one deadline, and what a
//! worker's statuses mean.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, USER_AGENT};
use http::{Method, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::time::Duration;

use super::super::call::{Authenticated, Cx, Resolved};
use super::super::finish;
use super::super::prove::prove;
use super::super::refusal::Reason;
use super::super::remote::read;
pub use super::super::remote::read::Said;
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
    /// What it is.
    pub what: What<'a>,
    /// How long it may take.
    pub timeout: Duration,
}

/// What can be asked for.
pub enum What<'a> {
    /// A page of the list of resources, after this cursor.
    Resources(Option<&'a str>),
    /// The resource of this URI.
    Resource(&'a str),
    /// The prompt of this name, with these arguments.
    Prompt(&'a str, Bytes),
}

impl What<'_> {
    /// For a worker: the path below its URL with the query, and what is sent; a GET if nothing is.
    fn at_worker(&self) -> (String, Option<Bytes>) {
        match self {
            Self::Resources(None) => ("/resources".to_owned(), None),
            Self::Resources(Some(cursor)) => (format!("/resources?cursor={}", encoded(cursor)), None),
            Self::Resource(uri) => (format!("/resources/read?uri={}", encoded(uri)), None),
            Self::Prompt(name, arguments) => (format!("/prompts/{}", encoded(name)), Some(arguments.clone())),
        }
    }
}

/// A text as one step of a path or one value of a query.
fn encoded(text: &str) -> String {
    utf8_percent_encode(text, VALUE).to_string()
}

/// Asks.
///
/// # Errors
/// The upstream's failures, and its refusals of what the client sent.
pub async fn ask(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    question: Question<'_>,
) -> Result<Said, Reason> {
    if let Some(remote) = question.upstream.source.remote() {
        let answer = read::what(cx, caller, call, remote, &question.what);
        return tokio::time::timeout(question.timeout, answer).await.unwrap_or(Err(Reason::Timeout));
    }
    let (path, body) = question.what.at_worker();
    let target = format!("{}{path}", question.upstream.base);
    let uri: Uri = target.parse().map_err(|_| Reason::Unavailable("upstream_url"))?;
    let mut headers = headers(cx, caller, &call.meta, question.upstream);
    let method = if body.is_some() { Method::POST } else { Method::GET };
    if body.is_some() {
        headers.insert(CONTENT_TYPE, JSON);
    }
    let body = body.unwrap_or_default();
    if let Some(parties) = &question.upstream.assertion {
        let names = &cx.gateway.names;
        let mut facts = names.facts();
        facts.fixed(&headers);
        facts.path(&path);
        names.assertion(&mut headers, &prove(cx.app, parties, facts, &body)?);
    }
    let sending = Sending { method, uri: &uri, headers: &headers, body: &body };
    let answer = tokio::time::timeout(question.timeout, worker::ask(&cx.app.upstream, &sending));
    let (status, body) = answer.await.unwrap_or(Err(Failure::Timeout))?;
    let told = |code| Reason::Worker(code, finish::message(&String::from_utf8_lossy(&body)).into());
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

fn headers(cx: Cx<'_>, caller: &Authenticated<'_>, meta: &Meta<'_>, upstream: &Upstream) -> HeaderMap {
    let names = &cx.gateway.names;
    let mut headers = HeaderMap::with_capacity(32);
    headers.extend(upstream.headers.clone());
    names.service(&mut headers, cx.service.policy.id.as_str());
    names.caller(&mut headers, caller.caller());
    Trace::new(cx, meta).write(&mut headers, None);
    headers.set(&HOST, &upstream.host);
    headers.insert(ACCEPT, JSON);
    headers.entry(USER_AGENT).or_insert(HeaderValue::from_static("portero"));
    headers
}
