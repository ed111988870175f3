//! What the upstreams of a session say unasked, on its way to the client.
//!
//! Attack: a stream that goes on after its token was revoked. Who it is for is looked at every few seconds, and what
//! it may read at every update.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::rt;
use bytes::Bytes;
use futures_util::stream::{SelectAll, StreamExt as _};
use tokio::sync::mpsc::Receiver;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::find::Held;
use super::reach::{Reach, legs};
use super::registry::Place;
use super::source::{Heard, Source};
use super::translate::{Passed, translate};
use crate::app::App;
use crate::domain::decide::{self, Caller};
use crate::domain::verified::Verified;
use crate::gateway::call::{Authenticated, Cx};
use crate::gateway::library::guard::Rule;
use crate::gateway::outlet::{Outlet, gone};
use crate::gateway::relay::{COMMENT, RECHECK};
use crate::gateway::service::Service;
use crate::gateway::{Gateway, authenticate, load};
use crate::identity::external::PresentedError;
use crate::mcp::sse::{self, Event};
use crate::mcp::uri;

/// A client that has made no room for so many looks is not there any more.
const PATIENCE: u32 = 15;

/// A stream on its way.
pub struct Pump {
    app: Arc<App>,
    gateway: Arc<Gateway>,
    service: Arc<Service>,
    token: String,
    credential: Arc<Verified>,
    held: Arc<Held>,
    reaches: Vec<Reach>,
    /// By upstream, the last event that the client was told of.
    last: BTreeMap<String, String>,
    _place: Place,
}

impl Pump {
    /// For a session; `None` for whoever is nobody.
    pub fn new(
        cx: Cx<'_>,
        caller: &Authenticated<'_>,
        held: Arc<Held>,
        place: Place,
        last: BTreeMap<String, String>,
    ) -> Option<Self> {
        Some(Self {
            app: Arc::clone(cx.app),
            gateway: Arc::clone(cx.gateway),
            service: Arc::clone(cx.service),
            token: caller.token?.to_owned(),
            credential: caller.credential.clone()?,
            reaches: legs(cx, caller, &held).into_iter().map(|(reach, _)| reach).collect(),
            held,
            last,
            _place: place,
        })
    }

    /// Passes on what the sources say until the client leaves or may not hear it any more.
    pub fn stream(self, sources: Vec<Source>) -> Receiver<Bytes> {
        let (outlet, receiver) = Outlet::open();
        rt::spawn(self.run(sources.into_iter().map(Source::into_stream).collect(), outlet));
        receiver
    }

    async fn run(
        mut self,
        mut sources: SelectAll<impl futures_util::Stream<Item = Heard> + Unpin>,
        mut outlet: Outlet,
    ) {
        let (client, gateway) = (outlet.client(), Arc::clone(&self.gateway));
        let mut ticks = interval(RECHECK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut tick, mut waited) = (0u32, 0u32);
        // shows whatever stands between that the stream is there
        outlet.comment();
        loop {
            tokio::select! {
                heard = sources.next(), if outlet.is_clear() => match heard {
                    Some(Heard::Event(at, event)) => self.pass(at, event, &mut outlet).await,
                    Some(Heard::Gone) => return self.gateway.sessions.end(&self.held),
                    None => return,
                },
                () = outlet.flush(), if !outlet.is_clear() => waited = 0,
                _ = ticks.tick() => {
                    tick = tick.wrapping_add(1);
                    waited = if outlet.is_clear() { 0 } else { waited + 1 };
                    if waited > PATIENCE || !self.is_live().await { return }
                    if tick.is_multiple_of(COMMENT) { outlet.comment() }
                }
                () = gone(client.as_ref()) => return,
                () = gateway.sessions.closed() => return,
            }
        }
    }

    async fn pass(&mut self, at: usize, event: Event, outlet: &mut Outlet) {
        let Some(leg) = self.held.session.legs.get(at).cloned() else { return };
        if let Some(id) = event.id {
            self.last.insert(leg.upstream.clone(), id);
        }
        let Ok(text) = String::from_utf8(event.data) else { return };
        let now = self.app.clock.now();
        let json = match translate(&self.held, &leg, &self.app.keys, now, &text) {
            Passed::On(json) => json,
            Passed::Changed(json) => {
                // first here, so that whoever asks for the list at once gets the new one
                self.look_again(&leg.upstream).await;
                json
            }
            Passed::Updated { uri, json } if self.may_read(&uri, &leg.upstream) => json,
            Passed::Back(json) => {
                let Some(reach) = self.reaches.get(at).cloned() else { return };
                rt::spawn(async move { reach.post(Some(&leg), &Bytes::from(json)).await });
                return;
            }
            Passed::Updated { .. } | Passed::Nothing => return,
        };
        let id = self.held.wrapper.event(&self.app.keys, now, &self.last);
        let mut written = Vec::with_capacity(json.len() + 128);
        sse::write_identified(&mut written, id.as_deref(), json.as_bytes());
        outlet.push_event(Bytes::from(written));
    }

    /// Reads the lists of an upstream again; a slow one is read later, and holds nothing up here for long.
    async fn look_again(&self, upstream: &str) {
        let read = load::look_again(&self.gateway, &self.app, &self.service, upstream);
        if timeout(RECHECK, read).await.is_err() {
            let own = self.service.upstreams.iter().find(|own| own.id == upstream);
            own.and_then(|own| own.source.remote()).into_iter().for_each(|remote| remote.changed());
        }
    }

    fn may_read(&self, uri: &str, upstream: &str) -> bool {
        let own = self.service.guards.of_uri(&uri::normal(uri));
        let upstream = self.service.upstreams.iter().find(|one| one.id == upstream);
        let rule = Rule::new(own, &self.service.policy, upstream);
        let Ok(plan) = authenticate::admit(&self.service, &self.app.plans, &self.credential) else {
            return false;
        };
        let caller = Caller { credential: Some(&self.credential), plan };
        decide::decide(caller, &self.service.policy, &rule.policy).is_ok()
    }

    /// Whether the token is still good here, and the plan. Trouble of ours or of an issuer's ends no stream.
    async fn is_live(&mut self) -> bool {
        match authenticate::known(&self.app, &self.service, &self.token).await {
            Ok(credential) => {
                self.credential = credential;
                let plan = authenticate::admit(&self.service, &self.app.plans, &self.credential);
                plan.is_ok_and(|plan| {
                    let caller = Caller { credential: Some(&self.credential), plan };
                    decide::service_open(caller, &self.service.policy).is_ok()
                })
            }
            Err(PresentedError::Invalid(_)) => false,
            Err(PresentedError::NoKeys | PresentedError::Unavailable(_)) => true,
        }
    }
}
