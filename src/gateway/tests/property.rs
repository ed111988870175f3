//! Listed ⇔ callable, for any policies and any caller.

use std::fmt::Write as _;

use proptest::prelude::*;

use serde_json::{Value, json};

use super::{config, tool, verified};
use crate::domain::decide::{self, Caller, Denial};
use crate::domain::obstacle::{Obstacle, obstacles};
use crate::domain::pat::Mode;
use crate::domain::plan::Plan;
use crate::domain::scope::ScopeSet;
use crate::domain::service::{ListMode, LockedMode, ServicePolicy};
use crate::domain::tool::{Confirm, ToolPolicy};
use crate::domain::verified::{TokenKind, Verified};
use crate::domain::workspace::WorkspaceStatus;
use crate::mcp::tool::parse_catalog;
use crate::upstream::identity_headers::Names;

const SCOPES: [&str; 4] = ["a", "b", "c", "undeclared"];
const FEATURES: [Option<&str>; 3] = [None, Some("mcp"), Some("extra")];

fn subset(mask: u8) -> ScopeSet {
    SCOPES.iter().enumerate().filter(|(at, _)| mask & (1 << at) != 0).map(|(_, scope)| *scope).collect()
}

prop_compose! {
    fn tool_policy()(scopes in 0u8..16, flags in 0u8..8, feature in 0usize..3, mode in 0u8..3) -> ToolPolicy {
        ToolPolicy {
            scopes: subset(scopes),
            public: flags & 1 != 0,
            feature: FEATURES[feature].map(str::to_owned),
            only_mode: match mode { 0 => None, 1 => Some(Mode::Live), _ => Some(Mode::Test) },
            hidden: flags & 6 == 6,
            read_only: flags & 2 != 0,
            confirm: Confirm::No,
        }
    }
}

prop_compose! {
    fn credential()(scopes in 0u8..16, plan in 0u8..3, mode in any::<bool>(), none in 0u8..5) -> Option<Verified> {
        (none > 0).then(|| Verified {
            mode: if mode { Mode::Live } else { Mode::Test },
            plan: match plan { 0 => None, 1 => Some("flow".into()), _ => Some("free".into()) },
            ..verified(TokenKind::Pat, &subset(scopes).to_string())
        })
    }
}

proptest! {
    #[test]
    fn the_list_is_exactly_what_passes(
        policies in proptest::collection::vec(tool_policy(), 1..8),
        credential in credential(),
        hide in any::<bool>(),
    ) {
        let service = ServicePolicy {
            id: "mico".into(),
            brand: "mico".into(),
            feature: None,
            scopes: ScopeSet::parse("a b c"),
            default_scopes: ScopeSet::parse("a"),
            list: ListMode::Granted,
            locked: if hide { LockedMode::Hide } else { LockedMode::Show },
        };
        let flow = Plan { id: "flow".into(), features: vec!["mcp".into()], credits_per_month: None };
        let free = Plan { id: "free".into(), features: vec![], credits_per_month: None };
        let plan = credential.as_ref().and_then(|own| own.plan.as_ref()).map(|id| if id.as_str() == "flow" { &flow } else { &free });
        let caller = Caller { credential: credential.as_ref(), plan };
        let catalog = catalog(&policies);
        let mut out = Vec::new();
        catalog.write_list(caller, &service, &mut out);
        let listed: Vec<Value> = serde_json::from_slice(&out).unwrap();
        for tool in catalog.tools() {
            let shown = listed.iter().find(|own| own["name"] == *tool.name);
            let locked = shown.is_some_and(|own| !own["_meta"]["io.portero/locked"].is_null());
            match decide::decide(caller, &service, &tool.policy) {
                Ok(()) => prop_assert!(shown.is_some() && !locked),
                Err(Denial::Locked(..)) => prop_assert!(locked && !hide),
                Err(_) => prop_assert!(shown.is_none()),
            }
        }
    }
}

proptest! {
    #[test]
    fn what_stands_in_the_way_is_found_and_nothing_else(
        tool in tool_policy(),
        credential in credential(),
        (feature, hide, status) in (0usize..3, any::<bool>(), 0usize..4),
    ) {
        let service = ServicePolicy {
            id: "mico".into(),
            brand: "mico".into(),
            feature: FEATURES[feature].map(str::to_owned),
            scopes: ScopeSet::parse("a b c"),
            default_scopes: ScopeSet::parse("a"),
            list: ListMode::Granted,
            locked: if hide { LockedMode::Hide } else { LockedMode::Show },
        };
        let credential = credential.map(|own| Verified { status: WorkspaceStatus::ALL[status], ..own });
        let flow = Plan { id: "flow".into(), features: vec!["mcp".into()], credits_per_month: None };
        let free = Plan { id: "free".into(), features: vec![], credits_per_month: None };
        let plan = credential.as_ref().and_then(|own| own.plan.as_ref()).map(|id| if id.as_str() == "flow" { &flow } else { &free });
        let caller = Caller { credential: credential.as_ref(), plan };
        let found = obstacles(caller, &service, &tool);
        let allowed =
            decide::service_open(caller, &service).is_ok() && decide::decide(caller, &service, &tool).is_ok();
        prop_assert_eq!(found.is_empty(), allowed);
        for (at, one) in found.iter().enumerate() {
            prop_assert!(!found[..at].contains(one), "said twice, so it was not imagined away: {:?}", found);
        }
        let anonymous = found.iter().position(|one| *one == Obstacle::Anonymous);
        prop_assert!(anonymous.is_none_or(|at| credential.is_none() && at + 1 == found.len()));
        prop_assert!(found.len() < 9);
    }
}

/// A catalog of tools with exactly these policies.
fn catalog(policies: &[ToolPolicy]) -> super::super::Catalog {
    let tools: Vec<Value> = (0..policies.len()).map(|at| tool(&format!("t{at}"), false)).collect();
    let mut text = String::new();
    for (at, policy) in policies.iter().enumerate() {
        let scopes: Vec<&str> = policy.scopes.iter().collect();
        let _ = write!(
            text,
            "[service.tool.t{at}]\nscopes = {scopes:?}\npublic = {}\nhidden = {}\n\
             [service.tool.t{at}.annotations]\nreadOnlyHint = {}\n",
            policy.public, policy.hidden, policy.read_only
        );
    }
    let descriptors = parse_catalog(json!(tools).to_string().as_bytes()).unwrap();
    let config = config("http://127.0.0.1:1", "", &text).unwrap();
    let own = config.service[0].clone();
    let mut service = super::super::build::service(&config, &own).unwrap();
    for (at, policy) in policies.iter().enumerate() {
        let (_, written) = service.policies.iter_mut().find(|(name, _)| *name == format!("t{at}")).unwrap();
        written.feature.clone_from(&policy.feature);
        written.modes = policy.only_mode.map(|mode| {
            vec![if mode == Mode::Live { crate::config::Mode::Live } else { crate::config::Mode::Test }]
        });
    }
    let names = Names::new("X-Portero-").unwrap();
    super::super::Catalog::assemble(&service, &[Some(descriptors)], &names, crate::config::Language::En)
        .unwrap()
}
