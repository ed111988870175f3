//! What a name means that somebody asks about: a tool, or an operation of a REST API.

use super::super::catalog::Catalog;
use super::super::rest::operations::Entry;
use super::super::rest::{Generic, Operations};
use super::super::service::{Route, Tool};
use super::Step;

/// What a name means: a tool, or an operation that generic tools reach.
#[derive(Clone, Copy)]
pub(super) struct Meant<'c> {
    pub tool: &'c Tool,
    pub operation: Option<(&'c Entry, &'c Operations)>,
}

impl<'c> Meant<'c> {
    pub fn of(catalog: &'c Catalog, name: &str) -> Option<Self> {
        if let Some(tool) = catalog.get(name) {
            return Some(Self { tool, operation: None });
        }
        let found = catalog.operation(name)?;
        Some(Self { tool: &found.0.tool, operation: Some(found) })
    }
}

/// What a REST API's operation adds to the steps.
pub(super) fn of_operation(tool: &Tool, operation: Option<(&Entry, &Operations)>) -> Option<Step> {
    if matches!(tool.route, Route::Generic(Generic::Call(_))) {
        return Some(Step::note(
            "operation",
            "a call is decided as the operation that it names: explain that one",
        ));
    }
    let (entry, _) = operation?;
    Some(match &entry.barred {
        Some(barred) => {
            Step::new("operation", false, format!("it is kept away from models: {}", barred.reason))
        }
        None => Step::new("operation", true, format!("{} {}", entry.operation.method, entry.operation.path)),
    })
}
