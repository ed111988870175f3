//! Step 5, second half: what a call costs.
//!
//! Where the plan is metered, a tool's cost is reserved in the moment in which the call is sent, and settled when its
//! outcome is known: by what the worker says it cost, or else by the cost. What failed is not charged. A client that
//! leaves before the answer is: its worker has begun, and may well go on.
//!
//! A call without a cost asks the database nothing, unless it is sent again; if its worker says that it cost something all the same, that is
//! charged afterwards.
//!
//! A call that broke off and is sent again under its key is charged once, however often its client's network drops in
//! the middle of it: what its earlier runs have taken is given back when it is sent again.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;

use super::call::{Authenticated, Cx};
use super::idempotency::Run;
use super::policy::Permitted;
use super::refusal::{CreditFacts, Reason};
use super::service::Tool;
use crate::app::App;
use crate::domain::credits;
use crate::domain::entropy;
use crate::domain::ids::ServiceId;
use crate::domain::pat::Mode;
use crate::domain::plan::Plan;
use crate::domain::secret::base62;
use crate::domain::verified::Verified;
use crate::identity::credits::{Settlement, Used, first_line, line};
use crate::mcp::result;
use crate::store::StoreError;
use crate::store::credits::{By, Entry, Outcome};
use crate::upstream::client::Failure;
use crate::upstream::worker::{Answer, Answered};

/// How long after its deadline a call that has not been settled counts as abandoned.
const GRACE: Duration = Duration::from_mins(10);

/// What a tool costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// Credits.
    pub cost: u64,
    /// True if the call passes all the same where they are not there, and its worker is told.
    pub optional: bool,
}

/// A call that is charged when it ends. Dropped before that, it is charged as it stands.
pub struct Charge {
    app: Arc<App>,
    service: ServiceId,
    tool: Arc<Tool>,
    credential: Arc<Verified>,
    /// Where it may be sent again.
    run: Option<Run>,
    /// What was there before this call.
    balance: Option<i64>,
    /// None as long as there is nothing to write.
    open: Option<Settlement>,
}

/// Reserves what the call costs, where the plan is metered. To be called when it is sent and not before: a call that
/// is answered from memory is not charged again.
///
/// # Errors
/// 402 without enough credits, 503 if they cannot be counted.
pub async fn reserve(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Permitted<'_>,
    run: Option<Run>,
) -> Result<Option<Box<Charge>>, Reason> {
    let (Some(credential), Some(plan)) = (&caller.credential, caller.plan) else { return Ok(None) };
    let Some(per_month) = plan.credits_per_month.filter(|_| credential.mode == Mode::Live) else {
        return Ok(None);
    };
    let mut charge = Box::new(Charge {
        app: Arc::clone(cx.app),
        service: cx.service.policy.id.clone(),
        tool: Arc::clone(call.tool()),
        credential: Arc::clone(credential),
        run,
        balance: None,
        open: None,
    });
    if charge.tool.price.cost > 0 || charge.repeats().is_some() {
        // apart, so that calls that cost nothing carry no room for it
        Box::pin(charge.reserve(plan, per_month)).await?;
    }
    Ok(Some(charge))
}

fn short(plan: &Plan, cost: u64, left: i64, used: &Used) -> Reason {
    let renews = used.month.renews_on();
    Reason::Credits(Box::new(CreditFacts { plan: plan.id.clone(), cost, left, renews }))
}

/// What a look at the credits finds.
pub struct Looked {
    /// Of so many.
    pub per_month: u64,
    /// So many are left; below zero where more was used.
    pub left: i64,
    /// What a call would meet now.
    pub refusal: Option<Reason>,
}

/// What is there for a call, without reserving it; none where nothing is charged.
///
/// # Errors
/// The database.
pub async fn look(
    app: &App,
    tool: &Tool,
    credential: &Verified,
    plan: &Plan,
) -> Result<Option<Looked>, StoreError> {
    let metered = plan.credits_per_month.filter(|_| credential.mode == Mode::Live);
    let Some(per_month) = metered else { return Ok(None) };
    let used = app.identity.credits_used(&credential.workspace).await?;
    let Price { cost, optional } = tool.price;
    let left = used.balance(per_month);
    let lacks = cost > 0 && !optional && left < credits::amount(cost);
    Ok(Some(Looked { per_month, left, refusal: lacks.then(|| short(plan, cost, left, &used)) }))
}

fn unknown(error: &StoreError) -> Reason {
    tracing::warn!(%error, "credits cannot be counted");
    Reason::Unverifiable("credits_unavailable")
}

impl Charge {
    /// Looks before it takes: whoever has nothing left and asks again and again must not hold up the database's one
    /// writer. What decides is the one statement that takes.
    async fn reserve(&mut self, plan: &Plan, per_month: u64) -> Result<(), Reason> {
        let Price { cost, optional } = self.tool.price;
        if cost == 0 {
            return self.hold(0, per_month).await.map(drop);
        }
        let amount = credits::amount(cost);
        let mut used = self.used().await?;
        let balance = used.balance(per_month);
        if balance >= amount {
            if self.hold(amount, per_month).await? {
                self.balance = Some(balance);
                return Ok(());
            }
            // somebody was quicker; what they left is what is told
            used = self.used().await?;
        }
        let left = used.balance(per_month);
        if !optional {
            return Err(short(plan, cost, left, &used));
        }
        // whatever has been given back since: this call passes free, and must not look as if it did not
        self.balance = Some(left.min(amount - 1));
        if self.repeats().is_some() {
            self.hold(0, per_month).await?;
        }
        Ok(())
    }

    /// The call, if it was sent before.
    fn repeats(&self) -> Option<&str> {
        self.run.as_ref().filter(|run| run.again).map(|run| run.call.as_str())
    }

    /// What was used of the month, without what this call gives back when it takes its cost.
    async fn used(&self) -> Result<Used, Reason> {
        let identity = &self.app.identity;
        let mut used =
            identity.credits_used(&self.credential.workspace).await.map_err(|error| unknown(&error))?;
        if let Some(call) = self.repeats() {
            used.used -= identity.credits_of_call(call, used.month).await.map_err(|error| unknown(&error))?;
        }
        Ok(used)
    }

    /// Takes credits for this run, in place of those before it. False if they are not there.
    async fn hold(&mut self, amount: i64, per_month: u64) -> Result<bool, Reason> {
        let identity = &self.app.identity;
        let entry = Entry { reserved: amount, ..self.entry() };
        let held = match self.repeats() {
            Some(call) => identity.reserve_credits_again(&entry, call, per_month).await,
            None => identity.reserve_credits(&entry, per_month).await,
        };
        let held = held.map_err(|error| unknown(&error))?;
        if held {
            self.open = Some(Settlement { entry, held, amount, outcome: Outcome::Left });
        }
        Ok(held)
    }

    fn entry(&self) -> Entry {
        let own = &*self.credential;
        let now = self.app.clock.now();
        let id = match &self.run {
            Some(run) if !run.again => first_line(&run.call),
            _ => format!("crd_{}", base62(&entropy::bytes::<16>(&*self.app.entropy), 22)),
        };
        Entry {
            expires_at: now.plus(self.tool.timeout + GRACE),
            by: By {
                user: Some(own.user.to_string()),
                client: own.client.as_ref().map(ToString::to_string),
                grant: own.grant.as_ref().map(ToString::to_string),
                pat: own.pat.as_ref().map(ToString::to_string),
                service: Some(self.service.to_string()),
                tool: Some(self.tool.name.to_string()),
            },
            call: self.run.as_ref().map(|run| run.call.clone()),
            ..line(&id, &own.workspace, now)
        }
    }

    /// What the workspace had when the call was sent, for the worker: at least the cost if that was reserved, less if
    /// it was not. None if nobody has asked the database.
    pub fn balance(&self) -> Option<i64> {
        self.balance
    }

    /// The worker says what the call cost. What is no number is no price, and the cost stands.
    fn stated(&mut self, value: &HeaderValue) {
        let Some(stated) = credits::stated(value.as_bytes()) else {
            tracing::warn!(service = %self.service, tool = %self.tool.name, ?value, "the worker's cost is no whole number; ignored");
            return;
        };
        let amount = credits::amount(stated);
        match &mut self.open {
            Some(open) => open.amount = amount,
            None if amount == 0 => {}
            None => {
                let entry = self.entry();
                self.open = Some(Settlement { entry, held: false, amount, outcome: Outcome::Left });
            }
        }
    }

    /// Says how it ended, for whoever settles it: from here on a client that leaves changes nothing.
    pub fn came_to(&mut self, outcome: Outcome) {
        let Some(open) = &mut self.open else { return };
        open.outcome = outcome;
        if outcome == Outcome::Failed {
            open.amount = 0;
        }
    }

    /// Writes down how it ended, before the answer goes out: what comes next sees the new balance. A database that
    /// cannot be reached now holds no answer back; then it is written later.
    pub async fn settle(mut self: Box<Self>, outcome: Outcome) {
        self.came_to(outcome);
        let Some(open) = &self.open else { return };
        if !open.is_nothing()
            && let Err(error) = self.app.identity.settle_credits(open).await
        {
            tracing::warn!(%error, "a call could not be settled; it is tried again");
            return;
        }
        self.open = None;
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if let Some(open) = self.open.take().filter(|open| !open.is_nothing()) {
            self.app.identity.settle_credits_later(open);
        }
    }
}

/// What a worker has answered, settled if it is the end. A stream's charge goes with the stream.
///
/// # Errors
/// Those of the call.
pub async fn after(
    charge: Option<Box<Charge>>,
    answered: Result<Answered, Failure>,
) -> Result<(Answer, Option<Box<Charge>>), Failure> {
    let Some(mut charge) = charge else { return answered.map(|answered| (answered.answer, None)) };
    let Answered { answer, noted } = match answered {
        Ok(answered) => answered,
        Err(failure) => {
            Box::pin(charge.settle(Outcome::Failed)).await;
            return Err(failure);
        }
    };
    if let Some(value) = noted {
        charge.stated(&value);
    }
    let outcome = match &answer {
        Answer::Stream(_) => return Ok((answer, Some(charge))),
        Answer::Refused(..) => Outcome::Failed,
        Answer::Result(body) if result::is_failed(body) => Outcome::Failed,
        Answer::Json(_) | Answer::Result(_) => Outcome::Done,
    };
    Box::pin(charge.settle(outcome)).await;
    Ok((answer, None))
}
