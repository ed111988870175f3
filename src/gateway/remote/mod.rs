//! Upstreams that are MCP servers themselves: what is known of each, and everything that is said to it.
//!
//! The gateway is their client. A call goes to them after the same stages as to a worker, as a message of a revision
//! that they speak, whatever the caller's own is; what they answer is brought into the caller's.

pub mod call;
pub mod cancel;
pub mod complete;
pub mod conversation;
pub mod fresh;
mod health;
pub mod hear;
mod learn;
mod lists;
pub mod read;
pub mod sessions;
pub mod talk;
pub mod voice;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use http::{HeaderMap, Uri};
use tokio::time::timeout;

use crate::mcp::version::Version;
use crate::upstream::assertion::Parties;
use crate::upstream::client::{Client, Failure};
use health::Health;
pub use learn::Learnt;
use sessions::Sessions;
use voice::Voice;

/// It has this long to answer an operator's question.
const PROBE: Duration = Duration::from_secs(5);

/// A server, and what is known of it.
pub struct Remote {
    /// The service it belongs to and its id, for logs.
    pub ids: [String; 2],
    /// Where it is, as the operator spells it.
    pub uri: Uri,
    /// The operator's headers for it, with `Host`.
    pub headers: HeaderMap,
    /// Whom assertions come from and go to; none if it gets none.
    pub assertion: Option<Arc<Parties>>,
    /// What it said of itself, as last heard; none before the first time.
    learnt: ArcSwapOption<Learnt>,
    sessions: Sessions,
    health: Health,
}

/// How it is spoken to in one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// In which revision.
    pub version: Version,
    /// Inside a session that it keeps.
    pub in_session: bool,
}

impl Remote {
    /// A server of which nothing is known yet.
    pub fn new(ids: [String; 2], uri: Uri, headers: HeaderMap, assertion: Option<Arc<Parties>>) -> Self {
        Self {
            ids,
            uri,
            headers,
            assertion,
            learnt: ArcSwapOption::empty(),
            sessions: Sessions::new(),
            health: Health::new(),
        }
    }

    /// What it said of itself.
    pub fn learnt(&self) -> Option<Arc<Learnt>> {
        self.learnt.load_full()
    }

    /// How it is spoken to for callers without a session of their own: without one if it can do without.
    ///
    /// # Errors
    /// It has not been heard yet.
    pub fn way(&self) -> Result<Way, Failure> {
        let learnt = self.learnt().ok_or(Failure::Unavailable("upstream_not_heard_yet"))?;
        learnt.way().ok_or(Failure::Unavailable("upstream_speaks_no_known_revision"))
    }

    /// What it says of itself now, or what is wrong with it, in a few words.
    ///
    /// # Errors
    /// The words for it.
    pub async fn probe(self: &Arc<Self>, client: &Client) -> Result<String, String> {
        let voice = Voice::alone(client, self);
        let asked = async {
            let learnt = learn::learn(self, &voice).await?;
            self.learnt.store(Some(Arc::new(learnt.clone())));
            let facts = learnt.facts().cloned().unwrap_or_default();
            Ok((learnt, lists::tools(self, &voice, &facts).await?))
        };
        match timeout(PROBE, asked).await {
            Err(_) | Ok(Err(Failure::Timeout)) => Err("no answer within five seconds".to_owned()),
            Ok(Err(Failure::Unavailable(cause))) => Err(format!("{} ({cause})", self.uri)),
            Ok(Ok((learnt, tools))) => {
                let left_out = tools.faults.iter().map(|fault| format!("; left out: {fault}"));
                let tail = left_out.collect::<String>();
                Ok(format!("answers in {}, {} tools{tail}", learnt.words(), tools.items.len()))
            }
        }
    }

    /// True while it does not answer.
    pub fn is_down(&self) -> bool {
        self.health.is_down()
    }

    /// Says that it does not act as it was heard: it is asked anew soon.
    pub fn doubt(&self) {
        self.health.doubt();
    }

    /// Says that its lists have changed: they are read anew soon.
    pub fn changed(&self) {
        self.health.changed();
    }

    /// True if it is to be asked again now, not only every now and then. Asking takes the wish away.
    pub fn take_restless(&self) -> bool {
        self.health.take_restless()
    }
}
