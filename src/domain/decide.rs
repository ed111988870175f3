//! THE entitlement function: may this caller use this tool, read this resource, get this prompt now?
//!
//! The same function answers for calls and for lists, so that what is listed is what may be called. Where it says
//! tool, a resource or a prompt is meant as well: those only read.

use super::pat::Mode;
use super::plan::Plan;
use super::scope::ScopeSet;
use super::service::{ListMode, LockedMode, ServicePolicy};
use super::tool::ToolPolicy;
use super::verified::{TokenKind, Verified};
use super::workspace::WorkspaceStatus;

/// Who asks: a verified credential with its plan, or nobody.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The credential; none for an anonymous caller.
    pub credential: Option<&'a Verified>,
    /// The plan of its workspace.
    pub plan: Option<&'a Plan>,
}

impl Caller<'_> {
    /// The kind of credential.
    pub fn kind(&self) -> TokenKind {
        self.credential.map_or(TokenKind::Anonymous, |own| own.kind)
    }

    /// Live or test.
    pub fn mode(&self) -> Mode {
        self.credential.map_or(Mode::Live, |own| own.mode)
    }
}

/// What a plan lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanLack {
    /// The workspace has no plan.
    NoPlan,
    /// The plan lacks the feature.
    FeatureNotIncluded,
    /// The workspace is inactive.
    Inactive,
}

/// Why a caller may not use a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denial<'a> {
    /// To this caller the tool does not exist. The word is for logs alone.
    Unknown(&'static str),
    /// A protected tool and no credential.
    Unauthorized,
    /// Declared scopes are missing: all that the tool needs are named.
    MissingScope(&'a ScopeSet),
    /// The plan lacks the tool's own feature.
    Locked(PlanLack, &'a str),
    /// The workspace's bill is overdue and the tool writes.
    Blocked,
}

/// How a tool appears in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visibility<'a> {
    /// As it is.
    Listed,
    /// Marked as locked by a feature.
    Locked(PlanLack, &'a str),
    /// Not at all.
    Hidden,
}

/// Checks what every request of a service needs: its feature and an active workspace. The feature that is
/// missing is named. An anonymous caller has no plan to check.
pub fn service_open<'a>(
    caller: Caller<'_>,
    service: &'a ServicePolicy,
) -> Result<(), (PlanLack, Option<&'a str>)> {
    let Some(credential) = caller.credential else { return Ok(()) };
    if let Some(feature) = service.feature.as_deref() {
        lacks(caller.plan, feature).map_or(Ok(()), |lack| Err((lack, Some(feature))))?;
    }
    if credential.status == WorkspaceStatus::Inactive {
        return Err((PlanLack::Inactive, None));
    }
    Ok(())
}

fn lacks(plan: Option<&Plan>, feature: &str) -> Option<PlanLack> {
    match plan {
        None => Some(PlanLack::NoPlan),
        Some(plan) if plan.includes(feature) => None,
        Some(_) => Some(PlanLack::FeatureNotIncluded),
    }
}

/// May this caller use this tool now? Lasting reasons first, momentary ones last.
pub fn decide<'a>(
    caller: Caller<'_>,
    service: &ServicePolicy,
    tool: &'a ToolPolicy,
) -> Result<(), Denial<'a>> {
    lasting(caller, service, tool)?;
    let past_due = caller.credential.is_some_and(|own| own.status == WorkspaceStatus::PastDue);
    if past_due && !tool.read_only {
        return Err(Denial::Blocked);
    }
    Ok(())
}

/// How the tool appears in this caller's list. Momentary reasons never change a catalog.
pub fn visibility<'a>(caller: Caller<'_>, service: &ServicePolicy, tool: &'a ToolPolicy) -> Visibility<'a> {
    match lasting(caller, service, tool) {
        Ok(()) => Visibility::Listed,
        Err(Denial::MissingScope(_)) if service.list == ListMode::All => Visibility::Listed,
        Err(Denial::Locked(lack, feature)) => Visibility::Locked(lack, feature),
        Err(_) => Visibility::Hidden,
    }
}

fn lasting<'a>(caller: Caller<'_>, service: &ServicePolicy, tool: &'a ToolPolicy) -> Result<(), Denial<'a>> {
    if tool.hidden {
        return Err(Denial::Unknown("hidden"));
    }
    if tool.only_mode.is_some_and(|mode| mode != caller.mode()) {
        return Err(Denial::Unknown("mode"));
    }
    let Some(credential) = caller.credential else {
        return if tool.public { Ok(()) } else { Err(Denial::Unauthorized) };
    };
    if !tool.public && !tool.scope_sets().any(|needed| credential.scopes.covers(needed)) {
        let obtainable = tool.scope_sets().find(|needed| service.scopes.covers(needed));
        return Err(obtainable.map_or(Denial::Unknown("undeclared_scope"), Denial::MissingScope));
    }
    match tool.feature.as_deref().and_then(|feature| Some((lacks(caller.plan, feature)?, feature))) {
        None => Ok(()),
        Some(_) if service.locked == LockedMode::Hide => Err(Denial::Unknown("locked")),
        Some((lack, feature)) => Err(Denial::Locked(lack, feature)),
    }
}
