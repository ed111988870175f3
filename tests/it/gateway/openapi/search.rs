//! Finding and describing: only what the caller may use, in either language.

use super::*;

#[test]
fn operations_are_found_in_both_languages() {
    let api = Api::start();
    let app = start(&api, CURATED);
    let token = app.pat(&app.person("ana"), &[]).token;
    for (query, first) in [
        ("list invoices", "listInvoices"),
        ("listar las facturas", "listInvoices"),
        ("borrar una factura", "deleteInvoice"),
        ("ELIMINAR factúra", "deleteInvoice"),
        ("crear factura", "createInvoice"),
        ("informe del año", "exportReport"),
        ("quitar al cliente", "removeCustomer"),
        ("DELETE /invoices/7", "deleteInvoice"),
        ("getInvoice", "getInvoice"),
        ("ledg", "readLedger"),
    ] {
        assert_eq!(found(&app, &token, query).first().map(String::as_str), Some(first), "{query}");
    }
    let reply = app.call(&token, "met_search_operations", &json!({"query": "facturas", "limit": 2}));
    let said = text(&reply);
    assert_eq!(said["operations"].as_array().unwrap().len(), 2);
    assert!(said["total"].as_u64().unwrap() > 2, "{said}");
    let line =
        text(&app.call(&token, "met_search_operations", &json!({"query": "deleteInvoice", "limit": 1})));
    assert_eq!(
        line["operations"][0],
        json!({"operation": "deleteInvoice", "method": "DELETE", "path": "/invoices/{invoiceId}",
            "summary": "Delete an invoice for good", "scope": "mico:write", "confirm": true})
    );
    let nothing = text(&app.call(&token, "met_search_operations", &json!({"query": "xylophone"})));
    assert_eq!((&nothing["operations"], &nothing["total"]), (&json!([]), &json!(0)));
    assert!(nothing["hint"].is_string());
    for arguments in [
        json!({}),
        json!({"query": " "}),
        json!({"query": "a".repeat(401)}),
        json!({"query": "a", "limit": 0}),
        json!({"query": "a", "limit": 51}),
        json!({"query": "a", "page": 2}),
    ] {
        assert_eq!(
            code(&app.call(&token, "met_search_operations", &arguments)),
            "invalid_arguments",
            "{arguments}"
        );
    }
    assert!(api.seen().is_empty(), "the gateway answers by itself");
}

#[test]
fn a_description_has_all_that_a_call_needs() {
    let api = Api::start();
    let app = start(&api, "[service.operation.replaceInvoice]\nconfirm = \"intent\"\n");
    let token = app.pat(&app.person("ana"), &[]).token;
    let said = text(&describe(&app, &token, "getInvoice"));
    assert_eq!(said["operation"], "getInvoice");
    assert_eq!((&said["method"], &said["path"]), (&json!("GET"), &json!("/invoices/{invoiceId}")));
    assert_eq!(said["description"], "With all its lines.");
    assert_eq!(said["parameters"]["required"], json!(["invoiceId"]));
    assert_eq!((&said["scope"], &said["confirm"]), (&json!("mico:read"), &json!(false)));
    // the example is a call that works as it stands
    let reply = app.call(&token, "met_call_operation", &said["example"]);
    assert!(!is_error(&reply), "{said} {reply:?}");
    assert_eq!(text(&describe(&app, &token, "replaceInvoice"))["confirm"], "intent");
    let report = text(&describe(&app, &token, "exportReport"));
    assert_eq!(
        (&report["scope"], &report["scope_alternatives"]),
        (&json!("mico:read mico:write"), &json!(["reports:all"]))
    );
    for arguments in [json!({}), json!({"operation": "getInvoice", "more": true}), json!({"operation": 7})] {
        assert_eq!(code(&app.call(&token, "met_describe_operation", &arguments)), "invalid_arguments");
    }
}

#[test]
fn a_locked_operation_is_marked_as_a_locked_tool() {
    let policy = "[service.operation.readLedger]\nfeature = \"extra\"\n";
    for (service, shown) in [("upgrade_url = \"https://x.example\"", true), ("locked = \"hide\"", false)] {
        let api = Api::start();
        let app = before(TestApp::builder().with("service", service), &api.url, policy, "").start();
        let token = app.pat(&app.person("ana"), &[]).token;
        let said =
            text(&app.call(&token, "met_search_operations", &json!({"query": "readLedger", "limit": 1})));
        let (described, called) =
            (describe(&app, &token, "readLedger"), call(&app, &token, "readLedger", &json!({})));
        if shown {
            let mark = json!({"code": "feature_not_included", "feature": "extra", "upgrade_url": "https://x.example"});
            assert_eq!(said["operations"][0]["locked"], mark);
            assert_eq!(text(&described)["locked"], mark);
            assert_eq!((called.status, code(&called).as_str()), (402, "feature_not_included"));
        } else {
            assert!(!said.to_string().contains("readLedger\""), "{said}");
            assert_eq!((code(&described), code(&called)), ("unknown_tool".into(), "unknown_tool".into()));
        }
        assert!(api.seen().is_empty());
    }
}

/// What is hidden must not be guessed from how others are found.
#[test]
fn the_words_of_what_is_hidden_find_nothing() {
    let api = Api::start();
    let app = start(
        &api,
        "[service.operation.readLedger]\nhidden = true\n[service.operation.probeLedger]\nhidden = true\n",
    );
    let token = app.pat(&app.person("ana"), &[]).token;
    for query in ["ledger", "ledg", "/ledger", "probeLedger", "secret", "secreto"] {
        assert!(found(&app, &token, query).is_empty(), "{query}");
    }
}
