//! The sessions that the gateway keeps at a server for callers that have none of their own: one for each principal,
//! ended when it is idle. Nobody ever speaks in another's.

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use serde::Deserialize;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::Remote;
use super::hear::{self, Heard};
use super::voice::Voice;
use crate::mcp::version::Version;
use crate::mcp::{carry, peer};
use crate::upstream::client::Failure;
use crate::upstream::mcp::{self, Exchange, Reply};

/// Of one server. Beyond it, the one that was used least goes.
const MOST: u64 = 10_000;
const IDLE: Duration = Duration::from_mins(10);
/// Ending a session is a courtesy.
const FAREWELL: Duration = Duration::from_secs(2);

/// A session at a server. It is ended there when nobody holds it any more.
pub struct Session {
    /// As the server knows it; none where it keeps none.
    pub id: Option<String>,
    /// The revision it settled on.
    pub version: Version,
    /// Who ends it there; nobody here, where it is a client's to end.
    farewell: Option<(Arc<Remote>, Voice)>,
}

impl Session {
    /// One that a client keeps.
    pub const fn of_client(id: String, version: Version) -> Self {
        Self { id: Some(id), version, farewell: None }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let Some((remote, voice)) = self.farewell.take() else { return };
        let (Some(id), Ok(runtime)) = (self.id.take(), Handle::try_current()) else { return };
        let version = self.version;
        drop(runtime.spawn(async move {
            let Ok(headers) = voice.headers(&[]) else { return };
            let body = bytes::Bytes::new();
            let exchange = Exchange {
                session: Some(&id),
                version: said(version),
                ..Exchange::new(&remote.uri, &headers, &body)
            };
            let _ = timeout(FAREWELL, mcp::end(&voice.client, &exchange)).await;
        }));
    }
}

/// The revision as a header says it: those before 2025-06-18 know of none.
pub fn said(version: Version) -> Option<Version> {
    (version >= Version::V20250618).then_some(version)
}

/// One at a time makes a principal's session; the others wait for it.
type Slot = Arc<Mutex<Option<Arc<Session>>>>;

/// The sessions of one server.
pub struct Sessions(Cache<Box<str>, Slot>);

impl Sessions {
    /// None yet.
    pub fn new() -> Self {
        Self(Cache::builder().max_capacity(MOST).time_to_idle(IDLE).build())
    }

    /// Keeps a fresh one for its principal.
    pub fn put(&self, voice: &Voice, session: Session) {
        if let (Some(principal), true) = (&voice.principal, session.id.is_some()) {
            self.0.insert(principal.clone(), Arc::new(Mutex::new(Some(Arc::new(session)))));
        }
    }

    /// The principal's session, made if there is none or if it is `gone`.
    ///
    /// # Errors
    /// The handshake's.
    pub async fn of(
        &self,
        remote: &Arc<Remote>,
        voice: &Voice,
        version: Version,
        gone: Option<&Arc<Session>>,
    ) -> Result<Arc<Session>, Failure> {
        let Some(principal) = &voice.principal else {
            return Ok(Arc::new(initialize(remote, voice, version).await?.0));
        };
        let slot = self.0.get_with(principal.clone(), Slot::default);
        let mut kept = slot.lock().await;
        if let Some(session) = kept.as_ref().filter(|own| gone.is_none_or(|gone| !Arc::ptr_eq(own, gone))) {
            return Ok(Arc::clone(session));
        }
        let session = Arc::new(initialize(remote, voice, version).await?.0);
        *kept = Some(Arc::clone(&session));
        Ok(session)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settled {
    protocol_version: String,
}

/// The handshake (2025-11-25, Lifecycle): a session, and the server's own words about itself.
///
/// # Errors
/// `upstream_refused_handshake` where another revision could help; otherwise what broke.
pub async fn initialize(
    remote: &Arc<Remote>,
    voice: &Voice,
    version: Version,
) -> Result<(Session, String), Failure> {
    let info = carry::client_info();
    let asked = json!(version.label()).to_string();
    let declared = voice.capabilities();
    let params = [("protocolVersion", asked.as_str()), ("capabilities", declared), ("clientInfo", &info)];
    let params = carry::object(params.map(|(name, value)| (name, Some(value))));
    let body = peer::request("initialize", "initialize", &params);
    let headers = voice.headers(&body)?;
    let replied = mcp::post(&voice.client, &Exchange::new(&remote.uri, &headers, &body)).await?;
    let Heard::Result(result) = hear::whole(replied.reply, "initialize").await? else {
        return Err(Failure::Unavailable("upstream_refused_handshake"));
    };
    let settled: Settled =
        serde_json::from_str(&result).map_err(|_| Failure::Unavailable("upstream_answer_unreadable"))?;
    let version = Version::parse(&settled.protocol_version).filter(|version| !version.is_modern());
    let version = version.ok_or(Failure::Unavailable("upstream_speaks_no_known_revision"))?;
    let session =
        Session { id: replied.session, version, farewell: Some((Arc::clone(remote), voice.clone())) };
    let body = peer::notification("notifications/initialized", "{}");
    let headers = voice.headers(&body)?;
    let exchange = Exchange {
        session: session.id.as_deref(),
        version: said(version),
        ..Exchange::new(&remote.uri, &headers, &body)
    };
    match mcp::post(&voice.client, &exchange).await?.reply {
        Reply::Accepted | Reply::Json(_) | Reply::Events(_) => Ok((session, result)),
        Reply::NotFound | Reply::Refused(..) => Err(Failure::Unavailable("upstream_status")),
    }
}
