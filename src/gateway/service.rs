//! A service as the gateway runs it: everything that can be made once, made once.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use bytes::Bytes;
use http::{HeaderMap, Uri};
use jsonschema::Validator;

use super::catalog::Catalog;
use super::challenge::Challenge;
use super::credits::Price;
use super::idempotency::Settled;
use super::library::guard::Guards;
use super::library::{Library, Offer};
use super::origin::Origins;
use super::remote::Remote;
use super::remote::cancel::Running;
use super::rest::{self, Api};
use super::session::Registry;
use crate::config::{
    AnonymousChallenge, ErrorStyle, ErrorText, Idempotency, Language, ToolPolicy as PolicyConfig, Unlisted,
    UpstreamErrors,
};
use crate::domain::brand::BrandTokens;
use crate::domain::decide::PlanLack;
use crate::domain::ids::ServiceId;
use crate::domain::limit::Rate;
use crate::domain::service::ServicePolicy;
use crate::domain::tool::{Confirm, ToolPolicy};
use crate::domain::verified::TokenKind;
use crate::identity::external::External;
use crate::mcp::cap::Cap;
use crate::mcp::error::Code;
use crate::mcp::headers::Mirror;
use crate::mcp::result::Trailer;
use crate::mcp::tool::Descriptor;
use crate::mcp::version::{Served, Version};
use crate::upstream::assertion::Parties;
use crate::upstream::identity_headers::Names;

/// All services, compiled; shared by all threads.
pub struct Gateway {
    pub(super) services: HashMap<ServiceId, Arc<Service>>,
    pub(super) names: Names,
    pub(super) origins: Origins,
    pub(super) body_limit: usize,
    pub(super) language: Language,
    pub(super) settled: Settled,
    pub(super) sessions: Arc<Registry>,
    pub(super) running: Running,
}

impl Gateway {
    /// A service by its id; routes hold it as `web::Data<Service>`.
    pub fn service(&self, id: &ServiceId) -> Option<&Arc<Service>> {
        self.services.get(id)
    }

    /// Ends the streams of all sessions: the server is about to stop.
    pub fn close(&self) {
        self.sessions.close();
    }

    /// Every service.
    pub fn services(&self) -> impl Iterator<Item = &Arc<Service>> {
        self.services.values()
    }
}

/// A protected resource.
pub struct Service {
    /// What the decision needs to know of it.
    pub policy: ServicePolicy,
    /// What its brand's credentials begin with.
    pub brand: BrandTokens,
    /// Kinds of credentials it takes.
    pub kinds: Vec<TokenKind>,
    /// The issuer whose JWTs it takes, if any.
    pub external: Option<External>,
    /// True if some tool needs no credential.
    pub has_public: bool,
    /// The revisions it serves.
    pub versions: Served,
    /// How often each caller may call; a plan may say otherwise.
    pub rate: Option<Rate>,
    /// How refusals are said.
    pub style: Style,
    /// Numbers in the place of the table's.
    pub error_codes: Vec<(Code, i64)>,
    /// Where to get a bigger plan.
    pub upgrade_url: Option<String>,
    /// How requests are read.
    pub reading: Reading,
    /// Characters that an answer is shortened to, where a tool says nothing else.
    pub response_cap: Option<u64>,
    /// The path of the resource, as configured.
    pub path: String,
    /// The challenges of the configured spelling.
    pub challenge: Challenge,
    /// The challenges of its twin, with or without the slash at the end.
    pub twin_challenge: Challenge,
    /// What it says of itself.
    pub info: Info,
    /// Its tools now.
    pub catalog: ArcSwap<Catalog>,
    /// What runs them.
    pub upstreams: Vec<Upstream>,
    /// Descriptors by upstream, as last read; none until the first time.
    pub(super) descriptors: Mutex<Vec<Option<Vec<Descriptor>>>>,
    /// Policy by name or glob.
    pub(super) policies: Vec<(String, PolicyConfig)>,
    /// Policy of operations of REST APIs, by id or glob.
    pub(super) operations: Vec<(String, PolicyConfig)>,
    /// Policy of resources and prompts.
    pub(super) guards: Guards,
    /// Its resources and prompts now.
    pub(super) library: ArcSwap<Library>,
    /// Resources and prompts by upstream, as last read; none until it could be reached.
    pub(super) offers: Mutex<Vec<Option<Offer>>>,
    /// When an upstream's word that it has changed was last looked into; held by whoever reads catalogs.
    pub(super) looked: tokio::sync::Mutex<Option<tokio::time::Instant>>,
    /// What the gateway adds to descriptions.
    pub(super) sentences: Sentences,
}

/// How requests are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Batches of 2025-03-26 are taken.
    pub batches: bool,
    /// Arguments are checked against each tool's schema.
    pub validates: bool,
    /// Both types have to be named in `Accept`.
    pub require_accept: bool,
}

/// How refusals are said.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// By status, as JSON-RPC errors, or as tool results.
    pub errors: ErrorStyle,
    /// What stands in a tool result.
    pub text: ErrorText,
    /// How a protected call without a token is answered.
    pub anonymous: AnonymousChallenge,
    /// How an upstream's failure is said.
    pub upstream: UpstreamErrors,
}

/// What a service says of itself, as JSON.
#[derive(Clone, Debug)]
pub struct Info {
    /// `serverInfo` where a `title` is known.
    pub full: String,
    /// `serverInfo` of the revisions before that.
    pub short: String,
    /// `"instructions":"…",` or nothing.
    pub instructions: String,
    /// The end of stateless results.
    pub trailer: Trailer,
}

impl Info {
    /// `serverInfo` for a revision.
    pub fn of(&self, version: Version) -> &str {
        if version.is_structured() { &self.full } else { &self.short }
    }
}

/// What runs tools.
pub struct Upstream {
    /// Its id.
    pub id: String,
    /// Its URL without a slash at the end.
    pub base: String,
    /// `Host` for it.
    pub host: String,
    /// The operator's headers for it.
    pub headers: HeaderMap,
    /// Where its tools are read.
    pub source: Source,
    /// Whom assertions come from and go to; none if it gets none.
    pub assertion: Option<Arc<Parties>>,
    /// What tools need that no policy names.
    pub unlisted: Unlisted,
    /// How long a call may take.
    pub timeout: Duration,
}

/// Where the tools of an upstream are read.
pub enum Source {
    /// A catalog in a file, read at start.
    File(PathBuf),
    /// A worker's own catalog, asked for at start and every now and then.
    Worker(Uri),
    /// The document of a REST API, read at start.
    Rest(Arc<Api>),
    /// An MCP server's own lists.
    Remote(Arc<Remote>),
}

impl Upstream {
    /// True if it is an MCP server that keeps sessions, as far as it has been heard.
    pub fn keeps_sessions(&self) -> bool {
        self.source.remote().and_then(|remote| remote.learnt()).is_some_and(|learnt| learnt.keeps_sessions())
    }
}

impl Source {
    /// The MCP server, if it is one.
    pub fn remote(&self) -> Option<&Arc<Remote>> {
        match self {
            Self::Remote(remote) => Some(remote),
            Self::File(_) | Self::Worker(_) | Self::Rest(_) => None,
        }
    }
}

/// How a tool is called.
pub enum Route {
    /// Its arguments are posted to a worker.
    Worker(Uri),
    /// It is called at an MCP server.
    Remote(Arc<Remote>),
    /// Its arguments make a request of a REST API.
    Operation(rest::Call),
    /// It reaches every operation of a REST API.
    Generic(rest::Generic),
}

/// A tool in its catalog's own words, without what the gateway adds for models.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The domain it is put under.
    pub domain: Option<Box<str>>,
    /// Its description, or its title if it has none.
    pub text: Box<str>,
}

impl Outline {
    /// What a descriptor says.
    pub fn of(descriptor: &Descriptor) -> Self {
        Self { domain: descriptor.domain.as_deref().map(Box::from), text: descriptor.about().into() }
    }
}

/// A tool as the gateway runs it.
pub struct Tool {
    /// Its name.
    pub name: Box<str>,
    /// What its catalog says of it, for documents about the catalog.
    pub outline: Outline,
    /// What the decision needs to know of it.
    pub policy: ToolPolicy,
    /// Its descriptor as clients see it, JSON.
    pub listed: Bytes,
    /// The same where the plan does not include it: for want of a plan, and of the feature.
    pub locked: Option<[Bytes; 2]>,
    /// How it is called.
    pub route: Route,
    /// The headers of every call.
    pub headers: HeaderMap,
    /// The same as lines, where a call only adds to them.
    pub lines: Option<Box<[u8]>>,
    /// Whom the assertion of a call comes from and goes to; none if there is none.
    pub assertion: Option<Arc<Parties>>,
    /// How long a call may take.
    pub timeout: Duration,
    /// How often each caller may call it, beside the service's rate.
    pub rate: Option<Rate>,
    /// What a call costs.
    pub price: Price,
    /// Before and after a top-level list in `structuredContent`; none if there is no such content.
    pub structured: Option<(String, &'static str)>,
    /// Arguments that a header mirrors.
    pub mirrors: Vec<Mirror>,
    /// What would be lost, said when the confirmation is missing.
    pub confirm_message: Box<str>,
    /// How a repeated call is told from a new one.
    pub idempotency: Idempotency,
    /// How long an answer may be.
    pub cap: Option<Cap>,
    /// What arguments are checked against.
    pub arguments: Option<Validator>,
}

impl Tool {
    /// Its descriptor where the plan lacks it.
    pub fn locked(&self, lack: PlanLack) -> &Bytes {
        match (&self.locked, lack) {
            (Some([no_plan, _]), PlanLack::NoPlan) => no_plan,
            (Some([_, no_feature]), _) => no_feature,
            (None, _) => &self.listed,
        }
    }

    /// True if a person has to confirm it.
    pub fn confirms(&self) -> bool {
        self.policy.confirm != Confirm::No
    }
}

/// The sentences that the gateway adds to descriptions, in the language of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Sentences {
    /// At the end of what has to be confirmed.
    pub confirm: &'static str,
    /// At the end of what the plan lacks.
    pub locked: &'static str,
}
