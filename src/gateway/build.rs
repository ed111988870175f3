//! From configuration to running services.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue};
use serde_json::json;
use url::Url;

use super::Gateway;
use super::catalog::Catalog;
use super::challenge::{Challenge, metadata_url};
use super::idempotency::Settled;
use super::library::Library;
use super::library::guard::Guards;
use super::origin::Origins;
use super::remote::Remote;
use super::remote::cancel::Running;
use super::service::{Info, Reading, Sentences, Service, Source, Style, Upstream};
use super::session::Registry;
use super::{external, load, rest, unsupported};
use crate::app::App;
use crate::config::{
    self, Accept, Config, Language, MetadataUrl, ServiceConfig, UpstreamConfig, UpstreamKind,
};
use crate::domain::brand::BrandTokens;
use crate::domain::ids::{BrandId, ServiceId};
use crate::domain::scope::ScopeSet;
use crate::domain::service::{ListMode, LockedMode, ServicePolicy};
use crate::domain::verified::TokenKind;
use crate::mcp::error::Code;
use crate::mcp::result::Trailer;
use crate::mcp::version::{Served, Version};
use crate::upstream::assertion::Parties;
use crate::upstream::identity_headers::{Carrier as _, Names};

impl Gateway {
    /// Compiles the services, reads their catalogs, and asks workers for theirs. A worker that does not answer
    /// is a warning: it is asked again until it does.
    ///
    /// # Errors
    /// Everything that is wrong, each a sentence.
    pub async fn build(app: &App) -> Result<Self, Vec<String>> {
        let config = &*app.config;
        let mut faults = unsupported::keys(config);
        let names = Names::new(&config.headers.prefix);
        let mut services = HashMap::new();
        for own in &config.service {
            match service(config, own) {
                Ok(service) => {
                    services.insert(service.policy.id.clone(), Arc::new(service));
                }
                Err(fault) => faults.push(format!("service {:?}: {fault}", own.id)),
            }
        }
        let Some(names) = names else {
            faults.push("headers.prefix is no header prefix".to_owned());
            return Err(faults);
        };
        if !faults.is_empty() {
            return Err(faults);
        }
        let gateway = Self {
            services,
            names,
            origins: Origins::new(&config.public_url, &config.allowed_origins),
            body_limit: config.body_limit.as_usize(),
            language: language(config),
            settled: Settled::new(),
            sessions: Registry::new(),
            running: Running::default(),
        };
        let faults = external::ready(&gateway, app);
        if !faults.is_empty() {
            return Err(faults);
        }
        load::at_start(&gateway, app).await?;
        Ok(gateway)
    }
}

fn language(config: &Config) -> Language {
    config.languages.first().copied().unwrap_or(Language::En)
}

pub(super) fn service(config: &Config, own: &ServiceConfig) -> Result<Service, String> {
    let (policy, guards) = (policy(own), Guards::new(&own.resources, &own.prompt)?);
    let url = Url::parse(&own.resource).map_err(|error| format!("resource: {error}"))?;
    let (origin, path) = (url.origin().ascii_serialization(), url.path().to_owned());
    let twin = path.strip_suffix('/').map_or_else(|| format!("{path}/"), str::to_owned);
    let inserted = own.metadata_url == MetadataUrl::Inserted;
    let scope = policy.default_scopes.to_string();
    let challenge = |path: &str| {
        Challenge::new(&metadata_url(&origin, path, inserted), &scope).ok_or("a scope or URL fits no header")
    };
    let upstreams: Vec<Upstream> =
        own.upstream.iter().map(|one| upstream(config, own, one)).collect::<Result<_, _>>()?;
    let faults = rest::check::faults(own, &upstreams);
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let public = |policy: &config::ToolPolicy| policy.public == Some(true);
    let versions = own.protocol_versions.iter().filter_map(|version| Version::parse(version.as_str()));
    Ok(Service {
        brand: brand(config, own)?,
        kinds: own.accept.iter().map(|kind| kind_of(*kind)).collect(),
        external: external::compile(config, own)?,
        has_public: own.tool.values().chain(own.operation.values()).any(public) || guards.has_public(),
        guards,
        versions: Served::new(versions).ok_or("protocol_versions is empty")?,
        rate: own.rate.map(|rate| rate.rate()),
        style: Style {
            errors: own.errors,
            text: own.error_text,
            anonymous: own.anonymous_challenge,
            upstream: own.upstream_errors,
        },
        error_codes: own
            .error_codes
            .iter()
            .filter_map(|(word, n)| Some((Code::from_word(word)?, *n)))
            .collect(),
        upgrade_url: own.upgrade_url.clone(),
        reading: Reading {
            batches: own.batches,
            validates: own.validate_arguments,
            require_accept: own.require_accept,
        },
        response_cap: own.response_cap_chars,
        challenge: challenge(&path)?,
        twin_challenge: challenge(&twin)?,
        path,
        info: info(own),
        catalog: ArcSwap::from_pointee(Catalog::pending()),
        upstreams,
        descriptors: Mutex::new(vec![None; own.upstream.len()]),
        library: ArcSwap::from_pointee(Library::pending(!own.resources.is_empty(), !own.prompt.is_empty())),
        offers: Mutex::new(vec![None; own.upstream.len()]),
        policies: own.tool.iter().map(|(name, policy)| (name.clone(), policy.clone())).collect(),
        operations: own.operation.iter().map(|(name, policy)| (name.clone(), policy.clone())).collect(),
        looked: tokio::sync::Mutex::default(),
        sentences: sentences(language(config)),
        policy,
    })
}

fn kind_of(kind: Accept) -> TokenKind {
    match kind {
        Accept::Pat => TokenKind::Pat,
        Accept::Oauth => TokenKind::Oauth,
        Accept::Jwt => TokenKind::Jwt,
    }
}

fn policy(own: &ServiceConfig) -> ServicePolicy {
    let marked: ScopeSet =
        own.scopes.iter().filter(|(_, scope)| scope.default).map(|(name, _)| &**name).collect();
    let scopes: ScopeSet = own.scopes.keys().map(String::as_str).collect();
    ServicePolicy {
        id: ServiceId::from(own.id.as_str()),
        brand: BrandId::from(own.brand.as_str()),
        feature: own.feature.clone(),
        default_scopes: if marked.is_empty() { scopes.clone() } else { marked },
        scopes,
        list: match own.list {
            config::ListMode::Granted => ListMode::Granted,
            config::ListMode::All => ListMode::All,
        },
        locked: match own.locked {
            config::Locked::Show => LockedMode::Show,
            config::Locked::Hide => LockedMode::Hide,
        },
    }
}

fn brand(config: &Config, own: &ServiceConfig) -> Result<BrandTokens, String> {
    let brand =
        config.brand.get(&own.brand).ok_or_else(|| format!("brand {:?} is not configured", own.brand))?;
    Ok(crate::app::brand::tokens(&own.brand, brand))
}

fn info(own: &ServiceConfig) -> Info {
    let info = &own.server_info;
    let full = json!({"name": info.name, "title": info.title, "version": info.version}).to_string();
    let instructions = info.instructions.as_ref().map(|text| format!(",\"instructions\":{}", json!(text)));
    Info {
        trailer: Trailer::new(&full),
        full,
        short: json!({"name": info.name, "version": info.version}).to_string(),
        instructions: instructions.unwrap_or_default(),
    }
}

fn upstream(config: &Config, service: &ServiceConfig, own: &UpstreamConfig) -> Result<Upstream, String> {
    let api = match own.kind {
        UpstreamKind::Openapi => {
            let read = rest::Api::read(service, own);
            Some(Arc::new(read.map_err(|fault| format!("upstream {:?}: {fault}", own.id))?))
        }
        _ => None,
    };
    let documented = api.as_ref().and_then(|api| api.server());
    let text = own.url.as_deref().or(documented).unwrap_or_default();
    let mut url = Url::parse(text).map_err(|error| format!("upstream {:?}: url: {error}", own.id))?;
    let mut headers = HeaderMap::new();
    for (name, value) in &own.headers {
        let name = HeaderName::try_from(name.as_str())
            .map_err(|_| format!("upstream {:?}: header {name}", own.id))?;
        let mut value = HeaderValue::try_from(value.expose_secret())
            .map_err(|_| format!("upstream {:?}: the value of {name} fits no header", own.id))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    if let Some(mut value) = basic(&url) {
        value.set_sensitive(true);
        headers.entry(AUTHORIZATION).or_insert(value);
    }
    // a name and password in the URL are the gateway's credentials and belong into a header, not into a target
    let cleared = url.set_username("").and_then(|()| url.set_password(None));
    cleared.map_err(|()| format!("upstream {:?}: url has no host", own.id))?;
    let base = url.as_str().trim_end_matches('/').to_owned();
    let name = url.host_str().unwrap_or_default();
    let host = url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
    let assertion = own.assertion.then(|| {
        let issuer = config.brand.get(&service.brand).map(|brand| brand.issuer.clone());
        Arc::new(Parties { issuer: issuer.unwrap_or_default(), audience: own.id.clone() })
    });
    let bad_url = |_| format!("upstream {:?}: url {base}", own.id);
    let source = match (own.kind, api, &own.catalog) {
        (UpstreamKind::Mcp, ..) => {
            let mut fixed = headers.clone();
            fixed.set(&HOST, &host);
            // a slash at its end is part of the endpoint's name
            let uri = url.as_str().parse().map_err(bad_url)?;
            let ids = [service.id.clone(), own.id.clone()];
            Source::Remote(Arc::new(Remote::new(ids, uri, fixed, assertion.clone())))
        }
        (_, Some(api), _) => Source::Rest(api),
        (_, None, Some(file)) => Source::File(file.clone()),
        (_, None, None) => Source::Worker(format!("{base}/tools").parse().map_err(bad_url)?),
    };
    Ok(Upstream {
        id: own.id.clone(),
        host,
        headers,
        source,
        base,
        assertion,
        unlisted: own.unlisted,
        timeout: own.timeout.get(),
    })
}

fn basic(url: &Url) -> Option<HeaderValue> {
    let decode = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let user = Some(url.username()).filter(|user| !user.is_empty())?;
    let pair = format!("{}:{}", decode(user), decode(url.password().unwrap_or_default()));
    HeaderValue::try_from(format!("Basic {}", STANDARD.encode(pair))).ok()
}

fn sentences(language: Language) -> Sentences {
    match language {
        Language::Es => Sentences {
            confirm: "Antes de repetir la llamada con confirm: true, confírmalo con la persona.",
            locked: "No está incluida en el plan actual.",
        },
        Language::En => Sentences {
            confirm: "Confirm with the person before repeating the call with confirm: true.",
            locked: "Not included in the current plan.",
        },
    }
}
