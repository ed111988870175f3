//! Tools, as `tools/list` gives them.

use serde_json::{Map, Value, json};

use super::super::table::{Argument, Operation, Table, Take, Type};

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
        input["required"] = json!(required);
    }
    json!({
        "name": name,
        "title": own.es,
        "description": description(own),
        "inputSchema": input,
        "annotations": {
            "title": own.es,
            "readOnlyHint": !own.writes(),
            "destructiveHint": own.writes() && own.destroys,
            "idempotentHint": own.same,
            "openWorldHint": own.outside,
        },
        // for the page of the tools; no client sees it
        "_meta": { "io.portero/domain": domain.map(|domain| domain.title.as_str()) },
    })
}

/// When to use it, what it goes with, what it costs.
fn description(own: &Operation) -> String {
    let mut text = format!("{}. {} Va en pareja con {}. ", own.es, own.when, own.pair);
    text.push_str(&match own.energy {
        0 => "No gasta Energía.".to_owned(),
        energy => format!("Gasta {energy} de Energía."),
    });
    if own.meta {
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
        schema["enum"] = json!(argument.one_of);
    }
    schema["description"] = description.into();
    schema
}
