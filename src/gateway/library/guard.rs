//! The policy of resources and prompts: which configuration fits, and what it demands.

use std::time::Duration;

use indexmap::IndexMap;

use super::super::merge;
use super::super::service::Upstream;
use crate::config::{Period, ToolPolicy as PolicyConfig, Unlisted};
use crate::domain::scope::ScopeSet;
use crate::domain::service::ServicePolicy;
use crate::domain::tool::{Confirm, ToolPolicy};
use crate::mcp::uri;
use crate::mcp::uri_template::Pattern;

/// What the configuration says of resources and prompts.
pub struct Guards {
    resources: Vec<(Pattern, PolicyConfig)>,
    prompts: Vec<(String, PolicyConfig)>,
}

/// What is demanded of one read.
#[derive(Clone, Debug)]
pub struct Rule {
    /// As the decision sees it.
    pub policy: ToolPolicy,
    /// True if the configuration names it.
    pub named: bool,
    /// How long it may take, in the place of the upstream's own time.
    pub timeout: Option<Duration>,
}

impl Guards {
    /// Reads the patterns.
    ///
    /// # Errors
    /// The pattern that cannot be read.
    pub fn new(
        resources: &IndexMap<String, PolicyConfig>,
        prompts: &IndexMap<String, PolicyConfig>,
    ) -> Result<Self, String> {
        let pattern = |text: &str| {
            Pattern::policy(&uri::normal(text)).map_err(|fault| format!("resource {text:?} {fault}"))
        };
        Ok(Self {
            resources: resources
                .iter()
                .map(|(text, policy)| Ok((pattern(text)?, policy.clone())))
                .collect::<Result<_, String>>()?,
            prompts: prompts.iter().map(|(name, policy)| (name.clone(), policy.clone())).collect(),
        })
    }

    /// True if something needs no credential.
    pub fn has_public(&self) -> bool {
        let prompts = self.prompts.iter().any(|(_, policy)| policy.public == Some(true));
        prompts || self.has_public_resources()
    }

    /// True if some resource needs no credential.
    pub fn has_public_resources(&self) -> bool {
        self.resources.iter().any(|(_, policy)| policy.public == Some(true))
    }

    /// True if the configuration knows of resources.
    pub fn names_resources(&self) -> bool {
        !self.resources.is_empty()
    }

    /// True if the configuration knows of prompts.
    pub fn names_prompts(&self) -> bool {
        !self.prompts.is_empty()
    }

    /// What a URI demands, in the one spelling of [`uri::normal`].
    pub fn of_uri(&self, normal: &str) -> Option<PolicyConfig> {
        let matching = self.resources.iter().filter(|(pattern, _)| pattern.matches(normal));
        merge::laid(matching.map(|(pattern, policy)| (pattern.fit(), policy)))
    }

    /// What a template demands.
    pub fn of_template(&self, template: &Pattern) -> Option<PolicyConfig> {
        let resources = self.resources.iter();
        merge::laid(resources.filter_map(|(pattern, policy)| Some((pattern.fit_of(template)?, policy))))
    }

    /// What a prompt demands.
    pub fn of_prompt(&self, name: &str) -> Option<PolicyConfig> {
        merge::merged(&self.prompts, name)
    }
}

impl Rule {
    /// Out of what the configuration says of something, if anything, which comes from `upstream`, if that is known.
    pub fn new(own: Option<PolicyConfig>, service: &ServicePolicy, upstream: Option<&Upstream>) -> Self {
        let named = own.is_some();
        let own = own.unwrap_or_default();
        let denied = !named && upstream.is_some_and(|upstream| upstream.unlisted == Unlisted::Deny);
        let scopes = own.scopes.as_ref();
        let policy = ToolPolicy {
            scopes: match scopes {
                Some(scopes) => scopes.iter().map(String::as_str).collect::<ScopeSet>(),
                None => service.default_scopes.clone(),
            },
            alternatives: Vec::new(),
            public: own.public.unwrap_or(false),
            feature: own.feature,
            only_mode: merge::only_mode(own.modes.as_deref()),
            hidden: denied || own.hidden.unwrap_or(false),
            read_only: true,
            confirm: Confirm::No,
        };
        Self { policy, named, timeout: own.timeout.map(Period::get) }
    }
}

/// True if everybody who is answered at all sees the same of it.
pub fn for_everybody(service: &ServicePolicy, policy: &ToolPolicy) -> bool {
    let same = policy.public && policy.only_mode.is_none() && policy.feature.is_none();
    service.feature.is_none() && (policy.hidden || same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::pat::Mode;
    use crate::domain::service::{ListMode, LockedMode};

    #[test]
    fn everybody_sees_the_same_only_of_what_asks_for_nothing() {
        let service = ServicePolicy {
            id: "s".into(),
            brand: "b".into(),
            feature: None,
            scopes: ScopeSet::parse("a"),
            default_scopes: ScopeSet::parse("a"),
            list: ListMode::Granted,
            locked: LockedMode::Show,
        };
        let open =
            Rule::new(Some(PolicyConfig { public: Some(true), ..PolicyConfig::default() }), &service, None);
        assert!(open.named && for_everybody(&service, &open.policy));
        let unnamed = Rule::new(None, &service, None);
        assert!(!unnamed.named && unnamed.policy.scopes == service.default_scopes && !unnamed.policy.hidden);
        assert!(!for_everybody(&service, &unnamed.policy));
        assert!(!for_everybody(&service, &ToolPolicy { feature: Some("f".into()), ..open.policy.clone() }));
        assert!(!for_everybody(&service, &ToolPolicy { only_mode: Some(Mode::Live), ..open.policy.clone() }));
        assert!(for_everybody(&service, &ToolPolicy { hidden: true, ..unnamed.policy }));
        let paid = ServicePolicy { feature: Some("f".into()), ..service };
        assert!(!for_everybody(&paid, &open.policy));
    }
}
