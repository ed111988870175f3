//! What is settled only when a call is made, in the order in which a call meets it: rate, confirmation, credits.
//! Whatever comes to limit calls gets its line here.

use super::super::credits::{self, Price};
use super::super::rate;
use super::super::refusal::Reason;
use super::super::service::{Service, Tool};
use super::Step;
use crate::app::App;
use crate::domain::decide::Caller;
use crate::domain::tool::Confirm;
use crate::store::StoreError;

/// The steps, and the refusal that a call would meet at this moment with what would change it.
pub type Met = (Vec<Step>, Option<(Reason, String)>);

/// Looks, and counts and reserves nothing.
///
/// # Errors
/// The database.
pub async fn met(app: &App, service: &Service, tool: &Tool, caller: Caller<'_>) -> Result<Met, StoreError> {
    let confirm = match tool.policy.confirm {
        Confirm::No => "none is asked",
        Confirm::Yes => "a call has to bring confirm: true",
        Confirm::Intent => "a call has to bring confirm: true and user_intent",
    };
    let mut steps =
        vec![Step::note("rate", rates(service, tool, caller)), Step::note("confirmation", confirm)];
    let Price { cost, optional } = tool.price;
    let looked = match caller.credential.zip(caller.plan) {
        Some((credential, plan)) => credits::look(app, tool, credential, plan).await?,
        None => None,
    };
    let Some(looked) = looked else {
        steps.push(Step::note("credits", format!("costs {cost}; this caller's calls are not charged")));
        return Ok((steps, None));
    };
    let (left, per_month) = (looked.left, looked.per_month);
    let says = format!("costs {cost}; {left} of the month's {per_month} are left");
    let Some(reason) = looked.refusal else {
        let free = if optional && left < crate::domain::credits::amount(cost) {
            format!("{says}; it passes without them")
        } else {
            says
        };
        steps.push(Step::note("credits", free));
        return Ok((steps, None));
    };
    steps.push(Step::new("credits", false, says));
    let change = format!("a plan with more than {per_month} credits a month, or the next month");
    Ok((steps, Some((reason, change))))
}

/// How many calls of the moment have been counted is the running server's to know.
fn rates(service: &Service, tool: &Tool, caller: Caller<'_>) -> String {
    let all = rate::of(caller.plan, service).map(|rate| format!("all calls: {rate}"));
    let own = tool.rate.as_ref().map(|rate| format!("this tool: {rate}"));
    let said: Vec<String> = all.into_iter().chain(own).collect();
    if said.is_empty() { "no limit is set".to_owned() } else { said.join("; ") }
}
