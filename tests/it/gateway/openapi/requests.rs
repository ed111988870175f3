//! What an API is sent.

use portero::identity::jose;

use super::*;
use crate::support::http::get;
use crate::support::worker::by_hand;

#[test]
fn arguments_become_a_request_and_the_client_sends_nothing_else() {
    let api = Api::start();
    let app = start(&api, CURATED);
    let person = app.person("ana");
    let own = app.connect(&app.pat(&person, &[]).token);
    let forged = [
        ("x-portero-user", "evil"),
        ("x-api-key", "evil"),
        ("cookie", "a=b"),
        ("x-tenant", "evil"),
        ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
    ];
    for (name, arguments, tool) in [
        ("invoices_list", json!({"status": "open", "limit": 5, "X-Tenant": "t1"}), "invoices_list"),
        (
            "met_call_operation",
            json!({"operation": "listInvoices", "arguments": {"status": "open", "limit": 5, "X-Tenant": "t1"}}),
            "invoices_list",
        ),
        (
            "met_call_operation",
            json!({"operation": "getInvoice", "arguments": {"invoiceId": "a/b ñ?"}}),
            "getInvoice",
        ),
    ] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": name, "arguments": arguments}});
        let reply = app.rpc_with(&own.access, &forged, &body.to_string());
        assert_eq!((reply.status, is_error(&reply)), (200, false), "{reply:?}");
        let seen = api.last();
        let path = if tool == "getInvoice" {
            "/v1/invoices/a%2Fb%20%C3%B1%3F"
        } else {
            "/v1/invoices?status=open&limit=5"
        };
        assert_eq!((seen.method.as_str(), seen.path.as_str(), seen.body.as_str()), ("GET", path, ""));
        for (name, value) in [
            ("x-api-key", "s3cret"),
            ("x-portero-user", person.id.as_str()),
            ("x-portero-workspace", &person.workspace),
            ("x-portero-service", "mico"),
            ("x-portero-tool", tool),
            ("x-portero-token-kind", "oauth"),
        ] {
            assert_eq!(seen.header(name), Some(value), "{name}");
        }
        assert_eq!(seen.header("x-tenant"), (tool != "getInvoice").then_some("t1"));
        assert!(seen.header("traceparent").unwrap().contains("4bf92f3577b34da6a3ce929d0e0e4736"));
        assert!(seen.header("accept").unwrap().contains("json"), "{seen:?}");
        for absent in ["authorization", "cookie", "content-type", "idempotency-key", "x-portero-assertion"] {
            assert_eq!(seen.header(absent), None, "{absent}");
        }
    }
}

#[test]
fn a_write_has_its_body_and_an_idempotency_key() {
    let api = Api::start();
    let app = start(&api, CURATED);
    let token = app.pat(&app.person("ana"), &[]).token;
    let body = json!({"customer": "c1", "total": 3.5});
    let arguments = body.clone();
    let reply = call(&app, &token, "createInvoice", &arguments);
    assert!(!is_error(&reply), "{reply:?}");
    let seen = api.last();
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", "/v1/invoices"));
    assert_eq!(serde_json::from_str::<Value>(&seen.body).unwrap(), body);
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert!(seen.header("idempotency-key").is_some());
    assert_eq!(seen.header("x-portero-confirmed"), None);
    let confirmed = json!({"operation": "deleteInvoice", "arguments": {"invoiceId": "7"}, "confirm": true});
    assert!(!is_error(&app.call(&token, "met_call_operation", &confirmed)));
    let seen = api.last();
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("DELETE", "/v1/invoices/7"));
    assert_eq!(seen.header("x-portero-confirmed"), Some("true"));
}

#[test]
fn no_argument_sets_a_header_of_the_gateways() {
    let evil = DOCUMENT.replace(
        "        - { name: X-Tenant, in: header, schema: { type: string } }",
        "        - { name: X-Portero-User, in: header, schema: { type: string } }\n        - { name: x_portero_confirmed, in: header, schema: { type: string } }\n        - { name: X-Forwarded-For, in: header, schema: { type: string } }\n        - { name: X-Api-Key, in: header, schema: { type: string } }",
    );
    assert_ne!(evil, DOCUMENT);
    let api = Api::start();
    let app = before(TestApp::builder(), &api.url, "", "").file("billing.yaml", &evil).start();
    let person = app.person("ana");
    let token = app.pat(&person, &[]).token;
    let described = text(&describe(&app, &token, "listInvoices"));
    let known = described["parameters"]["properties"].as_object().unwrap().clone();
    let arguments: serde_json::Map<String, Value> = known
        .keys()
        .filter(|name| name.to_lowercase().replace('_', "-").starts_with("x-"))
        .map(|name| (name.clone(), Value::from("evil")))
        .collect();
    assert!(!is_error(&call(&app, &token, "listInvoices", &Value::Object(arguments))));
    let seen = api.last();
    assert_eq!(seen.header("x-portero-user"), Some(person.id.as_str()));
    assert_eq!(seen.header("x-api-key"), Some("s3cret"));
    assert!(seen.headers.iter().all(|(_, value)| value != "evil"), "{seen:?}");
}

#[test]
fn what_cannot_be_sent_is_told_by_its_argument() {
    let api = Api::start();
    let app = start(&api, CURATED);
    let token = app.pat(&app.person("ana"), &[]).token;
    for (operation, arguments, word) in [
        ("listInvoices", json!({"limit": "many"}), "limit"),
        ("listInvoices", json!({"limit": 1000}), "limit"),
        ("listInvoices", json!({"nope": 1}), "nope"),
        ("getInvoice", json!({}), "invoiceId"),
        ("getInvoice", json!({"invoiceId": ".."}), "invoiceId"),
        ("createInvoice", json!({"customer": "c"}), "total"),
    ] {
        let reply = call(&app, &token, operation, &arguments);
        let said = text(&reply);
        assert_eq!((is_error(&reply), &said["code"]), (true, &json!("invalid_arguments")), "{said}");
        assert!(said["message"].as_str().unwrap().contains(word), "{said}");
    }
    for arguments in [
        json!({"arguments": {}}),
        json!({"operation": 1}),
        json!({"operation": "listInvoices", "arguments": []}),
        json!({"operation": "listInvoices", "limit": 5}),
    ] {
        assert_eq!(
            code(&app.call(&token, "met_call_operation", &arguments)),
            "invalid_arguments",
            "{arguments}"
        );
    }
    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"met_call_operation","arguments":{"operation":"listInvoices","operation":"deleteInvoice","arguments":{}}}}"#;
    assert_eq!(code(&app.rpc_with(&token, &[], twice)), "invalid_arguments");
    assert!(api.seen().is_empty());
}

#[test]
fn an_assertion_says_body_and_path() {
    jose::install();
    let api = Api::start();
    let app = before(TestApp::builder(), &api.url, "", "assertion = true").start();
    let token = app.pat(&app.person("ana"), &[]).token;
    assert!(!is_error(&call(&app, &token, "createInvoice", &json!({"customer": "c", "total": 1}))));
    let seen = api.last();
    let keys = serde_json::from_value(get(&format!("{}/jwks.json", app.issuer)).json()).unwrap();
    let claims = crate::support::verify_assertion::verify(
        &keys,
        [&app.issuer, "billing"],
        seen.header("x-portero-assertion").unwrap(),
        "createInvoice",
        seen.body.as_bytes(),
    )
    .expect("good");
    assert_eq!(
        (&claims["path"], &claims["user"]),
        (&json!("/invoices"), &json!(seen.header("x-portero-user").unwrap()))
    );
}

#[test]
fn a_head_has_no_body_whatever_its_length() {
    use std::io::Write as _;
    let url = by_hand(|seen, stream| {
        assert_eq!(seen.method, "HEAD");
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n")
            .unwrap();
        std::thread::sleep(std::time::Duration::from_secs(3));
    });
    let app = before(TestApp::builder(), &url, "", "timeout = \"2s\"").start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let reply = call(&app, &token, "probeLedger", &json!({}));
    assert_eq!((is_error(&reply), text(&reply)), (false, json!({})), "{reply:?}");
}

#[test]
fn without_a_url_the_documents_server_is_called() {
    let api = Api::start();
    let document = DOCUMENT.replace("url: /v1", &format!("url: \"{}/v9/\"", api.url)).replace(
        "      summary: Read who did what",
        "      summary: Read who did what\n      servers: [{ url: \"https://elsewhere.example/\" }]",
    );
    let policy = "[service.operation.readAudit]\nscopes = []\n";
    let mut builder = before(TestApp::builder(), "", policy, "").file("billing.yaml", &document);
    builder.toml = builder.toml.replace("url = \"/v1\"\n", "");
    let app = builder.start();
    let token = app.pat(&app.person("ana"), &[]).token;
    assert!(!is_error(&call(&app, &token, "listInvoices", &json!({}))));
    assert_eq!(api.last().path, "/v9/invoices");
    let reply = call(&app, &token, "readAudit", &json!({}));
    assert_eq!(code(&reply), "operation_excluded", "the gateway's key goes to one place alone: {reply:?}");
}
