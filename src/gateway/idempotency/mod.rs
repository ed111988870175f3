//! Step 7: a write that is asked for twice happens once.
//!
//! A call with a key, the client's own or one made of the call, is written down before it is sent. Whoever comes
//! with the same one meanwhile waits, and whoever comes afterwards gets the worker's answer again. Nothing is kept of
//! what did not end: then the next one is sent, under the same key, and the worker can tell. Attacks: another
//! principal's key (it is another call), a key with other arguments (refused), a thief of the database (digests and
//! sealed answers), a caller whose token is revoked while it waits (it is asked again who calls).

mod kept;
mod same;
mod seal;
mod ticket;

use std::pin::pin;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::call::{Authenticated, Cx};
use super::policy::Permitted;
use super::refusal::Reason;
use super::{authenticate, entitle, trace};
use crate::config::Idempotency;
use crate::store::StoreError;
use crate::store::idempotency::Recorded;
use crate::upstream::worker;
use same::Same;
pub use ticket::{Run, Ticket};

/// How soon a waiting call looks again: other nodes' answers are seen in no other way.
const FIRST_LOOK: Duration = Duration::from_millis(10);
const LAST_LOOK: Duration = Duration::from_millis(200);

/// Wakes those of this node who wait for a call, by the first byte of its digest.
pub struct Settled([Notify; 64]);

impl Settled {
    /// Nobody waits yet.
    pub const fn new() -> Self {
        Self([const { Notify::const_new() }; 64])
    }

    fn of(&self, same: &Same) -> Option<&Notify> {
        self.0.get(usize::from(same.first) % self.0.len())
    }
}

/// A call that is this request's to send, or was done before.
pub struct Claimed<'b> {
    /// The call.
    pub call: Permitted<'b>,
    /// The key that the worker is told.
    pub key: Option<String>,
    /// What says how it ended, where somebody may ask.
    pub ticket: Option<Ticket>,
    /// What the worker said when it was done before.
    pub kept: Option<Box<worker::Answer>>,
    /// When it was claimed: its time runs from here on, as its lease does.
    pub since: Instant,
    /// Who calls, where that was asked again.
    pub again: Option<Authenticated<'b>>,
}

impl<'b> Claimed<'b> {
    fn new(call: Permitted<'b>, since: Instant) -> Self {
        Self { call, key: None, ticket: None, kept: None, since, again: None }
    }
}

/// Finds out whether this call is to be sent. Calls that read, and those that nobody could repeat, ask no database.
///
/// # Errors
/// A key that was used for something else; a first call that takes longer than the tool may; a database that cannot
/// be asked, since a write that is not written down could happen twice.
pub async fn turn<'b>(
    cx: Cx<'b>,
    caller: &Authenticated<'_>,
    call: Permitted<'b>,
) -> Result<Claimed<'b>, Reason> {
    if call.tool().policy.read_only || call.tool().idempotency == Idempotency::Off {
        return Ok(Claimed::new(call, Instant::now()));
    }
    if let Some(same) = Same::of(cx, caller, &call) {
        return Box::pin(enter(cx, call, same)).await;
    }
    let key = Some(trace::random_key(&*cx.app.entropy));
    Ok(Claimed { key, ..Claimed::new(call, Instant::now()) })
}

async fn enter<'b>(cx: Cx<'b>, call: Permitted<'b>, same: Same) -> Result<Claimed<'b>, Reason> {
    let deadline = Instant::now() + call.tool().timeout;
    let mut pause = FIRST_LOOK;
    let (mut free, mut waited) = (true, false);
    loop {
        let since = Instant::now();
        if free
            && let Some(ticket) =
                Ticket::claim(cx, &same, call.tool().timeout).await.map_err(|error| unrecorded(&error))?
        {
            return match again(cx, &call, &same, waited).await {
                Ok(again) => {
                    let (key, ticket) = (Some(same.key), Some(ticket));
                    Ok(Claimed { key, ticket, again, ..Claimed::new(call, since) })
                }
                Err(reason) => {
                    ticket.give_up().await;
                    Err(reason)
                }
            };
        }
        // heard from here on, so that an end between the look and the wait is not missed
        let mut settled = pin!(cx.gateway.settled.of(&same).map(Notify::notified));
        if let Some(settled) = settled.as_mut().as_pin_mut() {
            settled.enable();
        }
        free = match look(cx, &same).await? {
            Look::Free => true,
            Look::Kept(answer) => {
                let again = again(cx, &call, &same, waited).await?;
                return Ok(Claimed { kept: Some(Box::new(answer)), again, ..Claimed::new(call, since) });
            }
            Look::Running => false,
        };
        if Instant::now() >= deadline {
            return Err(Reason::Timeout);
        }
        if !free {
            if let Some(settled) = settled.as_mut().as_pin_mut() {
                let _ = timeout(pause, settled).await;
                waited = true;
            }
            pause = (pause * 2).min(LAST_LOOK);
        }
    }
}

/// Who calls after a wait, and whether they still may. Attack: somebody who is thrown out while a call of theirs is under
/// way has sent more of the same beforehand, and would be answered, or have one made, long after.
async fn again<'b>(
    cx: Cx<'b>,
    call: &Permitted<'_>,
    same: &Same,
    waited: bool,
) -> Result<Option<Authenticated<'b>>, Reason> {
    if !waited {
        return Ok(None);
    }
    let caller = authenticate::caller(cx).await?;
    entitle::service(cx, &caller)?;
    let tool = call.tool();
    entitle::guarded(cx, &caller, &tool.policy, |label| Reason::unknown_tool(label, &tool.name))?;
    // who acts for another workspace now is another principal, and what was kept is not theirs
    let still = Same::of(cx, &caller, call).is_some_and(|now| now.digest == same.digest);
    if still { Ok(Some(caller)) } else { Err(Reason::Unverifiable("other_principal")) }
}

enum Look {
    Free,
    Running,
    Kept(worker::Answer),
}

async fn look(cx: Cx<'_>, same: &Same) -> Result<Look, Reason> {
    let recorded =
        cx.app.identity.store.recorded_call(&same.digest).await.map_err(|error| unrecorded(&error))?;
    let now = cx.app.clock.now();
    let Some(recorded) = recorded.filter(|recorded| now < recorded.expires_at) else {
        return Ok(Look::Free);
    };
    let Recorded { arguments, lease_until, kept, .. } = recorded;
    if arguments != same.arguments {
        return Err(Reason::Key("this idempotency key was used for a call with other arguments"));
    }
    match kept {
        Some(kept) => kept::answer(&kept, &same.seal).map(Look::Kept),
        None if lease_until <= now => Ok(Look::Free),
        None => Ok(Look::Running),
    }
}

fn unrecorded(error: &StoreError) -> Reason {
    tracing::warn!(%error, "a call could not be written down and was not sent");
    Reason::Unverifiable("call_not_recorded")
}
