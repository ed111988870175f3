//! Writes by the generic way: once each, and shortened answers.

use super::*;
use crate::support::together;

fn body(id: u8, operation: &str, arguments: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "met_call_operation",
        "arguments": {"operation": operation, "arguments": arguments}}})
    .to_string()
}

#[test]
fn the_same_generic_call_twice_has_one_effect() {
    let api = Api::start();
    let app = start(&api, "[service.operation.\"*\"]\nidempotency = \"derived\"\n");
    let token = app.pat(&app.person("ana"), &[]).token;
    let invoice = json!({"customer": "c", "total": 1});
    let first = app.rpc_with(&token, &[], &body(1, "createInvoice", &invoice));
    let again = app.rpc_with(&token, &[], &body(1, "createInvoice", &json!({"total": 1, "customer": "c"})));
    assert_eq!(text(&first), text(&again));
    assert_eq!(again.json()["result"]["_meta"]["io.portero/replayed"], true);
    assert_eq!(api.seen().len(), 1);
    // another operation, other arguments, another message: each is a call of its own
    for (id, operation, arguments) in [
        (1, "createInvoice", json!({"customer": "c", "total": 2})),
        (2, "createInvoice", invoice.clone()),
        (1, "replaceInvoice", json!({"invoiceId": "1"})),
    ] {
        let reply = app.rpc_with(&token, &[], &body(id, operation, &arguments));
        assert!(!is_error(&reply) && reply.json()["result"]["_meta"].is_null(), "{reply:?}");
    }
    assert_eq!(api.seen().len(), 4);
    let at_once = together(8, |_| text(&app.rpc_with(&token, &[], &body(9, "createInvoice", &invoice))));
    assert!(at_once.iter().all(|own| *own == at_once[0]), "{at_once:?}");
    assert_eq!(api.seen().len(), 5);
}

#[test]
fn a_clients_key_holds_for_the_operation_that_it_was_used_for() {
    let api = Api::start();
    let app = start(&api, CURATED);
    let token = app.pat(&app.person("ana"), &[]).token;
    let key = [("idempotency-key", "k1")];
    let invoice = json!({"customer": "c", "total": 1});
    let send =
        |operation: &str, arguments: &Value| app.rpc_with(&token, &key, &body(1, operation, arguments));
    let first = send("createInvoice", &invoice);
    assert_eq!(api.last().header("idempotency-key"), Some("k1"));
    assert_eq!(text(&send("createInvoice", &invoice)), text(&first));
    assert_eq!(code(&send("createInvoice", &json!({"customer": "d", "total": 1}))), "invalid_arguments");
    assert!(!is_error(&send("replaceInvoice", &json!({"invoiceId": "1"}))));
    assert_eq!(api.seen().len(), 2);
    // one operation is one thing, whichever way it is called
    let curated = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": {"name": "invoice_create", "arguments": invoice}});
    let reply = app.rpc_with(&token, &key, &curated.to_string());
    assert_eq!(text(&reply), text(&first));
    assert_eq!(api.seen().len(), 2);
}

#[test]
fn long_answers_are_shortened_as_valid_json() {
    let api = Api::answering(|_, _| {
        let items: Vec<Value> = (0..900).map(|n| json!({"id": n, "text": "a long line of text"})).collect();
        (200, json!(items).to_string())
    });
    let app = before(
        TestApp::builder().with("service", "response_cap_chars = 5000"),
        &api.url,
        "[service.operation.getInvoice]\nresponse_cap_chars = 1000\n",
        "",
    )
    .start();
    let token = app.pat(&app.person("ana"), &[]).token;
    for (operation, arguments, most) in
        [("listInvoices", json!({}), 5000), ("getInvoice", json!({"invoiceId": "1"}), 1000)]
    {
        let reply = call(&app, &token, operation, &arguments);
        let said = text(&reply);
        assert_eq!(said["truncated"], true, "{said}");
        let whole = reply.json()["result"]["content"][0]["text"].as_str().unwrap().chars().count();
        assert!(whole <= most && whole > most / 2, "{operation}: {whole}");
    }
}
