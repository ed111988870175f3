//! Passing a worker's stream on: events as they come, a comment when it is quiet, and one answer at the end
//! whatever happens.

use std::sync::Arc;
use std::time::Duration;

use actix_web::rt;
use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::accept::Accepted;
use super::call::{Authenticated, Cx, Frame};
use super::dispatch::Finish;
use super::policy::Permitted;
use super::refusal::Reason;
use super::render;
use super::service::{Service, Tool};
use crate::app::App;
use crate::domain::verified::TokenKind;
use crate::identity::verify::VerifyError;
use crate::mcp::jsonrpc::{self, Id};
use crate::mcp::sse::{Decoder, Event, KEEP_ALIVE, write_event};
use crate::mcp::version::Version;
use crate::upstream::client::Body;
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
}

enum Step {
    Event(Vec<u8>),
    Skip,
    End(Vec<u8>),
}

impl Relay {
    /// For a call whose worker has begun to stream.
    pub fn new(cx: Cx<'_>, caller: &Authenticated<'_>, call: &Permitted<'_>, deadline: Instant) -> Self {
        Self {
            app: Arc::clone(cx.app),
            service: Arc::clone(cx.service),
            tool: Arc::clone(call.tool()),
            id: call.id().as_json().to_owned(),
            version: call.version(),
            progress_token: call.meta().progress_token.map(|raw| raw.get().to_owned()),
            credential: caller.token.map(|token| (token.to_owned(), caller.caller().kind())),
            deadline,
        }
    }

    /// Passes events on. In the stateless revision a client that leaves cancels the call; before, the worker
    /// is heard to the end.
    pub fn stream(self, body: Body) -> Receiver<Bytes> {
        let (sender, receiver) = mpsc::channel(QUEUE);
        rt::spawn(async move { self.pump(body, Some(sender)).await });
        receiver
    }

    /// Waits for the answer and drops the rest, for clients that take no stream.
    ///
    /// # Errors
    /// What ends a stream without an answer.
    pub async fn collect(self, body: Body) -> Result<Vec<u8>, Reason> {
        Ok(self.pump(body, None).await)
    }

    async fn pump(self, mut body: Body, sender: Option<Sender<Bytes>>) -> Vec<u8> {
        let mut decoder = Decoder::default();
        let mut ticks = interval(RECHECK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut tick = 0u32;
        let cancels = self.version.is_modern();
        let end = 'stream: loop {
            tokio::select! {
                chunk = body.chunk() => {
                    let Some(Ok(chunk)) = chunk else { break self.failed(&Reason::Unavailable("upstream_stream_broken")) };
                    for event in decoder.push(&chunk) {
                        match self.step(&event) {
                            Step::Event(json) => send(sender.as_ref(), &json).await,
                            Step::Skip => {}
                            Step::End(json) => break 'stream json,
                        }
                    }
                    if decoder.held() > MAX_ANSWER {
                        break self.failed(&Reason::Unavailable("upstream_answer_too_long"));
                    }
                }
                _ = ticks.tick() => {
                    tick = tick.wrapping_add(1);
                    if let Some(reason) = self.revoked().await { break self.failed(&reason) }
                    if let Some(sender) = sender.as_ref().filter(|_| tick.is_multiple_of(COMMENT)) {
                        let _ = sender.send(Bytes::from_static(KEEP_ALIVE)).await;
                    }
                }
                () = sleep_until(self.deadline) => break self.failed(&Reason::Timeout),
                () = gone(sender.as_ref()), if cancels => return Vec::new(),
            }
        };
        send(sender.as_ref(), &end).await;
        end
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

    fn end(&self, answer: worker::Answer) -> Vec<u8> {
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
        };
        let written =
            if json { finish.whole(answer) } else { Err(Reason::Unavailable("upstream_answer_unreadable")) };
        written.unwrap_or_else(|reason| self.failed(&reason))
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
        match self.app.identity.verify(&self.service.brand, &self.service.policy.id, token).await {
            Err(VerifyError::Invalid(label)) => Some(Reason::BadCredentials(label)),
            // trouble of ours ends no stream
            Ok(_) | Err(VerifyError::Unavailable(_)) => None,
        }
    }

    fn failed(&self, reason: &Reason) -> Vec<u8> {
        let frame = Frame {
            id: Some(Id::echo(&self.id)),
            version: self.version,
            call: true,
            kind: self.credential.as_ref().map_or(TokenKind::Anonymous, |(_, kind)| *kind),
            accepted: Accepted { json: false, stream: true },
            tool: None,
        };
        render::in_stream(&self.service, &frame, reason)
    }
}

async fn send(sender: Option<&Sender<Bytes>>, json: &[u8]) {
    if let Some(sender) = sender {
        let mut event = Vec::with_capacity(json.len() + 32);
        write_event(&mut event, json);
        // whoever has left is not told
        let _ = sender.send(Bytes::from(event)).await;
    }
}

async fn gone(sender: Option<&Sender<Bytes>>) {
    match sender {
        Some(sender) => sender.closed().await,
        None => std::future::pending().await,
    }
}
