//! The methods that need no upstream.

use super::answer::Answer;
use super::call::{Authenticated, Cx, Resolved};
use super::refusal::Reason;
use crate::mcp::jsonrpc;
use crate::mcp::result;

/// How long a client may keep what it was told of the server.
const DISCOVER_TTL: u32 = 60_000;
/// How long it may keep a list: plans and permissions change.
pub const LIST_TTL: u32 = 5_000;

/// `initialize`: the revision was settled when the message was read.
pub fn initialize(cx: Cx<'_>, call: &Resolved<'_>, capabilities: &str) -> Answer {
    let info = &cx.service.info;
    let members = format!(
        "\"protocolVersion\":\"{}\",\"capabilities\":{capabilities},\"serverInfo\":{}{}",
        call.version.label(),
        info.of(call.version),
        info.instructions,
    );
    answer(cx, call, &members)
}

/// `server/discover`: what takes the handshake's place in the stateless revision.
pub fn discover(cx: Cx<'_>, call: &Resolved<'_>) -> Answer {
    let members = format!(
        "\"supportedVersions\":{},\"capabilities\":{}{},\"ttlMs\":{DISCOVER_TTL},\"cacheScope\":\"private\"",
        cx.service.versions.json(),
        cx.service.library.load().capabilities,
        cx.service.info.instructions,
    );
    answer(cx, call, &members)
}

/// `ping`.
pub fn ping(cx: Cx<'_>, call: &Resolved<'_>) -> Answer {
    answer(cx, call, "")
}

/// A list that comes in one page takes no cursor.
///
/// # Errors
/// A cursor, since none was given out.
pub fn one_page(call: &Resolved<'_>) -> Result<(), Reason> {
    match call.params.cursor {
        Some(cursor) if !jsonrpc::is_null(cursor) => Err(Reason::Params("there is one page and no cursor")),
        _ => Ok(()),
    }
}

/// How long an answer of the stateless revision may be kept and for whom; nothing in the others. What is shaped for
/// its caller is nobody else's.
pub fn caching(call: &Resolved<'_>, ttl: u32, everybody: bool) -> String {
    if !call.version.is_modern() {
        return String::new();
    }
    let scope = if everybody { "public" } else { "private" };
    format!(",\"ttlMs\":{ttl},\"cacheScope\":\"{scope}\"")
}

/// `tools/list`: exactly what this caller may use, in one page.
///
/// # Errors
/// A cursor, since none was given out; a catalog that is not there yet.
pub fn tools_list(cx: Cx<'_>, caller: &Authenticated<'_>, call: &Resolved<'_>) -> Result<Answer, Reason> {
    one_page(call)?;
    let catalog = cx.service.catalog.load();
    if catalog.pending && catalog.tools().next().is_none() {
        return Err(Reason::Unavailable("catalog_pending"));
    }
    let mut out = Vec::with_capacity(16 << 10);
    result::open(&mut out, call.id);
    out.extend_from_slice(b"{\"tools\":");
    catalog.write_list(caller.caller(), &cx.service.policy, &mut out);
    out.extend_from_slice(caching(call, LIST_TTL, catalog.for_everybody(&cx.service.policy)).as_bytes());
    result::close(&mut out, call.version, &cx.service.info.trailer, false);
    Ok(Answer::json(out, "allowed"))
}

/// What a stateless server needs before it answers, for a client that knows how it is asked.
///
/// # Errors
/// What cannot be passed on.
pub fn asks(cx: Cx<'_>, call: &Resolved<'_>, result: &[u8]) -> Result<Answer, Reason> {
    let text = std::str::from_utf8(result).ok();
    let answer = text.and_then(|text| result::asks(call.id, &cx.service.info.trailer, text));
    Ok(Answer::json(answer.ok_or(Reason::Unavailable("upstream_answer_unreadable"))?, "allowed"))
}

fn answer(cx: Cx<'_>, call: &Resolved<'_>, members: &str) -> Answer {
    Answer::json(result::answer(call.id, call.version, &cx.service.info.trailer, members), "allowed")
}
