//! Step 4: may this caller have this. The decision is the domain's; here it gets its reasons.

use std::sync::Arc;

use super::call::{Authenticated, Cx, Entitled, Frame, Resolved};
use super::refusal::{Reason, ScopeFacts};
use super::rest::{self, Generic};
use super::service::Route;
use crate::domain::decide::{self, Caller, Denial};
use crate::domain::scope::ScopeSet;
use crate::domain::service::ServicePolicy;
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
    if let Err(denial) = decide::decide(caller.caller(), &cx.service.policy, &tool.policy) {
        if matches!(denial, Denial::MissingScope(_)) {
            frame.tool = Some(Arc::clone(tool));
        }
        return Err(denied(&cx.service.policy, caller.caller(), &denial, |label| {
            Reason::unknown_tool(label, &name)
        }));
    }
    if let Route::Generic(Generic::Call(operations)) = &tool.route {
        return rest::entitle::operation(cx, caller, call, operations, frame);
    }
    frame.tool = Some(Arc::clone(tool));
    Ok(Entitled { call, tool: Arc::clone(tool), spoken: None })
}

/// Anything under its policy; `absent` says of it that there is none.
///
/// # Errors
/// As for a tool.
pub fn guarded(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    policy: &ToolPolicy,
    absent: impl FnOnce(&'static str) -> Reason,
) -> Result<(), Reason> {
    decide::decide(caller.caller(), &cx.service.policy, policy)
        .map_err(|denial| denied(&cx.service.policy, caller.caller(), &denial, absent))
}

/// The reason of a denial; `absent` says that there is no such thing.
pub fn denied(
    service: &ServicePolicy,
    who: Caller<'_>,
    denial: &Denial<'_>,
    absent: impl FnOnce(&'static str) -> Reason,
) -> Reason {
    match denial {
        Denial::Unknown(label) if who.credential.is_some() => absent(label),
        Denial::MissingScope(needed) => missing_scope(service, who, needed),
        Denial::Unknown(_) | Denial::Unauthorized => Reason::NoCredentials(true),
        Denial::Blocked => Reason::Blocked,
        Denial::Locked(lack, feature) => {
            let plan = who.credential.and_then(|own| own.plan.as_ref());
            Reason::plan(*lack, Some(feature), plan, true)
        }
    }
}

/// What is behind a service without being one of its tools.
///
/// # Errors
/// 403.
pub fn scopes(cx: Cx<'_>, caller: &Authenticated<'_>, needed: &ScopeSet) -> Result<(), Reason> {
    let covers = caller.credential.as_ref().is_some_and(|own| own.scopes.covers(needed));
    if covers { Ok(()) } else { Err(missing_scope(&cx.service.policy, caller.caller(), needed)) }
}

/// A step-up asks for what is granted too: clients of 2025-11-25 replace their scopes instead of adding.
fn missing_scope(service: &ServicePolicy, who: Caller<'_>, needed: &ScopeSet) -> Reason {
    let granted = who.credential.map(|own| &own.scopes);
    let declared = service.scopes.iter();
    let ask: ScopeSet = declared
        .filter(|scope| needed.contains(scope) || granted.is_some_and(|granted| granted.contains(scope)))
        .collect();
    Reason::MissingScope(Box::new(ScopeFacts {
        needed: needed.to_string(),
        ask: ask.to_string(),
        kind: who.kind(),
    }))
}
