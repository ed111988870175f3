//! What an operator is told of a configuration and its document, and of a caller's chances.

use super::*;
use crate::support::site::command;

/// What a command says to a configuration that is only written down.
fn said(policy: &str, document: &str, arguments: &[&str]) -> (bool, String) {
    let laid =
        before(TestApp::builder(), "http://127.0.0.1:1", policy, "").file("billing.yaml", document).lay();
    let output = command(&laid.config, arguments, None);
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

#[test]
fn operations_that_are_not_there_are_said() {
    let (good, text) = said(CURATED, DOCUMENT, &["config", "check"]);
    assert!(good, "{text}");
    assert!(text.contains("readAudit") && text.contains("not declared"), "nobody can call it: {text}");
    let (good, text) = said(
        "[service.tool.one]\noperation = \"listInvoice\"\n[service.tool.two]\noperation = \"nothingAtAll\"\n\
         [service.tool.three]\noperation = \"getInvoice\"\n[service.tool.four]\noperation = \"getInvoice\"\n\
         [service.tool.met_call_operation]\ncost = 3\n",
        DOCUMENT,
        &["config", "check"],
    );
    assert!(!good);
    for part in [
        "\"listInvoices\" is near it",
        "nothingAtAll",
        "\"three\" and \"four\"",
        "cost means nothing here",
        "service[0]",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let odd = DOCUMENT.replace("operationId: purgeInvoices", "operationId: wipe");
    let (good, text) = said("[service.operation.\"nope*\"]\nscopes = []\n", &odd, &["config", "check"]);
    assert!(good, "{text}");
    assert!(text.contains("\"nope*\": no operation") && text.contains("exclude \"purge*\""), "{text}");
}

#[test]
fn faults_of_a_document_are_said_all_at_once() {
    let bad = DOCUMENT.replace("operationId: getInvoice", "operationId: listInvoices").replace(
        "- { name: year, in: path, required: true, schema: { type: integer } }",
        "- { $ref: \"#/nowhere\" }",
    );
    let (good, text) = said(CURATED, &bad, &["config", "check", "--json"]);
    assert!(!good);
    assert!(text.contains("listInvoices") && text.contains("nowhere"), "{text}");
    let (good, text) = said("", "{", &["config", "check"]);
    assert!(!good && text.contains("billing.yaml"), "{text}");
}

#[test]
fn explain_knows_curated_tools_and_operations() {
    let api = Api::start();
    let app = start(&api, CURATED);
    let token = app.pat(&app.person("ana"), &["mico:read"]).token;
    let explain = |tool: &str| {
        let output =
            app.command(&["--json", "explain", "--service", "mico", "--tool", tool, "--token", &token], None);
        serde_json::from_slice::<Value>(&output.stdout).unwrap_or_else(|_| panic!("{output:?}")).to_string()
    };
    for (tool, part) in [
        ("invoices_list", "\"verdict\":\"yes\""),
        ("invoice_delete", "missing_scope"),
        ("deleteInvoice", "missing_scope"),
        ("getInvoice", "GET /invoices/{invoiceId}"),
        ("exportReport", "or reports:all"),
        ("purgeInvoices", "operation_excluded"),
        ("met_call_operation", "explain that one"),
        ("readAudit", "Unknown operation: readAudit"),
    ] {
        assert!(explain(tool).contains(part), "{tool}: {}", explain(tool));
    }
    let tools = app.cli(&["service", "tools", "mico", "--as", &token], None).to_string();
    for (name, listed) in
        [("invoices_list", true), ("invoice_delete", false), ("met_search_operations", true)]
    {
        assert_eq!(tools.contains(&format!("\"name\":\"{name}\"")), listed, "{name}");
    }
}

/// The configuration of `docs/openapi.md` starts and does what the page says.
#[test]
fn the_page_has_what_is_tested_here() {
    let page = include_str!("../../../../docs/openapi.md");
    let block = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let api = Api::start();
    let block = block
        .replace("https://api.example.com/v1", &format!("{}/v1", api.url))
        .replace("{ file = \"/run/secrets/billing\" }", "\"Bearer s3cret\"");
    let app = TestApp::builder().with("tail", &block).file("billing.yaml", DOCUMENT).start();
    let token = app.pat(&app.person("ana"), &[]).token;
    assert_eq!(found(&app, &token, "borrar una factura")[0], "deleteInvoice");
    let refused = text(&call(&app, &token, "deleteInvoice", &json!({"invoiceId": "1"})));
    assert!(
        refused["message"].as_str().unwrap().contains("The invoice and its lines are lost."),
        "{refused}"
    );
    assert!(!is_error(&call(&app, &token, "listInvoices", &json!({}))));
    assert_eq!(api.last().header("authorization"), Some("Bearer s3cret"));
}
