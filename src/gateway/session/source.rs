//! The stream of one upstream, taken up again where it broke: a client that is connected need not notice.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::stream::{self, LocalBoxStream, StreamExt as _};

use super::reach::Reach;
use super::seal::Leg;
use crate::mcp::sse::{Decoder, Event};
use crate::upstream::client::Body;
use crate::upstream::mcp::Reply;

/// What is said unasked is no longer than this.
const MAX_EVENT: usize = 1 << 20;
/// How soon a stream is opened again, unless it says otherwise, and how late at most.
const SOON: Duration = Duration::from_secs(1);
const LATE: Duration = Duration::from_secs(30);

/// What is heard of an upstream.
pub enum Heard {
    /// The place of its leg, and what it said.
    Event(usize, Event),
    /// It knows the session no more.
    Gone,
}

/// The stream of one leg.
pub struct Source {
    reach: Reach,
    leg: Leg,
    at: usize,
    body: Option<Body>,
    decoder: Decoder,
    heard: VecDeque<Event>,
    last: Option<String>,
    pause: Duration,
}

/// How opening a stream went.
pub enum Opened {
    /// It is open, or will be tried again.
    Source(Box<Source>),
    /// This upstream never speaks unasked.
    Silent,
    /// It knows the session no more.
    Gone,
    /// It has as many as it allows.
    TooMany,
}

impl Source {
    /// Opens the stream of the leg at a place, after the event seen last.
    pub async fn open(reach: Reach, leg: Leg, at: usize, last: Option<String>) -> Opened {
        let mut own = Self {
            reach,
            leg,
            at,
            body: None,
            decoder: Decoder::default(),
            heard: VecDeque::new(),
            last,
            pause: SOON,
        };
        match own.connect().await {
            Some(refused) => refused,
            None => Opened::Source(Box::new(own)),
        }
    }

    /// True if it could be opened at once.
    pub fn is_open(&self) -> bool {
        self.body.is_some()
    }

    /// Everything that is heard on it. It ends only where the upstream ends it for good.
    pub fn into_stream(self) -> LocalBoxStream<'static, Heard> {
        let next = async |mut own: Self| {
            let heard = own.next().await?;
            Some((heard, own))
        };
        stream::unfold(self, next).boxed_local()
    }

    /// `None` if it is open or may be later.
    async fn connect(&mut self) -> Option<Opened> {
        self.decoder = Decoder::default();
        match self.reach.open(&self.leg, self.last.as_deref()).await {
            Ok(Reply::Events(body)) => {
                self.body = Some(body);
                None
            }
            Ok(Reply::NotFound) => Some(Opened::Gone),
            Ok(Reply::Refused(405, _)) => Some(Opened::Silent),
            Ok(Reply::Refused(409 | 429, _)) => Some(Opened::TooMany),
            Ok(Reply::Refused(..) | Reply::Json(_) | Reply::Accepted) | Err(_) => None,
        }
    }

    async fn next(&mut self) -> Option<Heard> {
        loop {
            if let Some(event) = self.heard.pop_front() {
                if event.id.is_some() {
                    self.last.clone_from(&event.id);
                }
                return Some(Heard::Event(self.at, event));
            }
            let Some(body) = &mut self.body else {
                tokio::time::sleep(self.pause).await;
                self.pause = (self.pause * 2).min(LATE);
                match self.connect().await {
                    Some(Opened::Gone) => return Some(Heard::Gone),
                    Some(Opened::Silent) => return None,
                    _ => continue,
                }
            };
            match body.chunk().await {
                Some(Ok(chunk)) => {
                    self.heard.extend(self.decoder.push(&chunk));
                    if self.decoder.held() > MAX_EVENT {
                        self.body = None;
                    }
                    if !self.heard.is_empty() {
                        self.pause = SOON;
                    }
                }
                Some(Err(_)) | None => self.over(),
            }
        }
    }

    /// It ended: how long until it is opened again is for the upstream to say, within bounds.
    fn over(&mut self) {
        self.body = None;
        if let Some(retry) = self.decoder.retry() {
            self.pause = Duration::from_millis(retry).clamp(SOON, LATE);
        }
    }
}
