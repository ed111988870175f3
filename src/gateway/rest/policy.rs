//! What an operation demands: what the configuration says of it and of its curated tool, then what its document says.
//!
//! Both ways to an operation have one policy. Laid over each other, the best fit on top: globs over operations, globs
//! over the curated tool's name, the operation's id, the tool's name.

use std::borrow::Cow;

use super::super::catalog::Maker;
use super::super::merge;
use super::super::service::{Service, Upstream};
use super::Api;
use crate::config::{Confirm as ConfirmConfig, Language, ToolPolicy as PolicyConfig, Unlisted};
use crate::domain::scope::ScopeSet;
use crate::domain::service::ServicePolicy;
use crate::domain::tool::{Confirm, ToolPolicy};
use crate::openapi::Operation;

/// What an operation demands.
pub struct Demand {
    /// As it is configured.
    pub own: PolicyConfig,
    /// As the decision sees it.
    pub policy: ToolPolicy,
    /// What would be lost, said when the confirmation is missing.
    pub message: String,
}

/// Which way an operation is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As a tool that the operator has written down.
    Curated,
    /// By naming it: then no policy makes a DELETE one that nobody confirms.
    Generic,
}

/// What the configuration says of an operation and its curated tool; `None` if it says nothing.
pub fn merged(service: &Service, api: &Api, id: &str) -> Option<PolicyConfig> {
    let tool = api.curated.get(id).map(String::as_str);
    let of_operation = service.operations.iter().filter_map(|(pattern, policy)| {
        let (exact, length) = merge::fit(pattern, id)?;
        Some(((exact, false, length), policy))
    });
    let of_tool = service.policies.iter().filter_map(|(pattern, policy)| {
        let (exact, length) = merge::fit(pattern, tool?)?;
        Some(((exact, true, length), policy))
    });
    merge::laid(of_operation.chain(of_tool))
}

/// What the configuration says of a curated tool, and so of its operation.
pub fn of_tool(service: &Service, api: &Api, name: &str) -> Option<PolicyConfig> {
    let id = api.curated.iter().find(|(_, tool)| *tool == name)?.0;
    merged(service, api, id)
}

impl Maker<'_> {
    /// What an operation demands of a call.
    pub fn demand(&self, upstream: &Upstream, api: &Api, operation: &Operation, way: Way) -> Demand {
        let own = merged(self.service, api, &operation.id);
        let documented = sets(&self.service.policy, operation);
        let unlisted = own.is_none() && documented.is_empty() && upstream.unlisted == Unlisted::Deny;
        let own = own.unwrap_or_default();
        let mut policy = self.policy(&own, operation.reads(), unlisted);
        let mut documented = documented.into_iter();
        if own.scopes.is_none()
            && let Some(first) = documented.next()
        {
            policy.scopes = first;
            policy.alternatives = documented.collect();
        }
        let unsaid = match own.confirm {
            None => true,
            Some(ConfirmConfig::Off) => way == Way::Generic,
            Some(_) => false,
        };
        if operation.deletes() && unsaid {
            policy.confirm = Confirm::Yes;
        }
        let message = own.confirm_message.as_ref().map(|text| text.get(self.language).to_owned());
        let message = message.unwrap_or_else(|| lost(operation, self.language));
        Demand { own, policy, message }
    }
}

/// The sets of scopes that the document lets a caller bring, those first that the service declares. An alternative
/// that names none, an API key or nothing at all, is the gateway's to bring and lets nobody in.
fn sets(service: &ServicePolicy, operation: &Operation) -> Vec<ScopeSet> {
    let named = operation.security.iter().filter(|own| !own.scopes.is_empty());
    let mut sets: Vec<ScopeSet> =
        named.map(|own| own.scopes.iter().map(String::as_str).collect::<ScopeSet>()).collect();
    sets.sort_by_key(|set| !service.scopes.covers(set));
    sets
}

/// What an operation does, in a sentence for whoever has to confirm it.
fn lost(operation: &Operation, language: Language) -> String {
    let does: Cow<'_, str> = if operation.summary.trim().is_empty() {
        format!("{} {}", operation.method, operation.path).into()
    } else {
        operation.summary.trim().trim_end_matches('.').into()
    };
    match (language, operation.deletes()) {
        (Language::En, true) => format!("It does this: {does}. What is deleted may be lost for good."),
        (Language::En, false) => format!("It does this: {does}."),
        (Language::Es, true) => format!("Hace esto: {does}. Lo que se borra puede perderse para siempre."),
        (Language::Es, false) => format!("Hace esto: {does}."),
    }
}
