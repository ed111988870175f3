//! A generic call is decided on its operation: each refusal is the curated tool's, byte for byte.

use super::*;
use crate::support::http::request;
use crate::support::mcp::modern;

/// The plan that has a feature of the tools' own, and a metered one.
const PLANS: &str = "[plans.extra]\nfeatures = [\"mcp\", \"extra\"]\n[plans.metered]\nfeatures = [\"mcp\"]\ncredits_per_month = 10\n";

struct World {
    app: TestApp,
    api: Api,
}

fn world(style: &str, policy: &str) -> World {
    let api = Api::start();
    let builder = TestApp::builder().with("service", style);
    let app = before(builder, &api.url, &format!("{CURATED}{policy}"), "").with("tail", PLANS).start();
    World { app, api }
}

/// Curated and generic calls of one operation, legacy and 2026-07-28: status, challenge and body of each.
fn both_ways(
    app: &TestApp,
    token: &str,
    tool: &str,
    operation: &str,
    arguments: &Value,
) -> Vec<(u16, Option<String>, Value)> {
    let outer = |arguments: &Value| {
        let mut inner = arguments.clone();
        let members = inner.as_object_mut().unwrap();
        let (confirm, intent) = (members.remove("confirm"), members.remove("user_intent"));
        let mut outer = json!({"operation": operation, "arguments": inner});
        for (name, value) in [("confirm", confirm), ("user_intent", intent)] {
            if let Some(value) = value {
                outer[name] = value;
            }
        }
        outer
    };
    let seen =
        |reply: Reply| (reply.status, reply.header("www-authenticate").map(str::to_owned), reply.json());
    let modern = |name: &str, arguments: &Value| {
        let (mut headers, body) = modern("tools/call", &json!({"name": name, "arguments": arguments}), &[]);
        headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        request("POST", &app.resource, &headers, Some(&body))
    };
    vec![
        seen(app.call(token, tool, arguments)),
        seen(app.call(token, "met_call_operation", &outer(arguments))),
        seen(modern(tool, arguments)),
        seen(modern("met_call_operation", &outer(arguments))),
    ]
}

fn assert_same(world: &World, token: &str, tool: &str, operation: &str, arguments: &Value, code: &str) {
    let all = both_ways(&world.app, token, tool, operation, arguments);
    assert_eq!(all[0], all[1], "{tool} {code}");
    assert_eq!(all[2], all[3], "{tool} {code} 2026-07-28");
    assert!(all[0].2.to_string().contains(code), "{tool} {code}: {:?}", all[0]);
    assert!(world.api.seen().is_empty(), "{tool} {code}: nothing happens");
}

#[test]
fn every_refusal_is_the_same_by_either_way() {
    for style in ["http", "jsonrpc", "tool"] {
        let world = world(
            &format!("errors = \"{style}\"\nupgrade_url = \"https://x.example\""),
            "[service.operation.createInvoice]\nfeature = \"extra\"\n",
        );
        let app = &world.app;
        let person = app.person("ana");
        let full = app.pat(&person, &[]).token;
        let narrow = app.pat(&person, &["mico:read"]).token;
        let oauth = app.connect(&narrow).access;
        let (id, invoice) = (json!({"invoiceId": "7"}), json!({"customer": "c", "total": 1}));
        assert_same(&world, &narrow, "invoice_delete", "deleteInvoice", &id, "missing_scope");
        assert_same(&world, &oauth, "invoice_delete", "deleteInvoice", &id, "missing_scope");
        assert_same(&world, &full, "invoice_create", "createInvoice", &invoice, "feature_not_included");
        assert_same(&world, &full, "invoice_delete", "deleteInvoice", &id, "confirmation_required");
        let said = json!({"invoiceId": "7", "confirm": "true"});
        assert_same(&world, &full, "invoice_delete", "deleteInvoice", &said, "confirmation_required");
        assert_same(
            &world,
            &full,
            "invoices_list",
            "listInvoices",
            &json!({"limit": 0}),
            if style == "jsonrpc" { "-3" } else { "invalid_arguments" },
        );
        app.cli(&["workspace", "set-status", &person.workspace, "past_due"], None);
        crate::support::eventually("the bill is overdue", || {
            (code(&app.call(&full, "delete_meeting", &json!({}))) == "workspace_blocked").then_some(())
        });
        let confirmed = json!({"invoiceId": "7", "confirm": true});
        assert_same(&world, &full, "invoice_delete", "deleteInvoice", &confirmed, "workspace_blocked");
        let all = both_ways(app, &full, "invoices_list", "listInvoices", &json!({}));
        assert!(
            all.iter().all(|(status, _, body)| *status == 200 && body["result"]["isError"] == false),
            "{all:?}"
        );
        assert_eq!(world.api.seen().len(), 4, "it only reads");
    }
}

#[test]
fn an_intent_is_asked_for_by_either_way() {
    let world = world(
        "",
        "[service.operation.\"delete*\"]\nconfirm = \"intent\"\nconfirm_message = \"The invoice goes.\"\n",
    );
    let full = world.app.pat(&world.app.person("ana"), &[]).token;
    for arguments in [
        json!({"invoiceId": "7"}),
        json!({"invoiceId": "7", "confirm": true}),
        json!({"invoiceId": "7", "confirm": true, "user_intent": "  "}),
        json!({"invoiceId": "7", "user_intent": "tidy up"}),
    ] {
        assert_same(&world, &full, "invoice_delete", "deleteInvoice", &arguments, "The invoice goes.");
    }
    let said = json!({"invoiceId": "7", "confirm": true, "user_intent": "tidy up"});
    assert_eq!(both_ways(&world.app, &full, "invoice_delete", "deleteInvoice", &said).len(), 4);
    let seen = world.api.seen();
    assert_eq!(seen.len(), 4);
    for one in seen {
        assert_eq!(one.header("x-portero-user-intent"), Some("tidy%20up"));
    }
}

/// An operator may spare a curated tool the question; a model that names any operation is always asked.
#[test]
fn every_delete_by_the_generic_way_has_to_be_confirmed() {
    let api = Api::start();
    let policy = format!(
        "{CURATED}confirm = false\n[service.tool.\"invoice_delete*\"]\nconfirm = false\n[service.operation.\"*\"]\nconfirm = false\n"
    );
    let app = start(&api, &policy);
    let full = app.pat(&app.person("ana"), &[]).token;
    for (operation, arguments) in
        [("deleteInvoice", json!({"invoiceId": "7"})), ("removeCustomer", json!({"customerId": "c"}))]
    {
        let reply = call(&app, &full, operation, &arguments);
        assert_eq!(code(&reply), "confirmation_required", "{operation}");
        assert_eq!(text(&describe(&app, &full, operation))["confirm"], true);
    }
    let words = text(&call(&app, &full, "removeCustomer", &json!({"customerId": "c"})))["message"].clone();
    assert!(words.as_str().unwrap().contains("Hace esto: Remove a customer."), "{words}");
    // among the arguments it confirms nothing
    let inside = json!({"invoiceId": "7", "confirm": true});
    assert_eq!(code(&call(&app, &full, "deleteInvoice", &inside)), "confirmation_required");
    assert!(api.seen().is_empty());
    assert!(
        !is_error(&app.call(&full, "invoice_delete", &json!({"invoiceId": "7"}))),
        "its own policy says so"
    );
    assert_eq!(api.seen().len(), 1);
}

#[test]
fn a_curated_tools_policy_is_its_operations_too() {
    let policy = "[service.tool.invoices_list]\noperation = \"listInvoices\"\nscopes = [\"mico:write\"]\nrate = \"2/min\"\n[service.operation.\"*\"]\nscopes = []\n";
    let api = Api::start();
    let app = start(&api, policy);
    let person = app.person("ana");
    let (read, both) = (app.pat(&person, &["mico:read"]).token, app.pat(&person, &[]).token);
    assert_eq!(
        code(&call(&app, &read, "listInvoices", &json!({}))),
        "missing_scope",
        "no glob takes it away"
    );
    assert!(!is_error(&app.call(&both, "invoices_list", &json!({}))));
    assert!(!is_error(&call(&app, &both, "listInvoices", &json!({}))));
    for reply in [call(&app, &both, "listInvoices", &json!({})), app.call(&both, "invoices_list", &json!({}))]
    {
        assert_eq!((reply.status, code(&reply).as_str()), (429, "rate_limited"), "one count for both ways");
    }
    assert!(!is_error(&call(&app, &read, "getInvoice", &json!({"invoiceId": "1"}))));
}

#[test]
fn without_policy_the_documents_security_counts() {
    let api = Api::start();
    let app = start(&api, "");
    let person = app.person("ana");
    let (read, write, both) = (
        app.pat(&person, &["mico:read"]).token,
        app.pat(&person, &["mico:write"]).token,
        app.pat(&person, &[]).token,
    );
    let year = json!({"year": 2024});
    for (token, operation, arguments, expected) in [
        (&read, "listInvoices", json!({}), ""),
        (&write, "listInvoices", json!({}), "missing_scope"),
        (&write, "createInvoice", json!({"customer": "c", "total": 1}), ""),
        (&read, "createInvoice", json!({"customer": "c", "total": 1}), "missing_scope"),
        // both scopes of the one alternative that can be had; the key is the gateway's to bring
        (&read, "exportReport", year.clone(), "missing_scope"),
        (&both, "exportReport", year.clone(), ""),
        // nobody can be given what it needs
        (&both, "readAudit", json!({}), "unknown_tool"),
    ] {
        assert_eq!(code_or_nothing(&call(&app, token, operation, &arguments)), expected, "{operation}");
    }
    assert!(!found(&app, &both, "who did what audit").contains(&"readAudit".to_owned()));
    // what neither policy nor document speaks of can be hidden; what the document speaks of is not
    let app = before(TestApp::builder(), &api.url, "", "unlisted = \"deny\"").start();
    let both = app.pat(&app.person("ana"), &[]).token;
    assert_eq!(code_or_nothing(&call(&app, &both, "listInvoices", &json!({}))), "unknown_tool");
    assert_eq!(code_or_nothing(&call(&app, &both, "exportReport", &year)), "");
}

fn code_or_nothing(reply: &Reply) -> String {
    if reply.status == 200 && reply.json()["result"]["isError"] == false {
        String::new()
    } else {
        code(reply)
    }
}

#[test]
fn what_is_hidden_answers_as_what_is_absent() {
    let mut all = Vec::new();
    for (policy, operation) in [
        ("", "gone"),
        ("[service.operation.readLedger]\nhidden = true\n", "readLedger"),
        ("[service.operation.readLedger]\nmodes = [\"test\"]\n", "readLedger"),
        ("[service.operation.readLedger]\nscopes = [\"undeclared\"]\n", "readLedger"),
        ("[service.operation.\"purge*\"]\nhidden = true\n", "purgeInvoices"),
    ] {
        let api = Api::start();
        let app = start(&api, policy);
        let token = app.pat(&app.person("ana"), &[]).token;
        assert!(!found(&app, &token, operation).contains(&operation.to_owned()), "{policy}");
        for reply in [call(&app, &token, operation, &json!({})), describe(&app, &token, operation)] {
            all.push((reply.status, reply.headers.len(), reply.text().replace(operation, "NAME")));
        }
        assert!(api.seen().is_empty());
    }
    assert!(
        all[0].2.contains("Unknown operation: NAME") && all[0].2.contains("met_search_operations"),
        "{:?}",
        all[0]
    );
    assert!(all[0].2.contains("\"unknown_tool\""), "{:?}", all[0]);
    assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
}

#[test]
fn an_excluded_operation_says_why_and_what_instead() {
    for style in ["http", "jsonrpc", "tool"] {
        let api = Api::start();
        let app =
            before(TestApp::builder().with("service", &format!("errors = \"{style}\"")), &api.url, "", "")
                .start();
        let token = app.pat(&app.person("ana"), &[]).token;
        for reply in
            [call(&app, &token, "purgeInvoices", &json!({})), describe(&app, &token, "purgeInvoices")]
        {
            let said = text(&reply);
            assert_eq!(
                (reply.status, is_error(&reply), &said["code"]),
                (200, true, &json!("operation_excluded"))
            );
            assert!(
                said["message"].as_str().unwrap().contains("It deletes every invoice at once."),
                "{said}"
            );
            assert!(said["hint"].as_str().unwrap().contains("Call deleteInvoice for each."), "{said}");
        }
        assert!(!found(&app, &token, "purge delete all invoices").contains(&"purgeInvoices".to_owned()));
        let purges = call(&app, &token, "purgeNothing", &json!({}));
        assert_eq!(code(&purges), "unknown_tool", "a pattern tells of nothing that is not there");
        assert!(api.seen().is_empty());
    }
}

#[test]
fn costs_are_the_operations() {
    let world = world("", "[service.operation.\"*Invoices\"]\ncost = 4\n");
    let token = world.app.pat(&world.app.person_on("ana", Some("metered")), &[]).token;
    for _ in 0..2 {
        assert!(!is_error(&call(&world.app, &token, "listInvoices", &json!({}))));
    }
    let all = both_ways(&world.app, &token, "invoices_list", "listInvoices", &json!({}));
    assert!(all.iter().all(|(status, ..)| *status == 402), "{all:?}");
    assert_eq!((&all[0], &all[2]), (&all[1], &all[3]));
    assert_eq!(world.api.seen().len(), 2);
    assert!(
        !is_error(&call(&world.app, &token, "getInvoice", &json!({"invoiceId": "1"}))),
        "this one is free"
    );
    assert_eq!(found(&world.app, &token, "GET /invoices")[0], "listInvoices", "and so is looking");
}

#[test]
fn without_credentials_there_is_nothing_but_the_sign_in() {
    let api = Api::start();
    let policy = format!("{CURATED}[service.operation.listInvoices]\npublic = true\n");
    let app = start(&api, &policy);
    assert!(!is_error(&app.call("", "invoices_list", &json!({}))));
    let list = app.rpc_with("", &[], crate::support::mcp::LIST).json();
    let names: Vec<_> = list["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["invoices_list"]);
    assert_eq!(list["result"]["tools"][0]["securitySchemes"], json!([{"type": "noauth"}]));
    for reply in [
        call(&app, "", "listInvoices", &json!({})),
        call(&app, "", "gone", &json!({})),
        describe(&app, "", "listInvoices"),
    ] {
        assert_eq!(reply.status, 401, "{reply:?}");
    }
}
