//! Bodies: as arguments of their own, or as one; in every form that is text.

use serde_json::{Value, json};

use super::*;

fn body(media: &str, required: bool, schema: &Value) -> Arc<Operation> {
    operation(
        "3.0.3",
        &json!({"requestBody": {"required": required, "content": {media: {"schema": schema}}}}),
    )
}

fn sent(operation: &Operation, value: &Value) -> (String, String) {
    let (media, bytes) = call(operation, value).unwrap_or_else(|fault| panic!("{fault}")).body.unwrap();
    (media.to_str().unwrap().to_owned(), String::from_utf8(bytes.to_vec()).unwrap())
}

#[test]
fn properties_of_an_object_are_arguments() {
    let schema = json!({"type": "object", "required": ["name"], "properties": {
        "id": {"type": "integer", "readOnly": true},
        "name": {"type": "string"},
        "tag": {"type": "string", "default": "none", "nullable": true},
    }});
    let operation = body("application/json", true, &schema);
    assert_eq!(
        operation.input_schema(),
        json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "tag": {"type": ["string", "null"], "default": "none"}},
            "required": ["name"],
            "additionalProperties": false,
        })
    );
    let (media, text) = sent(&operation, &json!({"tag": null, "name": "a"}));
    assert_eq!((media.as_str(), text.as_str()), ("application/json", r#"{"name":"a","tag":null}"#));
    assert!(call(&operation, &json!({"id": 1})).is_err());
}

#[test]
fn a_body_that_loses_by_it_stays_whole() {
    let properties = json!({"a": {"type": "string"}});
    for schema in [
        json!({"type": "array", "items": {}}),
        json!({"type": "string"}),
        json!({"type": "object"}),
        json!({"type": "object", "properties": properties, "additionalProperties": true}),
        json!({"type": "object", "properties": properties, "additionalProperties": {"type": "string"}}),
        json!({"type": "object", "properties": properties, "nullable": true}),
        json!({"type": "object", "properties": properties, "minProperties": 1}),
        json!({"type": "object", "properties": {"$a b": {}}}),
        json!({"type": "object", "properties": properties, "required": ["b"]}),
        json!({"allOf": [{"type": "object", "properties": properties}]}),
        json!({"oneOf": [{"type": "object", "properties": properties}]}),
        json!({}),
    ] {
        let operation = body("application/json", true, &schema);
        let input = operation.input_schema();
        assert_eq!(input["required"], json!(["body"]), "{schema}");
        let (_, text) = sent(&operation, &json!({"body": {"a": 1}}));
        assert_eq!(text, r#"{"a":1}"#);
        assert_eq!(call(&operation, &json!({})).unwrap_err().argument, "body");
    }
}

#[test]
fn a_name_of_a_parameter_keeps_a_body_whole() {
    let operation = operation(
        "3.0.3",
        &json!({
            "parameters": [{"name": "a", "in": "query", "schema": {}}],
            "requestBody": {"description": "the whole", "content": {"application/json": {"schema":
                {"type": "object", "properties": {"a": {}}}}}},
        }),
    );
    let input = operation.input_schema();
    assert_eq!(input["properties"]["body"]["description"], "the whole");
    let request = call(&operation, &json!({"a": 1, "body": {"a": 2}})).unwrap();
    assert_eq!((request.target.as_str(), &request.body.unwrap().1[..]), ("/x?a=1", &b"{\"a\":2}"[..]));
}

#[test]
fn a_body_that_may_be_left_out_is_whole_or_nothing() {
    let schema = json!({"type": "object", "required": ["a", "b"], "properties": {"a": {}, "b": {}, "c": {}}});
    let operation = body("application/json", false, &schema);
    let input = operation.input_schema();
    for (value, good) in [
        (json!({}), true),
        (json!({"a": 1, "b": 2}), true),
        (json!({"a": 1, "b": 2, "c": 3}), true),
        (json!({"c": 3}), false),
        (json!({"a": 1}), false),
    ] {
        assert_eq!(accepts(&input, &value), good, "{value}");
    }
    assert_eq!(call(&operation, &json!({})).unwrap().body, None);
    let required = body("application/json", true, &json!({"type": "object", "properties": {"a": {}}}));
    assert_eq!(sent(&required, &json!({})).1, "{}");
}

#[test]
fn json_is_preferred_and_keeps_its_name() {
    let of = |names: &[&str]| {
        let content: Map<_, _> = names.iter().map(|own| ((*own).to_owned(), json!({"schema": {}}))).collect();
        let operation = operation("3.0.3", &json!({"requestBody": {"required": true, "content": content}}));
        operation.body_type().map(|own| own.to_str().unwrap().to_owned())
    };
    assert_eq!(
        of(&["text/plain", "multipart/form-data", "application/json"]).as_deref(),
        Some("application/json")
    );
    assert_eq!(
        of(&["application/xml", "application/merge-patch+json"]).as_deref(),
        Some("application/merge-patch+json")
    );
    assert_eq!(of(&["application/json; charset=utf-8"]).as_deref(), Some("application/json; charset=utf-8"));
    assert_eq!(of(&["*/*"]).as_deref(), Some("application/json"));
    assert_eq!(of(&["text/csv", "text/plain"]).as_deref(), Some("text/plain"));
    assert_eq!(of(&["application/octet-stream"]), None);
}

#[test]
fn forms() {
    let operation = operation(
        "3.0.3",
        &json!({"requestBody": {"required": true, "content": {
            "application/x-www-form-urlencoded": {
                "schema": {"type": "object", "properties": {"a": {}, "list": {}, "object": {}, "deep": {}, "csv": {}}},
                "encoding": {
                    "deep": {"style": "deepObject", "explode": true},
                    "csv": {"style": "form", "explode": false},
                },
            },
        }}}),
    );
    let value =
        json!({"a": "x y&z", "list": [1, 2], "object": {"k": 1}, "deep": {"k": {"l": ["m"]}}, "csv": [1, 2]});
    let (media, text) = sent(&operation, &value);
    assert_eq!(media, "application/x-www-form-urlencoded");
    assert_eq!(
        text,
        "a=x%20y%26z&list=1&list=2&object=%7B%22k%22%3A1%7D&deep%5Bk%5D%5Bl%5D%5B0%5D=m&csv=1,2"
    );
}

#[test]
fn multipart_with_text_alone() {
    let operation = operation(
        "3.0.3",
        &json!({"requestBody": {"required": true, "content": {"multipart/form-data": {
            "schema": {"type": "object", "properties": {"a": {"type": "string"}, "list": {}, "object": {}, "flag": {},
                "file": {"type": "string", "format": "binary"}}},
            "encoding": {"flag": {"contentType": "application/json"}},
        }}}}),
    );
    assert!(operation.input_schema()["properties"].get("file").is_none(), "bytes are no argument");
    let (media, text) = sent(&operation, &json!({"a": "x", "list": [1, 2], "object": {"k": 1}, "flag": "t"}));
    let boundary = media.strip_prefix("multipart/form-data; boundary=").unwrap();
    let part = |name: &str, more: &str, text: &str| {
        format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n{more}\r\n{text}\r\n")
    };
    let json = "Content-Type: application/json\r\n";
    let expected = [
        part("a", "", "x"),
        part("list", "", "1"),
        part("list", "", "2"),
        part("object", json, "{\"k\":1}"),
        part("flag", json, "\"t\""),
        format!("--{boundary}--\r\n"),
    ];
    assert_eq!(text, expected.concat());
}

#[test]
fn text_goes_as_it_is() {
    let operation = body("text/plain", true, &json!({"type": "string"}));
    assert_eq!(sent(&operation, &json!({"body": "a\nb"})), ("text/plain".to_owned(), "a\nb".to_owned()));
}

#[test]
fn bytes_make_an_operation_unavailable() {
    let file = json!({"type": "object", "required": ["f"], "properties": {"f": {"type": "string", "format": "binary"}}});
    for (media, schema) in [
        ("application/octet-stream", json!({"type": "string", "format": "binary"})),
        ("image/png", json!({})),
        ("application/zip", json!({})),
        ("application/xml", json!({"type": "object"})),
        ("multipart/form-data", file),
    ] {
        let operation = body(media, true, &schema);
        let says = operation.unavailable.clone().unwrap_or_else(|| panic!("{media}"));
        assert!(says.starts_with("its body is "), "{says}");
        assert!(call(&operation, &json!({})).unwrap_err().reason.contains(&says));
    }
}

#[test]
fn answers() {
    let of = |responses: &Value| operation("3.0.3", &json!({"responses": responses}));
    let json = |schema: Value| json!({"content": {"application/json": {"schema": schema}}});
    let one = of(
        &json!({"200": json(json!({"type": "object", "required": ["password", "name"], "properties": {
        "password": {"type": "string", "writeOnly": true}, "name": {"type": "string", "nullable": true}}})), "404": json(json!({}))}),
    );
    assert_eq!(
        one.output_schema().unwrap(),
        json!({"type": "object", "required": ["name"], "properties": {"name": {"type": ["string", "null"]}}})
    );
    let two = of(
        &json!({"200": json(json!({"type": "string"})), "201": json(json!({"type": "integer"})), "204": {}}),
    );
    assert_eq!(two.output_schema().unwrap(), json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}));
    assert_eq!(of(&json!({"204": {}})).output_schema(), None);
    let text = of(&json!({"200": {"content": {"text/csv": {}}}}));
    assert_eq!((text.output_schema(), text.unavailable.clone()), (None, None));
    assert_eq!(call(&text, &json!({})).unwrap().headers["accept"], "text/csv");
    for media in ["image/png", "application/octet-stream", "text/event-stream"] {
        assert!(of(&json!({"200": {"content": {media: {}}}})).unavailable.is_some(), "{media}");
    }
    assert_eq!(of(&json!({"200": {"content": {"image/png": {}, "application/json": {}}}})).unavailable, None);
    let default = of(&json!({"default": json(json!({"type": "string"}))}));
    assert_eq!(default.output_schema(), Some(json!({"type": "string"})));
}

#[test]
fn reading_sends_no_body() {
    let document = document(
        "3.1.0",
        &json!({"paths": {"/x": {
            "get": {"requestBody": {"required": true, "content": {"application/json": {"schema": {"properties": {"a": {}}}}}}},
            "delete": {"requestBody": {"content": {"application/json": {"schema": {"properties": {"a": {}}}}}}},
            "trace": {},
        }}}),
    );
    let [get, delete, trace] = document.operations() else { panic!() };
    assert_eq!(
        get.input_schema(),
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    );
    assert!(get.reads() && !get.deletes() && delete.deletes() && !delete.reads());
    assert_eq!(sent(delete, &json!({"a": 1})).1, "{\"a\":1}");
    assert!(trace.unavailable.is_some());
}
