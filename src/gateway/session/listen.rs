//! `GET`: the stream on which the upstreams of a session speak unasked, all of them on one.

use std::collections::BTreeMap;

use actix_web::http::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use actix_web::http::{Method, StatusCode};
use futures_util::future::join_all;

use super::find::{self, Held};
use super::pump::Pump;
use super::reach::legs;
use super::source::{Opened, Source};
use crate::gateway::answer::Answer;
use crate::gateway::call::{Authenticated, Cx};
use crate::gateway::refusal::Reason;
use crate::gateway::{accept, names};

/// Opens the stream. `HEAD` is answered as if it had.
///
/// # Errors
/// 405 in the stateless revision and where no upstream ever speaks unasked; 400 without a session, 404 for one that is
/// over, 429 for too many streams.
pub async fn listen(cx: Cx<'_>, caller: &Authenticated<'_>) -> Result<Answer, Reason> {
    if find::is_modern(cx) {
        return Err(Reason::Method);
    }
    let held = find::required(cx, caller)?;
    readable(cx)?;
    let last = seen(cx, &held)?;
    if cx.request.method() == Method::HEAD {
        let kind = (CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        return Ok(Answer { status: StatusCode::OK, header: Some(kind), ..Answer::accepted() });
    }
    let place = cx.gateway.sessions.enter(&held.session.principal)?;
    let sources = open(cx, caller, &held, last.clone()).await?;
    let pump = Pump::new(cx, caller, held, place, last).ok_or(Reason::Session("session_of_nobody"))?;
    Ok(Answer::stream(pump.stream(sources)))
}

/// Whoever opens a stream has to be able to read one.
fn readable(cx: Cx<'_>) -> Result<(), Reason> {
    let values: Vec<&str> = cx.headers().get_all(ACCEPT).filter_map(|value| value.to_str().ok()).collect();
    if values.is_empty() || values.iter().any(|value| value.contains("*/*")) {
        return Ok(());
    }
    let accepted = accept::negotiate(Some(&values.join(",")), false)?;
    if accepted.stream { Ok(()) } else { Err(Reason::NotAcceptable) }
}

/// The last events that the client has seen, by upstream.
fn seen(cx: Cx<'_>, held: &Held) -> Result<BTreeMap<String, String>, Reason> {
    if !cx.headers().contains_key(&names::LAST_EVENT_ID) {
        return Ok(BTreeMap::new());
    }
    let text = cx.header(&names::LAST_EVENT_ID).unwrap_or_default();
    held.wrapper.seen(&cx.app.keys, text).ok_or(Reason::Invalid("Last-Event-ID is none of this session's"))
}

async fn open(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    held: &Held,
    mut last: BTreeMap<String, String>,
) -> Result<Vec<Source>, Reason> {
    let all = legs(cx, caller, held).into_iter().enumerate();
    let opening = all.map(|(at, (reach, leg))| {
        let last = last.remove(&leg.upstream);
        Source::open(reach, leg.clone(), at, last)
    });
    let (mut sources, mut too_many) = (Vec::new(), false);
    for opened in join_all(opening.collect::<Vec<_>>()).await {
        match opened {
            Opened::Source(source) => sources.push(*source),
            Opened::Silent => {}
            Opened::TooMany => too_many = true,
            Opened::Gone => {
                cx.gateway.sessions.end(held);
                return Err(Reason::Session("session_gone_upstream"));
            }
        }
    }
    match (sources.is_empty(), too_many) {
        (true, true) => Err(Reason::Streams),
        (true, false) => Err(Reason::Method),
        // of those that will be tried again one at least has to be there now
        (false, _) if !sources.iter().any(Source::is_open) => {
            Err(Reason::Unavailable("upstream_stream_refused"))
        }
        (false, _) => Ok(sources),
    }
}
