//! `portero.toml`: one file per section with its fields, defaults and checks.
//!
//! Loading reports every fault at once, each with its key path and what is allowed there. The same structs make the
//! JSON Schema that is published, that the file is checked against, and that the reference is rendered from.

mod brand;
mod cache;
mod cluster;
mod database;
mod env;
mod error;
mod files;
mod headers;
mod jwt;
mod keys;
mod load;
mod login;
mod oauth;
mod plan;
mod print;
mod rate;
mod redact;
mod reference;
mod registry;
mod schema;
mod scope;
mod service;
mod service_check;
mod shape;
#[cfg(test)]
mod tests;
mod tool_policy;
mod upstream;
mod urls;
mod value;

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use indexmap::IndexMap;
use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use brand::{BrandConfig, PatExpiry, PatPrefixes, TokenPrefixes};
pub use cache::CacheConfig;
pub use cluster::ClusterConfig;
pub use database::{DatabaseConfig, DatabaseKind};
pub use error::{ConfigError, ConfigErrors};
pub use headers::HeadersConfig;
pub use jwt::JwtConfig;
pub use keys::KeysConfig;
pub use load::Loaded;
pub use login::{HandoffConfig, LoginConfig, OidcConfig};
pub use oauth::{OauthConfig, Registration};
pub use plan::PlanConfig;
pub use print::print;
pub use rate::{RateConfig, RateLimit, RatePer, RateWindow};
pub use redact::{REDACTED, Secret};
pub use reference::reference;
pub use schema::schema;
pub use scope::ScopeConfig;
pub use service::{
    Accept, AnonymousChallenge, ErrorStyle, ErrorText, ListMode, Locked, MetadataUrl, ProtocolVersion,
    ServerInfoConfig, ServiceConfig, UpstreamErrors,
};
pub use tool_policy::{AnnotationsConfig, Confirm, Idempotency, Mode, ToolPolicy};
pub use upstream::{ExcludeConfig, Unlisted, UpstreamConfig, UpstreamKind};
pub use urls::is_loopback;
pub use value::{ByteSize, Language, Localized, Period, Text, Unreadable};

use error::{Findings, KeyPath};

/// The whole configuration, with every default and path filled in.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where the world reaches Portero: scheme, host and port. Every absolute URL is built from this or from a
    /// service's own URL, never from `Host`.
    #[schemars(extend("x-allowed" = "https://…, or http://… on a loopback host, without a path"))]
    pub public_url: String,
    /// Address and port of plain HTTP/1.1 and h2c; TLS belongs to the proxy in front.
    #[serde(default = "listen")]
    #[schemars(with = "value::AddressText")]
    pub listen: SocketAddr,
    /// Address and port of metrics, health and the admin API.
    #[schemars(with = "Option<value::AddressText>", extend("x-default" = "off"))]
    pub admin_listen: Option<SocketAddr>,
    /// Networks of proxies whose `Forwarded` and `X-Forwarded-*` are believed, and which may ask
    /// `{resource}/verify` under any `Host`.
    #[serde(default, with = "value::networks")]
    #[schemars(with = "Vec<value::NetworkText>")]
    pub trusted_proxies: Vec<IpNet>,
    /// Origins of browsers that may call MCP endpoints: `"*"`, or origins such as `"https://app.example.com"`.
    #[serde(default = "any_origin")]
    #[schemars(extend("x-allowed" = "a list, each \"*\" or an origin such as \"https://app.example.com\""))]
    pub allowed_origins: Vec<String>,
    /// The largest MCP message; OAuth endpoints have small limits of their own.
    #[serde(default = "body_limit")]
    pub body_limit: ByteSize,
    /// Languages of the pages; the first is the default.
    #[serde(default = "languages")]
    pub languages: Vec<Language>,
    /// Where the durable truth is kept.
    #[serde(default)]
    pub database: DatabaseConfig,
    /// What several nodes share beside PostgreSQL.
    #[serde(default)]
    pub cluster: ClusterConfig,
    /// How long a node may trust what it remembers.
    #[serde(default)]
    pub cache: CacheConfig,
    /// Where the sealing and signing keys are.
    #[serde(default)]
    pub keys: KeysConfig,
    /// How identity headers are named.
    #[serde(default)]
    pub headers: HeadersConfig,
    /// How people sign in.
    #[serde(default)]
    pub login: LoginConfig,
    /// Lifetimes, and how clients come to be known.
    #[serde(default)]
    pub oauth: OauthConfig,
    /// Plans by id, in the file's order.
    #[serde(default)]
    pub plans: IndexMap<String, PlanConfig>,
    /// Brands by id, in the file's order.
    #[serde(default)]
    pub brand: IndexMap<String, BrandConfig>,
    /// Services, in the file's order.
    #[serde(default)]
    pub service: Vec<ServiceConfig>,
}

fn listen() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 8080))
}

fn any_origin() -> Vec<String> {
    vec!["*".to_owned()]
}

fn body_limit() -> ByteSize {
    ByteSize::mebibytes(4)
}

fn languages() -> Vec<Language> {
    vec![Language::Es, Language::En]
}

impl Config {
    /// Makes paths absolute and fills in what follows from other keys.
    fn resolve(&mut self, dir: &Path) {
        self.public_url.truncate(self.public_url.trim_end_matches('/').len());
        self.database.resolve(dir);
        self.resolve_keys(dir);
        let alone = self.brand.len() == 1;
        for (id, brand) in &mut self.brand {
            if brand.issuer.is_empty() {
                brand.issuer =
                    if alone { self.public_url.clone() } else { format!("{}/{id}", self.public_url) };
            }
            brand.resolve(id);
        }
        for service in &mut self.service {
            service.resolve();
        }
        let logos = self.brand.values_mut().filter_map(|brand| brand.logo.as_mut());
        let upstreams = self.service.iter_mut().flat_map(|service| &mut service.upstream);
        let files = upstreams.flat_map(|upstream| upstream.catalog.iter_mut().chain(&mut upstream.document));
        for file in logos.chain(files) {
            *file = dir.join(&*file);
        }
    }

    fn resolve_keys(&mut self, dir: &Path) {
        let file = &mut self.keys.file;
        if !file.as_os_str().is_empty() {
            *file = dir.join(&*file);
            return;
        }
        let beside = |database: PathBuf| database.parent().map(Path::to_owned);
        let folder = match self.database.kind() {
            Some(DatabaseKind::Sqlite(database)) => beside(database),
            Some(DatabaseKind::SqliteMemory) => Some(dir.to_owned()),
            Some(DatabaseKind::Postgres) | None => None,
        };
        if let Some(folder) = folder {
            *file = folder.join("portero.keys");
        }
    }

    fn validate(&self, out: &mut Findings) {
        let top = KeyPath::default();
        self.validate_listeners(&top, out);
        self.validate_storage(&top, out);
        self.headers.validate(&top.key("headers"), out);
        self.login.validate(&top.key("login"), out);
        if let Some(plan) = self.login.default_plan.as_ref().filter(|plan| !self.plans.contains_key(*plan)) {
            let known = self.plans.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() {
                "a [plans.ID] section is needed".to_owned()
            } else {
                format!("one of {known} is allowed")
            };
            out.error(
                &top.key("login").key("default_plan"),
                format!("{plan:?} is no plan of this file; {known}"),
            );
        }
        self.oauth.validate(&top.key("oauth"), out);
        for (id, plan) in &self.plans {
            plan.validate(id, &top.key("plans").key(id), out);
        }
        for (id, brand) in &self.brand {
            brand.validate(id, &top.key("brand").key(id), out);
        }
        brand::validate_together(&self.brand, &top.key("brand"), out);
        for (index, service) in self.service.iter().enumerate() {
            service.validate(self, &top.key("service").index(index), out);
        }
        service_check::validate_together(&self.service, &top.key("service"), out);
        if self.service.is_empty() {
            out.warn(&top.key("service"), "there is none, so there is nothing to connect to");
        }
    }

    fn validate_listeners(&self, at: &KeyPath, out: &mut Findings) {
        if let Some(url) = urls::identifier(&self.public_url, &at.key("public_url"), out) {
            let bare = url.path() == "/";
            out.refuse(
                !bare,
                &at.key("public_url"),
                format!("has a path; {} is allowed", urls::origin(&url)),
            );
        }
        out.refuse(
            self.admin_listen == Some(self.listen) && self.listen.port() != 0,
            &at.key("admin_listen"),
            format!("{} is listen's; another address or port is allowed", self.listen),
        );
        for (index, network) in self.trusted_proxies.iter().enumerate() {
            if network.prefix_len() == 0 {
                out.warn(
                    &at.key("trusted_proxies").index(index),
                    "believes the whole world's forwarding headers",
                );
            }
        }
        for (index, origin) in self.allowed_origins.iter().enumerate() {
            let known =
                origin == "*" || url::Url::parse(origin).is_ok_and(|url| urls::origin(&url) == *origin);
            out.refuse(
                !known,
                &at.key("allowed_origins").index(index),
                format!("{origin:?} is no origin; \"*\", or scheme, host and port without a slash at the end, is allowed"),
            );
        }
        let small = self.body_limit.get() < 1024;
        out.refuse(
            small,
            &at.key("body_limit"),
            format!("{} is too small; at least 1KiB is allowed", self.body_limit),
        );
        let languages = at.key("languages");
        out.refuse(self.languages.is_empty(), &languages, "is empty; es, en or both are allowed");
        for (index, language) in self.languages.iter().enumerate() {
            let twice = self.languages.iter().take(index).any(|other| other == language);
            out.refuse(twice, &languages.index(index), "is there twice; each language once");
        }
    }

    fn validate_storage(&self, at: &KeyPath, out: &mut Findings) {
        self.database.validate(&at.key("database"), out);
        self.cluster.validate(&at.key("cluster"), out);
        self.cache.validate(&at.key("cache"), out);
        let postgres = self.database.kind() == Some(DatabaseKind::Postgres);
        out.refuse(
            postgres && self.keys.file.as_os_str().is_empty(),
            &at.key("keys").key("file"),
            "is missing; with PostgreSQL a file is needed that is the same on all nodes (portero keys init makes it)",
        );
        if !postgres && self.cluster.redis_url.is_some() {
            out.warn(
                &at.key("cluster").key("redis_url"),
                "several nodes need PostgreSQL; on SQLite this is of no use",
            );
        }
    }
}
