//! What stands around parameters and bodies: ids, servers, security, tags.

use serde_json::json;

use super::*;
use crate::openapi::Alternative;

#[test]
fn a_documents_frame() {
    let document = load(&[("api.yaml", "openapi: 3.1.0\ninfo: {title: Pets, version: 1.0}\n\
        servers:\n  - url: https://{region}.example.com/v1/\n    variables: {region: {default: eu}}\n  - url: /v1\n  - url: https://{x}\n\
        paths:\n  /b: {servers: [{url: 'https://b.example'}], get: {summary: B, tags: [x, y], deprecated: true}}\n  /a: {post: {}, get: {}}\n")]).unwrap();
    assert_eq!((document.title.as_str(), document.version.as_str()), ("Pets", "1.0"));
    assert_eq!(document.servers, ["https://eu.example.com/v1", "/v1"]);
    let ids: Vec<_> = document.operations().iter().map(|own| own.id.as_str()).collect();
    assert_eq!(ids, ["get_b", "post_a", "get_a"], "in document order");
    let b = document.get("get_b").unwrap();
    assert_eq!((b.summary.as_str(), b.tags.join(","), b.deprecated), ("B", "x,y".to_owned(), true));
    assert_eq!(b.servers, ["https://b.example"]);
    assert_eq!(document.warnings().len(), 1);
}

#[test]
fn security_of_the_operation_or_of_the_document() {
    let schemes = json!({"o": {"type": "oauth2", "flows": {}}, "k": {"type": "http", "scheme": "bearer"}});
    let document = document(
        "3.0.3",
        &json!({
            "components": {"securitySchemes": schemes},
            "security": [{"o": ["read"]}],
            "paths": {"/x": {
                "get": {},
                "put": {"security": [{"o": ["write", "read"], "k": []}, {"k": []}, {}]},
                "post": {"security": []},
            }},
        }),
    );
    let of = |id: &str| document.get(id).unwrap().security.clone();
    let own = |schemes: &[&str], scopes: &[&str]| Alternative {
        schemes: schemes.iter().map(|own| (*own).to_owned()).collect(),
        scopes: scopes.iter().map(|own| (*own).to_owned()).collect(),
    };
    assert_eq!(of("get_x"), [own(&["o"], &["read"])]);
    assert_eq!(of("put_x"), [own(&["o", "k"], &["write", "read"]), own(&["k"], &[]), own(&[], &[])]);
    assert_eq!(of("post_x"), [own(&[], &[])], "an empty list is for everybody");
    let public: Vec<_> = of("put_x").iter().map(Alternative::is_public).collect();
    assert_eq!(public, [false, false, true], "any credential is not no credential");
    let silent = super::document("3.0.3", &json!({"paths": {"/x": {"get": {}}}}));
    assert_eq!(silent.operations()[0].security, []);
}

#[test]
fn long_descriptions_are_kept() {
    let long = "ñ".repeat(20_000);
    assert_eq!(operation("3.0.3", &json!({"description": long})).description, long);
}
