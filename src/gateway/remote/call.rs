//! `tools/call` at an MCP server: the permitted arguments in a message of a revision that it speaks.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::super::call::{Authenticated, Cx};
use super::super::policy::Permitted;
use super::super::service::Tool;
use super::super::session::Own;
use super::super::trace::{self, Trace};
use super::Remote;
use super::Way;
use super::cancel::{Asked, Underway};
use super::conversation::{Conversation, Ears, Told};
use super::talk::{Message, talk};
use super::voice::Voice;
use crate::mcp::{carry, headers, peer};
use crate::upstream::client::Failure;
use crate::upstream::mcp::{Mirrored, Reply};
use crate::upstream::worker::{Answer, Answered};

/// Mirrored arguments that this gateway's catalog does not know are passed on, no more of them than this.
const MAX_PARAMS: usize = 32;

/// What a caller's request says beyond the arguments. It owns all it needs.
pub struct Order {
    voice: Voice,
    ears: Ears,
    meta: Option<Box<RawValue>>,
    /// `inputResponses` and `requestState`, as they came.
    answers: [Option<Box<RawValue>>; 2],
    params: Vec<(HeaderName, String)>,
    underway: Option<Underway>,
    id: String,
}

impl Order {
    /// Of a permitted call.
    pub fn new(
        cx: Cx<'_>,
        caller: &Authenticated<'_>,
        call: &Permitted<'_>,
        trace: &Trace,
        remote: &Remote,
    ) -> Self {
        let (version, params) = (call.version(), call.params());
        let own = |raw: Option<&RawValue>| raw.map(ToOwned::to_owned);
        let can_be_given_up = !version.is_modern();
        let voice = Voice::of(cx, caller, trace, remote);
        Self {
            id: match &voice.own {
                Some(_) => Own::call(call.id().as_json()),
                None => trace::random_key(&*cx.app.entropy),
            },
            voice,
            ears: Ears::new(version, call.meta().progress_token, call.meta().log_level),
            meta: own(params.meta),
            answers: [own(params.input_responses), own(params.request_state)],
            params: if version.is_modern() { mirrored_params(cx) } else { Vec::new() },
            underway: can_be_given_up.then(|| Underway::enter(cx, caller, call.id().as_json())).flatten(),
        }
    }

    /// The message, for a server as it is known now.
    ///
    /// # Errors
    /// It is not known yet.
    pub fn write(self, remote: &Arc<Remote>, tool: &Tool, arguments: &Bytes) -> Result<Written, Failure> {
        let way = self.voice.way(remote)?;
        let to = way.version;
        let arguments_text =
            std::str::from_utf8(arguments).map_err(|_| Failure::Unavailable("arguments_unreadable"))?;
        let token = self.ears.token.as_ref().map(|_| self.id.as_str());
        let meta = carry::meta(self.meta.as_deref(), self.ears.version, to, token);
        // they answer what a stateless server asked, and mean nothing to another
        let [responses, state] = &self.answers;
        let both = |raw: &'_ Option<Box<RawValue>>| {
            raw.as_ref().filter(|_| to.is_modern()).map(|raw| raw.get().to_owned())
        };
        let (responses, state) = (both(responses), both(state));
        let params = carry::object([
            ("name", Some(json!(tool.name).to_string().as_str())),
            ("arguments", Some(arguments_text)),
            ("inputResponses", responses.as_deref()),
            ("requestState", state.as_deref()),
            ("_meta", meta.as_deref()),
        ]);
        let body = peer::request(&self.id, "tools/call", &params);
        let repeated = if to.is_modern() { self.repeated(tool, arguments) } else { Vec::new() };
        let asked = Asked::new(remote, self.voice, self.id);
        Ok(Written { body, way, repeated, asked, ears: self.ears, underway: self.underway })
    }

    /// The arguments that headers repeat: those of the tool's schema from the arguments themselves, and what the
    /// caller's client knows beyond it.
    fn repeated(&self, tool: &Tool, arguments: &[u8]) -> Vec<(HeaderName, String)> {
        let given: Map<String, Value> = if tool.mirrors.is_empty() {
            Map::new()
        } else {
            serde_json::from_slice(arguments).unwrap_or_default()
        };
        let known = tool.mirrors.iter().filter_map(|mirror| {
            Some((HeaderName::try_from(mirror.header.as_str()).ok()?, mirror.value(&given)?))
        });
        let is_known = |name: &HeaderName| tool.mirrors.iter().any(|mirror| mirror.header == name.as_str());
        known.chain(self.params.iter().filter(|(name, _)| !is_known(name)).cloned()).collect()
    }
}

/// `Mcp-Param-*` of the request, decoded.
fn mirrored_params(cx: Cx<'_>) -> Vec<(HeaderName, String)> {
    let all = cx.headers().iter().filter(|(name, _)| name.as_str().starts_with(headers::PARAM_PREFIX));
    let read = all.filter_map(|(name, value)| {
        let name = HeaderName::try_from(name.as_str()).ok()?;
        Some((name, headers::decode(value.as_bytes())?.into_owned()))
    });
    read.take(MAX_PARAMS).collect()
}

/// A message that can be sent.
pub struct Written {
    /// Itself.
    pub body: Bytes,
    way: Way,
    repeated: Vec<(HeaderName, String)>,
    asked: Asked,
    ears: Ears,
    underway: Option<Underway>,
}

/// What a server said, and the call itself where it still speaks.
pub type Said = (Answered, Option<Conversation>);

impl Written {
    /// Sends it. Dropped before the answer has come, or given up by the caller, the call is cancelled at the server.
    ///
    /// # Errors
    /// What keeps an answer from coming.
    pub async fn send(
        mut self,
        tool: &Tool,
        headers: &HeaderMap,
        cost: Option<&HeaderName>,
    ) -> Result<Said, Failure> {
        let mirrored = Mirrored {
            method: "tools/call",
            name: Some((*tool.name).into()),
            arguments: std::mem::take(&mut self.repeated),
        };
        let remote = Arc::clone(&self.asked.remote);
        let (voice, way) = (self.asked.voice.clone(), self.way);
        let message = Message { way, headers, mirrored: &mirrored, cost, body: &self.body };
        let sent = talk(&remote, &voice, &message, |session| self.asked.in_session(way.version, session));
        let replied = tokio::select! {
            sent = sent => sent?,
            () = given_up(self.underway.as_ref()) => return Err(Failure::Unavailable("call_given_up")),
        };
        let conversation = Conversation::new(self.asked, self.ears, self.underway);
        let whole = |answer| Ok((Answered { answer, noted: replied.cost.clone() }, None));
        match replied.reply {
            Reply::Events(body) => {
                let answered = Answered { answer: Answer::Stream(body), noted: replied.cost };
                Ok((answered, Some(conversation)))
            }
            Reply::Json(body) => match conversation.hear(&body) {
                Told::End(Ok(answer)) => whole(answer),
                Told::End(Err(label)) => Err(Failure::Unavailable(label)),
                Told::Nothing | Told::Message(_) => Err(Failure::Unavailable("upstream_answer_unreadable")),
            },
            Reply::Accepted => Err(Failure::Unavailable("upstream_no_answer")),
            Reply::NotFound => Err(Failure::Unavailable("upstream_session_gone")),
            Reply::Refused(status, body) => {
                let refused = refused(status, &body, &conversation);
                conversation.ended();
                refused.map_or_else(Err, whole)
            }
        }
    }
}

/// What the gateway's own credentials are refused for is never the caller's 401.
fn refused(status: u16, body: &[u8], conversation: &Conversation) -> Result<Answer, Failure> {
    if matches!(status, 401 | 403 | 407) {
        return Err(Failure::Unavailable("upstream_credentials_refused"));
    }
    match conversation.hear(body) {
        Told::End(Ok(answer @ Answer::Wrong(_))) => Ok(answer),
        _ => Err(Failure::Unavailable("upstream_status")),
    }
}

async fn given_up(underway: Option<&Underway>) {
    match underway {
        Some(underway) => underway.given_up().await,
        None => std::future::pending().await,
    }
}
