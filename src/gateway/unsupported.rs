//! Keys of the configuration that this version does not yet act on. One that is set stops the start: a limit
//! that is written down and not kept is worse than none.

use crate::config::{Config, Registration, ServiceConfig, ToolPolicy};

/// Every such key that is set, each with its path.
pub fn keys(config: &Config) -> Vec<String> {
    let mut found: Vec<String> = config.service.iter().flat_map(of_service).collect();
    let login = &config.login;
    found.extend(
        [
            ("login.signup", login.signup),
            ("login.oidc", !login.oidc.is_empty()),
            ("login.handoff", login.handoff.is_some()),
        ]
        .into_iter()
        .filter(|(_, set)| *set)
        .map(|(key, _)| sentence(key)),
    );
    let oauth = &config.oauth;
    if oauth.registration == Registration::Token && oauth.registration_token.is_none() {
        // Operator keys would be taken in its place; there are none yet, and nobody could register.
        found
            .push("oauth.registration = \"token\" needs oauth.registration_token in this version".to_owned());
    }
    found
}

fn of_service(service: &ServiceConfig) -> Vec<String> {
    let at = format!("service {:?}: ", service.id);
    let mut set: Vec<(String, bool)> = Vec::new();
    let resources = service.resources.iter().map(|(uri, policy)| ("resource", uri, policy));
    let prompts = service.prompt.iter().map(|(name, policy)| ("prompt", name, policy));
    for (of, name, policy) in resources.chain(prompts) {
        set.extend(of_reads(policy).map(|(key, set)| (format!("{of}.{name}.{key}"), set)));
    }
    set.into_iter().filter(|(_, set)| *set).map(|(key, _)| sentence(&format!("{at}{key}"))).collect()
}

/// What is not yet kept for resources and prompts, whatever is for tools.
fn of_reads(policy: &ToolPolicy) -> [(&'static str, bool); 2] {
    [("rate", policy.rate.is_some()), ("response_cap_chars", policy.response_cap_chars.is_some())]
}

fn sentence(key: &str) -> String {
    format!("{key} is not available in this version; remove it")
}
