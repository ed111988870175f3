//! What is wrong between a service's configuration and its documents, and what is odd about them.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::service::{Service, Source, Upstream};
use super::super::{build, merge};
use super::Api;
use super::operations::call_name;
use crate::config::{Config, ServiceConfig, ToolPolicy as PolicyConfig, UpstreamKind};

/// At most so many operations are named in one warning.
const NAMED: usize = 5;

fn apis(upstreams: &[Upstream]) -> impl Iterator<Item = (&Upstream, &Arc<Api>)> {
    upstreams.iter().filter_map(|upstream| match &upstream.source {
        Source::Rest(api) => Some((upstream, api)),
        _ => None,
    })
}

/// Everything that keeps a service from starting.
pub fn faults(own: &ServiceConfig, upstreams: &[Upstream]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut curated: HashMap<&str, &str> = HashMap::new();
    for (name, policy) in &own.tool {
        let Some(id) = policy.operation.as_deref() else { continue };
        let having: Vec<_> = apis(upstreams).filter_map(|(_, api)| api.document.get(id)).collect();
        match having.as_slice() {
            [] => faults.push(unknown(name, id, upstreams)),
            [only] => {
                let reason = only.unavailable.as_ref();
                faults.extend(reason.map(|why| format!("tool {name:?}: operation {id:?}: {why}")));
            }
            _ => faults.push(format!("tool {name:?}: operation {id:?} is in two documents")),
        }
        if let Some(before) = curated.insert(id, name) {
            faults
                .push(format!("tools {before:?} and {name:?} are of one operation, {id:?}; one is allowed"));
        }
    }
    for (_, api) in apis(upstreams) {
        let name = api.generic.as_deref().map(call_name);
        let policy = name.as_ref().and_then(|name| own.tool.get(name));
        faults.extend(policy.iter().flat_map(|policy| without_effect(policy)).map(|key| {
            format!(
                "tool {:?}: {key} means nothing here; [service.operation] says it of operations",
                name.as_deref().unwrap_or_default()
            )
        }));
    }
    faults
}

fn unknown(name: &str, id: &str, upstreams: &[Upstream]) -> String {
    let all = apis(upstreams).flat_map(|(_, api)| api.document.operations());
    let near = all
        .map(|own| (strsim::damerau_levenshtein(&own.id, id), own))
        .filter(|(distance, own)| *distance <= own.id.len().max(3) / 3)
        .min_by_key(|(distance, _)| *distance);
    match near {
        Some((_, near)) => format!("tool {name:?}: there is no operation {id:?}; {:?} is near it", near.id),
        None => format!("tool {name:?}: there is no operation {id:?} in a document of this service"),
    }
}

/// Keys of the tool that calls operations which the operations' own policies decide.
fn without_effect(policy: &PolicyConfig) -> Vec<&'static str> {
    let keys = [
        ("confirm", policy.confirm.is_some()),
        ("confirm_message", policy.confirm_message.is_some()),
        ("cost", policy.cost.is_some()),
        ("cost_required", policy.cost_required.is_some()),
        ("rate", policy.rate.is_some()),
        ("timeout", policy.timeout.is_some()),
        ("response_cap_chars", policy.response_cap_chars.is_some()),
        ("idempotency", policy.idempotency.is_some()),
        ("structured", policy.structured.is_some()),
        ("structured_key", policy.structured_key.is_some()),
        ("path", policy.path.is_some()),
        ("operation", policy.operation.is_some()),
    ];
    keys.into_iter().filter(|(_, set)| *set).map(|(key, _)| key).collect()
}

/// Everything that is allowed and probably not meant.
pub fn warnings(service: &Service) -> Vec<String> {
    let mut warnings = Vec::new();
    let known = |pattern: &str| {
        apis(&service.upstreams)
            .flat_map(|(_, api)| api.document.operations())
            .any(|operation| merge::matches(pattern, &operation.id))
    };
    for (pattern, _) in service.operations.iter().filter(|(pattern, _)| !known(pattern)) {
        warnings.push(format!("operation {pattern:?}: no operation has this name"));
    }
    for (upstream, api) in apis(&service.upstreams) {
        let here = format!("upstream {:?}", upstream.id);
        warnings.extend(api.document.warnings().iter().map(|warning| format!("{here}: {warning}")));
        let has =
            |pattern: &str| api.document.operations().iter().any(|own| merge::matches(pattern, &own.id));
        let unmatched = api.exclude.iter().filter(|own| !has(&own.operation));
        warnings.extend(
            unmatched.map(|own| format!("{here}: exclude {:?}: no operation has this name", own.operation)),
        );
        if api.generic.is_none() && !api.exclude.is_empty() {
            warnings.push(format!(
                "{here}: exclude means nothing without generic: other operations cannot be reached"
            ));
        }
        warnings.extend(unobtainable(service, api).map(|text| format!("{here}: {text}")));
    }
    warnings
}

/// Operations that nobody can call, since the service declares no scopes that would do.
fn unobtainable(service: &Service, api: &Api) -> Option<String> {
    api.generic.as_ref()?;
    let lacking: Vec<&str> = api
        .document
        .operations()
        .iter()
        .filter(|own| {
            let sets: Vec<_> = own.security.iter().filter(|set| !set.scopes.is_empty()).collect();
            let declared = |scope: &String| service.policy.scopes.contains(scope);
            let configured =
                super::policy::merged(service, api, &own.id).is_some_and(|own| own.scopes.is_some());
            !configured && !sets.is_empty() && !sets.iter().any(|set| set.scopes.iter().all(declared))
        })
        .map(|own| own.id.as_str())
        .collect();
    let some = lacking.get(..NAMED.min(lacking.len()))?.join(", ");
    let more =
        if lacking.len() > NAMED { format!(" and {} more", lacking.len() - NAMED) } else { String::new() };
    (!lacking.is_empty()).then(|| {
        format!("nobody can call {some}{more}: their scopes are not declared under [service.scopes]")
    })
}

/// What is found about the services that have documents, each with its service's id.
#[derive(Debug, Default)]
pub struct Found {
    /// What keeps the server from starting.
    pub faults: Vec<(String, String)>,
    /// What is probably not meant.
    pub warnings: Vec<(String, String)>,
}

/// What `config check` says of the services that have documents.
pub fn of_config(config: &Config) -> Found {
    let mut found = Found::default();
    for own in &config.service {
        let operations =
            own.tool.values().any(|policy| policy.operation.is_some()) || !own.operation.is_empty();
        if !operations && own.upstream.iter().all(|upstream| upstream.kind != UpstreamKind::Openapi) {
            continue;
        }
        match build::service(config, own) {
            Ok(service) => {
                found.warnings.extend(warnings(&service).into_iter().map(|text| (own.id.clone(), text)));
                let curated = apis(&service.upstreams)
                    .filter_map(|(_, api)| super::curated::descriptors(api, &service.policies).err());
                found.faults.extend(curated.map(|text| (own.id.clone(), text)));
            }
            Err(text) => found.faults.extend(text.lines().map(|line| (own.id.clone(), line.to_owned()))),
        }
    }
    found
}
