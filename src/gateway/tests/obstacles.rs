//! What `explain` finds in the way is exactly what the decision refuses for, for any policy and any caller.

use proptest::prelude::*;

use super::verified;
use crate::domain::decide::{self, Caller};
use crate::domain::obstacle::{Obstacle, obstacles};
use crate::domain::pat::Mode;
use crate::domain::plan::Plan;
use crate::domain::scope::ScopeSet;
use crate::domain::service::{ListMode, LockedMode, ServicePolicy};
use crate::domain::tool::{Confirm, ToolPolicy};
use crate::domain::verified::{TokenKind, Verified};
use crate::domain::workspace::WorkspaceStatus;

const SCOPES: [&str; 4] = ["a", "b", "c", "undeclared"];
const FEATURES: [Option<&str>; 3] = [None, Some("mcp"), Some("extra")];

fn subset(mask: u8) -> ScopeSet {
    SCOPES.iter().enumerate().filter(|(at, _)| mask & (1 << at) != 0).map(|(_, scope)| *scope).collect()
}

prop_compose! {
    fn tool_policy()(scopes in 0u8..16, others in prop::collection::vec(0u8..16, 0..3), flags in 0u8..8, feature in 0usize..3, mode in 0u8..3) -> ToolPolicy {
        ToolPolicy {
            scopes: subset(scopes),
            alternatives: others.into_iter().map(subset).collect(),
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
        let flow = Plan { id: "flow".into(), features: vec!["mcp".into()], credits_per_month: None, rate: None };
        let free = Plan { id: "free".into(), features: vec![], credits_per_month: None, rate: None };
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
