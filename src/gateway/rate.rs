//! Step 5, first half: how often.
//!
//! A `tools/call` counts once it names a tool that its caller may use, whatever becomes of it then: against the plan's
//! rate or else the service's, and against the tool's own. What is refused for one of them counts against neither. A
//! `resources/read` or `prompts/get` counts likewise, before its worker is asked. Other messages count for anonymous
//! callers alone, against the service's rate: theirs are the only ones that anybody can send in any number. What needs
//! a credential and has none is told so first: a client that looks for the sign-in finds it.

use std::borrow::Cow;

use super::call::{Authenticated, Cx, Entitled};
use super::refusal::Reason;
use super::service::Service;
use crate::cluster::limits::{Key, Who};
use crate::domain::ids::{GrantId, PatId};
use crate::domain::limit::{Per, Rate};
use crate::domain::plan::Plan;
use crate::http::client_ip;
use crate::mcp::method::Method;

/// A call that does not come too often. There is no other way to make one than [`admit`].
pub struct Admitted<'b>(Entitled<'b>);

impl<'b> Admitted<'b> {
    /// The call.
    pub fn into_entitled(self) -> Entitled<'b> {
        self.0
    }
}

/// Counts a call.
///
/// # Errors
/// 429.
pub fn admit<'b>(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    entitled: Entitled<'b>,
) -> Result<Admitted<'b>, Reason> {
    let own = entitled.tool.rate.as_ref().map(|rate| Counter::new(cx, caller, rate, &entitled.tool.name));
    if let Some(own) = &own {
        own.take(cx)?;
    }
    if let Err(reason) = all(cx, caller) {
        if let Some(own) = &own {
            own.give_back(cx);
        }
        return Err(reason);
    }
    Ok(Admitted(entitled))
}

/// Counts a read of something that its caller may have.
///
/// # Errors
/// 429.
pub fn read(cx: Cx<'_>, caller: &Authenticated<'_>) -> Result<(), Reason> {
    all(cx, caller)
}

/// Counts a message that calls and reads nothing. Attack: a flood of handshakes from somebody who needs no credential.
///
/// # Errors
/// 429.
pub fn message(cx: Cx<'_>, caller: &Authenticated<'_>, method: Option<Method>) -> Result<(), Reason> {
    let apart = matches!(
        method,
        Some(Method::ToolsCall | Method::ResourcesRead | Method::PromptsGet | Method::Complete)
    );
    if caller.credential.is_some() || apart { Ok(()) } else { all(cx, caller) }
}

/// The rate of everything, the plan's before the service's.
pub fn of<'a>(plan: Option<&'a Plan>, service: &'a Service) -> Option<&'a Rate> {
    plan.and_then(|plan| plan.rate.as_ref()).or(service.rate.as_ref())
}

fn all(cx: Cx<'_>, caller: &Authenticated<'_>) -> Result<(), Reason> {
    match of(caller.plan, cx.service) {
        None => Ok(()),
        Some(rate) => Counter::new(cx, caller, rate, "").take(cx),
    }
}

struct Counter<'a> {
    key: Key,
    rate: &'a Rate,
}

impl<'a> Counter<'a> {
    fn new(cx: Cx<'_>, caller: &Authenticated<'_>, rate: &'a Rate, tool: &str) -> Self {
        let (who, whose) = whose(cx, caller, rate.per);
        Self { key: Key::new(who, [cx.service.policy.id.as_str(), tool], &whose), rate }
    }

    fn take(&self, cx: Cx<'_>) -> Result<(), Reason> {
        cx.app.limits.take(&self.key, self.rate.limit, cx.app.clock.now()).map_err(Reason::Rate)
    }

    fn give_back(&self, cx: Cx<'_>) {
        cx.app.limits.give_back(&self.key, self.rate.limit);
    }
}

/// A refreshed token is the same grant's; a JWT has no grant and counts for its user.
fn whose<'a>(cx: Cx<'_>, caller: &'a Authenticated<'_>, per: Per) -> (Who, Cow<'a, str>) {
    let Some(own) = caller.credential.as_deref() else {
        return (Who::Address, client_ip::source(cx.request, &cx.app.config.trusted_proxies).into());
    };
    let grant = own.grant.as_ref().map(GrantId::as_str).or_else(|| own.pat.as_ref().map(PatId::as_str));
    let whose = match per {
        Per::Grant => grant.unwrap_or(own.user.as_str()),
        Per::User => own.user.as_str(),
        Per::Workspace => own.workspace.as_str(),
    };
    (Who::Caller, whose.into())
}
