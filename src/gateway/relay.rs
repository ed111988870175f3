//! Passing a worker's stream on: events as they come, a comment when it is quiet, and one answer at the end
//! whatever happens.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use actix_web::rt;
use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::sync::mpsc::{self, OwnedPermit, Receiver, Sender};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::accept::Accepted;
use super::call::{Authenticated, Cx, Frame};
use super::dispatch::{Finish, Open};
use super::idempotency::Ticket;
use super::policy::Permitted;
use super::refusal::Reason;
use super::service::{Service, Tool};
use super::{authenticate, render};
use crate::app::App;
use crate::domain::verified::TokenKind;
use crate::identity::external::PresentedError;
use crate::mcp::jsonrpc::{self, Id};
use crate::mcp::sse::{Decoder, Event, KEEP_ALIVE, write_event};
use crate::mcp::version::Version;
use crate::store::credits::Outcome;
use crate::upstream::client::{Body, Failure};
use crate::upstream::worker::{self, MAX_ANSWER};

/// How often an open stream's credential is looked at: revoked callers lose their streams within this time.
const RECHECK: Duration = Duration::from_secs(4);
/// A comment at every so many looks: proxies close what is quiet for a minute.
const COMMENT: u32 = 3;
const QUEUE: usize = 16;

/// A stream on its way.
pub struct Relay {
    app: Arc<App>,
    service: Arc<Service>,
    tool: Arc<Tool>,
    id: String,
    version: Version,
    progress_token: Option<String>,
    credential: Option<(String, TokenKind)>,
    deadline: Instant,
    open: Open,
}

enum Step {
    Event(Vec<u8>),
    Skip,
    End(End),
}

/// The last message of a stream, what the worker said if it was that, and whether the tool has done it.
struct End {
    json: Vec<u8>,
    said: Option<worker::Answer>,
    outcome: Outcome,
}

impl Relay {
    /// For a call whose worker has begun to stream.
    pub fn new(
        cx: Cx<'_>,
        caller: &Authenticated<'_>,
        call: &Permitted<'_>,
        deadline: Instant,
        open: Open,
    ) -> Self {
        Self {
            app: Arc::clone(cx.app),
            service: Arc::clone(cx.service),
            tool: Arc::clone(call.tool()),
            id: call.id().as_json().to_owned(),
            version: call.version(),
            progress_token: call.meta().progress_token.map(|raw| raw.get().to_owned()),
            credential: caller.token.map(|token| (token.to_owned(), caller.caller().kind())),
            deadline,
            open,
        }
    }

    /// Passes events on. In the stateless revision a client that leaves cancels the call; before, the worker
    /// is heard to the end.
    pub fn stream(self, body: Body) -> Receiver<Bytes> {
        let (outlet, receiver) = Outlet::open();
        rt::spawn(async move { self.pump(body, outlet).await });
        receiver
    }

    /// Waits for the answer and drops the rest, for clients that take no stream.
    pub async fn collect(self, body: Body) -> Vec<u8> {
        self.pump(body, Outlet::default()).await
    }

    /// Nothing here waits for the client alone: one that stops reading holds neither the worker nor the checks.
    async fn pump(mut self, mut body: Body, mut outlet: Outlet) -> Vec<u8> {
        let mut decoder = Decoder::default();
        let mut ticks = interval(RECHECK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut tick = 0u32;
        let (client, cancels) = (outlet.events.clone(), self.version.is_modern());
        let mut answer = None;
        let end = loop {
            if outlet.is_clear()
                && let Some(end) = answer.take()
            {
                break end;
            }
            tokio::select! {
                chunk = body.chunk(), if outlet.is_clear() => {
                    answer = self.read(chunk, &mut decoder, &mut outlet);
                    if let Some(end) = &answer { self.heard(end).await }
                }
                () = outlet.flush(), if !outlet.is_clear() => {}
                _ = ticks.tick() => {
                    tick = tick.wrapping_add(1);
                    if let Some(reason) = self.revoked().await {
                        break self.ended(&reason, answer.map_or(Outcome::Left, |end| end.outcome));
                    }
                    if tick.is_multiple_of(COMMENT) { outlet.comment() }
                }
                () = sleep_until(self.deadline) => break answer.unwrap_or_else(|| self.failed(&Reason::Timeout)),
                () = gone(client.as_ref()), if cancels => match answer.take() {
                    Some(end) => break end,
                    None => return Vec::new(),
                },
            }
        };
        if let Some(charge) = self.open.charge.take() {
            Box::pin(charge.settle(end.outcome)).await;
        }
        outlet.end(&end.json);
        end.json
    }

    /// The worker has come to its end, whoever is still there to be told.
    async fn heard(&mut self, end: &End) {
        if let Some(charge) = &mut self.open.charge {
            charge.came_to(end.outcome);
        }
        settle(self.open.ticket.take(), end).await;
    }

    /// Takes a chunk of the worker's; the answer, if it ends in it.
    fn read(
        &self,
        chunk: Option<Result<Bytes, Failure>>,
        decoder: &mut Decoder,
        outlet: &mut Outlet,
    ) -> Option<End> {
        let Some(Ok(chunk)) = chunk else {
            return Some(self.failed(&Reason::Unavailable("upstream_stream_broken")));
        };
        for event in decoder.push(&chunk) {
            match self.step(&event) {
                Step::Event(json) => outlet.push(&json),
                Step::Skip => {}
                Step::End(end) => return Some(end),
            }
        }
        let too_long = decoder.held() > MAX_ANSWER;
        too_long.then(|| self.failed(&Reason::Unavailable("upstream_answer_too_long")))
    }

    fn step(&self, event: &Event) -> Step {
        match event.name.as_str() {
            "progress" => self.progress(&event.data).map_or(Step::Skip, Step::Event),
            "error" => Step::End(self.end(worker::Answer::Refused(422, Bytes::copy_from_slice(&event.data)))),
            "" | "message" | "result" => {
                Step::End(self.end(worker::Answer::Json(Bytes::copy_from_slice(&event.data))))
            }
            _ => Step::Skip,
        }
    }

    fn end(&self, answer: worker::Answer) -> End {
        let outcome = if matches!(answer, worker::Answer::Json(_)) { Outcome::Done } else { Outcome::Failed };
        let json = match &answer {
            worker::Answer::Json(body) | worker::Answer::Refused(_, body) => {
                std::str::from_utf8(body).is_ok_and(crate::mcp::result::is_json)
            }
            _ => true,
        };
        let finish = Finish {
            service: &self.service,
            tool: &self.tool,
            id: Id::echo(&self.id),
            version: self.version,
            replayed: false,
        };
        let written =
            if json { finish.whole(&answer) } else { Err(Reason::Unavailable("upstream_answer_unreadable")) };
        match written {
            Ok(written) => End { json: written, said: Some(answer), outcome },
            // a worker's own no, where the service says it as an error, is its answer all the same
            Err(reason) => End { said: json.then_some(answer), ..self.failed(&reason) },
        }
    }

    /// `notifications/progress`, if the client asked to be told.
    fn progress(&self, data: &[u8]) -> Option<Vec<u8>> {
        let token = self.progress_token.as_ref()?;
        let raw: &RawValue = serde_json::from_slice(data).ok()?;
        let inside = Some(raw).filter(|raw| jsonrpc::is_object(raw))?.get().strip_prefix('{')?;
        let comma = if inside.trim() == "}" { "" } else { "," };
        Some(
            format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{token}{comma}{inside}}}"
            )
            .into_bytes(),
        )
    }

    async fn revoked(&self) -> Option<Reason> {
        let (token, _) = self.credential.as_ref()?;
        match authenticate::known(&self.app, &self.service, token).await {
            Err(PresentedError::Invalid(label)) => Some(Reason::BadCredentials(label)),
            // trouble of ours or of an issuer's ends no stream
            Ok(_) | Err(PresentedError::NoKeys | PresentedError::Unavailable(_)) => None,
        }
    }

    fn failed(&self, reason: &Reason) -> End {
        self.ended(reason, Outcome::Failed)
    }

    fn ended(&self, reason: &Reason, outcome: Outcome) -> End {
        let frame = Frame {
            id: Some(Id::echo(&self.id)),
            version: self.version,
            call: true,
            kind: self.credential.as_ref().map_or(TokenKind::Anonymous, |(_, kind)| *kind),
            accepted: Accepted { json: false, stream: true },
            tool: None,
        };
        End { json: render::in_stream(&self.service, &frame, reason), said: None, outcome }
    }
}

/// Keeps what the worker said, before anybody is told: who asks again after that finds it.
async fn settle(ticket: Option<Ticket>, end: &End) {
    match (ticket, &end.said) {
        (Some(ticket), Some(said)) => ticket.keep(said).await,
        (Some(ticket), None) => ticket.give_up().await,
        (None, _) => {}
    }
}

/// Where events go: to a client, or nowhere.
#[derive(Default)]
struct Outlet {
    events: Option<Sender<Bytes>>,
    /// Kept for the answer, so that it finds room in whatever state the client is.
    last: Option<OwnedPermit<Bytes>>,
    /// What the client has not yet made room for: the events of one chunk.
    waiting: VecDeque<Bytes>,
}

impl Outlet {
    fn open() -> (Self, Receiver<Bytes>) {
        let (events, receiver) = mpsc::channel(QUEUE + 1);
        let last = events.clone().try_reserve_owned().ok();
        (Self { events: Some(events), last, waiting: VecDeque::new() }, receiver)
    }

    fn is_clear(&self) -> bool {
        self.waiting.is_empty()
    }

    fn push(&mut self, json: &[u8]) {
        if self.events.is_some() {
            self.waiting.push_back(event(json));
        }
    }

    /// Waits for room and hands one event on. Whoever has left is not told.
    async fn flush(&mut self) {
        let room = match &self.events {
            Some(events) => events.reserve().await.ok(),
            None => None,
        };
        match room {
            Some(room) => {
                if let Some(event) = self.waiting.pop_front() {
                    room.send(event);
                }
            }
            None => self.waiting.clear(),
        }
    }

    /// A queue without room is not quiet.
    fn comment(&self) {
        if let Some(events) = &self.events {
            let _ = events.try_send(Bytes::from_static(KEEP_ALIVE));
        }
    }

    fn end(self, json: &[u8]) {
        if let Some(last) = self.last {
            last.send(event(json));
        }
    }
}

fn event(json: &[u8]) -> Bytes {
    let mut event = Vec::with_capacity(json.len() + 32);
    write_event(&mut event, json);
    Bytes::from(event)
}

async fn gone(sender: Option<&Sender<Bytes>>) {
    match sender {
        Some(sender) => sender.closed().await,
        None => std::future::pending().await,
    }
}
