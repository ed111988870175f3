//! The tools of a service: put together from what upstreams offer and what policy says, then listed for each
//! caller out of ready pieces.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::HeaderMap;
use jsonschema::Validator;
use serde_json::{Value, json};

use super::credits::Price;
use super::library::guard;
use super::rest::operations::Entry;
use super::rest::{self, Operations};
use super::service::{Outline, Route, Service, Source, Tool, Upstream};
use super::trace::CARRIED;
use super::{merge, validate};
use crate::config::{Confirm as ConfirmConfig, Language, ToolPolicy as PolicyConfig, Unlisted};
use crate::domain::decide::{self, Caller, PlanLack, Visibility};
use crate::domain::scope::ScopeSet;
use crate::domain::service::{LockedMode, ServicePolicy};
use crate::domain::table::Table;
use crate::domain::tool::{Confirm, ToolPolicy};
use crate::http::document::Document;
use crate::mcp::cap::{self, Cap};
use crate::mcp::error::Code;
use crate::mcp::headers;
use crate::mcp::tool::Descriptor;
use crate::upstream::identity_headers::Names;

/// What a locked tool is marked with.
pub(super) const LOCKED: &str = "io.portero/locked";

/// The tools of a service, in order.
#[derive(Default)]
pub struct Catalog {
    tools: Vec<Arc<Tool>>,
    by_name: Table<Box<str>, Arc<Tool>>,
    operations: Vec<Arc<Operations>>,
    /// True while some upstream has not yet said what it offers.
    pub pending: bool,
    manifest: OnceLock<Document>,
    descriptor: OnceLock<Document>,
}

impl Catalog {
    /// Before any upstream has said what it offers.
    pub fn pending() -> Self {
        Self { pending: true, ..Self::default() }
    }

    /// The tool of a name.
    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.by_name.get(name)
    }

    /// An operation that generic tools reach, by its id.
    pub fn operation(&self, id: &str) -> Option<(&Entry, &Operations)> {
        self.operations.iter().find_map(|own| Some((own.get(id)?, &**own)))
    }

    /// Every tool, in the order of the catalogs.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.iter()
    }

    /// True if nothing in the list depends on who asks.
    pub fn for_everybody(&self, service: &ServicePolicy) -> bool {
        self.tools.iter().all(|tool| guard::for_everybody(service, &tool.policy))
    }

    /// Writes the array of the tools that this caller sees.
    pub fn write_list(&self, caller: Caller<'_>, service: &ServicePolicy, out: &mut Vec<u8>) {
        out.push(b'[');
        let start = out.len();
        for tool in &self.tools {
            let piece = match decide::visibility(caller, service, &tool.policy) {
                Visibility::Listed => &tool.listed,
                Visibility::Locked(lack, _) => tool.locked(lack),
                Visibility::Hidden => continue,
            };
            if out.len() > start {
                out.push(b',');
            }
            out.extend_from_slice(piece);
        }
        out.push(b']');
    }

    /// Writes the array of every tool that somebody can see, as whoever may use it sees it.
    pub fn write_all(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (index, tool) in self.tools.iter().filter(|tool| !tool.policy.hidden).enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(&tool.listed);
        }
        out.push(b']');
    }

    /// What is published of it, made when it is asked for the first time.
    pub fn manifest(&self, make: impl FnOnce() -> Document) -> &Document {
        self.manifest.get_or_init(make)
    }

    /// Its descriptor, made when it is asked for the first time.
    pub fn descriptor(&self, make: impl FnOnce() -> Document) -> &Document {
        self.descriptor.get_or_init(make)
    }

    /// Puts a catalog together.
    ///
    /// # Errors
    /// A name that comes twice, or a tool that cannot be called.
    pub fn assemble(
        service: &Service,
        offered: &[Option<Vec<Descriptor>>],
        names: &Names,
        language: Language,
    ) -> Result<Self, String> {
        let pending = offered.len() < service.upstreams.len() || offered.iter().any(Option::is_none);
        let mut catalog = Self { pending, ..Self::default() };
        let maker = Maker { service, names, language, mixed: is_mixed(service, offered) };
        for (upstream, descriptors) in service.upstreams.iter().zip(offered) {
            for descriptor in descriptors.iter().flatten() {
                catalog.add(maker.tool(upstream, descriptor)?)?;
            }
        }
        // what reaches everything comes last: a model takes what is made for the purpose first
        for (operations, tools) in maker.generic()? {
            for tool in tools {
                catalog.add(tool)?;
            }
            catalog.operations.push(operations);
        }
        Ok(catalog)
    }

    fn add(&mut self, tool: Tool) -> Result<(), String> {
        let tool = Arc::new(tool);
        if self.by_name.insert(tool.name.clone(), Arc::clone(&tool)).is_some() {
            return Err(format!("tool {:?} comes from two upstreams", tool.name));
        }
        self.tools.push(tool);
        Ok(())
    }
}

/// True where public and protected tools stand side by side: then each says which it is.
fn is_mixed(service: &Service, offered: &[Option<Vec<Descriptor>>]) -> bool {
    let public = |own: Option<PolicyConfig>| own.is_some_and(|policy| policy.public == Some(true));
    let mut all: Vec<bool> = Vec::new();
    for (upstream, descriptors) in service.upstreams.iter().zip(offered) {
        let listed = descriptors.iter().flatten();
        all.extend(listed.map(|descriptor| public(own_policy(service, upstream, &descriptor.name))));
        let generic = upstream.generic_names();
        all.extend(generic.iter().map(|name| public(merge::merged(&service.policies, name))));
    }
    all.contains(&true) && all.contains(&false)
}

/// What the configuration says of a tool.
fn own_policy(service: &Service, upstream: &Upstream, name: &str) -> Option<PolicyConfig> {
    match &upstream.source {
        Source::Rest(api) => rest::policy::of_tool(service, api, name),
        _ => merge::merged(&service.policies, name),
    }
}

/// What tools are made with.
pub(super) struct Maker<'a> {
    pub service: &'a Service,
    pub names: &'a Names,
    pub language: Language,
    mixed: bool,
}

/// What a tool has of its own, whatever it is made of.
pub(super) struct Made<'a> {
    pub name: &'a str,
    pub policy: ToolPolicy,
    pub route: Route,
    pub structured: bool,
    pub message: String,
    pub headers: HeaderMap,
}

impl Maker<'_> {
    fn tool(&self, upstream: &Upstream, descriptor: &Descriptor) -> Result<Tool, String> {
        if let Source::Rest(api) = &upstream.source {
            return self.curated(upstream, api, descriptor);
        }
        let own = own_policy(self.service, upstream, &descriptor.name);
        let unlisted = own.is_none() && upstream.unlisted == Unlisted::Deny;
        let own = own.unwrap_or_default();
        let mut descriptor = Cow::Borrowed(descriptor);
        if upstream.source.remote().is_some() && !confirms_reading(&own) && descriptor.is_read_only() {
            // another server's word for it: what policy does not confirm is neither believed nor passed on
            descriptor.to_mut().annotate("readOnlyHint", Value::Bool(false));
        }
        let descriptor = &*descriptor;
        let policy = self.policy(&own, descriptor.is_read_only(), unlisted);
        let (listed, locked) = self.descriptors(&own, &policy, descriptor);
        let message = own.confirm_message.as_ref().map(|text| text.get(self.language)).unwrap_or_default();
        let service = self.service.policy.id.as_str();
        let fixed = self.names.fixed(service, &descriptor.name, &upstream.host, &upstream.headers);
        let lines = self.names.lines(&fixed, &CARRIED);
        let made = Made {
            name: &descriptor.name,
            policy,
            route: route(upstream, &own, descriptor)?,
            structured: own.structured.unwrap_or(descriptor.has_output_schema()),
            message: message.to_owned(),
            headers: fixed,
        };
        Ok(Tool {
            listed,
            locked,
            lines,
            outline: Outline::of(descriptor),
            mirrors: headers::mirrors(descriptor.input_schema()),
            arguments: self.schema(descriptor)?,
            ..self.bare(upstream, &own, made)
        })
    }

    /// A tool that no list shows.
    pub(super) fn bare(&self, upstream: &Upstream, own: &PolicyConfig, made: Made<'_>) -> Tool {
        let structured = made.structured.then(|| {
            let key = own.structured_key.as_deref().unwrap_or("items");
            (format!("{{{}:", Value::from(key)), "}")
        });
        Tool {
            name: made.name.into(),
            outline: Outline::default(),
            lines: None,
            headers: made.headers,
            policy: made.policy,
            listed: Bytes::new(),
            locked: None,
            route: made.route,
            assertion: upstream.assertion.clone(),
            timeout: own.timeout.map_or(upstream.timeout, crate::config::Period::get),
            rate: own.rate.map(|rate| rate.rate()),
            price: Price { cost: own.cost.unwrap_or(0), optional: own.cost_required == Some(false) },
            structured,
            mirrors: Vec::new(),
            confirm_message: made.message.into(),
            idempotency: own.idempotency.unwrap_or_default(),
            cap: self.cap(own),
            arguments: None,
        }
    }

    /// What arguments are checked against, where the service asks for that.
    pub(super) fn schema(&self, descriptor: &Descriptor) -> Result<Option<Validator>, String> {
        let validates = self.service.reading.validates;
        validates.then(|| validate::compile(&descriptor.name, descriptor.input_schema())).transpose()
    }

    fn cap(&self, own: &PolicyConfig) -> Option<Cap> {
        let chars = own.response_cap_chars.or(self.service.response_cap)?;
        let language = match self.language {
            Language::Es => cap::Language::Es,
            Language::En => cap::Language::En,
        };
        Some(Cap { chars: usize::try_from(chars).unwrap_or(usize::MAX), language })
    }

    /// The operator's `readOnlyHint` counts before the worker's own.
    pub(super) fn policy(&self, own: &PolicyConfig, reads: bool, unlisted: bool) -> ToolPolicy {
        let hint = own.annotations.as_ref().and_then(|annotations| annotations.read_only_hint);
        ToolPolicy {
            scopes: match &own.scopes {
                Some(scopes) => scopes.iter().map(String::as_str).collect::<ScopeSet>(),
                None => self.service.policy.default_scopes.clone(),
            },
            alternatives: Vec::new(),
            public: own.public.unwrap_or(false),
            feature: own.feature.clone(),
            only_mode: merge::only_mode(own.modes.as_deref()),
            hidden: unlisted || own.hidden.unwrap_or(false),
            read_only: hint.unwrap_or(reads),
            confirm: match own.confirm {
                None | Some(ConfirmConfig::Off) => Confirm::No,
                Some(ConfirmConfig::Required) => Confirm::Yes,
                Some(ConfirmConfig::Intent) => Confirm::Intent,
            },
        }
    }

    pub(super) fn descriptors(
        &self,
        own: &PolicyConfig,
        policy: &ToolPolicy,
        descriptor: &Descriptor,
    ) -> (Bytes, Option<[Bytes; 2]>) {
        let mut seen = descriptor.clone();
        for (name, value) in annotations(own) {
            seen.annotate(name, value);
        }
        if policy.confirm != Confirm::No {
            seen.ask_confirmation(policy.confirm == Confirm::Intent, self.service.sentences.confirm);
        }
        if self.mixed {
            seen.secure(policy.public, &policy.scopes.iter().collect::<Vec<_>>());
        }
        let shows = self.service.policy.locked == LockedMode::Show;
        let locked = policy.feature.as_ref().filter(|_| shows).map(|feature| {
            [PlanLack::NoPlan, PlanLack::FeatureNotIncluded].map(|lack| self.locked(&seen, lack, feature))
        });
        (Bytes::from(seen.to_json()), locked)
    }

    fn locked(&self, seen: &Descriptor, lack: PlanLack, feature: &str) -> Bytes {
        let mut seen = seen.clone();
        seen.mark(LOCKED, lock(self.service, lack, feature));
        seen.describe(&match &self.service.upgrade_url {
            Some(url) => format!("{} {url}", self.service.sentences.locked),
            None => self.service.sentences.locked.to_owned(),
        });
        Bytes::from(seen.to_json())
    }
}

/// How a tool of this upstream is called.
fn route(upstream: &Upstream, own: &PolicyConfig, descriptor: &Descriptor) -> Result<Route, String> {
    match &upstream.source {
        Source::File(_) | Source::Worker(_) => {
            let target = match &own.path {
                Some(path) => format!("{}{path}", upstream.base),
                None => format!("{}/tools/{}", upstream.base, descriptor.name),
            };
            let uri =
                target.parse().map_err(|_| format!("tool {:?} has no URL: {target}", descriptor.name))?;
            Ok(Route::Worker(uri))
        }
        Source::Rest(_) => Err(format!("tool {:?} has no operation", descriptor.name)),
        Source::Remote(_) if own.path.is_some() => Err(format!(
            "tool {:?} has a path, and comes from an MCP server, which has none",
            descriptor.name
        )),
        Source::Remote(remote) => Ok(Route::Remote(Arc::clone(remote))),
    }
}

fn confirms_reading(own: &PolicyConfig) -> bool {
    own.annotations.as_ref().and_then(|annotations| annotations.read_only_hint) == Some(true)
}

/// What is said of a lock.
pub(super) fn lock(service: &Service, lack: PlanLack, feature: &str) -> Value {
    let code = if lack == PlanLack::NoPlan { Code::NoPlan } else { Code::FeatureNotIncluded };
    json!({"code": code.word(), "feature": feature, "upgrade_url": service.upgrade_url})
}

fn annotations(own: &PolicyConfig) -> Vec<(&'static str, Value)> {
    let Some(annotations) = &own.annotations else { return Vec::new() };
    let hints = [
        ("readOnlyHint", annotations.read_only_hint),
        ("destructiveHint", annotations.destructive_hint),
        ("idempotentHint", annotations.idempotent_hint),
        ("openWorldHint", annotations.open_world_hint),
    ];
    let title = annotations.title.iter().map(|title| ("title", Value::from(title.as_str())));
    title.chain(hints.into_iter().filter_map(|(name, hint)| Some((name, Value::from(hint?))))).collect()
}
