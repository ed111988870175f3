//! Step 4: may this caller have this. The decision is the domain's; here it gets its reasons.

use std::sync::Arc;

use super::call::{Authenticated, Cx, Entitled, Frame, Resolved};
use super::refusal::{self, Reason, ScopeFacts};
use crate::domain::decide::{self, Denial};
use crate::domain::scope::ScopeSet;
use crate::domain::tool::ToolPolicy;
use crate::mcp::jsonrpc;

/// What every request needs: the service's feature and an active workspace.
///
/// # Errors
/// 402.
pub fn service(cx: Cx<'_>, caller: &Authenticated<'_>) -> Result<(), Reason> {
    decide::service_open(caller.caller(), &cx.service.policy).map_err(|(lack, feature)| {
        let plan = caller.credential.as_ref().and_then(|own| own.plan.as_ref());
        Reason::plan(lack, feature, plan, false)
    })
}

/// The tool of a call, if this caller may use it.
///
/// # Errors
/// To whom a tool is hidden, it answers as if it were absent, byte for byte. To anonymous callers everything
/// that is not public does.
pub fn tool<'b>(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: Resolved<'b>,
    frame: &mut Frame<'b>,
) -> Result<Entitled<'b>, Reason> {
    let name = call.params.name.and_then(jsonrpc::text).ok_or(Reason::Params("name is a string"))?;
    let catalog = cx.service.catalog.load();
    let Some(tool) = catalog.get(&name) else {
        return Err(if catalog.pending {
            Reason::Unavailable("catalog_pending")
        } else if caller.credential.is_none() {
            Reason::NoCredentials(true)
        } else {
            Reason::unknown_tool("absent", &name)
        });
    };
    let who = caller.caller();
    match decide::decide(who, &cx.service.policy, &tool.policy) {
        Ok(()) => {
            frame.tool = Some(Arc::clone(tool));
            Ok(Entitled { call, tool: Arc::clone(tool) })
        }
        Err(Denial::Unknown(_)) if who.credential.is_none() => Err(Reason::NoCredentials(true)),
        Err(Denial::MissingScope(needed)) => {
            frame.tool = Some(Arc::clone(tool));
            Err(missing_scope(cx, caller, needed))
        }
        Err(denial) => {
            let plan = caller.credential.as_ref().and_then(|own| own.plan.as_ref());
            let reason = refusal::of_denial(&denial, &name, plan);
            Err(reason.unwrap_or(Reason::Unavailable("undecided")))
        }
    }
}

/// A resource or a prompt under its policy; `absent` says of it that there is none.
///
/// # Errors
/// As for a tool.
pub fn guarded(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    policy: &ToolPolicy,
    absent: impl FnOnce(&'static str) -> Reason,
) -> Result<(), Reason> {
    let who = caller.caller();
    match decide::decide(who, &cx.service.policy, policy) {
        Ok(()) => Ok(()),
        Err(Denial::Unknown(_)) if who.credential.is_none() => Err(Reason::NoCredentials(true)),
        Err(Denial::Unknown(label)) => Err(absent(label)),
        Err(Denial::MissingScope(needed)) => Err(missing_scope(cx, caller, needed)),
        Err(denial) => {
            let plan = caller.credential.as_ref().and_then(|own| own.plan.as_ref());
            let reason = refusal::of_denial(&denial, "", plan);
            Err(reason.unwrap_or(Reason::Unavailable("undecided")))
        }
    }
}

/// What is behind a service without being one of its tools.
///
/// # Errors
/// 403.
pub fn scopes(cx: Cx<'_>, caller: &Authenticated<'_>, needed: &ScopeSet) -> Result<(), Reason> {
    let covers = caller.credential.as_ref().is_some_and(|own| own.scopes.covers(needed));
    if covers { Ok(()) } else { Err(missing_scope(cx, caller, needed)) }
}

/// A step-up asks for what is granted too: clients of 2025-11-25 replace their scopes instead of adding.
fn missing_scope(cx: Cx<'_>, caller: &Authenticated<'_>, needed: &ScopeSet) -> Reason {
    let who = caller.caller();
    let granted = who.credential.map(|own| &own.scopes);
    let declared = cx.service.policy.scopes.iter();
    let ask: ScopeSet = declared
        .filter(|scope| needed.contains(scope) || granted.is_some_and(|granted| granted.contains(scope)))
        .collect();
    Reason::MissingScope(Box::new(ScopeFacts {
        needed: needed.to_string(),
        ask: ask.to_string(),
        kind: who.kind(),
    }))
}
