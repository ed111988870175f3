//! Step 8: sending a permitted call, and what becomes of the worker's answer.

use std::borrow::Cow;
use std::sync::Arc;

use actix_web::rt;
use bytes::Bytes;
use http::{HeaderMap, HeaderName};
use tokio::time::{Instant, timeout_at};

use super::Gateway;
use super::answer::Answer;
use super::call::{Authenticated, Cx, Frame};
use super::credits::{self, Charge};
use super::idempotency::{Claimed, Ticket};
use super::policy::Permitted;
use super::prove::prove;
use super::refusal::Reason;
use super::relay::Relay;
use super::rest::{self, Prepared};
use super::service::{Route, Service, Tool};
use super::trace::Trace;
use crate::app::App;
use crate::config::ErrorStyle;
use crate::domain::decide::Caller;
use crate::domain::verified::Verified;
use crate::mcp::cap::Shortened;
use crate::mcp::error::Code;
use crate::mcp::jsonrpc::Id;
use crate::mcp::own_result;
use crate::mcp::result::{self, ToolText};
use crate::mcp::version::Version;
use crate::upstream;
use crate::upstream::client::{Failure, Headers, Sending};
use crate::upstream::identity_headers::{Carrier, Lines};
use crate::upstream::worker::{self, Answered};

/// What marks an answer that was kept, in `_meta`.
const REPLAYED: &str = "io.portero/replayed";
const REPLAYED_META: &str = "\"io.portero/replayed\":true";
/// What a worker's sentence may take in a JSON-RPC error.
const MAX_MESSAGE: usize = 2000;

/// Sends the call, or answers one that was done before with what the worker said then. Only what was permitted can be
/// sent: nothing else has this type, and nobody else is running it.
///
/// # Errors
/// The upstream's failures, and its refusals where the service says them as JSON-RPC errors.
pub async fn send(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    claimed: Claimed<'_>,
    frame: &Frame<'_>,
) -> Result<Answer, Reason> {
    let Claimed { mut call, key, ticket, kept, since, again } = claimed;
    let caller = again.as_ref().unwrap_or(caller);
    if let Some(answer) = kept {
        let finish = Finish { replayed: true, ..Finish::of(cx, &call) };
        return Ok(Answer::json(finish.whole(&answer)?, "replayed"));
    }
    if let Route::Generic(generic) = &call.tool().route {
        return rest::answer(cx, caller, &call, generic).await;
    }
    let deadline = since + call.tool().timeout;
    let (ticket, charge) = charged(cx, caller, &call, ticket, deadline).await?;
    let outgoing = Outgoing { key, charge, ..Outgoing::new(cx, caller, &mut call, deadline) };
    // up to 2025-11-25 a lost connection is no cancellation: what writes is seen through to the end
    let seen_through = !call.version().is_modern() && !call.tool().policy.read_only;
    let aborted = |_| Reason::Unavailable("call_aborted");
    let (answer, open) = if seen_through {
        rt::spawn(outgoing.settled(ticket)).await.map_err(aborted)?
    } else {
        outgoing.settled(ticket).await
    };
    match answer? {
        worker::Answer::Stream(body) => {
            let relay = Relay::new(cx, caller, &call, deadline, open);
            if frame.accepted.stream {
                return Ok(Answer::stream(relay.stream(body)));
            }
            let collected = if seen_through {
                rt::spawn(relay.collect(body)).await.map_err(aborted)?
            } else {
                relay.collect(body).await
            };
            Ok(Answer::json(collected, "allowed"))
        }
        answer => Ok(Answer::json(Finish::of(cx, &call).whole(&answer)?, "allowed")),
    }
}

/// Reserves the cost of a call that has time left; its ticket is given up where that fails.
async fn charged(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Permitted<'_>,
    ticket: Option<Ticket>,
    deadline: Instant,
) -> Result<(Option<Ticket>, Option<Box<Charge>>), Reason> {
    let reserved = if Instant::now() < deadline {
        credits::reserve(cx, caller, call, ticket.as_ref().map(Ticket::run)).await
    } else {
        Err(Reason::Timeout)
    };
    match (reserved, ticket) {
        (Ok(charge), ticket) => Ok((ticket, charge)),
        (Err(reason), None) => Err(reason),
        (Err(reason), Some(ticket)) => {
            ticket.give_up().await;
            Err(reason)
        }
    }
}

/// What is written down when a stream ends.
#[derive(Default)]
pub struct Open {
    /// What keeps its answer for a repetition.
    pub ticket: Option<Ticket>,
    /// What it is charged.
    pub charge: Option<Box<Charge>>,
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
    request: Option<Prepared>,
    assertion: Option<String>,
    deadline: Instant,
    charge: Option<Box<Charge>>,
}

impl Outgoing {
    fn new(cx: Cx<'_>, caller: &Authenticated<'_>, call: &mut Permitted<'_>, deadline: Instant) -> Self {
        let tool = Arc::clone(call.tool());
        let trace = Trace::new(cx, call.meta());
        let request = call.take_request();
        Self {
            app: Arc::clone(cx.app),
            gateway: Arc::clone(cx.gateway),
            credential: caller.credential.clone(),
            key: None,
            trace,
            confirmed: call.confirmed(),
            intent: call.intent().map(str::to_owned),
            body: request.as_ref().map_or_else(|| call.body().clone(), |request| request.body.clone()),
            request,
            assertion: None,
            deadline,
            charge: None,
            tool,
        }
    }

    async fn call(&mut self) -> Result<Answered, Failure> {
        if let Some(parties) = &self.tool.assertion {
            let mut facts = self.gateway.names.facts();
            facts.fixed(&self.tool.headers);
            if let Some(request) = &self.request {
                facts.path(&request.target);
            }
            self.add(&mut facts);
            self.assertion = Some(prove(&self.app, parties, facts, &self.body)?);
        }
        // Its lease runs on, so what is late is not sent. Waiting with a deadline alone would begin it first.
        if Instant::now() >= self.deadline {
            return Err(Failure::Timeout);
        }
        let own = &*self;
        let client = &own.app.upstream;
        let answer = async {
            match (&own.tool.route, &own.request) {
                (Route::Worker(uri), _) => worker::call(client, uri, own, &own.body).await,
                (Route::Operation(_), Some(request)) => {
                    let (method, uri) = (request.method.clone(), &request.uri);
                    let sending = Sending { method, uri, headers: own, body: &own.body };
                    upstream::rest::call(client, &sending).await
                }
                (Route::Operation(_) | Route::Generic(_), _) => Err(Failure::Unavailable("no_request")),
            }
        };
        timeout_at(self.deadline, answer).await.unwrap_or(Err(Failure::Timeout))
    }

    /// Makes the call and writes down what came of it, whoever still listens.
    async fn settled(mut self, ticket: Option<Ticket>) -> (Result<worker::Answer, Failure>, Open) {
        let answered = self.call().await;
        let charge = self.charge.take();
        if ticket.is_none() && charge.is_none() {
            return (answered.map(|answered| answered.answer), Open::default());
        }
        // in a task of its own: a client that leaves now leaves a call that was made, and it must be known as that
        let settled = rt::spawn(settle(answered, charge, ticket)).await;
        settled.unwrap_or_else(|_| (Err(Failure::Unavailable("call_aborted")), Open::default()))
    }

    /// Adds what this call has beside every call's.
    fn add(&self, headers: &mut impl Carrier) {
        let names = &self.gateway.names;
        let plan = self.credential.as_ref().and_then(|own| self.app.plans.get(own.plan.as_ref()?));
        names.caller(headers, Caller { credential: self.credential.as_deref(), plan });
        if self.confirmed {
            names.confirmation(headers, self.intent.as_deref());
        }
        if let Some(balance) = self.charge.as_ref().and_then(|charge| charge.balance()) {
            names.credits(headers, balance);
        }
        self.trace.write(headers, self.key.as_deref());
        if let Some(assertion) = &self.assertion {
            names.assertion(headers, assertion);
        }
    }
}

/// Writes down what came of a call. A stream's charge and ticket go with the stream.
async fn settle(
    answered: Result<Answered, Failure>,
    charge: Option<Box<Charge>>,
    ticket: Option<Ticket>,
) -> (Result<worker::Answer, Failure>, Open) {
    let (outcome, charge) = match credits::after(charge, answered).await {
        Ok((answer, charge)) => (Ok(answer), charge),
        Err(failure) => (Err(failure), None),
    };
    let ticket = match ticket {
        Some(ticket) => ticket.settle(&outcome).await,
        None => None,
    };
    (outcome, Open { ticket, charge })
}

impl Headers for Outgoing {
    fn map(&self) -> HeaderMap {
        let tool = &self.tool.headers;
        let mut headers = self.request.as_ref().map_or_else(|| tool.clone(), |request| request.under(tool));
        self.add(&mut headers);
        headers
    }

    fn write(&self, lines: &mut Vec<u8>) {
        let Some(fixed) = &self.tool.lines else { return self.map().write(lines) };
        lines.extend_from_slice(fixed);
        self.add(&mut Lines(lines));
    }

    fn noted(&self) -> Option<&HeaderName> {
        self.charge.as_ref().map(|_| self.gateway.names.cost())
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
    /// True for an answer that was kept.
    pub replayed: bool,
}

impl<'a> Finish<'a> {
    /// For a call whose answer has just come.
    pub fn of(cx: Cx<'a>, call: &'a Permitted<'_>) -> Self {
        let (tool, id, version) = (call.tool(), call.id(), call.version());
        Self { service: cx.service, tool, id, version, replayed: false }
    }

    /// Writes the answer around what the worker said.
    ///
    /// # Errors
    /// What cannot be passed on, and what the service says as a JSON-RPC error.
    pub fn whole(self, answer: &worker::Answer) -> Result<Vec<u8>, Reason> {
        let unreadable = Reason::Unavailable("upstream_answer_unreadable");
        match answer {
            worker::Answer::Json(body) => self.json(body).ok_or(unreadable),
            worker::Answer::Result(body) => self.own_result(body).ok_or(unreadable),
            worker::Answer::Refused(status, body) => self.refused(*status, body),
            worker::Answer::Stream(_) => Err(unreadable),
        }
    }

    fn own_result(self, body: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(body).ok()?;
        let mut text = Cow::Borrowed(text);
        if let Some(short) = self.tool.cap.as_ref().and_then(|cap| own_result::shorten(&text, cap)) {
            text = Cow::Owned(short);
        }
        if self.replayed {
            text = Cow::Owned(own_result::mark(&text, REPLAYED, "true")?);
        }
        result::pass(self.id, self.version, &self.service.info.trailer, &text)
    }

    fn json(self, body: &[u8]) -> Option<Vec<u8>> {
        let whole = std::str::from_utf8(body).ok()?.trim();
        let short = self.tool.cap.as_ref().and_then(|cap| cap.json(whole));
        let text = short.as_ref().map_or(whole, Shortened::data);
        let structured = self.tool.structured.as_ref().filter(|_| self.version.is_structured());
        let structured = structured.and_then(|(before, after)| match text.as_bytes().first() {
            Some(b'{') => Some(("", text, "")),
            Some(b'[') => Some((before.as_str(), text, *after)),
            // only the stateless revision takes values that are no objects
            _ => self.version.is_modern().then_some(("", text, "")),
        });
        let text = short.as_ref().map_or(text, |short| short.text.as_str());
        let meta = if self.replayed { REPLAYED_META } else { "" };
        Some(self.text(ToolText { text, is_error: false, structured, meta }))
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
        let mut meta = format!("\"io.portero/status\":{status}");
        if self.replayed {
            meta.push(',');
            meta.push_str(REPLAYED_META);
        }
        let text = text.trim();
        let short = self.tool.cap.as_ref().and_then(|cap| cap.content(text));
        let text = short.as_deref().unwrap_or(text);
        Ok(self.text(ToolText { text, is_error: true, structured: None, meta: &meta }))
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
    sentence.unwrap_or("The tool refused.").chars().take(MAX_MESSAGE).collect()
}
