//! The resources and prompts of a service: put together from what upstreams offer and what policy says.

use bytes::Bytes;
use serde_json::json;

pub mod ask;
pub mod guard;
pub mod offers;
pub mod prompts;
pub mod read;
pub mod resources;

use guard::Rule;

use super::catalog::LOCKED;
use super::service::{Service, Upstream};
use crate::domain::decide::{self, Caller, PlanLack, Visibility};
use crate::domain::service::{LockedMode, ServicePolicy};
use crate::domain::table::Table;
use crate::mcp::error::Code;
use crate::mcp::offer::{Entry, Prompt, Template};
use crate::mcp::uri_template::Pattern;

/// What one upstream offers beside tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offer {
    /// Shapes of its resources' URIs.
    pub templates: Vec<Template>,
    /// Whether it lists resources.
    pub lists: Lists,
    /// Its prompts.
    pub prompts: Vec<Prompt>,
    /// True if it suggests what their arguments could be.
    pub completes: bool,
}

/// Whether a worker lists resources.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Lists {
    /// It has no such list.
    #[default]
    No,
    /// It wants to know for whom.
    Asks,
    /// It lists these for nobody in particular.
    Fixed(Vec<String>),
}

/// Something listed: its policy, and the JSON that was made of it once.
pub struct Ready {
    /// What it demands.
    pub rule: Rule,
    /// Which upstream it comes from.
    pub upstream: usize,
    listed: Bytes,
    locked: Option<[Bytes; 2]>,
}

/// A prompt as the gateway runs it.
pub struct ReadyPrompt {
    /// Its name.
    pub name: Box<str>,
    /// The arguments that it cannot do without.
    pub required: Vec<String>,
    /// How it is listed.
    pub ready: Ready,
}

/// The resources and prompts of a service.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says whether one thing is there")]
pub struct Library {
    /// What a service can do, as its clients are told.
    pub capabilities: String,
    /// True if it has resources.
    pub has_resources: bool,
    /// True if it has prompts.
    pub has_prompts: bool,
    /// True if some upstream suggests arguments.
    pub completes: bool,
    /// True while some upstream could not be reached yet.
    pub pending: bool,
    /// The upstreams that list resources, in order.
    pub lists: Vec<usize>,
    templates: Vec<(Pattern, Ready)>,
    fixed: Table<Box<str>, usize>,
    prompts: Vec<ReadyPrompt>,
}

impl Library {
    /// Before any upstream could be reached: what the configuration names is there.
    pub fn pending(resources: bool, prompts: bool) -> Self {
        Self { pending: true, ..Self::default() }.able(resources, prompts)
    }

    /// Nothing tells clients of changes, and no single resource can be watched.
    fn able(mut self, resources: bool, prompts: bool) -> Self {
        let mut text = String::from("{\"tools\":{\"listChanged\":false}");
        if resources {
            text.push_str(",\"resources\":{\"subscribe\":false,\"listChanged\":false}");
        }
        if prompts {
            text.push_str(",\"prompts\":{\"listChanged\":false}");
        }
        if self.completes {
            text.push_str(",\"completions\":{}");
        }
        text.push('}');
        (self.capabilities, self.has_resources, self.has_prompts) = (text, resources, prompts);
        self
    }

    /// Puts a library together.
    ///
    /// # Errors
    /// A template or a prompt that comes twice.
    pub fn assemble(service: &Service, offered: &[Option<Offer>]) -> Result<Self, String> {
        let guards = &service.guards;
        let mut own = Self { pending: offered.iter().any(Option::is_none), ..Self::default() };
        let (mut resources, mut prompts) = (guards.names_resources(), guards.names_prompts());
        for (at, upstream) in service.upstreams.iter().enumerate() {
            let unknown = Offer { lists: Lists::Asks, ..Offer::default() };
            let offer = offered.get(at).and_then(Option::as_ref).unwrap_or(&unknown);
            match &offer.lists {
                // many refuse whatever they do not know: the configuration says whether it has some
                Lists::Asks if guards.names_resources() => own.lists.push(at),
                Lists::No | Lists::Asks => {}
                Lists::Fixed(uris) => {
                    own.lists.push(at);
                    resources = true;
                    for uri in uris {
                        own.fixed.entry(uri.as_str().into()).or_insert(at);
                    }
                }
            }
            own.completes |= offer.completes;
            resources |= !offer.templates.is_empty();
            prompts |= !offer.prompts.is_empty();
            for template in &offer.templates {
                let rule = Rule::new(guards.of_template(&template.pattern), &service.policy, Some(upstream));
                if own.templates.iter().any(|(other, _)| other.is_same(&template.pattern)) {
                    return Err(format!("resource template {:?} is there twice", template.entry.key));
                }
                own.templates
                    .push((template.pattern.clone(), Ready::new(service, rule, at, &template.entry)));
            }
            for prompt in &offer.prompts {
                let name = &prompt.entry.key;
                if own.prompt(name).is_some() {
                    return Err(format!("prompt {name:?} is there twice"));
                }
                let rule = Rule::new(guards.of_prompt(name), &service.policy, Some(upstream));
                own.prompts.push(ReadyPrompt {
                    name: name.as_str().into(),
                    required: prompt.required.clone(),
                    ready: Ready::new(service, rule, at, &prompt.entry),
                });
            }
        }
        Ok(own.able(resources, prompts))
    }

    /// The upstream that is known to have a resource: it lists it for everybody, or has a template for it. The best
    /// template counts.
    pub fn known(&self, uri: &str, normal: &str) -> Option<usize> {
        let of_template = || {
            let matching = self.templates.iter().filter(|(pattern, _)| pattern.matches(normal));
            matching.max_by_key(|(pattern, _)| pattern.fit()).map(|(_, ready)| ready.upstream)
        };
        self.fixed.get(uri).copied().or_else(of_template)
    }

    /// The template of this text.
    pub fn template(&self, text: &str) -> Option<&Ready> {
        let wanted = Pattern::template(&crate::mcp::uri::normal(text)).ok()?;
        self.templates.iter().find(|(pattern, _)| pattern.is_same(&wanted)).map(|(_, ready)| ready)
    }

    /// The prompt of a name.
    pub fn prompt(&self, name: &str) -> Option<&ReadyPrompt> {
        self.prompts.iter().find(|prompt| *prompt.name == *name)
    }

    /// The templates, in the order of the upstreams.
    pub fn templates(&self) -> impl Iterator<Item = &Ready> {
        self.templates.iter().map(|(_, ready)| ready)
    }

    /// The prompts, in the order of the upstreams.
    pub fn prompts(&self) -> impl Iterator<Item = &ReadyPrompt> {
        self.prompts.iter()
    }
}

impl Ready {
    fn new(service: &Service, rule: Rule, upstream: usize, entry: &Entry) -> Self {
        let shows = service.policy.locked == LockedMode::Show;
        let locked = rule.policy.feature.as_ref().filter(|_| shows).map(|feature| {
            [PlanLack::NoPlan, PlanLack::FeatureNotIncluded]
                .map(|lack| Bytes::from(locked(service, entry, lack, feature)))
        });
        Self { rule, upstream, listed: Bytes::from(entry.to_json()), locked }
    }

    fn as_seen(&self, caller: Caller<'_>, service: &ServicePolicy) -> Option<&Bytes> {
        match decide::visibility(caller, service, &self.rule.policy) {
            Visibility::Listed => Some(&self.listed),
            Visibility::Locked(lack, _) => match (&self.locked, lack) {
                (Some([no_plan, _]), PlanLack::NoPlan) => Some(no_plan),
                (Some([_, no_feature]), _) => Some(no_feature),
                (None, _) => Some(&self.listed),
            },
            Visibility::Hidden => None,
        }
    }
}

/// Writes the array of what this caller sees; true if everybody sees the same.
pub fn write_list<'a>(
    all: impl Iterator<Item = &'a Ready>,
    caller: Caller<'_>,
    service: &ServicePolicy,
    out: &mut Vec<u8>,
) -> bool {
    let mut everybody = true;
    out.push(b'[');
    let start = out.len();
    for ready in all {
        everybody &= guard::for_everybody(service, &ready.rule.policy);
        let Some(piece) = ready.as_seen(caller, service) else { continue };
        if out.len() > start {
            out.push(b',');
        }
        out.extend_from_slice(piece);
    }
    out.push(b']');
    everybody
}

/// A resource of an upstream's list as this caller sees it; `None` if it does not.
pub fn shown(service: &Service, upstream: &Upstream, caller: Caller<'_>, entry: &Entry) -> Option<String> {
    let own = service.guards.of_uri(&crate::mcp::uri::normal(&entry.key));
    let rule = Rule::new(own, &service.policy, Some(upstream));
    match decide::visibility(caller, &service.policy, &rule.policy) {
        Visibility::Listed => Some(entry.to_json()),
        Visibility::Locked(lack, feature) => Some(locked(service, entry, lack, feature)),
        Visibility::Hidden => None,
    }
}

fn locked(service: &Service, entry: &Entry, lack: PlanLack, feature: &str) -> String {
    let mut seen = entry.clone();
    let code = if lack == PlanLack::NoPlan { Code::NoPlan } else { Code::FeatureNotIncluded };
    let url = service.upgrade_url.as_deref();
    seen.mark(LOCKED, json!({"code": code.word(), "feature": feature, "upgrade_url": url}));
    seen.describe(&match url {
        Some(url) => format!("{} {url}", service.sentences.locked),
        None => service.sentences.locked.to_owned(),
    });
    seen.to_json()
}
