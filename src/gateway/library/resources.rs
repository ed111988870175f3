//! The lists of resources and of their templates.
//!
//! Resources are a person's, so their list is asked of the workers for each caller, page by page, and then filtered;
//! templates are part of the catalog. Where several upstreams list resources, one list follows the other, and a
//! cursor says whose it is.

use super::super::answer::Answer;
use super::super::call::{Authenticated, Cx, Resolved};
use super::super::library::{self, Library};
use super::super::methods;
use super::super::refusal::Reason;
use super::super::service::Upstream;
use super::ask::{Question, Said, What, ask};
use crate::mcp::error::Code;
use crate::mcp::jsonrpc;
use crate::mcp::offer::{self, Page};
use crate::mcp::result;

/// A worker's cursor is no longer than this.
const MAX_CURSOR: usize = 4096;
const BAD_CURSOR: Reason = Reason::Params("cursor is none that was given out");

/// `resources/list`.
///
/// # Errors
/// A cursor of nobody's; a worker that cannot be asked. A list with a hole would pass for the whole.
pub async fn list(cx: Cx<'_>, caller: &Authenticated<'_>, call: &Resolved<'_>) -> Result<Answer, Reason> {
    let library = cx.service.library.load();
    if !library.has_resources {
        return Err(Reason::NoMethod);
    }
    let (mut sources, mut cursor) = begin(cx, &library, call)?;
    if caller.credential.is_none() && !cx.service.guards.has_public_resources() {
        sources = Vec::new();
    }
    let mut out = Vec::with_capacity(4 << 10);
    result::open(&mut out, call.id);
    out.extend_from_slice(b"{\"resources\":[");
    let start = out.len();
    let mut next = None;
    for upstream in sources {
        let page = match page(cx, caller, call, upstream, cursor.take().as_deref()).await {
            // a server of somebody else's that is down takes only its own away
            Err(Reason::Unavailable(_) | Reason::Timeout) if upstream.source.remote().is_some() => continue,
            page => page?,
        };
        for entry in &page.resources {
            let Some(piece) = library::shown(cx.service, upstream, caller.caller(), entry) else { continue };
            if out.len() > start {
                out.push(b',');
            }
            out.extend_from_slice(piece.as_bytes());
        }
        if let Some(own) = page.next {
            next = Some(if library.lists.len() > 1 { format!("{}:{own}", upstream.id) } else { own });
            break;
        }
    }
    out.push(b']');
    if let Some(next) = next {
        out.extend_from_slice(b",\"nextCursor\":");
        result::write_string(&mut out, &next);
    }
    out.extend_from_slice(methods::caching(call, 0, false).as_bytes());
    result::close(&mut out, call.version, &cx.service.info.trailer, false);
    Ok(Answer::json(out, "allowed"))
}

/// Where the list begins, and the cursor for the first one asked. A worker's cursor passes as it is where no other
/// worker lists any.
fn begin<'s>(
    cx: Cx<'s>,
    library: &Library,
    call: &Resolved<'_>,
) -> Result<(Vec<&'s Upstream>, Option<String>), Reason> {
    let all = library.lists.iter().filter_map(|at| cx.service.upstreams.get(*at)).collect::<Vec<_>>();
    let Some(cursor) = call.params.cursor.filter(|cursor| !jsonrpc::is_null(cursor)) else {
        return Ok((all, None));
    };
    let cursor = jsonrpc::text(cursor).filter(|text| text.len() <= MAX_CURSOR).ok_or(BAD_CURSOR)?;
    if all.len() == 1 {
        return Ok((all, Some(cursor.into_owned())));
    }
    let (id, own) = cursor.split_once(':').ok_or(BAD_CURSOR)?;
    let at = all.iter().position(|upstream| upstream.id == id).ok_or(BAD_CURSOR)?;
    Ok((all.into_iter().skip(at).collect(), Some(own.to_owned())))
}

/// One page of a worker's list, as the worker gives it to this caller; empty if it lists nothing.
///
/// # Errors
/// What keeps it from answering.
pub async fn page(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    upstream: &Upstream,
    cursor: Option<&str>,
) -> Result<Page, Reason> {
    let question = Question { upstream, what: What::Resources(cursor), timeout: upstream.timeout };
    match ask(cx, caller, call, question).await {
        Err(Reason::Worker(Code::InvalidArguments | Code::InvalidParams, _)) if cursor.is_some() => {
            Err(BAD_CURSOR)
        }
        Err(reason) => Err(reason),
        Ok(Said::No | Said::Asks(_)) => Ok(Page::default()),
        Ok(Said::Yes(body)) => offer::page(&body).ok_or(Reason::Unavailable("upstream_answer_unreadable")),
    }
}

/// `resources/templates/list`, in one page.
///
/// # Errors
/// A cursor, since none was given out.
pub fn templates(cx: Cx<'_>, caller: &Authenticated<'_>, call: &Resolved<'_>) -> Result<Answer, Reason> {
    let library = cx.service.library.load();
    if !library.has_resources {
        return Err(Reason::NoMethod);
    }
    methods::one_page(call)?;
    let mut out = Vec::with_capacity(4 << 10);
    result::open(&mut out, call.id);
    out.extend_from_slice(b"{\"resourceTemplates\":");
    let everybody = library::write_list(library.templates(), caller.caller(), &cx.service.policy, &mut out);
    out.extend_from_slice(methods::caching(call, methods::LIST_TTL, everybody).as_bytes());
    result::close(&mut out, call.version, &cx.service.info.trailer, false);
    Ok(Answer::json(out, "allowed"))
}
