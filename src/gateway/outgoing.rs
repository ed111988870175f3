//! A call on its way to its upstream, and what it came to.

use std::sync::Arc;

use actix_web::rt;
use bytes::Bytes;
use http::{HeaderMap, HeaderName};
use tokio::time::{Instant, timeout_at};

use super::Gateway;
use super::call::{Authenticated, Cx};
use super::credits::{self, Charge};
use super::idempotency::Ticket;
use super::policy::Permitted;
use super::prove::prove;
use super::remote::Remote;
use super::remote::call::Order;
use super::remote::conversation::Conversation;
use super::rest::Prepared;
use super::service::{Route, Tool};
use super::trace::Trace;
use crate::app::App;
use crate::domain::decide::Caller;
use crate::domain::verified::Verified;
use crate::upstream;
use crate::upstream::client::{Failure, Headers, Noted, Sending};
use crate::upstream::identity_headers::{Carrier, Lines};
use crate::upstream::worker::{self, Answered};

/// What is written down when a stream ends.
#[derive(Default)]
pub struct Open {
    /// What keeps its answer for a repetition.
    pub ticket: Option<Ticket>,
    /// What it is charged.
    pub charge: Option<Box<Charge>>,
    /// The call at an MCP server, whose messages these are.
    pub conversation: Option<Box<Conversation>>,
}

/// A call on its way: it owns all it needs, since it may outlive the request.
pub(super) struct Outgoing {
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
    /// What goes to an MCP server beside the arguments.
    order: Option<Box<Order>>,
    /// The call there while it still speaks.
    conversation: Option<Box<Conversation>>,
}

impl Outgoing {
    pub fn new(cx: Cx<'_>, caller: &Authenticated<'_>, call: &mut Permitted<'_>, deadline: Instant) -> Self {
        let tool = Arc::clone(call.tool());
        let trace = Trace::new(cx, call.meta());
        let request = call.take_request();
        let order = match &tool.route {
            Route::Remote(remote) => Some(Order::new(cx, caller, call, &trace, remote)),
            _ => None,
        };
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
            order: order.map(Box::new),
            conversation: None,
            deadline,
            charge: None,
            tool,
        }
    }

    /// With the key that its upstream is told, and what it is charged.
    pub fn holding(self, key: Option<String>, charge: Option<Box<Charge>>) -> Self {
        Self { key, charge, ..self }
    }

    async fn call(&mut self) -> Result<Answered, Failure> {
        let tool = Arc::clone(&self.tool);
        if let Route::Remote(remote) = &tool.route {
            return self.order_at(remote).await;
        }
        self.prove(&self.body.clone())?;
        self.in_time()?;
        let (own, client) = (&*self, &self.app.upstream);
        let answer = async {
            match (&tool.route, &own.request) {
                (Route::Worker(uri), _) => worker::call(client, uri, own, &own.body).await,
                (Route::Operation(_), Some(request)) => {
                    let (method, uri) = (request.method.clone(), &request.uri);
                    let sending = Sending { method, uri, headers: own, body: &own.body };
                    upstream::rest::call(client, &sending).await
                }
                _ => Err(Failure::Unavailable("no_request")),
            }
        };
        timeout_at(self.deadline, answer).await.unwrap_or(Err(Failure::Timeout))
    }

    async fn order_at(&mut self, remote: &Arc<Remote>) -> Result<Answered, Failure> {
        let order = self.order.take().ok_or(Failure::Unavailable("call_without_order"))?;
        let tool = Arc::clone(&self.tool);
        let written = order.write(remote, &tool, &self.body)?;
        self.prove(&written.body)?;
        self.in_time()?;
        let (headers, [cost, _]) = (self.map(), self.noted());
        let answer = Box::pin(written.send(&tool, &headers, cost));
        let (answered, conversation) =
            timeout_at(self.deadline, answer).await.unwrap_or(Err(Failure::Timeout))?;
        self.conversation = conversation.map(Box::new);
        Ok(answered)
    }

    /// Its lease runs on, so what is late is not sent. Waiting with a deadline alone would begin it first.
    fn in_time(&self) -> Result<(), Failure> {
        if Instant::now() < self.deadline { Ok(()) } else { Err(Failure::Timeout) }
    }

    /// Signs what the other headers say, for upstreams that want proof.
    fn prove(&mut self, body: &[u8]) -> Result<(), Failure> {
        if let Some(parties) = &self.tool.assertion {
            let mut facts = self.gateway.names.facts();
            facts.fixed(&self.tool.headers);
            if let Some(request) = &self.request {
                facts.path(&request.target);
            }
            self.add(&mut facts);
            self.assertion = Some(prove(&self.app, parties, facts, body)?);
        }
        Ok(())
    }

    /// Makes the call and writes down what came of it, whoever still listens.
    pub async fn settled(mut self, ticket: Option<Ticket>) -> (Result<worker::Answer, Failure>, Open) {
        let answered = self.call().await;
        let (charge, conversation) = (self.charge.take(), self.conversation.take());
        if ticket.is_none() && charge.is_none() {
            return (answered.map(|answered| answered.answer), Open { conversation, ..Open::default() });
        }
        // in a task of its own: a client that leaves now leaves a call that was made, and it must be known as that
        let settled = rt::spawn(settle(answered, charge, ticket)).await;
        let (outcome, open) =
            settled.unwrap_or_else(|_| (Err(Failure::Unavailable("call_aborted")), Open::default()));
        (outcome, Open { conversation, ..open })
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
    (outcome, Open { ticket, charge, conversation: None })
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

    fn noted(&self) -> Noted<&HeaderName> {
        [self.charge.as_ref().map(|_| self.gateway.names.cost()), None]
    }
}
