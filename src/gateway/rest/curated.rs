//! Tools that the operator has written down, each for one operation: their descriptors come from the document.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::catalog::{Made, Maker};
use super::super::service::{Outline, Route, Tool, Upstream};
use super::super::validate::short;
use super::policy::Way;
use super::{Api, Call};
use crate::domain::tool::Confirm;
use crate::mcp::headers;
use crate::mcp::tool::{self, Descriptor};
use crate::openapi::Operation;

/// Of a description so much goes into a tool list, which a model reads whole.
const MAX_DESCRIPTION: usize = 2000;

/// The descriptors of an API's curated tools, in the order of the configuration.
///
/// # Errors
/// The tool that no client could use.
pub fn descriptors(
    api: &Api,
    policies: &[(String, crate::config::ToolPolicy)],
) -> Result<Vec<Descriptor>, String> {
    let all = policies.iter().filter_map(|(name, policy)| {
        let operation = api.document.get(policy.operation.as_deref()?)?;
        Some(described(name, operation))
    });
    let catalog = Value::Array(all.collect()).to_string();
    tool::parse_catalog(catalog.as_bytes()).map_err(|fault| fault.to_string())
}

fn described(name: &str, operation: &Operation) -> Value {
    let mut tool = Map::new();
    tool.insert("name".into(), name.into());
    if !operation.summary.trim().is_empty() {
        tool.insert("title".into(), operation.summary.trim().into());
    }
    tool.insert("description".into(), description(operation).into());
    tool.insert("inputSchema".into(), operation.input_schema());
    let output = operation.output_schema().filter(|schema| schema.get("type") == Some(&json!("object")));
    if let Some(output) = output {
        tool.insert("outputSchema".into(), output);
    }
    tool.insert("annotations".into(), annotations(operation));
    Value::Object(tool)
}

fn description(operation: &Operation) -> String {
    let (summary, more) = (operation.summary.trim(), operation.description.trim());
    let text = match (summary, more) {
        ("", "") => format!("{} {}", operation.method, operation.path),
        ("", text) | (text, "") => text.to_owned(),
        (summary, more) if more.starts_with(summary) => more.to_owned(),
        (summary, more) => format!("{}. {more}", summary.trim_end_matches('.')),
    };
    let text = short(&text, MAX_DESCRIPTION);
    // the gateway's own sentences may follow
    if text.ends_with(char::is_alphanumeric) { format!("{text}.") } else { text }
}

/// What the method promises (RFC 9110 §9.2): nothing is said of a POST but that it writes.
fn annotations(operation: &Operation) -> Value {
    match operation.method.as_str() {
        "GET" | "HEAD" => json!({"readOnlyHint": true}),
        "PUT" | "DELETE" => json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true}),
        "PATCH" => json!({"readOnlyHint": false, "destructiveHint": true}),
        _ => json!({"readOnlyHint": false}),
    }
}

impl Maker<'_> {
    /// A curated tool.
    ///
    /// # Errors
    /// An operation that has no place for it, or cannot be called.
    pub fn curated(&self, upstream: &Upstream, api: &Api, seen: &Descriptor) -> Result<Tool, String> {
        let name = seen.name.as_str();
        let named = self.service.policies.iter().find(|(own, _)| own == name);
        let id = named.and_then(|(_, policy)| policy.operation.as_deref());
        let operation = id
            .and_then(|id| api.document.get(id))
            .ok_or_else(|| format!("tool {name:?} has no operation"))?;
        let demand = self.demand(upstream, api, operation, Way::Curated);
        let base = api.base(&upstream.base, operation).map_err(|why| format!("tool {name:?}: {why}"))?;
        let properties = seen.input_schema().get("properties");
        if demand.policy.confirm != Confirm::No && properties.is_some_and(|own| own.get("confirm").is_some())
        {
            return Err(format!(
                "tool {name:?} asks for confirm, and its operation has an argument of that name; set confirm = false, or leave it to the generic tools"
            ));
        }
        let (listed, locked) = self.descriptors(&demand.own, &demand.policy, seen);
        let made = Made {
            name,
            policy: demand.policy,
            route: Route::Operation(Call::new(Arc::clone(operation), base)),
            structured: demand.own.structured.unwrap_or(seen.has_output_schema()),
            message: demand.message,
            headers: self.names.of_api(
                self.service.policy.id.as_str(),
                name,
                &upstream.host,
                &upstream.headers,
            ),
        };
        Ok(Tool {
            listed,
            locked,
            outline: Outline::of(seen),
            mirrors: headers::mirrors(seen.input_schema()),
            ..self.bare(upstream, &demand.own, made)
        })
    }
}
