//! What a server is: the revisions it speaks, whether it keeps sessions, what it offers. Asked in both ways at once:
//! `server/discover` of the stateless revision, and the handshake of the others, the newest first.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tokio::time::timeout;

use super::Remote;
use super::hear::{self, Heard};
use super::sessions::Session;
use super::voice::Voice;
use super::{Way, sessions};
use crate::mcp::version::Version;
use crate::mcp::{carry, peer};
use crate::upstream::client::Failure;
use crate::upstream::mcp::{self, Exchange, Mirrored};

/// It has this long to say what it is, in each way.
const DEADLINE: Duration = Duration::from_secs(2);

/// What a server said of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Learnt {
    /// As it speaks the stateless revision; none if it does not.
    pub modern: Option<Facts>,
    /// As it speaks an older one, which, and whether it keeps sessions there; none if it does not.
    pub legacy: Option<(Version, bool, Facts)>,
}

/// What it can do, and what it is called.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    #[serde(default)]
    capabilities: Value,
    /// Its name and version, JSON.
    #[serde(default)]
    pub server_info: Value,
    /// What it tells models about itself.
    #[serde(default)]
    pub instructions: Option<String>,
}

impl Facts {
    /// True if it has this: `tools`, `resources`, `prompts`, `completions`, `logging`.
    pub fn can(&self, what: &str) -> bool {
        self.capabilities.get(what).is_some_and(Value::is_object)
    }
}

impl Learnt {
    /// Without a session wherever that is possible.
    pub fn way(&self) -> Option<Way> {
        if self.modern.is_some() {
            return Some(Way { version: Version::V20260728, in_session: false });
        }
        self.legacy
            .as_ref()
            .map(|(version, in_session, _)| Way { version: *version, in_session: *in_session })
    }

    /// True if it keeps sessions with whoever speaks a revision that has some.
    pub fn keeps_sessions(&self) -> bool {
        self.legacy.as_ref().is_some_and(|(_, keeps, _)| *keeps)
    }

    /// What it says of itself in the way that is taken.
    pub fn facts(&self) -> Option<&Facts> {
        self.modern.as_ref().or(self.legacy.as_ref().map(|(_, _, facts)| facts))
    }

    /// In a few words, for the operator.
    pub fn words(&self) -> String {
        let modern = self.modern.iter().map(|_| Version::V20260728.label().to_owned());
        let legacy = self.legacy.iter().map(|(version, keeps, _)| {
            format!("{}{}", version.label(), if *keeps { " with sessions" } else { "" })
        });
        modern.chain(legacy).collect::<Vec<_>>().join(", ")
    }
}

/// Asks.
///
/// # Errors
/// It answers in neither way.
pub async fn learn(remote: &Arc<Remote>, voice: &Voice) -> Result<Learnt, Failure> {
    let (modern, legacy) =
        tokio::join!(timeout(DEADLINE, discover(remote, voice)), timeout(DEADLINE, handshake(remote, voice)));
    let late = Failure::Timeout;
    let (modern, legacy) = (modern.unwrap_or(Err(late)), legacy.unwrap_or(Err(late)));
    match (modern, legacy) {
        (Err(failure), Err(Failure::Timeout)) | (Err(_), Err(failure)) => Err(failure),
        (modern, legacy) => {
            let legacy = legacy.ok().map(|(session, facts)| {
                let (version, keeps) = (session.version, session.id.is_some());
                remote.sessions.put(voice, session);
                (version, keeps, facts)
            });
            Ok(Learnt { modern: modern.ok(), legacy })
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Discovered {
    supported_versions: Vec<String>,
}

async fn discover(remote: &Remote, voice: &Voice) -> Result<Facts, Failure> {
    let version = Version::V20260728;
    let meta = carry::meta(None, Version::V20251125, version, None);
    let params = carry::object([("_meta", meta.as_deref())]);
    let body = peer::request("discover", "server/discover", &params);
    let headers = voice.headers(&body)?;
    let mirrored = Mirrored { method: "server/discover", ..Mirrored::default() };
    let exchange = Exchange {
        version: Some(version),
        mirrored: Some(&mirrored),
        ..Exchange::new(&remote.uri, &headers, &body)
    };
    let replied = mcp::post(&voice.client, &exchange).await?;
    let Heard::Result(result) = hear::whole(replied.reply, "discover").await? else {
        return Err(Failure::Unavailable("upstream_not_stateless"));
    };
    let unreadable = |_| Failure::Unavailable("upstream_answer_unreadable");
    let known: Discovered = serde_json::from_str(&result).map_err(unreadable)?;
    if !known.supported_versions.iter().any(|own| own == version.label()) {
        return Err(Failure::Unavailable("upstream_speaks_no_known_revision"));
    }
    serde_json::from_str(&result).map_err(unreadable)
}

/// Some refuse a revision that they do not know where they should name another.
async fn handshake(remote: &Arc<Remote>, voice: &Voice) -> Result<(Session, Facts), Failure> {
    let mut outcome = Err(Failure::Unavailable("upstream_speaks_no_known_revision"));
    for version in Version::ALL.into_iter().rev().filter(|version| !version.is_modern()) {
        outcome = sessions::initialize(remote, voice, version).await;
        if !matches!(outcome, Err(Failure::Unavailable("upstream_refused_handshake"))) {
            break;
        }
    }
    let (session, result) = outcome?;
    let facts =
        serde_json::from_str(&result).map_err(|_| Failure::Unavailable("upstream_answer_unreadable"))?;
    Ok((session, facts))
}
