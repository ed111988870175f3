//! The methods that need no upstream.

use super::answer::Answer;
use super::call::{Authenticated, Cx, Resolved};
use super::refusal::Reason;
use crate::mcp::jsonrpc;
use crate::mcp::result;

/// How long a client may keep what it was told of the server, and of its tools: plans and permissions change.
const DISCOVER_TTL: u32 = 60_000;
const LIST_TTL: u32 = 5_000;
/// What this gateway can do for every service; nothing tells clients of changes.
const CAPABILITIES: &str = "{\"tools\":{\"listChanged\":false}}";

/// `initialize`: the revision was settled when the message was read. No session is opened.
pub fn initialize(cx: Cx<'_>, call: &Resolved<'_>) -> Answer {
    let info = &cx.service.info;
    let members = format!(
        "\"protocolVersion\":\"{}\",\"capabilities\":{CAPABILITIES},\"serverInfo\":{}{}",
        call.version.label(),
        info.of(call.version),
        info.instructions,
    );
    answer(cx, call, &members)
}

/// `server/discover`: what takes the handshake's place in the stateless revision.
pub fn discover(cx: Cx<'_>, call: &Resolved<'_>) -> Answer {
    let members = format!(
        "\"supportedVersions\":{},\"capabilities\":{CAPABILITIES}{},\"ttlMs\":{DISCOVER_TTL},\"cacheScope\":\"private\"",
        cx.service.versions.json(),
        cx.service.info.instructions,
    );
    answer(cx, call, &members)
}

/// `ping`.
pub fn ping(cx: Cx<'_>, call: &Resolved<'_>) -> Answer {
    answer(cx, call, "")
}

/// `tools/list`: exactly what this caller may use, in one page.
///
/// # Errors
/// A cursor, since none was given out; a catalog that is not there yet.
pub fn tools_list(cx: Cx<'_>, caller: &Authenticated<'_>, call: &Resolved<'_>) -> Result<Answer, Reason> {
    if call.params.cursor.is_some_and(|cursor| !jsonrpc::is_null(cursor)) {
        return Err(Reason::Params("there is one page and no cursor"));
    }
    let catalog = cx.service.catalog.load();
    if catalog.pending && catalog.tools().next().is_none() {
        return Err(Reason::Unavailable("catalog_pending"));
    }
    let mut out = Vec::with_capacity(16 << 10);
    result::open(&mut out, call.id);
    out.extend_from_slice(b"{\"tools\":");
    catalog.write_list(caller.caller(), &cx.service.policy, &mut out);
    if call.version.is_modern() {
        // filtered by caller, so it is nobody else's
        out.extend_from_slice(format!(",\"ttlMs\":{LIST_TTL},\"cacheScope\":\"private\"").as_bytes());
    }
    result::close(&mut out, call.version, &cx.service.info.trailer, false);
    Ok(Answer::json(out, "allowed"))
}

fn answer(cx: Cx<'_>, call: &Resolved<'_>, members: &str) -> Answer {
    Answer::json(result::answer(call.id, call.version, &cx.service.info.trailer, members), "allowed")
}
