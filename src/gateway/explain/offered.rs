//! Why a caller may or may not read a resource or get a prompt. The order is that of [`super::super::library`]: what
//! nobody knows of is absent, whatever it would need.
//!
//! No worker is asked: whether it has something for this caller is its to say when it is read.

use super::super::entitle;
use super::super::library::guard::Rule;
use super::super::rate;
use super::super::refusal::Reason;
use super::super::service::Service;
use super::{Explained, Step, change, near, policy_steps, service_steps, told};
use crate::app::App;
use crate::config::Unlisted;
use crate::domain::decide::{self, Caller};
use crate::domain::obstacle;
use crate::domain::tool::ToolPolicy;
use crate::domain::verified::Verified;
use crate::mcp::uri;

/// Who asks, and where.
pub(super) struct Scene<'a> {
    pub app: &'a App,
    pub service: &'a Service,
    pub caller: Caller<'a>,
    pub credential: &'a Verified,
}

/// Something that is not there, and what would have to be for a yes.
pub(super) struct Absent {
    pub noun: &'static str,
    pub reason: Reason,
    pub says: String,
    pub missing: String,
}

impl Scene<'_> {
    /// What the service asks of every request is told all the same.
    pub fn absent(&self, absent: Absent) -> Explained {
        let anything = ToolPolicy { public: true, read_only: true, ..ToolPolicy::default() };
        let found = obstacle::obstacles(self.caller, &self.service.policy, &anything);
        let reason = self.closed().unwrap_or(absent.reason);
        let mut steps = service_steps(self.service, self.caller, &found);
        steps.push(Step::new(absent.noun, false, absent.says));
        let changes = found.iter().map(|one| change(self.app, one, self.credential, absent.noun));
        let changes = changes.chain([absent.missing]).collect();
        Explained { steps, told: Some(told(&reason, self.service)), change: changes, needed: None }
    }

    /// Why no request of the caller's passes.
    pub fn closed(&self) -> Option<Reason> {
        let (lack, feature) = decide::service_open(self.caller, &self.service.policy).err()?;
        Some(Reason::plan(lack, feature, self.credential.plan.as_ref(), false))
    }

    /// The decision about something under its policy.
    fn decided(
        &self,
        noun: &'static str,
        policy: &ToolPolicy,
        absent: impl FnOnce(&'static str) -> Reason,
    ) -> Explained {
        let (service, caller) = (self.service, self.caller);
        let found = obstacle::obstacles(caller, &service.policy, policy);
        let mut steps = service_steps(service, caller, &found);
        steps.extend(policy_steps(service, noun, policy, caller, &found));
        let limit = rate::of(caller.plan, service).map(|rate| format!("all calls: {rate}"));
        steps.push(Step::note("rate", limit.unwrap_or_else(|| "no limit is set".to_owned())));
        let denied = || {
            let denial = decide::decide(caller, &service.policy, policy).err()?;
            Some(entitle::denied(&service.policy, caller, &denial, absent))
        };
        let reason = self.closed().or_else(denied);
        Explained {
            steps,
            told: reason.map(|reason| told(&reason, service)),
            change: found.iter().map(|one| change(self.app, one, self.credential, noun)).collect(),
            needed: Some(policy.scopes.clone()),
        }
    }

    /// The decision about a resource.
    pub fn resource(&self, uri: &str) -> Explained {
        const NOUN: &str = "resource";
        let (service, library) = (self.service, self.service.library.load());
        let absent = |reason, says: &str, missing: &str| {
            self.absent(Absent { noun: NOUN, reason, says: says.to_owned(), missing: missing.to_owned() })
        };
        if !library.has_resources {
            let missing = "an upstream that offers resources, or a policy that names one";
            return absent(Reason::NoMethod, "the service has no resources", missing);
        }
        if let Err(fault) = uri::check(uri) {
            return absent(Reason::Params(fault), fault, "a URI as the service lists it");
        }
        let normal = uri::normal(uri);
        let known = library.known(uri, &normal).and_then(|at| service.upstreams.get(at));
        let rule = Rule::new(service.guards.of_uri(&normal), &service.policy, known);
        let no_such = |label| Reason::NoResource(label, uri.into());
        let allowed = decide::decide(self.caller, &service.policy, &rule.policy).is_ok();
        if known.is_none() && !rule.named {
            let mut listing = library.lists.iter().filter_map(|at| service.upstreams.get(*at));
            let missing = "an upstream that lists it or has a template for it, or a policy that names it";
            if allowed && library.pending {
                let says = "an upstream has not said yet what it offers";
                return absent(
                    Reason::Unavailable("catalog_pending"),
                    says,
                    "an upstream that says what it offers",
                );
            }
            if !allowed || listing.all(|upstream| upstream.unlisted == Unlisted::Deny) {
                return absent(no_such("absent"), "nothing that is known to be there has this URI", missing);
            }
        }
        let mut explained = self.decided(NOUN, &rule.policy, no_such);
        let says = match (known, rule.named) {
            (Some(upstream), _) => {
                format!("{} knows it; whether it has it for this caller it says when it is read", upstream.id)
            }
            (None, true) => {
                "policy names it; whether a worker has it for this caller it says when it is read".to_owned()
            }
            (None, false) => {
                "nothing names it: it is there if an upstream lists it for this caller when it is read"
                    .to_owned()
            }
        };
        explained.steps.push(Step::note("worker", says));
        explained
    }

    /// The decision about a prompt.
    pub fn prompt(&self, name: &str) -> Explained {
        const NOUN: &str = "prompt";
        let library = self.service.library.load();
        let absent = |reason, says: &str, missing: String| {
            self.absent(Absent { noun: NOUN, reason, says: says.to_owned(), missing })
        };
        if !library.has_prompts {
            let missing = "an upstream that offers prompts".to_owned();
            return absent(Reason::NoMethod, "the service has no prompts", missing);
        }
        if let Some(prompt) = library.prompt(name) {
            return self
                .decided(NOUN, &prompt.ready.rule.policy, |label| Reason::unknown_prompt(label, name));
        }
        if library.pending {
            let missing = "an upstream that says what it offers".to_owned();
            let says = "an upstream has not said yet what it offers";
            return absent(Reason::Unavailable("catalog_pending"), says, missing);
        }
        let names = library.prompts().map(|prompt| &*prompt.name);
        let missing = match near(names, name) {
            Some(near) => format!("another name: {near} is near it"),
            None => "a prompt of this name in a catalog".to_owned(),
        };
        absent(Reason::unknown_prompt("absent", name), "there is no prompt of this name", missing)
    }
}
