//! `resources/read`: may this caller read it, whose is it, and what the worker says.
//!
//! Only what somebody knows of is asked for: a URI that an upstream lists or has a template for, or that policy
//! names. Attack: a spelling that no policy names (`becoming://highlights/1/`) and a lenient worker takes for one
//! that is guarded; nobody knows of it, so no worker is asked.

use std::time::Duration;

use super::super::answer::Answer;
use super::super::call::{Authenticated, Cx, Resolved};
use super::super::refusal::Reason;
use super::super::service::Upstream;
use super::super::{entitle, methods, rate};
use super::Library;
use super::ask::{Question, Said, What, ask};
use super::guard::Rule;
use super::resources::page;
use crate::config::Unlisted;
use crate::mcp::jsonrpc;
use crate::mcp::result;
use crate::mcp::{contents, uri};

/// So many pages of a list are looked through for a resource that nothing else knows.
const MAX_PAGES: usize = 10;

/// A resource that this caller may read. Made by [`entitled`] alone.
pub struct Readable<'s> {
    uri: String,
    /// Where it is.
    pub upstream: &'s Upstream,
    timeout: Duration,
}

/// Reads a resource.
///
/// # Errors
/// To whom a resource is hidden, it answers as if it were absent, byte for byte.
pub async fn read(cx: Cx<'_>, caller: &Authenticated<'_>, call: &Resolved<'_>) -> Result<Answer, Reason> {
    let readable = entitled(cx, caller, call).await?;
    let question = Question {
        upstream: readable.upstream,
        what: What::Resource(&readable.uri),
        timeout: readable.timeout,
    };
    let body = match ask(cx, caller, call, question).await? {
        Said::Yes(body) => body,
        Said::Asks(result) => return methods::asks(cx, call, &result),
        Said::No => return Err(Reason::NoResource("upstream_absent", readable.uri.into())),
    };
    let contents = contents::contents(&body).ok_or(Reason::Unavailable("upstream_answer_unreadable"))?;
    // whose contents change when is the worker's to know
    let members = format!("\"contents\":{contents}{}", methods::caching(call, 0, false));
    let answer = result::answer(call.id, call.version, &cx.service.info.trailer, &members);
    Ok(Answer::json(answer, "allowed"))
}

/// The resource of a request, if this caller may read it.
///
/// # Errors
/// As for [`read`].
pub async fn entitled<'s>(
    cx: Cx<'s>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
) -> Result<Readable<'s>, Reason> {
    let library = cx.service.library.load_full();
    if !library.has_resources {
        return Err(Reason::NoMethod);
    }
    let uri = call.params.uri.and_then(jsonrpc::text).ok_or(Reason::Params("uri is a string"))?.into_owned();
    uri::check(&uri).map_err(Reason::Params)?;
    let normal = uri::normal(&uri);
    let upstreams = &cx.service.upstreams;
    let known = library.known(&uri, &normal).and_then(|at| upstreams.get(at));
    let rule = Rule::new(cx.service.guards.of_uri(&normal), &cx.service.policy, known);
    let absent = |label| Reason::NoResource(label, uri.as_str().into());
    let allowed = entitle::guarded(cx, caller, &rule.policy, absent);
    if allowed.is_ok() {
        // before the lists are looked through for what nobody else knows
        rate::read(cx, caller)?;
    }
    let upstream = match known {
        Some(upstream) => {
            allowed?;
            upstream
        }
        None if rule.named => {
            allowed?;
            match upstreams.as_slice() {
                [only] => only,
                _ => listing(cx, caller, call, &library, &uri).await?,
            }
        }
        // nobody knows of it, and nobody is asked for somebody who could not have it
        None if allowed.is_err() && caller.credential.is_none() => return Err(Reason::NoCredentials(true)),
        None if allowed.is_err() => return Err(absent("absent")),
        None => listing(cx, caller, call, &library, &uri).await?,
    };
    if !rule.named && upstream.unlisted == Unlisted::Deny {
        return Err(absent("unlisted"));
    }
    Ok(Readable { timeout: rule.timeout.unwrap_or(upstream.timeout), uri, upstream })
}

/// The upstream that lists it for this caller.
async fn listing<'s>(
    cx: Cx<'s>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    library: &Library,
    uri: &str,
) -> Result<&'s Upstream, Reason> {
    let mut down = None;
    for upstream in library.lists.iter().filter_map(|at| cx.service.upstreams.get(*at)) {
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let page = match page(cx, caller, call, upstream, cursor.as_deref()).await {
                // another may list it
                Err(reason @ (Reason::Unavailable(_) | Reason::Timeout))
                    if upstream.source.remote().is_some() =>
                {
                    down = Some(reason);
                    break;
                }
                page => page?,
            };
            if page.resources.iter().any(|entry| entry.key == uri) {
                return Ok(upstream);
            }
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
    }
    Err(match down {
        Some(reason) => reason,
        None if library.pending => Reason::Unavailable("catalog_pending"),
        None => Reason::NoResource("absent", uri.into()),
    })
}
