//! In whose name something is said to a server: the identity headers of a caller, or the gateway's own word.

use std::sync::Arc;

use http::HeaderMap;

use super::super::Gateway;
use super::super::call::{Authenticated, Cx};
use super::super::prove::prove;
use super::super::session::Own;
use super::super::trace::Trace;
use super::{Remote, Way};
use crate::app::App;
use crate::upstream::assertion::Parties;
use crate::upstream::client::{Client, Failure};

/// Whoever speaks. It owns all it needs, since what is said for a call may outlive its request.
#[derive(Clone)]
pub struct Voice {
    /// What carries it.
    pub client: Client,
    /// Whose sessions these are; none for somebody who cannot be told from others, and gets one of his own each time.
    pub principal: Option<Box<str>>,
    /// The session that the caller keeps there itself.
    pub own: Option<Arc<Own>>,
    headers: HeaderMap,
    proof: Option<Proof>,
}

#[derive(Clone)]
struct Proof {
    app: Arc<App>,
    gateway: Arc<Gateway>,
    parties: Arc<Parties>,
}

/// The gateway's own sessions; no caller is called so.
const OWN: &str = "gateway";

/// Some servers list what asks something only for those who can be asked: the gateway hears all of it, callers use what
/// they can. Nothing is asked of it that it does not refuse.
const ASKED: &str = r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}"#;

impl Voice {
    /// The gateway itself, with the operator's credentials and nobody's identity.
    pub fn own(app: &App, remote: &Remote) -> Self {
        Self::alone(&app.upstream, remote)
    }

    /// The same, by this client.
    pub fn alone(client: &Client, remote: &Remote) -> Self {
        Self {
            client: client.clone(),
            principal: Some(OWN.into()),
            own: None,
            headers: remote.headers.clone(),
            proof: None,
        }
    }

    /// What a session in this name declares: JSON.
    pub fn capabilities(&self) -> &'static str {
        if self.principal.as_deref() == Some(OWN) { ASKED } else { "{}" }
    }

    /// A caller, as its request says.
    pub fn of(cx: Cx<'_>, caller: &Authenticated<'_>, trace: &Trace, remote: &Remote) -> Self {
        let names = &cx.gateway.names;
        let mut headers = remote.headers.clone();
        names.service(&mut headers, cx.service.policy.id.as_str());
        names.caller(&mut headers, caller.caller());
        trace.write(&mut headers, None);
        Self {
            client: cx.app.upstream.clone(),
            principal: principal(caller),
            own: Own::of(cx, caller, remote).map(Arc::new),
            headers,
            proof: remote.assertion.as_ref().map(|parties| Proof {
                app: Arc::clone(cx.app),
                gateway: Arc::clone(cx.gateway),
                parties: Arc::clone(parties),
            }),
        }
    }

    /// How a server is spoken to: as its session says where the caller has one there.
    ///
    /// # Errors
    /// The server has not been heard yet.
    pub fn way(&self, remote: &Remote) -> Result<Way, Failure> {
        match &self.own {
            Some(own) => Ok(Way { version: own.session.version, in_session: true }),
            None => remote.way(),
        }
    }

    /// The headers of a message, with the proof of what they say where the server wants one.
    ///
    /// # Errors
    /// Nothing signs.
    pub fn headers(&self, body: &[u8]) -> Result<HeaderMap, Failure> {
        let mut headers = self.headers.clone();
        if let Some(Proof { app, gateway, parties }) = &self.proof {
            let mut facts = gateway.names.facts();
            facts.fixed(&headers);
            gateway.names.assertion(&mut headers, &prove(app, parties, facts, body)?);
        }
        Ok(headers)
    }
}

/// Whose calls these are, for what is kept from one to the next; none for anonymous callers.
pub fn principal(caller: &Authenticated<'_>) -> Option<Box<str>> {
    caller.credential.as_ref().map(|own| own.principal().into())
}
