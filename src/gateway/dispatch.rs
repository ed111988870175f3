//! Step 8: sending a permitted call, and what becomes of the worker's answer.

use std::borrow::Cow;
use std::sync::Arc;

use actix_web::rt;
use bytes::Bytes;
use http::HeaderMap;
use tokio::time::{Instant, timeout_at};

use super::Gateway;
use super::answer::Answer;
use super::call::{Authenticated, Cx, Frame};
use super::policy::Permitted;
use super::refusal::Reason;
use super::relay::Relay;
use super::service::{Service, Tool};
use super::trace::{self, Trace};
use crate::app::App;
use crate::config::ErrorStyle;
use crate::domain::decide::Caller;
use crate::domain::verified::Verified;
use crate::mcp::error::Code;
use crate::mcp::jsonrpc::Id;
use crate::mcp::result::{self, ToolText};
use crate::mcp::version::Version;
use crate::upstream::client::{Failure, Headers};
use crate::upstream::identity_headers::{Carrier, Lines};
use crate::upstream::worker;

/// Sends the call. Only what was permitted can be sent: nothing else has this type.
///
/// # Errors
/// The upstream's failures, and its refusals where the service says them as JSON-RPC errors.
pub async fn send(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: Permitted<'_>,
    frame: &Frame<'_>,
) -> Result<Answer, Reason> {
    let outgoing = Outgoing::new(cx, caller, &call);
    let deadline = outgoing.deadline;
    // up to 2025-11-25 a lost connection is no cancellation: what writes is seen through to the end
    let answer = if call.version().is_modern() || call.tool().policy.read_only {
        outgoing.call().await?
    } else {
        rt::spawn(outgoing.call()).await.map_err(|_| Reason::Unavailable("call_aborted"))??
    };
    let finish = Finish { service: cx.service, tool: call.tool(), id: call.id(), version: call.version() };
    match answer {
        worker::Answer::Stream(body) => {
            let relay = Relay::new(cx, caller, &call, deadline);
            if frame.accepted.stream {
                Ok(Answer::stream(relay.stream(body)))
            } else {
                Ok(Answer::json(relay.collect(body).await?, "allowed"))
            }
        }
        answer => Ok(Answer::json(finish.whole(answer)?, "allowed")),
    }
}

/// A call on its way: it owns all it needs, since it may outlive the request.
struct Outgoing {
    app: Arc<App>,
    gateway: Arc<Gateway>,
    tool: Arc<Tool>,
    credential: Option<Arc<Verified>>,
    trace: Trace,
    key: Option<String>,
    confirmed: bool,
    intent: Option<String>,
    body: Bytes,
    deadline: Instant,
}

impl Outgoing {
    fn new(cx: Cx<'_>, caller: &Authenticated<'_>, call: &Permitted<'_>) -> Self {
        let tool = Arc::clone(call.tool());
        let trace = Trace::new(cx, call.meta());
        // a worker can tell a repeated write by its key, so every write has one
        let key = || call.key().map_or_else(|| trace::random_key(&*cx.app.entropy), str::to_owned);
        let key = (!tool.policy.read_only).then(key);
        Self {
            app: Arc::clone(cx.app),
            gateway: Arc::clone(cx.gateway),
            credential: caller.credential.clone(),
            key,
            trace,
            confirmed: call.confirmed(),
            intent: call.intent().map(str::to_owned),
            body: call.body().clone(),
            deadline: Instant::now() + tool.timeout,
            tool,
        }
    }

    async fn call(self) -> Result<worker::Answer, Failure> {
        let answer = worker::call(&self.app.upstream, &self.tool.uri, &self, &self.body);
        timeout_at(self.deadline, answer).await.unwrap_or(Err(Failure::Timeout))
    }

    /// Adds what this call has beside every call's.
    fn add(&self, headers: &mut impl Carrier) {
        let names = &self.gateway.names;
        let plan = self.credential.as_ref().and_then(|own| self.app.plans.get(own.plan.as_ref()?));
        names.caller(headers, Caller { credential: self.credential.as_deref(), plan });
        if self.confirmed {
            names.confirmation(headers, self.intent.as_deref());
        }
        self.trace.write(headers, self.key.as_deref());
    }
}

impl Headers for Outgoing {
    fn map(&self) -> HeaderMap {
        let mut headers = self.tool.headers.clone();
        self.add(&mut headers);
        headers
    }

    fn write(&self, lines: &mut Vec<u8>) {
        let Some(fixed) = &self.tool.lines else { return self.map().write(lines) };
        lines.extend_from_slice(fixed);
        self.add(&mut Lines(lines));
    }
}

/// What it takes to write the answer of a call.
#[derive(Clone, Copy)]
pub struct Finish<'a> {
    /// The service.
    pub service: &'a Service,
    /// The tool.
    pub tool: &'a Tool,
    /// The id to echo.
    pub id: Id<'a>,
    /// The revision.
    pub version: Version,
}

impl Finish<'_> {
    /// Writes the answer around what the worker said.
    ///
    /// # Errors
    /// What cannot be passed on, and what the service says as a JSON-RPC error.
    pub fn whole(self, answer: worker::Answer) -> Result<Vec<u8>, Reason> {
        let unreadable = Reason::Unavailable("upstream_answer_unreadable");
        match answer {
            worker::Answer::Json(body) => self.json(&body).ok_or(unreadable),
            worker::Answer::Result(body) => {
                let text = std::str::from_utf8(&body).map_err(|_| unreadable.clone())?;
                result::pass(self.id, self.version, &self.service.info.trailer, text).ok_or(unreadable)
            }
            worker::Answer::Refused(status, body) => self.refused(status, &body),
            worker::Answer::Stream(_) => Err(unreadable),
        }
    }

    fn json(self, body: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(body).ok()?.trim();
        let structured = self.tool.structured.as_ref().filter(|_| self.version.is_structured());
        let structured = structured.and_then(|(before, after)| match text.as_bytes().first() {
            Some(b'{') => Some(("", text, "")),
            Some(b'[') => Some((before.as_str(), text, *after)),
            // only the stateless revision takes values that are no objects
            _ => self.version.is_modern().then_some(("", text, "")),
        });
        Some(self.text(ToolText { text, is_error: false, structured, meta: "" }))
    }

    /// A worker's own no goes through untouched, with its status beside it.
    fn refused(self, status: u16, body: &[u8]) -> Result<Vec<u8>, Reason> {
        let text =
            std::str::from_utf8(body).map_err(|_| Reason::Unavailable("upstream_answer_unreadable"))?;
        if self.service.style.errors == ErrorStyle::Jsonrpc {
            let code = match status {
                400 | 422 => Some(Code::InvalidArguments),
                404 => Some(Code::ResourceNotFound),
                429 => Some(Code::RateLimited),
                _ => None,
            };
            if let Some(code) = code {
                return Err(Reason::Worker(code, message(text).into()));
            }
        }
        let meta = format!("\"io.portero/status\":{status}");
        Ok(self.text(ToolText { text: text.trim(), is_error: true, structured: None, meta: &meta }))
    }

    fn text(self, content: ToolText<'_>) -> Vec<u8> {
        result::tool(self.id, self.version, &self.service.info.trailer, content)
    }
}

/// The sentence in a worker's refusal.
pub fn message(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let error = value.get("error");
    let nested = error.and_then(|error| error.get("message"));
    let sentence =
        [nested, error, value.get("message")].into_iter().flatten().find_map(serde_json::Value::as_str);
    sentence.map_or(Cow::Borrowed("The tool refused."), Cow::Borrowed).into_owned()
}
