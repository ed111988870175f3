//! The right to run a call, and the duty to say what came of it.

use std::sync::Arc;
use std::time::Duration;

use super::kept;
use super::same::Same;
use crate::app::App;
use crate::domain::entropy;
use crate::domain::secret::hex;
use crate::gateway::Gateway;
use crate::gateway::call::Cx;
use crate::store::StoreError;
use crate::store::idempotency::Claim;
use crate::upstream::client::Failure;
use crate::upstream::worker::Answer;

/// What a call may take beyond its own deadline before it counts as lost with its node. The deadline is this machine's,
/// the lease is read on another's: clocks differ by seconds, and what came of the call is written down after it, by two
/// statements that may take five each. Attack: a write that a second node takes for lost while the first still makes it.
const MARGIN: Duration = Duration::from_secs(20);

/// Held by whoever runs a call. One that is dropped leaves the call to the next: its client has left, or it broke.
pub struct Ticket {
    app: Arc<App>,
    gateway: Arc<Gateway>,
    same: Same,
    holder: String,
    call: String,
    open: bool,
}

/// Which time of which call this is.
#[derive(Clone, Debug)]
pub struct Run {
    /// The call: a random name, the same for all its runs.
    pub call: String,
    /// True if it was sent before, and nobody knows what came of it.
    pub again: bool,
}

impl Ticket {
    /// Takes a call on; `None` if somebody else has it.
    pub async fn claim(cx: Cx<'_>, same: &Same, timeout: Duration) -> Result<Option<Self>, StoreError> {
        let now = cx.app.clock.now();
        let lease_until = now.plus(timeout + MARGIN);
        let holder = hex(&entropy::bytes::<16>(&*cx.app.entropy));
        let claim = Claim {
            digest: &same.digest,
            arguments: &same.arguments,
            holder: &holder,
            lease_until,
            expires_at: lease_until.max(now.plus(same.ttl)),
        };
        let taken = cx.app.identity.store.claim_call(&claim).await?;
        Ok(taken.map(|call| Self {
            app: Arc::clone(cx.app),
            gateway: Arc::clone(cx.gateway),
            same: same.clone(),
            holder,
            call,
            open: true,
        }))
    }

    /// Which run this is.
    pub fn run(&self) -> Run {
        Run { call: self.call.clone(), again: self.call != self.holder }
    }

    /// Says what came of the call; the ticket is given back where that is not known yet.
    pub async fn settle(self, outcome: &Result<Answer, Failure>) -> Option<Self> {
        match outcome {
            Ok(Answer::Stream(_)) => return Some(self),
            Ok(answer) => self.keep(answer).await,
            Err(_) => self.give_up().await,
        }
        None
    }

    /// Keeps an answer. The call was made and is answered whatever becomes of this: trouble is only logged, and the
    /// next one waits until the lease is over.
    pub async fn keep(mut self, answer: &Answer) {
        let Some(kept) = kept::kept(answer, &self.same.seal, &*self.app.entropy) else {
            return self.give_up().await;
        };
        self.open = false;
        let expires_at = self.app.clock.now().plus(self.same.ttl);
        let store = &self.app.identity.store;
        if let Err(error) = store.keep_answer(&self.same.digest, &self.holder, kept, expires_at).await {
            tracing::warn!(%error, "an answer could not be kept for whoever asks again");
        }
        self.wake();
    }

    /// Leaves the call to the next.
    pub async fn give_up(mut self) {
        self.open = false;
        let expires_at = self.app.clock.now().plus(self.same.ttl);
        let store = &self.app.identity.store;
        if let Err(error) = store.give_up_call(&self.same.digest, &self.holder, expires_at).await {
            tracing::warn!(%error, "a call that broke off is free only when its lease is over");
        }
        self.wake();
    }

    fn wake(&self) {
        if let Some(waiting) = self.gateway.settled.of(&self.same) {
            waiting.notify_waiters();
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let (true, Ok(runtime)) = (self.open, tokio::runtime::Handle::try_current()) else { return };
        let left = Self {
            app: Arc::clone(&self.app),
            gateway: Arc::clone(&self.gateway),
            same: self.same.clone(),
            holder: std::mem::take(&mut self.holder),
            call: std::mem::take(&mut self.call),
            open: false,
        };
        drop(runtime.spawn(left.give_up()));
    }
}
