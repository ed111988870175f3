//! Batches of 2025-03-26, where a service takes them: each message goes through the same stages alone, in order.
//!
//! Attack: a call that would be refused alone slips through between others. There is no other way for a message
//! here than [`super::converse`], which checks it as if it had come alone; what is refused is answered in its
//! place. Only one refusal answers for all: a sign-in that a client can only see by status. Calls are looked at for
//! it before anything of the batch is done.

use bytes::Bytes;
use serde_json::value::RawValue;

use super::accept::Accepted;
use super::answer::{Answer, Body};
use super::call::{Authenticated, Cx, Frame};
use super::refusal::Reason;
use super::{authenticate, converse, entitle, names, render, resolve};
use crate::mcp::batch::{self, Fault, MAX_MESSAGES};
use crate::mcp::jsonrpc::{self, Incoming};
use crate::mcp::method::Method;
use crate::mcp::version::Version;

/// Inside a batch there is one JSON answer and no stream.
const WHOLE: Accepted = Accepted { json: true, stream: false };

const ONE_KEY: &str = "Idempotency-Key speaks for one call; in a batch give each call its own key in _meta[\"io.portero/idempotency-key\"]";
const TOO_MANY: &str = "a batch has at most 50 messages";
const _: () = assert!(MAX_MESSAGES == 50, "the sentence says the number");

/// True if the body is an array and this service takes batches.
pub fn is_taken(cx: Cx<'_>, body: &[u8]) -> bool {
    cx.service.reading.batches && batch::is_array(body)
}

/// Answers every message of a batch; 202 if none wants an answer.
///
/// # Errors
/// What is wrong with the batch as a whole, and a sign-in that one of its messages needs.
pub async fn answer(cx: Cx<'_>, caller: &Authenticated<'_>, body: &Bytes) -> Result<Answer, Reason> {
    // known only to one revision: in the others an array is no message
    if version(cx)? != Version::V20250326 {
        return Err(Reason::Invalid("batches are of 2025-03-26 alone"));
    }
    let messages = batch::split(body).map_err(|fault| match fault {
        Fault::Parse => Reason::Parse,
        Fault::Empty => Reason::Invalid("the batch is empty"),
        Fault::TooMany => Reason::Invalid(TOO_MANY),
    })?;
    if cx.headers().contains_key(&names::IDEMPOTENCY_KEY) && requests(&messages) > 1 {
        return Err(Reason::Invalid(ONE_KEY));
    }
    sign_in_first(cx, caller, body, &messages)?;
    let (mut decision, mut done) = ("allowed", false);
    let mut all = Vec::with_capacity(1 << 10);
    for message in messages {
        let message = body.slice_ref(message.get().as_bytes());
        let mut frame = blank(cx, caller);
        let outcome = one(cx, &message, &mut frame).await;
        let before = done;
        done |= frame.call;
        let (answer, said) = match outcome {
            Ok(Answer { body: Body::Json(json), decision, .. }) => (json, decision),
            Ok(_) => continue,
            // what has only been read may be asked for again; what was called may not
            Err(reason @ Reason::NoCredentials(_))
                if !before && render::is_by_status(cx, &frame, &reason) =>
            {
                return Err(reason);
            }
            Err(reason) => (render::in_batch(cx, &frame, &reason), reason.label()),
        };
        if decision == "allowed" {
            decision = said;
        }
        all.push(if all.is_empty() { b'[' } else { b',' });
        all.extend_from_slice(&answer);
    }
    if all.is_empty() {
        return Ok(Answer::accepted());
    }
    all.push(b']');
    Ok(Answer::json(all, decision))
}

/// One message, of whoever calls now. Attack: a batch of slow calls, which goes on after its token was revoked for as
/// long as all of them take.
async fn one<'b>(cx: Cx<'_>, message: &'b Bytes, frame: &mut Frame<'b>) -> Result<Answer, Reason> {
    fits(message, frame)?;
    let refused = match authenticate::caller(cx).await {
        Ok(caller) => match entitle::service(cx, &caller) {
            Ok(()) => return converse(cx, &caller, message, frame).await,
            Err(reason) => reason,
        },
        Err(reason) => reason,
    };
    resolve::peek(message, frame);
    // what wants no answer gets none
    if frame.id.is_some() { Err(refused) } else { Ok(Answer::accepted()) }
}

fn blank<'b>(cx: Cx<'_>, caller: &Authenticated<'_>) -> Frame<'b> {
    Frame { version: Version::V20250326, kind: caller.caller().kind(), accepted: WHOLE, ..Frame::blank(cx) }
}

/// The revision that the header says, or that is assumed without one.
fn version(cx: Cx<'_>) -> Result<Version, Reason> {
    if !cx.headers().contains_key(&names::PROTOCOL_VERSION) {
        return Ok(cx.service.versions.assumed());
    }
    let named = cx.header(&names::PROTOCOL_VERSION).and_then(Version::parse);
    let served = named.filter(|version| cx.service.versions.has(*version));
    served.ok_or(Reason::Invalid("batches are of 2025-03-26 alone"))
}

/// How many of them want an answer. Attack, of a client on itself: two calls alike under one header, of which the second
/// is answered with the first one's result and never made.
fn requests(messages: &[&RawValue]) -> usize {
    let parsed = messages.iter().map(|message| jsonrpc::parse(message.get().as_bytes()));
    parsed.filter(|message| matches!(message, Ok(Incoming::Request(_)))).count()
}

/// What is a message alone, and none of a batch.
fn fits<'b>(message: &'b [u8], frame: &mut Frame<'b>) -> Result<(), Reason> {
    let Ok(Incoming::Request(request)) = jsonrpc::parse(message) else { return Ok(()) };
    let method = Method::of(&request.method);
    let meta = request.params.meta.and_then(jsonrpc::Meta::read);
    let modern = meta.is_some_and(|meta| meta.protocol_version.is_some()) || method.is_modern_only();
    let fault = match method {
        Method::Initialize => "initialize stands alone, not in a batch",
        _ if modern => "batches are of 2025-03-26 alone",
        _ => return Ok(()),
    };
    frame.id = Some(request.id);
    Err(Reason::Invalid(fault))
}

/// Before anything is done: a client without a token opens its sign-in by a 401 alone, and would not see it
/// between other answers.
fn sign_in_first(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    body: &Bytes,
    messages: &[&RawValue],
) -> Result<(), Reason> {
    if caller.credential.is_some() {
        return Ok(());
    }
    for message in messages {
        let message = body.slice_ref(message.get().as_bytes());
        let mut frame = blank(cx, caller);
        let Ok(Some(resolved)) = resolve::resolve(cx, &message, &mut frame) else { continue };
        if resolved.method != Method::ToolsCall {
            continue;
        }
        if let Err(reason @ Reason::NoCredentials(_)) = entitle::tool(cx, caller, resolved, &mut frame)
            && render::is_by_status(cx, &frame, &reason)
        {
            return Err(reason);
        }
    }
    Ok(())
}
