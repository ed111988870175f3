//! `$ref`, of every kind.

use serde_json::json;

use super::*;

#[test]
fn references_of_every_kind() {
    let document = document(
        "3.1.0",
        &json!({
            "components": {
                "parameters": {"P": {"$ref": "#/components/parameters/Q"}, "Q": {"name": "q", "in": "query", "schema": {"$ref": "#/components/schemas/a~1b%20c"}}},
                "requestBodies": {"B": {"content": {"application/json": {"schema": {"$ref": "#named"}}}}},
                "responses": {"R": {"content": {"application/json": {"schema": {"$ref": "https://schemas.example/tree"}}}}},
                "pathItems": {"I": {"summary": "there", "get": {"operationId": "there", "parameters": [{"$ref": "#/components/parameters/P"}]}}},
                "schemas": {
                    "a/b c": {"type": "integer"},
                    "N": {"$anchor": "named", "type": "object", "properties": {"x": {"$ref": "#/components/schemas/a~1b%20c", "description": "beside"}}},
                    "T": {"$id": "https://schemas.example/tree", "type": "array", "items": {"$ref": "#/$defs/leaf"}, "$defs": {"leaf": {"type": "string"}},
                        "prefixItems": [{"$ref": "leaf"}]},
                    "L": {"$id": "https://schemas.example/leaf", "type": "boolean"},
                    "Deep": {"$dynamicAnchor": "node", "type": "object", "properties": {"next": {"$dynamicRef": "#node"}}},
                },
            },
            "paths": {
                "/x": {"$ref": "#/components/pathItems/I", "post": {
                    "operationId": "here",
                    "requestBody": {"$ref": "#/components/requestBodies/B"},
                    "responses": {"200": {"$ref": "#/components/responses/R"}},
                }},
                "/y": {"post": {"requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Deep"}}}}}},
            },
        }),
    );
    let there = document.get("there").unwrap();
    assert_eq!(there.summary, "there");
    assert!(
        accepts(&there.input_schema(), &json!({"q": 1}))
            && !accepts(&there.input_schema(), &json!({"q": "a"}))
    );
    let here = document.get("here").unwrap();
    assert_eq!(
        here.input_schema()["properties"]["x"],
        json!({"description": "beside", "$ref": "#/$defs/a_b_c"})
    );
    let output = here.output_schema().unwrap();
    assert!(
        accepts(&output, &json!([true, "a"]))
            && !accepts(&output, &json!(["a"]))
            && !accepts(&output, &json!([true, 1]))
    );
    let deep = document.get("post_y").unwrap().input_schema();
    assert!(accepts(&deep, &json!({"next": {"next": {}}})) && !accepts(&deep, &json!({"next": {"next": 1}})));
}

#[test]
fn beside_a_reference_3_0_says_nothing() {
    let members = json!({"components": {"schemas": {"A": {"type": "string"}}}, "paths": {"/x": {"get": {"parameters":
        [{"name": "q", "in": "query", "schema": {"$ref": "#/components/schemas/A", "minLength": 3}}]}}}});
    let at = |version| document(version, &members).operations()[0].input_schema();
    assert!(accepts(&at("3.0.3"), &json!({"q": "a"})));
    assert!(!accepts(&at("3.1.0"), &json!({"q": "a"})));
}

#[test]
fn other_files_in_json_and_yaml() {
    let document = load(&[
        ("api.yaml", "openapi: 3.0.3\npaths:\n  /pets/{id}:\n    $ref: paths/pets.yaml#/item\n"),
        ("paths/pets.yaml", "item:\n  get:\n    operationId: getPet\n    parameters:\n      - $ref: '../parameters.json#/id'\n    \
            responses:\n      200:\n        content:\n          application/json:\n            schema:\n              $ref: ../schemas/pet.yaml\n"),
        ("parameters.json", r#"{"id": {"name": "id", "in": "path", "required": true, "schema": {"$ref": "schemas/pet.yaml#/properties/id"}}}"#),
        ("schemas/pet.yaml", "type: object\nproperties:\n  id: {type: integer}\n  owner: {$ref: 'pet.yaml'}\n"),
    ])
    .unwrap_or_else(|faults| panic!("{}", faults.join("\n")));
    let operation = document.get("getPet").unwrap();
    assert_eq!(target(operation, &json!({"id": 7})), "/pets/7");
    let input = operation.input_schema();
    assert!(!accepts(&input, &json!({"id": "a"})));
    let output = operation.output_schema().unwrap();
    assert!(
        accepts(&output, &json!({"owner": {"id": 1}})) && !accepts(&output, &json!({"owner": {"id": "a"}}))
    );
}

#[test]
fn what_dangles_is_told_with_file_and_pointer() {
    let faults = load(&[
        ("api.yaml", "openapi: 3.0.3\npaths:\n  /x:\n    get:\n      parameters:\n        - $ref: '#/components/parameters/None'\n        \
            - $ref: 'other.yaml#/p'\n        - $ref: 'gone.yaml#/p'\n        - $ref: '../secret.yaml#/p'\n        \
            - $ref: 'https://a.example/p.yaml#/p'\n        - $ref: '#/components/parameters/Loop'\n\
            components: {parameters: {Loop: {$ref: '#/components/parameters/Loop'}}}\n"),
        ("other.yaml", "p: {name: q, in: query, schema: {$ref: '#/nothing'}}\n"),
    ])
    .unwrap_err();
    let at = "api.yaml#/paths/~1x/get/parameters";
    for expected in [
        format!(
            "{at}/0: `#/components/parameters/None` refers to nothing: there is no `/components/parameters/None` in api.yaml"
        ),
        "other.yaml#/p/schema: `#/nothing` refers to nothing: there is no `/nothing` in other.yaml"
            .to_owned(),
        format!(
            "{at}/2: `gone.yaml#/p` refers to gone.yaml, which cannot be read: No such file or directory (os error 2)"
        ),
        format!(
            "{at}/3: `../secret.yaml#/p` would leave the document's folder or go over the network, which no reference may"
        ),
        format!(
            "{at}/4: `https://a.example/p.yaml#/p` would leave the document's folder or go over the network, which no reference may"
        ),
        "api.yaml#/components/parameters/Loop: leads through more than 32 references, or in a circle"
            .to_owned(),
    ] {
        assert!(faults.contains(&expected), "{expected}\n{faults:#?}");
    }
    assert_eq!(faults.len(), 6);
}

#[cfg(unix)]
#[test]
fn a_link_leads_out_of_the_folder_no_more_than_a_path() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.yaml"), "p: {name: q, in: query, schema: {}}\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.yaml"), folder.path().join("link.yaml")).unwrap();
    let api = folder.path().join("api.yaml");
    fs::write(&api, "openapi: 3.0.3\npaths: {/x: {get: {parameters: [{$ref: 'link.yaml#/p'}]}}}\n").unwrap();
    let faults = Document::load(&api).unwrap_err();
    assert!(
        faults[0].ends_with("refers to link.yaml, which leads out of the document's folder"),
        "{faults:?}"
    );
}
