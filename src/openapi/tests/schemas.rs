//! Schemas of 3.0 and 3.1 as JSON Schema 2020-12.

use serde_json::{Value, json};

use super::*;

/// What a schema of a document becomes, as the body of a request.
fn become_in(version: &str, schema: &Value) -> Value {
    let schemas = json!({"S": schema});
    let document = document(
        version,
        &json!({"components": {"schemas": schemas}, "paths": {"/x": {"post": {
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "array", "items":
            {"$ref": "#/components/schemas/S"}}}}}}}}}),
    );
    let whole = document.operations()[0].input_schema();
    assert!(jsonschema::draft202012::meta::is_valid(&whole), "{whole:#}");
    whole["$defs"]["S"].clone()
}

#[test]
fn what_3_0_says_otherwise() {
    for (schema, expected) in [
        (json!({"type": "string", "nullable": true}), json!({"type": ["string", "null"]})),
        (json!({"type": "string", "nullable": false}), json!({"type": "string"})),
        (
            json!({"type": "string", "nullable": true, "enum": ["a"]}),
            json!({"type": ["string", "null"], "enum": ["a", null]}),
        ),
        (
            json!({"nullable": true, "description": "d", "allOf": [{"type": "object"}]}),
            json!({"description": "d", "anyOf": [{"allOf": [{"type": "object"}]}, {"type": "null"}]}),
        ),
        (
            json!({"type": "integer", "minimum": 1, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false}),
            json!({"type": "integer", "maximum": 9, "exclusiveMinimum": 1}),
        ),
        (json!({"type": "string", "example": "a"}), json!({"type": "string", "examples": ["a"]})),
        (
            json!({"type": "object", "discriminator": {"propertyName": "a"}, "xml": {}, "externalDocs": {}, "x-a": 1}),
            json!({"type": "object"}),
        ),
        (json!({"type": "file"}), json!({"type": "string"})),
    ] {
        assert_eq!(become_in("3.0.3", &schema), expected, "{schema}");
    }
}

#[test]
fn what_3_1_says_stays() {
    let schema = json!({
        "type": ["object", "null"],
        "properties": {"a": {"const": 1}, "b": true, "c": false},
        "patternProperties": {"^x": {"type": "string"}},
        "dependentRequired": {"a": ["b"]},
        "dependentSchemas": {"a": {"minProperties": 2}},
        "unevaluatedProperties": false,
        "if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {},
        "examples": [{"a": 1, "b": 2}],
        "prefixItems": [{"type": "string"}], "contains": {}, "minContains": 1,
        "exclusiveMinimum": 0.5,
    });
    assert_eq!(become_in("3.1.0", &schema), schema);
}

#[test]
fn what_is_no_schema_is_left_out_and_told() {
    let schema = json!({"type": "any", "minimum": "1", "maxLength": -1, "required": ["a", "a"], "enum": {}, "pattern": "(",
        "multipleOf": 0, "allOf": [], "minItems": 2.0, "items": [{"type": "string"}],
        "properties": {"a": {"type": "string", "required": true}, "b": null}});
    let whole = json!({"openapi": "3.0.3", "paths": {"/x": {"post": {"requestBody": {"content": {"application/json":
        {"schema": schema}}}}}}});
    let document = load(&[("api.json", &whole.to_string())]).unwrap();
    let input = document.operations()[0].input_schema();
    assert_eq!(
        input["properties"]["body"],
        json!({"required": ["a"], "minItems": 2,
        "prefixItems": [{"type": "string"}], "properties": {"a": {"type": "string"}, "b": true}})
    );
    let at = "api.json#/paths/~1x/post/requestBody/content/application~1json/schema";
    let warnings = document.warnings();
    for key in [
        "type",
        "minimum",
        "maxLength",
        "enum",
        "pattern",
        "multipleOf",
        "allOf",
        "properties/a",
        "properties/b",
    ] {
        assert!(warnings.iter().any(|own| own.starts_with(&format!("{at}/{key}: "))), "{key}: {warnings:#?}");
    }
    assert_eq!(warnings.len(), 9);
}

#[test]
fn what_is_read_only_is_neither_taken_nor_required() {
    let document = document(
        "3.0.3",
        &json!({
            "components": {"schemas": {
                "Id": {"type": "integer", "readOnly": true},
                "Base": {"type": "object", "required": ["id", "name"], "properties":
                    {"id": {"$ref": "#/components/schemas/Id"}, "name": {"type": "string"}}},
                "Pet": {"required": ["id", "tag"], "allOf": [{"$ref": "#/components/schemas/Base"},
                    {"type": "object", "required": ["id"], "properties": {"tag": {}, "secret": {"writeOnly": true}}}]},
            }},
            "paths": {"/x": {"post": {
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}},
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}},
            }}},
        }),
    );
    let operation = &document.operations()[0];
    let input = operation.input_schema();
    assert!(accepts(&input, &json!({"body": {"name": "a", "tag": 1}})), "{input:#}");
    assert!(!accepts(&input, &json!({"body": {"name": "a"}})), "the rest is required as before");
    let output = operation.output_schema().unwrap();
    assert!(accepts(&output, &json!({"id": 1, "name": "a", "tag": 1})), "{output:#}");
    assert!(!accepts(&output, &json!({"name": "a", "tag": 1})), "from the upstream the id comes");
    assert!(!output.to_string().contains("secret"));
}

#[test]
fn circles_that_end_nowhere_are_cut_and_told() {
    let document = document(
        "3.0.3",
        &json!({
            "components": {"schemas": {
                "Pet": {"oneOf": [{"$ref": "#/components/schemas/Cat"}], "properties": {"kind": {"type": "string"}}},
                "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"required": ["kind"]}]},
                "Self": {"$ref": "#/components/schemas/Self"},
                "Tree": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}},
            }},
            "paths": {"/x": {"post": {"requestBody": {"required": true, "content": {"application/json": {"schema":
                {"type": "object", "properties": {
                    "pet": {"$ref": "#/components/schemas/Pet"},
                    "self": {"$ref": "#/components/schemas/Self"},
                    "tree": {"$ref": "#/components/schemas/Tree"},
                }}}}}}}},
        }),
    );
    let input = document.operations()[0].input_schema();
    assert!(accepts(
        &input,
        &json!({"pet": {"kind": "c"}, "self": 1, "tree": {"children": [{"children": []}]}})
    ));
    assert!(!accepts(&input, &json!({"pet": {}})));
    assert!(
        !accepts(&input, &json!({"tree": {"children": [{"children": [1]}]}})),
        "a tree stays one at every depth"
    );
    assert_eq!(document.warnings().len(), 2, "{:?}", document.warnings());
    check_examples(&document);
}

#[test]
fn what_is_too_long_is_cut_at_its_ends() {
    let long = "x".repeat(60_000);
    let schemas: Map<String, Value> = (0..10)
        .map(|number| {
            let next = format!("#/components/schemas/S{}", number + 1);
            let next = if number == 9 { json!({"type": "string"}) } else { json!({"$ref": next}) };
            (
                format!("S{number}"),
                json!({"type": "object", "description": long, "properties": {"next": next}}),
            )
        })
        .collect();
    let document = document(
        "3.0.3",
        &json!({"components": {"schemas": schemas}, "paths": {"/x": {"post": {"requestBody":
        {"required": true, "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/S0"}}}}}}}}}),
    );
    let input = document.operations()[0].input_schema();
    assert!(input.to_string().len() < 300_000);
    assert!(accepts(&input, &json!({"body": [{"next": {"next": {}}}]})));
    assert!(!accepts(&input, &json!({"body": [{"next": {"next": 1}}]})));
}
