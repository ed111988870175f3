//! Arguments that try to reach what their parameter does not name.

use serde_json::json;

use super::*;

#[test]
fn a_path_parameter_stays_in_its_segment() {
    let own = json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string"}});
    let operation = parameter("/users/{id}/posts", &own);
    for (value, expected) in [
        ("a/b", "/users/a%2Fb/posts"),
        ("a?x=1", "/users/a%3Fx%3D1/posts"),
        ("a#b", "/users/a%23b/posts"),
        ("a..b", "/users/a..b/posts"),
        ("...", "/users/.../posts"),
        ("100%", "/users/100%25/posts"),
        ("ñ", "/users/%C3%B1/posts"),
    ] {
        assert_eq!(target(&operation, &json!({"id": value})), expected);
    }
    for value in [
        "",
        ".",
        "..",
        "../admin",
        "a/../../admin",
        "a/..",
        "..\\admin",
        "%2e%2e",
        "%2E%2E%2Fadmin",
        "%252e%252e",
        "a\r\nb",
        "a\0b",
        "a/./b",
        "%00",
        "a%0d%0ab",
    ] {
        let fault = call(&operation, &json!({"id": value})).unwrap_err();
        assert_eq!(fault.argument, "id", "{value:?}");
    }
    assert_eq!(call(&operation, &json!({})).unwrap_err().to_string(), "`id` is required");
    assert!(call(&operation, &json!({"id": null})).is_err());
}

#[test]
fn parts_of_a_segment_make_no_way_up_together() {
    let document = document(
        "3.0.3",
        &json!({"paths": {"/a/{b}{c}/d": {"get": {"parameters": [
            {"name": "b", "in": "path", "required": true, "schema": {}},
            {"name": "c", "in": "path", "required": true, "style": "label", "schema": {}},
        ]}}}}),
    );
    let operation = &document.operations()[0];
    assert_eq!(target(operation, &json!({"b": "x", "c": "y"})), "/a/x.y/d");
    assert!(call(operation, &json!({"b": ".", "c": "y"})).is_err());
    assert!(call(operation, &json!({"b": "x", "c": ["../y"]})).is_err());
    assert!(call(operation, &json!({"b": "x", "c": {"..": "y"}})).is_err());
    // not a dot in either, and yet two of them: the label brings one
    assert!(call(operation, &json!({"b": "x", "c": ""})).unwrap().target.ends_with("/a/x./d"));
}

#[test]
fn a_query_parameter_is_one() {
    let document = document(
        "3.0.3",
        &json!({"paths": {"/x": {"get": {"parameters": [
            {"name": "q", "in": "query", "schema": {}},
            {"name": "r", "in": "query", "allowReserved": true, "schema": {}},
            {"name": "d", "in": "query", "style": "deepObject", "explode": true, "schema": {}},
        ]}}}}),
    );
    let operation = &document.operations()[0];
    let evil = "1&admin=true;b=2#c\r\nX: y+z";
    for (name, value) in [
        ("q", json!(evil)),
        ("r", json!(evil)),
        ("d", json!({"a": evil})),
        ("d", json!({"a]=1&admin[": "1"})),
    ] {
        let target = target(operation, &json!({name: value}));
        let query = target.split_once('?').unwrap().1;
        assert_eq!(form_urlencoded::parse(query.as_bytes()).count(), 1, "{query}");
        assert!(!query.contains(['#', '\r', '\n', ';', '+', ' ']), "{query}");
    }
    // an object that is exploded names its own parameters: that is what the document asks for
    assert_eq!(target(operation, &json!({"q": {"a&b": "c=d"}})), "/x?a%26b=c%3Dd");
}

#[test]
fn a_header_is_one_line_and_a_cookie_one_cookie() {
    let document = document(
        "3.0.3",
        &json!({"paths": {"/x": {"get": {"parameters": [
            {"name": "X-A", "in": "header", "schema": {}},
            {"name": "c", "in": "cookie", "schema": {}},
        ]}}}}),
    );
    let operation = &document.operations()[0];
    for value in [
        json!("a\r\nX-Portero-User: root"),
        json!("a\nb"),
        json!("\u{7f}"),
        json!(["a", "b\r\n"]),
        json!("é"),
    ] {
        assert_eq!(call(operation, &json!({"X-A": value})).unwrap_err().argument, "X-A", "{value}");
    }
    let request = call(operation, &json!({"c": "1; session=root\r\nX: y"})).unwrap();
    assert_eq!(request.headers["cookie"], "c=1%3B%20session%3Droot%0D%0AX%3A%20y");
    assert_eq!(request.headers.len(), 1);
}

#[test]
fn a_field_of_a_form_is_one() {
    let form = |media: &str| {
        operation(
            "3.0.3",
            &json!({"requestBody": {"required": true, "content": {media: {"schema": {
        "type": "object", "additionalProperties": {"type": "string"}}}}}}),
        )
    };
    let evil = json!({"body": {"a": "1&admin=true", "b\"\r\nX: y": "--\r\n\r\nc"}});
    let (_, bytes) = call(&form("application/x-www-form-urlencoded"), &evil).unwrap().body.unwrap();
    assert_eq!(form_urlencoded::parse(&bytes).count(), 2);
    let (media, bytes) = call(&form("multipart/form-data"), &evil).unwrap().body.unwrap();
    let boundary = media.to_str().unwrap().split_once("boundary=").unwrap().1.to_owned();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    assert_eq!(text.matches(&boundary).count(), 3);
    assert!(text.contains("name=\"b%22%0D%0AX: y\"\r\n\r\n--\r\n\r\nc\r\n--"), "{text}");
}

#[test]
fn unknown_arguments_go_nowhere() {
    let operation = operation("3.0.3", &json!({}));
    for name in ["x", "body", "Authorization", "host"] {
        assert_eq!(call(&operation, &json!({name: "y"})).unwrap_err().argument, name);
    }
    assert!(!accepts(&operation.input_schema(), &json!({"x": 1})));
}

proptest::proptest! {
    #[test]
    fn whatever_is_said_the_request_has_its_form(id in "\\PC{1,20}|[./%2eE\\\\]{1,8}", q in "(?s).{0,20}", h in "(?s).{0,20}") {
        let document = document("3.0.3", &json!({"paths": {"/users/{id}/posts": {"get": {"parameters": [
            {"name": "id", "in": "path", "required": true, "schema": {}},
            {"name": "q", "in": "query", "allowReserved": true, "schema": {}},
            {"name": "h", "in": "header", "schema": {}},
        ]}}}}));
        if let Ok(request) = call(&document.operations()[0], &json!({"id": id, "q": q, "h": h})) {
            let url = url::Url::parse(&format!("http://a.example{}", request.target)).unwrap();
            let segments: Vec<_> = url.path_segments().unwrap().collect();
            proptest::prop_assert_eq!((segments.len(), segments[0], segments[2]), (3, "users", "posts"));
            proptest::prop_assert_eq!(url.query_pairs().count(), 1);
            proptest::prop_assert_eq!(url.fragment(), None);
            proptest::prop_assert!(request.target.is_ascii() && request.headers.len() == 1);
        }
    }
}
