//! A caller's own session at one upstream, as calls and reads need it.

use std::sync::Arc;

use super::find::Held;
use super::seal::Leg;
use super::translate::{Passed, translate};
use crate::app::App;
use crate::gateway::call::{Authenticated, Cx};
use crate::gateway::remote::Remote;
use crate::gateway::remote::sessions::Session;

/// A session that the caller keeps at an upstream.
pub struct Own {
    /// As the upstream knows it.
    pub session: Arc<Session>,
    app: Arc<App>,
    held: Arc<Held>,
    leg: Leg,
}

impl Own {
    /// The caller's at this upstream, if it has one there.
    pub fn of(cx: Cx<'_>, caller: &Authenticated<'_>, remote: &Remote) -> Option<Self> {
        let held = caller.session.as_ref()?;
        let [_, upstream] = &remote.ids;
        let leg = held.session.leg(upstream)?.clone();
        Some(Self {
            session: Arc::new(Session::of_client(leg.id.clone(), leg.version)),
            app: Arc::clone(cx.app),
            held: Arc::clone(held),
            leg,
        })
    }

    /// What a call is called at the upstream, by the client's id: so any node can say that it is given up.
    pub fn call(id: &str) -> String {
        format!("p{id}")
    }

    /// What becomes of something that the upstream says on the way to an answer. Where the client takes no stream, it
    /// can be asked nothing.
    pub fn translate(&self, json: &[u8]) -> Passed {
        let text = std::str::from_utf8(json).unwrap_or_default();
        let passed = translate(&self.held, &self.leg, &self.app.keys, self.app.clock.now(), text);
        match passed {
            Passed::On(_) if !self.held.streams => Passed::Nothing,
            passed => passed,
        }
    }
}
