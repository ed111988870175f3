//! Calls that are given up: by a client that says so, by one that has left, by the deadline. A server of the stateless
//! revision sees it by the connection, an older one is told.
//!
//! A client says the id of its request, and two programs of one person count from the same number: where two calls of
//! one principal have the same id, neither is given up.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::super::Gateway;
use super::super::call::{Authenticated, Cx};
use super::Remote;
use super::sessions::{Session, said};
use super::voice::{Voice, principal};
use crate::mcp::version::Version;
use crate::mcp::{carry, peer};
use crate::upstream::mcp::{self, Exchange};

/// Telling a server is a courtesy.
const NOTICE: Duration = Duration::from_secs(2);

type Key = (Box<str>, Box<str>, Box<str>);

/// The calls of this node that can be given up: by service, principal and the client's own id.
#[derive(Default)]
pub struct Running(Mutex<HashMap<Key, Vec<Arc<Notify>>>>);

impl Running {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Vec<Arc<Notify>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that can be given up, for as long as this is held.
pub struct Underway {
    gateway: Arc<Gateway>,
    key: Key,
    given_up: Arc<Notify>,
}

impl Underway {
    /// Makes a call known. `None` for callers that cannot be told from others.
    pub fn enter(cx: Cx<'_>, caller: &Authenticated<'_>, id: &str) -> Option<Self> {
        let key = key(cx, caller, id)?;
        let given_up = Arc::new(Notify::new());
        cx.gateway.running.lock().entry(key.clone()).or_default().push(Arc::clone(&given_up));
        Some(Self { gateway: Arc::clone(cx.gateway), key, given_up })
    }

    /// Waits until it is given up.
    pub async fn given_up(&self) {
        self.given_up.notified().await;
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        let mut running = self.gateway.running.lock();
        if let Some(own) = running.get_mut(&self.key) {
            own.retain(|other| !Arc::ptr_eq(other, &self.given_up));
            if own.is_empty() {
                running.remove(&self.key);
            }
        }
    }
}

/// In sessions of their own a principal's programs are told apart.
fn key(cx: Cx<'_>, caller: &Authenticated<'_>, id: &str) -> Option<Key> {
    let mut whose = principal(caller)?.into_string();
    if let Some(held) = &caller.session {
        whose.push(' ');
        whose.push_str(&held.digest.to_hex());
    }
    Some((cx.service.policy.id.as_str().into(), whose.into(), id.into()))
}

#[derive(Deserialize)]
struct Notice<'a> {
    method: &'a str,
    #[serde(borrow, default)]
    params: Option<Params<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "requestId")]
    id: &'a RawValue,
}

/// Acts on a notification, if it is one that gives up a call of this caller's. True if that call is one of this node's.
pub fn notified(cx: Cx<'_>, caller: &Authenticated<'_>, body: &[u8]) -> bool {
    let Ok(Notice { method: "notifications/cancelled", params: Some(params) }) = serde_json::from_slice(body)
    else {
        return false;
    };
    let Some(key) = key(cx, caller, params.id.get()) else { return false };
    let running = cx.gateway.running.lock();
    if let Some([only]) = running.get(&key).map(Vec::as_slice) {
        only.notify_one();
    }
    running.contains_key(&key)
}

/// A question at a server that is not answered yet. Dropped before, it tells the server.
pub struct Asked {
    /// Of whom.
    pub remote: Arc<Remote>,
    /// In whose name.
    pub voice: Voice,
    /// Its id there.
    pub id: String,
    answered: AtomicBool,
    told: Option<(Version, Option<Arc<Session>>)>,
}

impl Asked {
    /// Not sent yet.
    pub fn new(remote: &Arc<Remote>, voice: Voice, id: String) -> Self {
        Self { remote: Arc::clone(remote), voice, id, answered: AtomicBool::new(false), told: None }
    }

    /// It is on its way in one of the revisions with a handshake, to a server that is told if it is given up.
    pub fn in_session(&mut self, version: Version, session: Option<Arc<Session>>) {
        self.told = (!version.is_modern()).then_some((version, session));
    }

    /// The answer has come.
    pub fn answered(&self) {
        self.answered.store(true, Ordering::Relaxed);
    }

    /// Says something in the same session, and waits for no answer.
    pub fn say(&self, body: bytes::Bytes) {
        let (Some((version, session)), Ok(runtime)) = (&self.told, Handle::try_current()) else { return };
        let (version, session) = (said(*version), session.clone());
        let (remote, voice) = (Arc::clone(&self.remote), self.voice.clone());
        drop(runtime.spawn(async move {
            let Ok(headers) = voice.headers(&body) else { return };
            let exchange = Exchange {
                session: session.as_ref().and_then(|session| session.id.as_deref()),
                version,
                ..Exchange::new(&remote.uri, &headers, &body)
            };
            let _ = timeout(NOTICE, mcp::post(&voice.client, &exchange)).await;
        }));
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if !*self.answered.get_mut() {
            let id = serde_json::json!(self.id).to_string();
            let params = carry::object([("requestId", Some(id.as_str()))]);
            self.say(peer::notification("notifications/cancelled", &params));
        }
    }
}
