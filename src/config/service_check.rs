//! What a service's section must satisfy beyond its shape.

use std::collections::HashSet;

use super::{
    Config,
    error::{Findings, KeyPath},
    plan::{feature_sentence, id_sentence, is_feature, is_id},
    scope,
    service::{Accept, ServiceConfig},
    tool_policy::{PolicyOf, ToolPolicy, cap, is_path},
    urls,
};

/// Codes of refusals that `error_codes` may give other numbers.
const REFUSALS: [&str; 26] = [
    "unauthorized",
    "invalid_token",
    "missing_scope",
    "no_plan",
    "feature_not_included",
    "subscription_inactive",
    "workspace_blocked",
    "credits_exhausted",
    "confirmation_required",
    "invalid_arguments",
    "rate_limited",
    "unknown_tool",
    "resource_not_found",
    "verification_unavailable",
    "upstream_unavailable",
    "upstream_timeout",
    "parse_error",
    "invalid_request",
    "method_not_found",
    "invalid_params",
    "unsupported_version",
    "missing_capability",
    "header_mismatch",
    "not_acceptable",
    "unsupported_media_type",
    "too_large",
];

impl ServiceConfig {
    pub(super) fn validate(&self, config: &Config, at: &KeyPath, out: &mut Findings) {
        out.refuse(!is_id(&self.id), &at.key("id"), id_sentence("service", &self.id));
        out.refuse(self.name.trim().is_empty(), &at.key("name"), "is empty; the service's name is allowed");
        if !config.brand.contains_key(&self.brand) {
            let known = config.brand.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() {
                "a [brand.ID] section is needed".to_owned()
            } else {
                format!("one of {known} is allowed")
            };
            out.error(&at.key("brand"), format!("{:?} is no brand of this file; {known}", self.brand));
        }
        urls::identifier(&self.resource, &at.key("resource"), out);
        self.validate_credentials(at, out);
        self.validate_faces(at, out);
        for name in self.scopes.keys() {
            scope::validate(name, &at.key("scopes").key(name), out);
        }
        self.validate_upstreams(at, out);
        self.validate_policies(at, out);
        self.warn_of_undeclared(config, at, out);
    }

    fn validate_credentials(&self, at: &KeyPath, out: &mut Findings) {
        let accept = at.key("accept");
        out.refuse(self.accept.is_empty(), &accept, "is empty; one or more of pat, oauth, jwt are allowed");
        repeated(&self.accept, &accept, out);
        match (&self.jwt, self.accepts(Accept::Jwt)) {
            (Some(jwt), true) => jwt.validate(&at.key("jwt"), out),
            (Some(_), false) => {
                out.error(&at.key("jwt"), "stands beside accept without \"jwt\"; both or none are allowed");
            }
            (None, true) => {
                out.error(&at.key("jwt"), "is missing; accept has \"jwt\", which needs issuer and jwks_url");
            }
            (None, false) => {}
        }
        if let Some(feature) = &self.feature {
            out.refuse(!is_feature(feature), &at.key("feature"), feature_sentence(feature));
        }
    }

    fn validate_faces(&self, at: &KeyPath, out: &mut Findings) {
        for (key, url) in [("upgrade_url", &self.upgrade_url), ("website", &self.website)] {
            if let Some(url) = url {
                urls::web(url, &at.key(key), out);
            }
        }
        if let Some(url) = &self.server_info.website {
            urls::web(url, &at.key("server_info").key("website"), out);
        }
        let versions = at.key("protocol_versions");
        out.refuse(
            self.protocol_versions.is_empty(),
            &versions,
            "is empty; one or more revisions are allowed",
        );
        repeated(&self.protocol_versions, &versions, out);
        cap(self.response_cap_chars, &at.key("response_cap_chars"), out);
        if let Some(path) = &self.manifest_path {
            out.refuse(
                !is_path(path) || path.len() < 2,
                &at.key("manifest_path"),
                format!("{path:?} is no path; one such as \"/mcp-manifest.json\" is allowed"),
            );
        }
        self.validate_descriptors(at, out);
        for code in self.error_codes.keys() {
            out.refuse(
                !REFUSALS.contains(&code.as_str()),
                &at.key("error_codes").key(code),
                format!("is no refusal; {} are allowed", REFUSALS.join(", ")),
            );
        }
    }

    fn validate_upstreams(&self, at: &KeyPath, out: &mut Findings) {
        for (index, upstream) in self.upstream.iter().enumerate() {
            let here = at.key("upstream").index(index);
            upstream.validate(&here, out);
            let twice = self.upstream.iter().take(index).any(|other| other.id == upstream.id);
            out.refuse(twice, &here.key("id"), format!("{:?} is there twice; each id once", upstream.id));
        }
        if self.upstream.is_empty() {
            out.warn(at, "no [[service.upstream]] runs its tools");
        }
    }

    fn policies(&self) -> impl Iterator<Item = (PolicyOf, &'static str, &String, &ToolPolicy)> {
        let tools = self.tool.iter().map(|(name, policy)| (PolicyOf::Tool, "tool", name, policy));
        let operations =
            self.operation.iter().map(|(name, policy)| (PolicyOf::Operation, "operation", name, policy));
        let resources =
            self.resources.iter().map(|(name, policy)| (PolicyOf::Resource, "resources", name, policy));
        let prompts = self.prompt.iter().map(|(name, policy)| (PolicyOf::Prompt, "prompt", name, policy));
        tools.chain(operations).chain(resources).chain(prompts)
    }

    fn validate_policies(&self, at: &KeyPath, out: &mut Findings) {
        for (of, section, name, policy) in self.policies() {
            let here = at.key(section).key(name);
            out.refuse(name.is_empty(), &here, format!("has no name; the {of}'s or a glob is allowed"));
            policy.validate(of, &here, out);
            let many = name.contains('*') && (policy.path.is_some() || policy.operation.is_some());
            let key = if policy.path.is_some() { "path" } else { "operation" };
            out.refuse(many, &here.key(key), "stands under a glob; it is allowed under the name of one tool");
        }
    }

    /// A scope or feature that nothing declares can be meant for later, so it does not stop the start.
    fn warn_of_undeclared(&self, config: &Config, at: &KeyPath, out: &mut Findings) {
        let features: HashSet<&String> = config.plans.values().flat_map(|plan| &plan.features).collect();
        let assumed = self.jwt.iter().flat_map(|jwt| &jwt.assume_scopes);
        let scopes: HashSet<&String> = self.scopes.keys().chain(assumed).collect();
        let known = |feature: &String| features.contains(feature);
        if let Some(feature) = self.feature.as_ref().filter(|feature| !known(feature)) {
            out.warn(
                &at.key("feature"),
                format!("no plan includes {feature:?}, so nobody can use this service"),
            );
        }
        for (of, section, name, policy) in self.policies() {
            let here = at.key(section).key(name);
            for scope in policy.scopes.iter().flatten().filter(|scope| !scopes.contains(scope)) {
                out.warn(
                    &here.key("scopes"),
                    format!("the service has no scope {scope:?}, so nobody can be granted it"),
                );
            }
            if let Some(feature) = policy.feature.as_ref().filter(|feature| !known(feature)) {
                out.warn(
                    &here.key("feature"),
                    format!("no plan includes {feature:?}, so nobody can use this {of}"),
                );
            }
        }
    }
}

/// Notes services that cannot be told from each other.
pub(super) fn validate_together(services: &[ServiceConfig], at: &KeyPath, out: &mut Findings) {
    let mut ids = HashSet::new();
    let mut resources = HashSet::new();
    let mut defaults = HashSet::new();
    let mut manifests = HashSet::new();
    let mut names = HashSet::new();
    for (index, service) in services.iter().enumerate() {
        let here = at.index(index);
        out.refuse(
            !ids.insert(&service.id),
            &here.key("id"),
            format!("{:?} is there twice; each id once", service.id),
        );
        if let Some(name) = &service.registry_name {
            out.refuse(
                !names.insert(name.to_ascii_lowercase()),
                &here.key("registry_name"),
                format!("{name:?} is another service's; each has its own"),
            );
        }
        let Ok(url) = url::Url::parse(&service.resource) else { continue };
        // with and without a slash at its end are one resource
        let resource = service.resource.trim_end_matches('/');
        out.refuse(
            !resources.insert(resource),
            &here.key("resource"),
            format!("{:?} is another service's; each has its own", service.resource),
        );
        let origin = urls::origin(&url);
        out.refuse(
            service.default && !defaults.insert(origin.clone()),
            &here.key("default"),
            format!("{origin} has a default service already; one on each host is allowed"),
        );
        if let Some(path) = &service.manifest_path {
            out.refuse(
                !manifests.insert(format!("{origin}{path}")),
                &here.key("manifest_path"),
                format!("{origin}{path} is another service's; each has its own"),
            );
        }
    }
}

fn repeated<T: PartialEq>(list: &[T], at: &KeyPath, out: &mut Findings) {
    for (index, item) in list.iter().enumerate() {
        let twice = list.iter().take(index).any(|other| other == item);
        out.refuse(twice, &at.index(index), "is there twice; each once");
    }
}
