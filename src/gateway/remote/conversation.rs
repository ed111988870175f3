//! A call at a server while its stream is open: which of its messages are for the caller, and how they are told.
//!
//! What ends here: another caller's progress, log lines that nobody asked for, questions that nobody can answer, and a
//! stream of all of these without an end.

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::session::Passed;
use super::cancel::{Asked, Underway};
use super::hear::MAX_STREAM;
use crate::mcp::peer::{self, Said};
use crate::mcp::translate::{self, Outcome};
use crate::mcp::version::Version;
use crate::mcp::{duplex, jsonrpc};
use crate::upstream::worker::Answer;

/// A longer notification is not passed on: a queue of them would be the caller's memory and ours.
const MAX_NOTIFICATION: usize = 64 << 10;
/// So many questions of one stream are answered, each with a no.
const MAX_QUESTIONS: usize = 16;

/// How urgent a log line is (RFC 5424), the least first.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// What the caller wants to hear of.
#[derive(Clone, Debug)]
pub struct Ears {
    /// In which revision.
    pub version: Version,
    /// Progress, under this token of its own (JSON).
    pub token: Option<String>,
    /// Log lines from this level on: where the revision asks for it in each request, only if it was asked.
    pub level: Option<usize>,
}

impl Ears {
    /// A caller of this revision, by what its `_meta` says.
    pub fn new(version: Version, token: Option<&RawValue>, level: Option<&RawValue>) -> Self {
        let asked = level.and_then(jsonrpc::text);
        let asked = asked.and_then(|level| LEVELS.iter().position(|own| **own == *level));
        let level = if version.is_modern() { asked } else { Some(0) };
        Self { version, token: token.map(|raw| raw.get().to_owned()), level }
    }
}

/// What a message of the stream means for the call.
pub enum Told {
    /// Nothing.
    Nothing,
    /// Something for the caller on the way: a whole message.
    Message(Vec<u8>),
    /// The end, or the word for what is wrong with it.
    End(Result<Answer, &'static str>),
}

/// A call whose server speaks.
pub struct Conversation {
    asked: Asked,
    ears: Ears,
    underway: Option<Underway>,
    questions: AtomicUsize,
    bytes: AtomicUsize,
}

impl Conversation {
    /// Of a call that was sent.
    pub const fn new(asked: Asked, ears: Ears, underway: Option<Underway>) -> Self {
        Self { asked, ears, underway, questions: AtomicUsize::new(0), bytes: AtomicUsize::new(0) }
    }

    /// What says that the caller gives the call up, for whoever waits for it.
    pub fn take_underway(&mut self) -> Option<Underway> {
        self.underway.take()
    }

    /// Nothing more is to come, and nothing has to be cancelled.
    pub fn ended(&self) {
        self.asked.answered();
    }

    /// False once the stream has brought more than any call needs.
    pub fn has_room(&self, more: usize) -> bool {
        self.bytes.fetch_add(more, Ordering::Relaxed) + more <= MAX_STREAM
    }

    /// Takes one message.
    pub fn hear(&self, json: &[u8]) -> Told {
        // an event without data only opens the stream
        if json.is_empty() {
            return Told::Nothing;
        }
        match peer::read(json, &self.asked.id) {
            None => Told::End(Err("upstream_answer_unreadable")),
            Some(Said::Foreign) => Told::Nothing,
            Some(Said::Result(result)) => {
                self.asked.answered();
                Told::End(of_result(result))
            }
            Some(Said::Error(error)) => {
                self.asked.answered();
                Told::End(Ok(Answer::Wrong(Bytes::from(translate::wrong(&error)))))
            }
            Some(Said::Notification(method, params)) => {
                self.notified(json, &method, params.filter(|raw| raw.get().len() <= MAX_NOTIFICATION))
            }
            Some(Said::Request(id, method)) => self.question(json, id, &method),
        }
    }

    /// A question of the server's goes to a caller in a session of its own, who may have said that it answers such.
    fn question(&self, json: &[u8], id: &RawValue, method: &str) -> Told {
        if self.questions.fetch_add(1, Ordering::Relaxed) >= MAX_QUESTIONS {
            return Told::Nothing;
        }
        match self.asked.voice.own.as_ref().map(|own| own.translate(json)) {
            Some(Passed::On(json)) => return Told::Message(json.into_bytes()),
            Some(Passed::Back(json)) => self.asked.say(Bytes::from(json)),
            _ => self.asked.say(peer::reply(id, method)),
        }
        Told::Nothing
    }

    fn notified(&self, json: &[u8], method: &str, params: Option<&RawValue>) -> Told {
        let message = match method {
            "notifications/progress" => params.and_then(|params| self.progress(params)),
            "notifications/message" => params
                .filter(|params| self.is_loud_enough(params))
                .map(|params| peer::notification(method, params.get()).to_vec()),
            _ if duplex::Told::of(method) == Some(duplex::Told::Changed) => {
                self.asked.remote.changed();
                self.in_session(json)
            }
            "notifications/cancelled" | "notifications/elicitation/complete" => {
                params.and_then(|_| self.in_session(json))
            }
            _ => None,
        };
        message.map_or(Told::Nothing, Told::Message)
    }

    /// What a caller is told in a session of its own alone.
    fn in_session(&self, json: &[u8]) -> Option<Vec<u8>> {
        match self.asked.voice.own.as_ref()?.translate(json) {
            Passed::On(json) | Passed::Changed(json) => Some(json.into_bytes()),
            _ => None,
        }
    }

    /// Under the caller's own token, if it is of this call at all.
    fn progress(&self, params: &RawValue) -> Option<Vec<u8>> {
        #[derive(Deserialize)]
        struct Progress<'a> {
            #[serde(borrow, rename = "progressToken")]
            of: &'a RawValue,
            #[serde(borrow, rename = "progress")]
            done: &'a RawValue,
            #[serde(borrow, default)]
            total: Option<&'a RawValue>,
            #[serde(borrow, default)]
            message: Option<&'a RawValue>,
        }
        let token = self.ears.token.as_deref()?;
        let own: Progress<'_> = Some(params)
            .filter(|raw| jsonrpc::is_object(raw))
            .and_then(|raw| serde_json::from_str(raw.get()).ok())?;
        if jsonrpc::text(own.of)? != self.asked.id.as_str() {
            return None;
        }
        let params = crate::mcp::carry::object([
            ("progressToken", Some(token)),
            ("progress", Some(own.done.get())),
            ("total", own.total.map(RawValue::get)),
            ("message", own.message.map(RawValue::get)),
        ]);
        Some(peer::notification("notifications/progress", &params).to_vec())
    }

    fn is_loud_enough(&self, params: &RawValue) -> bool {
        #[derive(Deserialize)]
        struct Line<'a> {
            #[serde(borrow)]
            level: &'a RawValue,
        }
        let Some(least) = self.ears.level else { return false };
        let line: Option<Line<'_>> = Some(params)
            .filter(|raw| jsonrpc::is_object(raw))
            .and_then(|raw| serde_json::from_str(raw.get()).ok());
        let level = line.and_then(|line| jsonrpc::text(line.level));
        let level = level.and_then(|level| LEVELS.iter().position(|own| **own == *level));
        level.is_some_and(|level| level >= least)
    }
}

/// What the result of a call is to the gateway.
fn of_result(result: &str) -> Result<Answer, &'static str> {
    match translate::outcome(result) {
        Some(Outcome::Complete(result)) if crate::mcp::result::is_result(&result) => {
            Ok(Answer::Result(Bytes::from(result)))
        }
        Some(Outcome::Asks(result)) => Ok(Answer::Asks(Bytes::from(result))),
        Some(Outcome::Complete(_)) | None => Err("upstream_answer_unreadable"),
    }
}
