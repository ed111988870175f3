//! Why a caller may or may not use a tool, a resource or a prompt, step by step, and what would change it.
//!
//! The verdicts are the decision's own ([`crate::domain::obstacle`]); here they get their words.

mod meant;
mod momentary;
mod offered;

use super::authenticate;
use super::entitle;
use super::refusal::Reason;
use super::rest::entitle::reached;
use super::service::Service;
use super::words;
use crate::app::App;
use crate::domain::decide::{self, Caller, PlanLack};
use crate::domain::obstacle::{self, Obstacle};
use crate::domain::scope::ScopeSet;
use crate::domain::tool::ToolPolicy;
use crate::domain::verified::Verified;
use crate::store::StoreError;
use meant::{Meant, of_operation};
use offered::{Absent, Scene};

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked<'a> {
    /// A call of the tool of this name.
    Tool(&'a str),
    /// A read of the resource of this URI.
    Resource(&'a str),
    /// The prompt of this name.
    Prompt(&'a str),
}

/// What a step says of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing stands in the way here.
    Yes,
    /// This stands in the way.
    No,
    /// It says what a call has to bring, or what it meets.
    Note,
}

impl Verdict {
    /// The word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Note => "note",
        }
    }
}

/// One step of the decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its name.
    pub name: &'static str,
    /// How it went.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub says: String,
}

impl Step {
    /// A step that went well, or did not.
    pub fn new(name: &'static str, good: bool, says: impl Into<String>) -> Self {
        Self { name, verdict: if good { Verdict::Yes } else { Verdict::No }, says: says.into() }
    }

    /// A step that decides nothing now.
    pub fn note(name: &'static str, says: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Note, says: says.into() }
    }
}

/// What a caller whose call is refused is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The public code.
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// A decision with its reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explained {
    /// Every step, in order.
    pub steps: Vec<Step>,
    /// What the caller is told; none for a yes.
    pub told: Option<Told>,
    /// What would have to change for a yes, each a sentence.
    pub change: Vec<String>,
    /// The scopes that it needs, if there is such a thing.
    pub needed: Option<ScopeSet>,
}

/// What a caller is told whose credential is not good, for whatever reason.
pub fn not_alive(service: &Service) -> Told {
    told(&Reason::BadCredentials("unknown"), service)
}

fn told(reason: &Reason, service: &Service) -> Told {
    let (message, hint) = words::words(reason, service);
    Told { code: reason.code().word(), message: message.into_owned(), hint: hint.into_owned() }
}

/// The array of tools that `tools/list` gives a live credential.
///
/// # Errors
/// What the caller is told where no request of its gets through.
pub fn catalog_of(app: &App, service: &Service, credential: &Verified) -> Result<Vec<u8>, Told> {
    let plan =
        authenticate::admit(service, &app.plans, credential).map_err(|reason| told(&reason, service))?;
    let caller = Caller { credential: Some(credential), plan };
    decide::service_open(caller, &service.policy).map_err(|(lack, feature)| {
        told(&Reason::plan(lack, feature, credential.plan.as_ref(), false), service)
    })?;
    let mut out = Vec::new();
    service.catalog.load().write_list(caller, &service.policy, &mut out);
    Ok(out)
}

/// The decision about a live credential and what it would use.
///
/// # Errors
/// The database, where credits are counted.
pub async fn explain(
    app: &App,
    service: &Service,
    credential: &Verified,
    asked: Asked<'_>,
) -> Result<Explained, StoreError> {
    let plan = match authenticate::admit(service, &app.plans, credential) {
        Ok(plan) => plan,
        Err(reason) => {
            let says = format!("it is not taken here ({})", reason.label());
            let change = match reason {
                Reason::BadCredentials("other_kind") => "a kind of credential that the service accepts",
                Reason::BadCredentials(_) => "a credential of this service and its brand",
                _ => "the workspace's plan in the configuration, as a section [plans.ID]",
            };
            return Ok(Explained {
                steps: vec![Step::new("service", false, says)],
                told: Some(told(&reason, service)),
                change: vec![change.to_owned()],
                needed: None,
            });
        }
    };
    let caller = Caller { credential: Some(credential), plan };
    let scene = Scene { app, service, caller, credential };
    match asked {
        Asked::Tool(name) => of_tool(&scene, name).await,
        Asked::Resource(uri) => Ok(scene.resource(uri)),
        Asked::Prompt(name) => Ok(scene.prompt(name)),
    }
}

async fn of_tool(scene: &Scene<'_>, name: &str) -> Result<Explained, StoreError> {
    let &Scene { app, service, caller, credential } = scene;
    let catalog = service.catalog.load();
    let Some(Meant { tool, operation }) = Meant::of(&catalog, name) else {
        return Ok(absent(scene, name));
    };
    let found = obstacle::obstacles(caller, &service.policy, &tool.policy);
    let mut steps = service_steps(service, caller, &found);
    steps.extend(policy_steps(service, "tool", &tool.policy, caller, &found));
    steps.extend(of_operation(tool, operation));
    let (mut met, now) = momentary::met(app, service, tool, caller).await?;
    steps.append(&mut met);
    let mut changes: Vec<String> = found.iter().map(|one| change(app, one, credential, "tool")).collect();
    let lasting = scene.closed().or_else(|| refused(service, caller, Meant { tool, operation }, name));
    let (now, later) = now.unzip();
    changes.extend(later);
    if operation.is_some_and(|(entry, _)| entry.barred.is_some()) {
        changes.push("the upstream's exclude in the configuration, or its document".to_owned());
    }
    Ok(Explained {
        steps,
        told: lasting.or(now).map(|reason| told(&reason, service)),
        change: changes,
        needed: Some(tool.policy.scopes.clone()),
    })
}

/// The first reason that the tool's policy gives, as a call would meet it.
fn refused(service: &Service, caller: Caller<'_>, meant: Meant<'_>, name: &str) -> Option<Reason> {
    if let Some((_, operations)) = meant.operation {
        return reached(service, caller, operations, name).err().map(|(_, reason)| reason);
    }
    let denial = decide::decide(caller, &service.policy, &meant.tool.policy).err()?;
    Some(entitle::denied(&service.policy, caller, &denial, |label| Reason::unknown_tool(label, name)))
}

fn absent(scene: &Scene<'_>, name: &str) -> Explained {
    let catalog = scene.service.catalog.load();
    let noun = "tool";
    if catalog.pending {
        let (reason, says) =
            (Reason::Unavailable("catalog_pending"), "an upstream has not said its tools yet");
        let missing = "an upstream that says its tools".to_owned();
        return scene.absent(Absent { noun, reason, says: says.to_owned(), missing });
    }
    let missing = match near(catalog.tools().map(|own| &*own.name), name) {
        Some(near) => format!("another name: {near} is near it"),
        None => "a tool of this name in a catalog".to_owned(),
    };
    let reason = Reason::unknown_tool("absent", name);
    scene.absent(Absent { noun, reason, says: "there is no tool of this name".to_owned(), missing })
}

/// The name that was probably meant.
fn near<'a>(names: impl Iterator<Item = &'a str>, name: &str) -> Option<&'a str> {
    names
        .map(|own| (strsim::damerau_levenshtein(own, name), own))
        .filter(|(distance, own)| *distance <= own.len().max(3) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, own)| own)
}

fn lacks(lack: PlanLack) -> &'static str {
    match lack {
        PlanLack::NoPlan => "there is no plan",
        PlanLack::FeatureNotIncluded => "the plan lacks it",
        PlanLack::Inactive => "the workspace is inactive",
    }
}

/// What every request of the service needs.
fn service_steps(service: &Service, caller: Caller<'_>, found: &[Obstacle]) -> Vec<Step> {
    let lack = found.iter().find_map(|one| match one {
        Obstacle::ServiceFeature(lack, _) => Some(*lack),
        _ => None,
    });
    let feature = match (&service.policy.feature, lack) {
        (None, _) => "every request needs no feature".to_owned(),
        (Some(feature), None) => format!("every request needs the feature {feature}: the plan includes it"),
        (Some(feature), Some(lack)) => format!("every request needs the feature {feature}: {}", lacks(lack)),
    };
    let status = caller.credential.map_or("none", |own| own.status.label());
    let stopped = found.iter().any(|one| matches!(one, Obstacle::Inactive | Obstacle::PastDue));
    vec![
        Step::new("service", lack.is_none(), feature),
        Step::new("workspace", !stopped, format!("its status is {status}")),
    ]
}

/// What the policy of a tool, resource or prompt says.
fn policy_steps(
    service: &Service,
    noun: &'static str,
    policy: &ToolPolicy,
    caller: Caller<'_>,
    found: &[Obstacle],
) -> Vec<Step> {
    let visible = match (policy.hidden, policy.public, policy.read_only) {
        (true, ..) => "it is hidden from everybody",
        (_, true, true) => "it is public and only reads",
        (_, true, false) => "it is public and writes",
        (_, false, true) => "it only reads",
        (_, false, false) => "it writes",
    };
    let mode = match policy.only_mode {
        None => format!("{}: both modes see it", caller.mode().label()),
        Some(only) => format!("{}: {} alone sees it", caller.mode().label(), only.label()),
    };
    vec![
        Step::new(noun, !found.contains(&Obstacle::Hidden), visible),
        Step::new("mode", !found.iter().any(|one| matches!(one, Obstacle::Mode(_))), mode),
        scopes(policy, caller, found),
        feature(service, noun, policy, found),
    ]
}

fn scopes(policy: &ToolPolicy, caller: Caller<'_>, found: &[Obstacle]) -> Step {
    let held = caller.credential.map(|own| own.scopes.to_string()).unwrap_or_default();
    let held = if held.is_empty() { "none".to_owned() } else { held };
    let lacking: Vec<String> = found
        .iter()
        .filter_map(|one| match one {
            Obstacle::Scopes(missing) => Some(format!("missing: {missing}")),
            Obstacle::Undeclared(scopes) => Some(format!("not declared by the service: {scopes}")),
            _ => None,
        })
        .collect();
    let says = if policy.public {
        "public: none is needed".to_owned()
    } else if policy.scopes.is_empty() {
        format!("none is needed; effective: {held}")
    } else {
        let sets: Vec<String> = policy.scope_sets().map(ToString::to_string).collect();
        let needed = format!("needed: {}; effective: {held}", sets.join(", or "));
        [&[needed], lacking.as_slice()].concat().join("; ")
    };
    Step::new("scopes", lacking.is_empty(), says)
}

fn feature(service: &Service, noun: &str, policy: &ToolPolicy, found: &[Obstacle]) -> Step {
    let lack = found.iter().find_map(|one| match one {
        Obstacle::Feature(lack, _) => Some(*lack),
        _ => None,
    });
    let locked = match service.policy.locked {
        crate::domain::service::LockedMode::Show => "it is listed as locked",
        crate::domain::service::LockedMode::Hide => "it is as if it did not exist",
    };
    let says = match (&policy.feature, lack) {
        (None, _) => format!("the {noun} needs no feature of its own"),
        (Some(feature), None) => format!("the {noun} needs the feature {feature}: the plan includes it"),
        (Some(feature), Some(lack)) => {
            format!("the {noun} needs the feature {feature}: {}; {locked}", lacks(lack))
        }
    };
    Step::new("plan", lack.is_none(), says)
}

/// What would have to be otherwise, for whoever can make it so.
fn change(app: &App, obstacle: &Obstacle, credential: &Verified, noun: &str) -> String {
    let workspace = &credential.workspace;
    match obstacle {
        Obstacle::ServiceFeature(_, feature) | Obstacle::Feature(_, feature) => {
            let mut plans: Vec<&str> = app
                .plans
                .values()
                .filter(|plan| plan.includes(feature))
                .map(|plan| plan.id.as_str())
                .collect();
            plans.sort_unstable();
            match plans.as_slice() {
                [] => format!("a plan with the feature {feature}: no [plans.ID] has it"),
                [plan, ..] => format!(
                    "a plan with the feature {feature} ({}): `portero workspace set-plan {workspace} {plan}`",
                    plans.join(", ")
                ),
            }
        }
        Obstacle::Inactive | Obstacle::PastDue => {
            format!("the bill settled: `portero workspace set-status {workspace} active`")
        }
        Obstacle::Hidden => format!(
            "the {noun} shown: no `hidden = true` over it, and with `unlisted = \"deny\"` a policy that names it"
        ),
        Obstacle::Mode(mode) => format!("a credential of mode {}", mode.label()),
        Obstacle::Anonymous => "a credential".to_owned(),
        Obstacle::Undeclared(scopes) => format!("the service's declaration of {scopes} ([service.scopes])"),
        Obstacle::Scopes(scopes) if credential.grant.is_some() && credential.pat.is_some() => format!(
            "a connection that allows {scopes}, authorized by a token that has it: the person connects again"
        ),
        Obstacle::Scopes(scopes) if credential.grant.is_some() => {
            format!("a connection that allows {scopes}: the person connects again and ticks it")
        }
        Obstacle::Scopes(scopes) => format!("a token with {scopes}: `portero token create --scope …`"),
    }
}
