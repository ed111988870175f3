//! Parameters: where they stand, how they are written, what their arguments are called.

use serde_json::{Value, json};

use super::*;
use crate::openapi::Location;

#[test]
fn styles_in_the_path() {
    for (style, explode, expected) in [
        ("simple", false, "/a/R,100,G,200/b"),
        ("simple", true, "/a/R=100,G=200/b"),
        ("label", true, "/a/.R=100.G=200/b"),
        ("matrix", false, "/a/;color=R,100,G,200/b"),
        ("matrix", true, "/a/;R=100;G=200/b"),
    ] {
        let own = json!({"name": "color", "in": "path", "required": true, "style": style, "explode": explode,
            "schema": {"type": "object"}});
        let operation = parameter("/a/{color}/b", &own);
        assert_eq!(target(&operation, &json!({"color": {"R": 100, "G": 200}})), expected);
    }
}

#[test]
fn styles_in_the_query() {
    for (own, value, expected) in [
        (json!({}), json!(["a b", "c&d"]), "/x?q=a%20b&q=c%26d"),
        (json!({"explode": false}), json!(["a,b", "c"]), "/x?q=a%2Cb,c"),
        (json!({"style": "spaceDelimited", "explode": false}), json!([1, 2]), "/x?q=1%202"),
        (json!({"style": "pipeDelimited", "explode": false}), json!([1, 2]), "/x?q=1%7C2"),
        (
            json!({"style": "deepObject", "explode": true}),
            json!({"a": 1, "b": [2]}),
            "/x?q%5Ba%5D=1&q%5Bb%5D%5B0%5D=2",
        ),
        (json!({"allowReserved": true}), json!("a/b?c&d=e#f"), "/x?q=a/b?c%26d=e%23f"),
        (json!({}), json!(true), "/x?q=true"),
        (json!({}), json!(null), "/x"),
        (json!({}), json!([]), "/x"),
        (json!({}), json!(""), "/x?q="),
    ] {
        let mut whole = json!({"name": "q", "in": "query", "schema": {}});
        whole.as_object_mut().unwrap().extend(arguments(&own));
        assert_eq!(target(&parameter("/x", &whole), &json!({"q": value})), expected, "{own}");
    }
}

#[test]
fn content_is_written_as_its_media_type_says() {
    let own =
        json!({"name": "q", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}});
    let operation = parameter("/x", &own);
    assert_eq!(target(&operation, &json!({"q": {"a": "&"}})), "/x?q=%7B%22a%22%3A%22%26%22%7D");
    let own =
        json!({"name": "q", "in": "path", "required": true, "content": {"application/json": {"schema": {}}}});
    assert_eq!(target(&parameter("/x/{q}", &own), &json!({"q": [1, "a/b"]})), "/x/%5B1%2C%22a%2Fb%22%5D");
}

#[test]
fn headers_and_cookies() {
    let document = document(
        "3.1.0",
        &json!({"paths": {"/x": {"get": {"parameters": [
        {"name": "X-Tags", "in": "header", "schema": {"type": "array"}},
        {"name": "X-Map", "in": "header", "explode": true, "schema": {"type": "object"}},
        {"name": "Accept", "in": "header", "schema": {"type": "string"}},
        {"name": "content-type", "in": "header", "required": true, "schema": {"type": "string"}},
        {"name": "Authorization", "in": "header", "required": true, "schema": {"type": "string"}},
        {"name": "X-Portero-User", "in": "header", "schema": {"type": "string"}},
        {"name": "Host", "in": "header", "schema": {"type": "string"}},
        {"name": "Transfer-Encoding", "in": "header", "schema": {"type": "string"}},
        {"name": "Cookie", "in": "header", "schema": {"type": "string"}},
        {"name": "debug", "in": "cookie", "schema": {"type": "integer"}},
        {"name": "list", "in": "cookie", "explode": false, "schema": {"type": "array"}},
    ], "responses": {"200": {"content": {"application/vnd.a+json": {}, "application/json": {}}}}}}}}),
    );
    let operation = &document.operations()[0];
    let schema = operation.input_schema();
    let names: Vec<_> = schema["properties"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["X-Tags", "X-Map", "debug", "list"]);
    assert_eq!(document.warnings().len(), 4, "what is owned is told: {:?}", document.warnings());
    let value = json!({"X-Tags": ["a", "b"], "X-Map": {"k": 1}, "debug": 0, "list": ["a;b", "c"]});
    let request = call(operation, &value).unwrap();
    let header = |name: &str| request.headers.get(name).unwrap().to_str().unwrap().to_owned();
    assert_eq!(header("x-tags"), "a,b");
    assert_eq!(header("x-map"), "k=1");
    assert_eq!(header("cookie"), "debug=0; list=a%3Bb,c");
    assert_eq!(header("accept"), "application/vnd.a+json, application/json");
    assert_eq!((request.target.as_str(), request.body), ("/x", None));
}

#[test]
fn an_operations_parameter_stands_over_its_items() {
    let document = document(
        "3.0.3",
        &json!({"paths": {"/x/{id}": {
            "parameters": [
                {"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}},
                {"name": "page", "in": "query", "schema": {"type": "integer"}},
            ],
            "get": {"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]},
        }}}),
    );
    let schema = document.operations()[0].input_schema();
    assert_eq!(schema["properties"], json!({"id": {"type": "string"}, "page": {"type": "integer"}}));
    assert_eq!(schema["required"], json!(["id"]));
}

#[test]
fn no_two_arguments_have_one_name() {
    let at = |location: &str, name: &str| {
        json!({"name": name, "in": location, "required": location == "path",
        "schema": {"type": "string"}})
    };
    let document = document(
        "3.0.3",
        &json!({"paths": {"/x/{id}": {"put": {
            "parameters": [at("query", "id"), at("path", "id"), at("header", "id"), at("query", "filter[status]"),
                at("query", "body"), at("query", "$top")],
            "requestBody": {"content": {"application/json": {"schema": {"type": "array"}}}},
        }}}}),
    );
    let operation = &document.operations()[0];
    let names: Vec<_> =
        operation.parameters.iter().map(|own| (own.argument.as_str(), own.location)).collect();
    assert_eq!(
        names,
        [
            ("id_query", Location::Query),
            ("id", Location::Path),
            ("id_header", Location::Header),
            ("filter_status", Location::Query),
            ("body_query", Location::Query),
            ("top", Location::Query),
        ]
    );
    let value = json!({"id": "p", "id_query": "q", "id_header": "h", "filter_status": "f", "body_query": "b", "body": [1]});
    let request = call(operation, &value).unwrap();
    assert_eq!(request.target, "/x/p?id=q&filter%5Bstatus%5D=f&body=b");
    assert_eq!(request.headers["id"], "h");
    assert_eq!(&request.body.unwrap().1[..], b"[1]");
}

#[test]
fn credentials_are_no_arguments() {
    let document = document(
        "3.0.3",
        &json!({
            "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "api_key"}}},
            "paths": {"/x": {"get": {"parameters": [
                {"name": "api_key", "in": "query", "required": true, "schema": {"type": "string"}},
                {"name": "q", "in": "query", "schema": {"type": "string"}},
            ]}}},
        }),
    );
    let operation = &document.operations()[0];
    assert_eq!(operation.parameters.len(), 1);
    assert_eq!(call(operation, &json!({"api_key": "stolen"})).unwrap_err().argument, "api_key");
}

#[test]
fn what_a_path_names_and_nobody_describes_is_text() {
    let document = document(
        "3.0.3",
        &json!({"paths": {
            "/a/{b}/c.{d}": {"get": {"parameters": [{"name": "zzz", "in": "path", "required": true, "schema": {}}]}},
            "/v?beta=true#one": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {}}]}},
        }}),
    );
    assert_eq!(document.warnings().len(), 3);
    assert_eq!(target(&document.operations()[0], &json!({"b": "x y", "d": "json"})), "/a/x%20y/c.json");
    assert_eq!(target(&document.operations()[1], &json!({"q": 1})), "/v?beta=true&q=1");
}

#[test]
fn empty_values_where_they_are_allowed() {
    let own = |allow: bool| json!({"name": "q", "in": "query", "allowEmptyValue": allow, "schema": {"type": "integer"}});
    let schema = |allow| parameter("/x", &own(allow)).input_schema();
    let empty: Value = json!({"q": ""});
    assert!(!accepts(&schema(false), &empty));
    assert!(accepts(&schema(true), &empty) && accepts(&schema(true), &json!({"q": 3})));
    assert_eq!(target(&parameter("/x", &own(true)), &empty), "/x?q=");
}

#[test]
fn what_a_parameter_says_belongs_to_its_argument() {
    let own = json!({"name": "q", "in": "query", "description": "d", "deprecated": true, "example": 7,
        "schema": {"type": "integer", "description": "inner", "default": 3}});
    assert_eq!(
        parameter("/x", &own).input_schema()["properties"]["q"],
        json!({"type": "integer", "description": "d", "default": 3, "deprecated": true, "examples": [7]})
    );
}
