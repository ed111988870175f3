//! Tools, as `tools/list` gives them.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::super::table::{Argument, Mark, Operation, Table, Take, Type};
use super::set;

/// A catalog: one of the two endpoints' tools.
pub(super) fn text(table: &Table, partner: bool) -> String {
    let tools: Vec<Value> =
        table.of(partner).filter_map(|own| own.tool.as_deref().map(|name| tool(table, own, name))).collect();
    format!("{:#}\n", Value::Array(tools))
}

fn tool(table: &Table, own: &Operation, name: &str) -> Value {
    let domain = table.domains.iter().find(|domain| domain.id == own.domain);
    let members = |take: &Take| (take.name.clone(), schema(&take.argument, &take.argument.es));
    let properties: Map<String, Value> = own.takes.iter().map(members).collect();
    let required: Vec<&str> =
        own.takes.iter().filter(|take| take.required).map(|take| take.name.as_str()).collect();
    let mut input = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        set(&mut input, "required", json!(required));
    }
    json!({
        "name": name,
        "title": own.es,
        "description": description(own),
        "inputSchema": input,
        "annotations": {
            "title": own.es,
            "readOnlyHint": !own.writes(),
            "destructiveHint": own.is(Mark::Destroys),
            "idempotentHint": own.is(Mark::Same),
            "openWorldHint": own.is(Mark::Outside),
        },
        // for the page of the tools; no client sees it
        "_meta": { "io.portero/domain": domain.map(|domain| domain.title.as_str()) },
    })
}

/// When to use it, what it goes with, what it costs.
fn description(own: &Operation) -> String {
    let mut text = format!("{}. {} Va en pareja con {}. ", own.es, own.when, own.pair);
    match own.energy {
        0 => text.push_str("No gasta Energía."),
        energy => drop(write!(text, "Gasta {energy} de Energía.")),
    }
    if own.is(Mark::Meta) {
        text.push_str(" Tiene costo con Meta.");
    }
    text
}

/// The schema of one argument.
pub(super) fn schema(argument: &Argument, description: &str) -> Value {
    let mut schema = match argument.kind {
        Type::Text => json!({ "type": "string" }),
        Type::Integer => json!({ "type": "integer" }),
        Type::Object => json!({ "type": "object" }),
        Type::Time => json!({ "type": "string", "format": "date-time" }),
        Type::Strings => {
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 500 })
        }
        Type::Objects => {
            json!({ "type": "array", "items": { "type": "object" }, "minItems": 1, "maxItems": 500 })
        }
    };
    if !argument.one_of.is_empty() {
        set(&mut schema, "enum", json!(argument.one_of));
    }
    set(&mut schema, "description", description.into());
    schema
}
