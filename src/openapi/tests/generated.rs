//! A document of 1,000 operations that share schemas deeply, and examples of it.

use serde_json::{Map, Value, json};

use super::*;

/// Schemas that refer to ten others each: laid out in full they would never end.
fn schemas(count: usize) -> Map<String, Value> {
    let of = |number: usize| {
        let properties: Map<String, Value> = (1..=10)
            .map(|step| {
                let name = format!("#/components/schemas/S{}", (number * 7 + step * 13) % count);
                (format!("p{step}"), json!({"$ref": name}))
            })
            .chain([(
                "text".to_owned(),
                json!({"type": "string", "description": "words ".repeat(40), "pattern": "^[a-z]+$"}),
            )])
            .collect();
        (format!("S{number}"), json!({"type": "object", "required": ["text"], "properties": properties}))
    };
    (0..count).map(of).collect()
}

fn document_of(operations: usize) -> Value {
    let paths: Map<String, Value> = (0..operations)
        .map(|number| {
            let reference = json!({"$ref": format!("#/components/schemas/S{}", number % 400)});
            let operation = json!({
                "operationId": format!("op{number}"),
                "description": "Does what it says. ".repeat(20),
                "parameters": [
                    {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}},
                    {"name": "q", "in": "query", "schema": {"type": "array", "items": {"enum": ["a", "b"]}}},
                ],
                "requestBody": {"required": true, "content": {"application/json": {"schema": reference}}},
                "responses": {"200": {"content": {"application/json": {"schema": reference}}}},
            });
            (format!("/things{number}/{{id}}"), json!({"put": operation}))
        })
        .collect();
    json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths,
        "components": {"schemas": schemas(400)}})
}

#[test]
fn shared_schemas_stay_small() {
    let text = document_of(1000).to_string();
    assert!(text.len() > 1_000_000, "{}", text.len());
    let document = load(&[("api.json", &text)]).unwrap();
    assert_eq!((document.operations().len(), document.warnings().len()), (1000, 0));
    let largest = document
        .operations()
        .iter()
        .step_by(97)
        .map(|own| own.input_schema().to_string().len())
        .max()
        .unwrap();
    assert!(largest < 300_000, "{largest}");
}

#[test]
fn examples_are_good_and_make_requests() {
    check_examples(&load(&[("api.json", &document_of(3).to_string())]).unwrap());
    check_examples(&document(
        "3.0.3",
        &json!({"paths": {"/x/{a}/{b}": {"post": {
            "parameters": [
                {"name": "a", "in": "path", "required": true, "schema": {"type": "object"}},
                {"name": "b", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^(?!x)[A-Z]{2}-\\d+$", "minLength": 6}},
                {"name": "c", "in": "query", "schema": {"type": "array", "minItems": 3, "uniqueItems": true, "items": {"type": "integer", "minimum": 5}}},
                {"name": "d", "in": "query", "schema": {"type": "number", "exclusiveMinimum": true, "minimum": 0, "maximum": 0.5}},
                {"name": "e", "in": "query", "example": "not one of them", "schema": {"enum": ["one", "two"]}},
                {"name": "f", "in": "query", "schema": {"type": "integer", "multipleOf": 7, "minimum": 15}},
            ],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {
                "oneOf": [
                    {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["cat"]}}, "additionalProperties": false},
                    {"type": "object", "required": ["kind", "at"], "properties": {"kind": {"enum": ["dog"]}, "at": {"type": "string", "format": "date-time"}}},
                ],
                "minProperties": 1,
            }}}},
        }}}}),
    ));
}
