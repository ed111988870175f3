//! What is listed: curated tools as their document describes them, the generic ones last.

use super::*;
use crate::support::mcp::LIST;

fn listed(app: &TestApp, token: &str) -> Vec<Value> {
    let reply = app.rpc_with(token, &[], LIST).json();
    reply["result"]["tools"].as_array().unwrap_or_else(|| panic!("{reply}")).clone()
}

#[test]
fn curated_tools_come_before_the_three_generic_ones() {
    let api = Api::start();
    // the API stands before the worker whose tools follow its own
    let late = "[service.tool.invoices_list]\noperation = \"listInvoices\"\n[[service.upstream]]\nid = \"late\"\nkind = \"worker\"\nurl = \"http://127.0.0.1:1\"\ncatalog = \"late.json\"\n";
    let tool = r#"[{"name": "zz_last", "inputSchema": {"type": "object"}}]"#;
    let app = before(TestApp::builder(), &api.url, "", "").with("tail", late).file("late.json", tool).start();
    let names: Vec<_> = listed(&app, &app.pat(&app.person("ana"), &[]).token);
    let names: Vec<_> = names.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "list_meetings",
            "delete_meeting",
            "invoices_list",
            "zz_last",
            "met_search_operations",
            "met_describe_operation",
            "met_call_operation"
        ]
    );
}

#[test]
fn a_curated_tool_is_described_by_its_operation() {
    let api = Api::start();
    let policy = format!(
        "{CURATED}[service.tool.invoice_get]\noperation = \"getInvoice\"\n[service.tool.invoice_put]\noperation = \"replaceInvoice\"\nannotations = {{ title = \"Swap\" }}\n"
    );
    let app = start(&api, &policy);
    let tools = listed(&app, &app.pat(&app.person("ana"), &[]).token);
    let of = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap().clone();
    let get = of("invoice_get");
    assert_eq!(
        (&get["title"], &get["description"]),
        (&json!("Get one invoice"), &json!("Get one invoice. With all its lines."))
    );
    assert_eq!(get["annotations"], json!({"readOnlyHint": true}));
    assert_eq!(get["outputSchema"]["type"], "object");
    assert_eq!(get["inputSchema"]["required"], json!(["invoiceId"]));
    assert_eq!(of("invoices_list").get("outputSchema"), None, "a list is no object");
    let delete = of("invoice_delete");
    assert_eq!(
        delete["annotations"],
        json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true})
    );
    assert_eq!(delete["inputSchema"]["required"], json!(["invoiceId", "confirm"]));
    assert!(
        delete["description"]
            .as_str()
            .unwrap()
            .ends_with("for good. Antes de repetir la llamada con confirm: true, confírmalo con la persona."),
        "{delete}"
    );
    assert_eq!(of("invoice_create")["annotations"], json!({"readOnlyHint": false}));
    let put = of("invoice_put");
    assert_eq!(put["annotations"]["title"], "Swap");
    assert_eq!(put["annotations"]["idempotentHint"], true);
    let call = of("met_call_operation");
    assert_eq!(call["annotations"]["readOnlyHint"], false);
    assert_eq!(call["inputSchema"]["additionalProperties"], false);
    for name in ["met_search_operations", "met_describe_operation"] {
        assert_eq!(of(name)["annotations"]["readOnlyHint"], true, "{name}");
    }
}

#[test]
fn generic_tools_are_there_for_whom_their_own_policy_lets_in() {
    let api = Api::start();
    let policy = "[service.tool.\"met_*\"]\nscopes = [\"mico:write\"]\n[service.tool.met_call_operation]\nmodes = [\"test\"]\n";
    let app = start(&api, policy);
    let person = app.person("ana");
    let (read, both) = (app.pat(&person, &["mico:read"]).token, app.pat(&person, &[]).token);
    let names = |token: &str| -> Vec<String> {
        listed(&app, token).iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&read), ["list_meetings"]);
    assert_eq!(names(&both)[2..], ["met_search_operations", "met_describe_operation"]);
    assert_eq!(code(&call(&app, &both, "listInvoices", &json!({}))), "unknown_tool");
    assert_eq!(code(&describe(&app, &read, "listInvoices")), "missing_scope");
    assert!(api.seen().is_empty());
}
