//! The operations of an API as tools that no list shows: what a generic call becomes.

use std::sync::Arc;

use super::super::catalog::{Made, Maker};
use super::super::refusal::Barred;
use super::super::service::{Route, Source, Tool, Upstream};
use super::policy::Way;
use super::{Api, Call};
use crate::domain::table::Table;
use crate::openapi::Operation;

/// Every operation of an API, in the document's order.
pub struct Operations {
    /// The API.
    pub api: Arc<Api>,
    /// What the names of its generic tools begin with.
    pub prefix: Box<str>,
    entries: Vec<Entry>,
    by_id: Table<Box<str>, usize>,
}

/// One operation.
pub struct Entry {
    /// The operation.
    pub operation: Arc<Operation>,
    /// What calls it.
    pub tool: Arc<Tool>,
    /// Why no model may call it, if that is so.
    pub barred: Option<Arc<Barred>>,
}

impl Operations {
    /// The operation of an id.
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.at(*self.by_id.get(id)?)
    }

    /// The operation at a position.
    pub fn at(&self, position: usize) -> Option<&Entry> {
        self.entries.get(position)
    }

    /// The name of the tool that finds operations.
    pub fn search_name(&self) -> String {
        search_name(&self.prefix)
    }
}

impl Upstream {
    /// The names of its generic tools, if it has any.
    pub fn generic_names(&self) -> Vec<String> {
        let Source::Rest(api) = &self.source else { return Vec::new() };
        let prefix = api.generic.iter();
        prefix.flat_map(|prefix| [search_name(prefix), describe_name(prefix), call_name(prefix)]).collect()
    }
}

/// The name of the tool that finds operations.
pub fn search_name(prefix: &str) -> String {
    format!("{prefix}_search_operations")
}

/// The name of the tool that describes one.
pub fn describe_name(prefix: &str) -> String {
    format!("{prefix}_describe_operation")
}

/// The name of the tool that calls one.
pub fn call_name(prefix: &str) -> String {
    format!("{prefix}_call_operation")
}

impl Maker<'_> {
    /// All operations of an API.
    pub fn operations(&self, upstream: &Upstream, api: &Arc<Api>, prefix: &str) -> Operations {
        let all = api.document.operations();
        Operations {
            entries: all.iter().map(|operation| self.entry(upstream, api, prefix, operation)).collect(),
            by_id: all.iter().enumerate().map(|(at, own)| (own.id.as_str().into(), at)).collect(),
            prefix: prefix.into(),
            api: Arc::clone(api),
        }
    }

    fn entry(&self, upstream: &Upstream, api: &Api, prefix: &str, operation: &Arc<Operation>) -> Entry {
        let demand = self.demand(upstream, api, operation, Way::Generic);
        // A curated tool and its operation count as one: what is limited by one way is by the other.
        let curated = api.curated.get(&operation.id);
        let name = curated.cloned().unwrap_or_else(|| format!("{}/{}", call_name(prefix), operation.id));
        let base = api.base(&upstream.base, operation);
        let barred = barred(api, operation, base.as_ref().err());
        let call = Call::new(Arc::clone(operation), base.unwrap_or_default());
        let told = curated.unwrap_or(&operation.id);
        let made = Made {
            name: &name,
            policy: demand.policy,
            route: Route::Operation(call),
            structured: demand.own.structured.unwrap_or_default(),
            message: demand.message,
            headers: self.names.of_api(
                self.service.policy.id.as_str(),
                told,
                &upstream.host,
                &upstream.headers,
            ),
        };
        Entry {
            operation: Arc::clone(operation),
            tool: Arc::new(self.bare(upstream, &demand.own, made)),
            barred: barred.map(Arc::new),
        }
    }
}

fn barred(api: &Api, operation: &Operation, elsewhere: Option<&String>) -> Option<Barred> {
    let of = |reason: &str, instead: Option<&str>| Barred {
        operation: operation.id.as_str().into(),
        reason: reason.into(),
        instead: instead.map(Into::into),
    };
    if let Some(own) = api.excluded(&operation.id) {
        return Some(of(&own.reason, own.instead.as_deref()));
    }
    operation.unavailable.as_ref().or(elsewhere).map(|reason| of(reason, None))
}
