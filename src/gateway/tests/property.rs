//! Listed ⇔ usable, for any policies and any caller: tools, resources, templates and prompts, against a reading of
//! the configuration that shares nothing with the gateway's own.

use indexmap::IndexMap;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::library::guard::{Guards, Rule};
use super::super::library::{self, Library, Lists, Offer, Ready};
use super::super::service::Service;
use super::super::{Catalog, build};
use super::{config, tool, verified};
use crate::config::{AnnotationsConfig, Language, Mode as ModeConfig, ToolPolicy as PolicyConfig, Unlisted};
use crate::domain::decide::{self, Caller, Denial};
use crate::domain::pat::Mode;
use crate::domain::plan::Plan;
use crate::domain::scope::ScopeSet;
use crate::domain::service::{ListMode, LockedMode};
use crate::domain::verified::{TokenKind, Verified};
use crate::domain::workspace::WorkspaceStatus;
use crate::mcp::tool::parse_catalog;
use crate::mcp::{offer, uri};
use crate::upstream::identity_headers::Names;

const SCOPES: [&str; 4] = ["a", "b", "c", "undeclared"];
const FEATURES: [&str; 2] = ["mcp", "extra"];
const NAMES: [&str; 3] = ["a1", "a2", "b1"];
/// Globs and names, each with what it matches and its rank among those that match the same.
const GLOBS: [(&str, &[&str], u8); 6] = [
    ("*", &["a1", "a2", "b1"], 0),
    ("a*", &["a1", "a2"], 1),
    ("b*", &["b1"], 1),
    ("a1", &["a1"], 2),
    ("b1", &["b1"], 2),
    ("c*", &[], 1),
];
const URIS: [&str; 4] = ["x://a/1", "x://a/2", "X://a/%31", "x://c"];
const TEMPLATES: [&str; 2] = ["x://a/{n}", "x://{k}"];
/// The same for URIs and templates.
const PATTERNS: [(&str, &[&str], u8); 6] = [
    ("*", &["x://a/1", "x://a/2", "X://a/%31", "x://c", "x://a/{n}", "x://{k}"], 0),
    ("x://*", &["x://a/1", "x://a/2", "X://a/%31", "x://c", "x://a/{n}", "x://{k}"], 1),
    ("x://a/*", &["x://a/1", "x://a/2", "X://a/%31", "x://a/{n}"], 2),
    ("x://a/{id}", &["x://a/1", "x://a/2", "X://a/%31", "x://a/{n}"], 3),
    ("x://a/1", &["x://a/1", "X://a/%31"], 4),
    ("X://%63", &["x://c"], 4),
];

type Policies = Vec<(usize, PolicyConfig)>;

prop_compose! {
    fn policy()(
        scopes in of(0u8..16),
        public in of(prop::bool::weighted(0.3)),
        feature in of(0usize..2),
        modes in of(1u8..4),
        hidden in of(prop::bool::weighted(0.2)),
        reads in of(any::<bool>()),
    ) -> PolicyConfig {
        let listed = |bits: u8| [ModeConfig::Live, ModeConfig::Test].into_iter().enumerate()
            .filter(move |(at, _)| bits & (1 << at) != 0).map(|(_, mode)| mode).collect();
        PolicyConfig {
            scopes: scopes.map(|bits| subset(bits).iter().map(str::to_owned).collect()),
            public,
            feature: feature.map(|at| FEATURES[at].to_owned()),
            modes: modes.map(listed),
            hidden,
            annotations: reads.map(|hint| AnnotationsConfig { read_only_hint: Some(hint), ..Default::default() }),
            ..PolicyConfig::default()
        }
    }
}

prop_compose! {
    fn credential()(
        scopes in 0u8..16, plan in 0u8..3, test in any::<bool>(), kind in 0u8..4, status in 0u8..4,
    ) -> Option<Verified> {
        let kind = [TokenKind::Pat, TokenKind::Oauth, TokenKind::Jwt].get(usize::from(kind)).copied()?;
        Some(Verified {
            mode: if test { Mode::Test } else { Mode::Live },
            plan: match plan { 0 => None, 1 => Some("flow".into()), _ => Some("free".into()) },
            status: match status {
                0 => WorkspaceStatus::Active,
                1 => WorkspaceStatus::Trialing,
                2 => WorkspaceStatus::PastDue,
                _ => WorkspaceStatus::Inactive,
            },
            ..verified(kind, &subset(scopes).to_string())
        })
    }
}

fn policies() -> impl Strategy<Value = Policies> {
    prop::collection::vec((0usize..6, policy()), 0..6)
}

fn subset(mask: u8) -> ScopeSet {
    SCOPES.iter().enumerate().filter(|(at, _)| mask & (1 << at) != 0).map(|(_, scope)| *scope).collect()
}

fn keyed(patterns: &[(&str, &[&str], u8)], policies: &Policies) -> IndexMap<String, PolicyConfig> {
    policies.iter().map(|(at, policy)| (patterns[*at].0.to_owned(), policy.clone())).collect()
}

/// What one caller should see of something, read off the configuration key by key.
#[derive(Debug, PartialEq)]
enum Seen {
    Open,
    Locked,
    Nothing,
}

struct Oracle<'a> {
    patterns: &'a [(&'a str, &'a [&'a str], u8)],
    policies: &'a IndexMap<String, PolicyConfig>,
    service: &'a Service,
    caller: Caller<'a>,
}

impl Oracle<'_> {
    /// The value of a key in the best policy that has one.
    fn key<T>(&self, name: &str, get: impl Fn(&PolicyConfig) -> Option<T>) -> Option<T> {
        let matching = self.policies.iter().filter_map(|(pattern, policy)| {
            let (_, names, rank) = self.patterns.iter().find(|(own, ..)| own == pattern)?;
            names.contains(&name).then_some((*rank, get(policy)?))
        });
        matching.max_by_key(|(rank, _)| *rank).map(|(_, value)| value)
    }

    fn sees(&self, name: &str) -> Seen {
        let named = self.key(name, |_| Some(())).is_some();
        let denied = !named && self.service.upstreams[0].unlisted == Unlisted::Deny;
        let mode = if self.caller.mode() == Mode::Live { ModeConfig::Live } else { ModeConfig::Test };
        let away = self.key(name, |own| own.modes.clone()).is_some_and(|modes| !modes.contains(&mode));
        if denied || away || self.key(name, |own| own.hidden) == Some(true) {
            return Seen::Nothing;
        }
        let public = self.key(name, |own| own.public) == Some(true);
        let Some(own) = self.caller.credential else {
            return if public { Seen::Open } else { Seen::Nothing };
        };
        let needed = self.key(name, |own| own.scopes.clone()).unwrap_or_else(|| vec!["a".to_owned()]);
        if !public && !needed.iter().all(|scope| own.scopes.contains(scope)) {
            return Seen::Nothing;
        }
        let lacks = |feature: &String| !self.caller.plan.is_some_and(|plan| plan.includes(feature));
        match self.key(name, |own| own.feature.clone()).filter(lacks) {
            None => Seen::Open,
            Some(_) if self.service.policy.locked == LockedMode::Show => Seen::Locked,
            Some(_) => Seen::Nothing,
        }
    }
}

fn service(hide: bool, deny: bool) -> Service {
    let config = config("http://127.0.0.1:1", "", "").unwrap();
    let mut service = build::service(&config, &config.service[0]).unwrap();
    service.policy.feature = None;
    service.policy.scopes = ScopeSet::parse("a b c");
    service.policy.default_scopes = ScopeSet::parse("a");
    service.policy.list = ListMode::Granted;
    service.policy.locked = if hide { LockedMode::Hide } else { LockedMode::Show };
    service.upstreams[0].unlisted = if deny { Unlisted::Deny } else { Unlisted::Default };
    service
}

fn look(item: Option<&Value>) -> Seen {
    match item {
        None => Seen::Nothing,
        Some(own) if own["_meta"]["io.portero/locked"].is_null() => Seen::Open,
        Some(_) => Seen::Locked,
    }
}

fn written(ready: Vec<&Ready>, caller: Caller<'_>, service: &Service) -> Vec<Value> {
    let mut out = Vec::new();
    library::write_list(ready.into_iter(), caller, &service.policy, &mut out);
    serde_json::from_slice(&out).unwrap()
}

/// What is seen is what passes: open passes, locked says so, and the rest is refused.
fn agrees(seen: &Seen, decision: &Result<(), Denial<'_>>, overdue: bool) -> bool {
    match decision {
        Ok(()) => *seen == Seen::Open,
        Err(Denial::Locked(..)) => *seen == Seen::Locked,
        // momentary: it changes no list
        Err(Denial::Blocked) => *seen == Seen::Open && overdue,
        Err(_) => *seen == Seen::Nothing,
    }
}

fn with_caller<T>(credential: Option<&Verified>, check: impl FnOnce(Caller<'_>, bool) -> T) -> T {
    let flow = Plan { id: "flow".into(), features: vec!["mcp".into()], credits_per_month: None, rate: None };
    let free = Plan { id: "free".into(), features: vec![], credits_per_month: None, rate: None };
    let plan = credential.and_then(|own| own.plan.as_ref());
    let plan = plan.map(|id| if id.as_str() == "flow" { &flow } else { &free });
    let overdue = credential.is_some_and(|own| own.status == WorkspaceStatus::PastDue);
    check(Caller { credential, plan }, overdue)
}

proptest! {
    #[test]
    fn tools_are_listed_exactly_where_they_pass(
        policies in policies(), credential in credential(), hide in any::<bool>(), deny in any::<bool>(),
    ) {
        let mut service = service(hide, deny);
        let policies = keyed(&GLOBS, &policies);
        service.policies = policies.clone().into_iter().collect();
        let tools: Vec<Value> = NAMES.iter().map(|name| tool(name, false)).collect();
        let descriptors = parse_catalog(json!(tools).to_string().as_bytes()).unwrap();
        let names = Names::new("X-Portero-").unwrap();
        let catalog = Catalog::assemble(&service, &[Some(descriptors)], &names, Language::En).unwrap();
        with_caller(credential.as_ref(), |caller, overdue| {
            let oracle = Oracle { patterns: &GLOBS, policies: &policies, service: &service, caller };
            let mut out = Vec::new();
            catalog.write_list(caller, &service.policy, &mut out);
            let listed: Vec<Value> = serde_json::from_slice(&out).unwrap();
            for tool in catalog.tools() {
                let seen = look(listed.iter().find(|own| own["name"] == *tool.name));
                prop_assert_eq!(&seen, &oracle.sees(&tool.name));
                let decision = decide::decide(caller, &service.policy, &tool.policy);
                prop_assert!(agrees(&seen, &decision, overdue), "{:?} {:?}", seen, decision);
                prop_assert!(decision != Err(Denial::Blocked) || !tool.policy.read_only);
            }
            Ok(())
        })?;
    }

    #[test]
    fn resources_and_templates_are_listed_exactly_where_they_can_be_read(
        policies in policies(), credential in credential(), hide in any::<bool>(), deny in any::<bool>(),
    ) {
        let mut service = service(hide, deny);
        let policies = keyed(&PATTERNS, &policies);
        service.guards = Guards::new(&policies, &IndexMap::new()).unwrap();
        let items: Vec<Value> = TEMPLATES.iter().map(|own| json!({"name": own, "uriTemplate": own})).collect();
        let templates = offer::templates(json!({"resourceTemplates": items}).to_string().as_bytes());
        let templates = templates.unwrap().unwrap();
        let offered = Offer { templates, lists: Lists::Asks, ..Offer::default() };
        let library = Library::assemble(&service, &[Some(offered)]).unwrap();
        let items: Vec<Value> = URIS.iter().map(|own| json!({"name": own, "uri": own})).collect();
        let page = offer::page(json!({"resources": items}).to_string().as_bytes()).unwrap();
        with_caller(credential.as_ref(), |caller, _| {
            let oracle = Oracle { patterns: &PATTERNS, policies: &policies, service: &service, caller };
            let upstream = &service.upstreams[0];
            for entry in &page.resources {
                let shown = library::shown(&service, upstream, caller, entry);
                let shown: Option<Value> = shown.map(|json| serde_json::from_str(&json).unwrap());
                let seen = look(shown.as_ref());
                prop_assert_eq!(&seen, &oracle.sees(&entry.key), "{}", entry.key);
                let known = library.known(&entry.key, &uri::normal(&entry.key));
                prop_assert_eq!(known, Some(0));
                let rule = Rule::new(service.guards.of_uri(&uri::normal(&entry.key)), &service.policy, Some(upstream));
                let decision = decide::decide(caller, &service.policy, &rule.policy);
                prop_assert!(agrees(&seen, &decision, false), "{:?} {:?}", seen, decision);
            }
            let listed = written(library.templates().collect(), caller, &service);
            for (name, ready) in TEMPLATES.iter().zip(library.templates()) {
                let seen = look(listed.iter().find(|own| own["uriTemplate"] == *name));
                prop_assert_eq!(&seen, &oracle.sees(name), "{}", name);
                let decision = decide::decide(caller, &service.policy, &ready.rule.policy);
                prop_assert!(agrees(&seen, &decision, false), "{:?} {:?}", seen, decision);
            }
            Ok(())
        })?;
    }

    #[test]
    fn prompts_are_listed_exactly_where_they_can_be_got(
        policies in policies(), credential in credential(), hide in any::<bool>(), deny in any::<bool>(),
    ) {
        let mut service = service(hide, deny);
        let policies = keyed(&GLOBS, &policies);
        service.guards = Guards::new(&IndexMap::new(), &policies).unwrap();
        let items: Vec<Value> = NAMES.iter().map(|name| json!({"name": name})).collect();
        let prompts = offer::prompts(json!({"prompts": items}).to_string().as_bytes()).unwrap().unwrap();
        let library = Library::assemble(&service, &[Some(Offer { prompts, ..Offer::default() })]).unwrap();
        with_caller(credential.as_ref(), |caller, _| {
            let oracle = Oracle { patterns: &GLOBS, policies: &policies, service: &service, caller };
            let listed = written(library.prompts().map(|prompt| &prompt.ready).collect(), caller, &service);
            for prompt in library.prompts() {
                let seen = look(listed.iter().find(|own| own["name"] == *prompt.name));
                prop_assert_eq!(&seen, &oracle.sees(&prompt.name));
                let decision = decide::decide(caller, &service.policy, &prompt.ready.rule.policy);
                prop_assert!(agrees(&seen, &decision, false), "{:?} {:?}", seen, decision);
            }
            Ok(())
        })?;
    }
}
