//! The OpenAPI document of the REST API.

use serde_json::{Map, Value, json};

use super::super::seeds::sample;
use super::super::table::{Domain, Mark, Operation, Table, Take};
use super::catalog::schema;
use super::{set, yaml};

/// Where the API is.
const SERVER: &str = "https://api.meteor.example/api/v1";

/// The document.
pub(super) fn text(table: &Table) -> Result<String, String> {
    let mut paths = Map::new();
    for own in &table.operations {
        let path = paths.entry(own.path.clone()).or_insert_with(|| json!({}));
        set(path, &own.method.to_lowercase(), operation(table, own)?);
    }
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "API de Meteor",
            "version": "1.0.0",
            "description": "Todo lo que se puede hacer en un workspace de Meteor. Everything that can be done in one.",
        },
        "servers": [{ "url": SERVER }],
        "tags": table.domains.iter()
            .map(|own| json!({ "name": own.id, "description": format!("{}. {}.", own.read.es, own.read.en) }))
            .collect::<Vec<_>>(),
        "paths": paths,
        "components": {
            "securitySchemes": { "meteor": { "type": "oauth2", "flows": { "authorizationCode": {
                "authorizationUrl": "https://api.meteor.example/authorize",
                "tokenUrl": "https://api.meteor.example/token",
                "scopes": scopes(table),
            } } } },
            "schemas": schemas(table)?,
            "responses": { "Error": {
                "description": "Por qué no se pudo, con un código y qué hacer.",
                "content": { "application/json": {
                    "schema": { "$ref": "#/components/schemas/Error" },
                    "example": {
                        "error": "No existe contact cto_9 en este workspace.",
                        "code": "not_found",
                        "hint": "Busca el id con la operación que lista o busca, y repite con ese.",
                        "status": 404,
                    },
                } },
            } },
        },
    });
    let head = "# Printed by `cargo run --example meteor-worker -- --print openapi` from worker/table; \
                not to be edited by hand.\n";
    Ok(format!("{head}{}", yaml::document(&document)))
}

fn scopes(table: &Table) -> Map<String, Value> {
    let both = |own: &Domain| {
        [
            (format!("{}:read", own.id), own.read.en.clone()),
            (format!("{}:write", own.id), own.write.en.clone()),
        ]
    };
    table.domains.iter().flat_map(both).map(|(name, title)| (name, title.into())).collect()
}

/// A kind's schema, by the members of its sample.
fn schemas(table: &Table) -> Result<Map<String, Value>, String> {
    let mut schemas = Map::new();
    for kind in table.kinds.keys() {
        let sample = sample(table, kind)?;
        let members = sample.as_ref().and_then(Value::as_object);
        let properties: Map<String, Value> = members
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), json!({ "type": type_of(value) })))
            .collect();
        schemas
            .insert(kind.clone(), json!({ "type": "object", "properties": properties, "required": ["id"] }));
    }
    schemas.insert(
        "Error".to_owned(),
        json!({ "type": "object", "required": ["error", "code", "hint", "status"], "properties": {
            "error": { "type": "string" }, "code": { "type": "string" },
            "hint": { "type": "string" }, "status": { "type": "integer" } } }),
    );
    schemas.insert(
        "Pagination".to_owned(),
        json!({ "type": "object", "required": ["total", "returned", "next_cursor"], "properties": {
            "total": { "type": "integer" }, "returned": { "type": "integer" },
            "next_cursor": { "type": ["string", "null"] } } }),
    );
    Ok(schemas)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn operation(table: &Table, own: &Operation) -> Result<Value, String> {
    let in_body =
        |take: &&Take| !own.in_path(&take.name) && matches!(own.method.as_str(), "POST" | "PUT" | "PATCH");
    let parameters: Vec<Value> =
        own.takes.iter().filter(|take| !in_body(take)).map(|take| parameter(own, take)).collect();
    let mut text = format!("{} {}", own.when, own.en);
    if own.is(Mark::Meta) {
        text.push_str(" Tiene costo con Meta.");
    }
    let mut value = json!({
        "operationId": own.id,
        "tags": [own.domain],
        "summary": own.es,
        "description": text,
        "security": [{ "meteor": [own.scope()] }],
    });
    if !parameters.is_empty() {
        set(&mut value, "parameters", parameters.into());
    }
    let body: Vec<&Take> = own.takes.iter().filter(in_body).collect();
    if !body.is_empty() {
        set(&mut value, "requestBody", request(&body));
    }
    let responses = json!({
        "200": answer(table, own)?,
        "default": { "$ref": "#/components/responses/Error" },
    });
    set(&mut value, "responses", responses);
    Ok(value)
}

fn described(take: &Take) -> Value {
    schema(&take.argument, &format!("{} {}", take.argument.es, take.argument.en))
}

fn parameter(own: &Operation, take: &Take) -> Value {
    let mut schema = described(take);
    let description = schema.as_object_mut().and_then(|own| own.shift_remove("description"));
    json!({
        "name": take.name,
        "in": if own.in_path(&take.name) { "path" } else { "query" },
        "required": take.required,
        "description": description,
        "schema": schema,
        "example": take.argument.example,
    })
}

fn request(body: &[&Take]) -> Value {
    let properties: Map<String, Value> =
        body.iter().map(|take| (take.name.clone(), described(take))).collect();
    let required: Vec<&str> =
        body.iter().filter(|take| take.required).map(|take| take.name.as_str()).collect();
    let example: Map<String, Value> =
        body.iter().map(|take| (take.name.clone(), take.argument.example.clone())).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        set(&mut schema, "required", json!(required));
    }
    json!({
        "required": !required.is_empty(),
        "content": { "application/json": { "schema": schema, "example": example } },
    })
}

fn answer(table: &Table, own: &Operation) -> Result<Value, String> {
    let Some(kind) = own.kind() else {
        return Ok(json!({
            "description": own.en,
            "content": { "application/json": { "schema": { "type": "object" } } },
        }));
    };
    let one = json!({ "$ref": format!("#/components/schemas/{kind}") });
    let mut content = if own.lists() {
        json!({ "schema": { "type": "object", "properties": {
            "items": { "type": "array", "items": one },
            "pagination": { "$ref": "#/components/schemas/Pagination" } } } })
    } else if own.answers_record() {
        json!({ "schema": one })
    } else {
        json!({ "schema": { "type": "object" } })
    };
    let sample = sample(table, kind)?;
    if let Some(sample) = sample.filter(|_| own.lists() || own.answers_record()) {
        let example = if own.lists() {
            json!({ "items": [sample], "pagination": { "total": 1, "returned": 1, "next_cursor": null } })
        } else {
            sample
        };
        set(&mut content, "example", example);
    }
    Ok(json!({ "description": own.en, "content": { "application/json": content } }))
}
