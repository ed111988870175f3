//! What stands between a caller and a tool: everything, not only what is said first.
//!
//! There is no second copy of the rules here. The decision is asked, what it names is imagined away, and it is
//! asked again, until it says yes.

use super::decide::{Caller, Denial, PlanLack, decide, service_open};
use super::pat::Mode;
use super::plan::Plan;
use super::scope::ScopeSet;
use super::service::ServicePolicy;
use super::tool::ToolPolicy;
use super::verified::Verified;
use super::workspace::WorkspaceStatus;

/// One thing that would have to be otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The plan lacks the feature that every request of the service needs.
    ServiceFeature(PlanLack, String),
    /// The workspace is inactive.
    Inactive,
    /// Nobody is to see the tool.
    Hidden,
    /// Only credentials of this mode see it.
    Mode(Mode),
    /// Nobody called, and the tool is not public.
    Anonymous,
    /// It needs scopes that the service does not declare, so that nobody can be given them.
    Undeclared(ScopeSet),
    /// These scopes are missing.
    Scopes(ScopeSet),
    /// The plan lacks the tool's own feature.
    Feature(PlanLack, String),
    /// The bill is overdue and the tool writes.
    PastDue,
}

/// More rounds than there are kinds of obstacle would be a fault of this file.
const ROUNDS: usize = 16;

/// Everything that stands in the way, in the order in which it would be said; empty for a yes.
pub fn obstacles(caller: Caller<'_>, service: &ServicePolicy, tool: &ToolPolicy) -> Vec<Obstacle> {
    let mut imagined = Imagined {
        credential: caller.credential.cloned(),
        plan: caller.plan.cloned(),
        service: service.clone(),
        tool: tool.clone(),
    };
    let mut found = Vec::new();
    while found.len() < ROUNDS
        && let Some(obstacle) = imagined.obstacle()
    {
        let goes_on = imagined.without(&obstacle);
        found.push(obstacle);
        if !goes_on {
            break;
        }
    }
    found
}

struct Imagined {
    credential: Option<Verified>,
    plan: Option<Plan>,
    service: ServicePolicy,
    tool: ToolPolicy,
}

impl Imagined {
    fn obstacle(&self) -> Option<Obstacle> {
        let caller = Caller { credential: self.credential.as_ref(), plan: self.plan.as_ref() };
        if let Err((lack, feature)) = service_open(caller, &self.service) {
            return Some(match feature {
                Some(feature) => Obstacle::ServiceFeature(lack, feature.to_owned()),
                None => Obstacle::Inactive,
            });
        }
        let held = |scopes: &ScopeSet| self.missing(scopes);
        Some(match decide(caller, &self.service, &self.tool).err()? {
            Denial::Unauthorized => Obstacle::Anonymous,
            Denial::MissingScope(needed) => Obstacle::Scopes(held(needed)),
            Denial::Locked(lack, feature) => Obstacle::Feature(lack, feature.to_owned()),
            Denial::Blocked => Obstacle::PastDue,
            Denial::Unknown("mode") => Obstacle::Mode(self.tool.only_mode.unwrap_or_default()),
            Denial::Unknown("undeclared_scope") => {
                let declared = &self.service.scopes;
                Obstacle::Undeclared(self.tool.scopes.iter().filter(|own| !declared.contains(own)).collect())
            }
            Denial::Unknown("locked") => {
                let lack = if self.plan.is_some() { PlanLack::FeatureNotIncluded } else { PlanLack::NoPlan };
                Obstacle::Feature(lack, self.tool.feature.clone().unwrap_or_default())
            }
            Denial::Unknown(_) => Obstacle::Hidden,
        })
    }

    fn missing(&self, needed: &ScopeSet) -> ScopeSet {
        let held = self.credential.as_ref().map(|own| &own.scopes);
        needed.iter().filter(|scope| !held.is_some_and(|held| held.contains(scope))).collect()
    }

    /// Imagines the obstacle away. False where nothing can be imagined in its place.
    fn without(&mut self, obstacle: &Obstacle) -> bool {
        match obstacle {
            Obstacle::Anonymous => return false,
            Obstacle::Hidden => self.tool.hidden = false,
            Obstacle::Undeclared(scopes) => self.service.scopes = joined(&self.service.scopes, scopes),
            Obstacle::ServiceFeature(_, feature) | Obstacle::Feature(_, feature) => {
                let plan = self.plan.get_or_insert_with(|| Plan {
                    id: "imagined".into(),
                    features: Vec::new(),
                    credits_per_month: None,
                    rate: None,
                });
                plan.features.push(feature.clone());
            }
            Obstacle::Mode(_) | Obstacle::Scopes(_) | Obstacle::Inactive | Obstacle::PastDue => {
                let Some(credential) = &mut self.credential else { return self.without_mode(obstacle) };
                match obstacle {
                    Obstacle::Mode(mode) => credential.mode = *mode,
                    Obstacle::Scopes(scopes) => credential.scopes = joined(&credential.scopes, scopes),
                    _ => credential.status = WorkspaceStatus::Active,
                }
            }
        }
        true
    }

    /// An anonymous caller has no mode of its own; what else the tool asks of it is still told.
    fn without_mode(&mut self, obstacle: &Obstacle) -> bool {
        self.tool.only_mode = None;
        matches!(obstacle, Obstacle::Mode(_))
    }
}

fn joined(one: &ScopeSet, other: &ScopeSet) -> ScopeSet {
    one.iter().chain(other.iter()).collect()
}
