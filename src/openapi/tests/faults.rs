//! What a document cannot be taken for: every fault at once.

use serde_json::json;

use super::*;

#[test]
fn what_is_no_document_is_told() {
    for (name, text, says) in [
        ("a.json", "{", "is no JSON: "),
        ("a.yaml", "a: [", "is no YAML that can be read: "),
        ("a.yaml", "swagger: '2.0'", "is a document of Swagger 2; OpenAPI 3.0 and 3.1 are read"),
        ("a.yaml", "openapi: 3.2.0", "is of OpenAPI 3.2.0; 3.0 and 3.1 are read"),
        ("a.yaml", "- 1", "has no `openapi` such as \"3.1.0\", so it is no OpenAPI document"),
        ("a.yaml", "", "has no `openapi` such as \"3.1.0\", so it is no OpenAPI document"),
    ] {
        let faults = load(&[(name, text)]).unwrap_err();
        assert!(faults.len() == 1 && faults[0].contains(says), "{text}: {faults:?}");
    }
    let faults = Document::load(std::path::Path::new("/nowhere/api.yaml")).unwrap_err();
    assert!(faults[0].starts_with("/nowhere/api.yaml: cannot be read: "), "{faults:?}");
    let folder = tempfile::tempdir().unwrap();
    assert!(Document::load(folder.path()).unwrap_err()[0].contains("is no file"));
}

#[test]
fn every_fault_at_once() {
    let whole = json!({"openapi": "3.0.3", "paths": {
        "/a/{b": {"get": {"operationId": "one"}},
        "/c": {"get": {"operationId": "one", "parameters": [
            {"in": "query", "schema": {}},
            {"name": "x", "in": "body", "schema": {}},
            {"name": "a b", "in": "header", "schema": {}},
        ]}},
    }});
    let faults = load(&[("api.json", &whole.to_string())]).unwrap_err();
    assert_eq!(
        faults,
        [
            "api.json#/paths/~1a~1{b/get: the path has a { without its }",
            "api.json#/paths/~1c/get/parameters/0: has no name",
            "api.json#/paths/~1c/get/parameters/1: `in` has to be path, query, header or cookie",
            "api.json#/paths/~1c/get/parameters/2: \"a b\" is no name of a header",
            "api.json#/paths/~1c/get: another operation has the operationId `one` too",
        ]
    );
}
