//! The way of events to a client: nothing waits for one that does not read.

use std::collections::VecDeque;

use bytes::Bytes;
use tokio::sync::mpsc::{self, OwnedPermit, Receiver, Sender};

use crate::mcp::sse::{KEEP_ALIVE, write_event};

const QUEUE: usize = 16;

/// Where events go: to a client, or nowhere.
#[derive(Default)]
pub struct Outlet {
    events: Option<Sender<Bytes>>,
    /// Kept for the answer, so that it finds room in whatever state the client is.
    last: Option<OwnedPermit<Bytes>>,
    /// What the client has not yet made room for: the events of one chunk.
    waiting: VecDeque<Bytes>,
}

impl Outlet {
    /// To a client: what it reads from comes with it.
    pub fn open() -> (Self, Receiver<Bytes>) {
        let (events, receiver) = mpsc::channel(QUEUE + 1);
        let last = events.clone().try_reserve_owned().ok();
        (Self { events: Some(events), last, waiting: VecDeque::new() }, receiver)
    }

    /// True if everything was handed on.
    pub fn is_clear(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes a message on.
    pub fn push(&mut self, json: &[u8]) {
        if self.events.is_some() {
            self.waiting.push_back(event(json));
        }
    }

    /// Takes on an event that was written before.
    pub fn push_event(&mut self, event: Bytes) {
        if self.events.is_some() {
            self.waiting.push_back(event);
        }
    }

    /// The client, to see whether it is still there.
    pub fn client(&self) -> Option<Sender<Bytes>> {
        self.events.clone()
    }

    /// Waits for room and hands one event on. Whoever has left is not told.
    pub async fn flush(&mut self) {
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

    /// Shows that somebody is there. A queue without room is not quiet.
    pub fn comment(&self) {
        if let Some(events) = &self.events {
            let _ = events.try_send(Bytes::from_static(KEEP_ALIVE));
        }
    }

    /// Hands the last message on.
    pub fn end(self, json: &[u8]) {
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

/// Waits until the client has left.
pub async fn gone(sender: Option<&Sender<Bytes>>) {
    match sender {
        Some(sender) => sender.closed().await,
        None => std::future::pending().await,
    }
}
