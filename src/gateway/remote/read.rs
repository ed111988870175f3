//! Asking a server on a caller's behalf for what is no tool: a list, a resource, a prompt, a completion.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::call::{Authenticated, Cx, Resolved};
use super::super::library::ask::What;
use super::super::refusal::Reason;
use super::super::trace::{self, Trace};
use super::Remote;
use super::cancel::Asked;
use super::hear::{self, Heard};
use super::talk::{Message, talk};
use super::voice::Voice;
use crate::mcp::error::Code;
use crate::mcp::translate::{self, Outcome};
use crate::mcp::version::Version;
use crate::mcp::{carry, peer};
use crate::upstream::mcp::Mirrored;

/// What is asked.
pub struct Question<'a> {
    /// The method.
    pub method: &'static str,
    /// What a header repeats of it.
    pub name: Option<&'a str>,
    /// Its parameters, each JSON.
    pub params: Vec<(&'static str, Option<&'a str>)>,
    /// True where the server may ask for input first, and gets it with the next request.
    pub may_ask: bool,
}

/// Asks for what the library knows of.
///
/// # Errors
/// As for [`ask`].
pub async fn what(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    remote: &Arc<Remote>,
    what: &What<'_>,
) -> Result<Said, Reason> {
    let text = |text: &str| Value::from(text).to_string();
    let (method, name, params) = match what {
        What::Resources(cursor) => ("resources/list", None, vec![("cursor", cursor.map(text))]),
        What::Resource(uri) => ("resources/read", Some(*uri), vec![("uri", Some(text(uri)))]),
        What::Prompt(name, arguments) => {
            let arguments = String::from_utf8_lossy(arguments).into_owned();
            ("prompts/get", Some(*name), vec![("name", Some(text(name))), ("arguments", Some(arguments))])
        }
    };
    let params = params.iter().map(|(name, value)| (*name, value.as_deref())).collect();
    let question = Question { method, name, params, may_ask: method != "resources/list" };
    ask(cx, caller, call, remote, &question).await
}

/// What a server says to it.
pub enum Said {
    /// Here it is: an object, JSON.
    Yes(Bytes),
    /// It needs input first: an object, JSON.
    Asks(Bytes),
    /// There is no such thing.
    No,
}

/// Asks. The caller's deadline ends it by dropping it.
///
/// # Errors
/// What keeps an answer from coming, and its refusals of what the client sent.
pub async fn ask(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    remote: &Arc<Remote>,
    question: &Question<'_>,
) -> Result<Said, Reason> {
    if remote.is_down() && question.method == "resources/list" {
        // nobody waits for a list of what cannot be read anyway
        return Err(Reason::Unavailable("upstream_down"));
    }
    let voice = Voice::of(cx, caller, &Trace::new(cx, &call.meta), remote);
    let way = voice.way(remote)?;
    let meta = carry::meta(call.params.meta, call.version, way.version, None);
    let both = question.may_ask && call.version.is_modern() && way.version.is_modern();
    let carried = |raw: Option<&'_ RawValue>| raw.filter(|_| both).map(|raw| raw.get().to_owned());
    let (responses, state) = (carried(call.params.input_responses), carried(call.params.request_state));
    let answers = [
        ("inputResponses", responses.as_deref()),
        ("requestState", state.as_deref()),
        ("_meta", meta.as_deref()),
    ];
    let params = carry::object(question.params.iter().copied().chain(answers));
    let id = trace::random_key(&*cx.app.entropy);
    let body = peer::request(&id, question.method, &params);
    let headers = voice.headers(&body)?;
    let mirrored =
        Mirrored { method: question.method, name: question.name.map(Into::into), arguments: Vec::new() };
    let message = Message { way, headers: &headers, mirrored: &mirrored, cost: None, body: &body };
    let mut asked = Asked::new(remote, voice.clone(), id.clone());
    let replied = talk(remote, &voice, &message, |session| asked.in_session(way.version, session)).await?;
    let heard = hear::whole(replied.reply, &id).await;
    asked.answered();
    match heard? {
        Heard::Result(result) => said(&result, question, call.version),
        Heard::Error(error) => refused(&error, question, way.version),
    }
}

fn said(result: &str, question: &Question<'_>, to: Version) -> Result<Said, Reason> {
    match translate::outcome(result) {
        Some(Outcome::Complete(result)) => Ok(Said::Yes(Bytes::from(result))),
        Some(Outcome::Asks(result)) if question.may_ask && to.is_modern() => {
            Ok(Said::Asks(Bytes::from(result)))
        }
        Some(Outcome::Asks(_)) if question.may_ask => {
            Err(Reason::Worker(Code::UpstreamUnavailable, translate::ASKS_IN_VAIN.into()))
        }
        Some(Outcome::Asks(_)) | None => Err(Reason::Unavailable("upstream_answer_unreadable")),
    }
}

/// What a server refuses. Whether there is such a thing at all is said in another number by each era.
fn refused(error: &str, question: &Question<'_>, from: Version) -> Result<Said, Reason> {
    let error: Value = serde_json::from_str(error).unwrap_or_default();
    let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    match code {
        -32002 if question.method == "resources/read" => Ok(Said::No),
        -32602 if question.method == "resources/read" && from.is_modern() => Ok(Said::No),
        -32602 => Err(Reason::Worker(Code::InvalidParams, message.into())),
        _ => Err(Reason::Unavailable("upstream_error")),
    }
}
