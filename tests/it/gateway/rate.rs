//! Rates: whose calls are counted together, and what is said to whom comes too often.

use std::time::Duration;

use serde_json::{Value, json};

use super::shelf::{POLICY, Shelf, rpc};

use crate::support::flow::connection;
use crate::support::http::Reply;
use crate::support::mcp::{LIST, PING, code};
use crate::support::{TestApp, together};

/// One call every ten seconds, and `burst` at once.
fn rate(per: &str, burst: u32) -> String {
    format!("rate = {{ per = \"{per}\", limit = \"6/min\", burst = {burst} }}")
}

fn list(app: &TestApp, token: &str) -> Reply {
    app.call(token, "list_meetings", &json!({}))
}

fn passes(reply: &Reply) -> bool {
    match reply.status {
        200 => true,
        429 => false,
        _ => panic!("{reply:?}"),
    }
}

#[test]
fn a_burst_passes_and_the_wait_is_exact() {
    let app = TestApp::builder().with("service", &rate("grant", 2)).start();
    let pat = app.pat(&app.person("ana"), &[]);
    assert!(passes(&list(&app, &pat.token)) && passes(&list(&app, &pat.token)));
    let refused = |seconds: u64| {
        let reply = list(&app, &pat.token);
        let body = reply.json();
        assert_eq!((reply.status, reply.header("retry-after")), (429, Some(seconds.to_string().as_str())));
        assert_eq!((body["code"].as_str(), code(&reply)), (Some("rate_limited"), Some(-32004)));
        assert_eq!(body["error"]["data"]["code"], "rate_limited");
        assert_eq!(body["error"]["data"]["retry_after"], seconds);
        assert_eq!(body["id"], 1);
        let exposed = reply.header("access-control-expose-headers");
        assert!(
            exposed.is_none_or(|names| names.to_ascii_lowercase().contains("retry-after")),
            "{exposed:?}"
        );
    };
    let calls = app.worker.seen().len();
    refused(10);
    app.advance(Duration::from_millis(1));
    refused(10);
    app.advance(Duration::from_millis(8999));
    refused(1);
    app.advance(Duration::from_millis(999));
    refused(1);
    assert_eq!(app.worker.seen().len(), calls, "nothing of it reached the worker");
    app.advance(Duration::from_millis(1));
    assert!(passes(&list(&app, &pat.token)));
    refused(10);
    app.advance(Duration::from_hours(1));
    assert!(passes(&list(&app, &pat.token)) && passes(&list(&app, &pat.token)));
    refused(10);
}

#[test]
fn of_64_at_once_one_takes_the_last_permit() {
    let app = TestApp::builder().with("service", &rate("grant", 3)).start();
    let pat = app.pat(&app.person("ana"), &[]);
    assert!(passes(&list(&app, &pat.token)) && passes(&list(&app, &pat.token)));
    let replies = together(64, |_| list(&app, &pat.token));
    assert_eq!(replies.iter().filter(|reply| passes(reply)).count(), 1);
}

#[test]
fn each_connection_has_its_own_and_a_refreshed_token_none_of_its_own() {
    let app = TestApp::builder().with("service", &rate("grant", 1)).start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let (first, second) = (app.connect(&pat.token), app.connect(&pat.token));
    for token in [&pat.token, &app.pat(&person, &[]).token, &first.access, &second.access] {
        assert!(passes(&list(&app, token)), "each is counted apart");
    }
    for token in [&pat.token, &first.access, &second.access] {
        assert!(!passes(&list(&app, token)));
    }
    let refreshed = connection(&first.client, &app.refresh(&first.client, &first.refresh));
    assert_ne!(refreshed.access, first.access);
    assert!(!passes(&list(&app, &refreshed.access)), "the same connection");
}

#[test]
fn people_and_workspaces_are_counted_through_all_they_have() {
    for per in ["user", "workspace"] {
        let app = TestApp::builder().with("service", &rate(per, 1)).start();
        let (ana, bea) = (app.person("ana"), app.person("bea"));
        app.cli(&["workspace", "add-member", &ana.workspace, &bea.email], None);
        let (first, second) = (app.pat(&ana, &[]), app.pat(&ana, &[]));
        let shared = app.cli(
            &[
                "token",
                "create",
                "--user",
                &bea.email,
                "--brand",
                "mico",
                "--name",
                "t",
                "--workspace",
                &ana.workspace,
            ],
            None,
        );
        assert!(passes(&list(&app, &first.token)), "{per}");
        assert!(!passes(&list(&app, &second.token)), "{per}");
        let of_another = passes(&list(&app, shared["token"].as_str().unwrap()));
        assert_eq!(of_another, per == "user", "{per}");
        assert_eq!(passes(&list(&app, &app.pat(&bea, &[]).token)), per == "workspace", "{per}");
    }
}

#[test]
fn a_plans_rate_stands_in_the_place_of_the_services() {
    let plans = "[plans.big]\nfeatures = [\"mcp\"]\nrate = { limit = \"1/min\", burst = 3 }";
    for service in [rate("grant", 1), String::new()] {
        let app = TestApp::builder().with("service", &service).with("tail", plans).start();
        let big = app.pat(&app.person_on("ana", Some("big")), &[]).token;
        let passed = (0..5).filter(|_| passes(&list(&app, &big))).count();
        assert_eq!(passed, 3, "{service}");
        assert_eq!(list(&app, &big).header("retry-after"), Some("60"));
        let small = app.pat(&app.person("bea"), &[]).token;
        let passed = (0..5).filter(|_| passes(&list(&app, &small))).count();
        assert_eq!(passed, if service.is_empty() { 5 } else { 1 });
    }
}

#[test]
fn a_tools_rate_is_counted_beside_and_a_refused_call_counts_for_neither() {
    let own = "[service.tool.\"list_*\"]\nrate = \"1/h\"";
    let app = TestApp::builder().with("service", &rate("grant", 2)).with("tail", own).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let delete = || app.call(&pat, "delete_meeting", &json!({"meeting_id": "1"}));
    assert!(passes(&list(&app, &pat)));
    let refused = list(&app, &pat);
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("3600")));
    assert!(passes(&delete()), "the refused one took nothing from the service's");
    assert!(!passes(&delete()));
    // refused for the service's: the tool's own permit of the next hour is not lost
    app.advance(Duration::from_hours(1));
    assert!(passes(&delete()) && passes(&delete()));
    assert_eq!(list(&app, &pat).header("retry-after"), Some("10"));
    app.advance(Duration::from_secs(10));
    assert!(passes(&list(&app, &pat)));
}

#[test]
fn only_calls_of_tools_that_are_there_count() {
    let app = TestApp::builder().with("service", &rate("grant", 1)).start();
    let pat = app.pat(&app.person("ana"), &["mico:read"]).token;
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}});
    for _ in 0..3 {
        for body in [PING, LIST, &initialize.to_string()] {
            assert_eq!(app.rpc_with(&pat, &[], body).status, 200, "{body}");
        }
        let note = app.rpc(&pat, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(note.status, 202);
        assert_eq!(code(&app.call(&pat, "nothing", &json!({}))), Some(-32602));
        assert!(app.call(&pat, "delete_meeting", &json!({})).text().contains("missing_scope"));
    }
    assert!(passes(&list(&app, &pat)), "nothing of that was counted");
    assert!(!passes(&list(&app, &pat)));
    assert_eq!(app.rpc_with(&pat, &[], PING).status, 200);
}

/// A service with a public tool behind a trusted proxy.
fn public(style: &str) -> TestApp {
    TestApp::builder()
        .with("top", "trusted_proxies = [\"127.0.0.0/8\"]")
        .with("service", &format!("{}\nerrors = \"{style}\"", rate("grant", 2)))
        .with("tail", "[service.tool.\"list_*\"]\npublic = true")
        .start()
}

fn call_of(tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}})
}

#[test]
fn anonymous_callers_are_counted_by_address_with_all_that_they_send() {
    let app = public("http");
    let from = |address: &str, body: &str| app.rpc_with("", &[("x-forwarded-for", address)], body);
    let (list, delete) = (call_of("list_meetings").to_string(), call_of("delete_meeting").to_string());
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    for (address, bodies) in [
        ("198.51.100.1", [&*list, &*list]),
        ("198.51.100.2", [initialize, PING]),
        ("198.51.100.3", [LIST, &*list]),
        ("2001:db8:1:2::1", [initialize, &*list]),
    ] {
        for body in bodies {
            assert!(passes(&from(address, body)), "{address} {body}");
        }
        for body in [initialize, PING, LIST, &*list, note] {
            let reply = from(address, body);
            assert_eq!((reply.status, reply.header("retry-after")), (429, Some("10")), "{address} {body}");
        }
        // a client that looks for the sign-in finds it all the same
        let reply = from(address, &delete);
        assert_eq!((reply.status, reply.header("www-authenticate").is_some()), (401, true), "{address}");
    }
    assert!(!passes(&from("2001:db8:1:2:ffff::9", PING)), "the same /64");
    assert!(passes(&from("2001:db8:1:3::1", PING)), "another /64");
    assert_eq!(from("198.51.100.4", note).status, 202);
    let pat = app.pat(&app.person("ana"), &[]).token;
    let known = app.rpc_with(&pat, &[("x-forwarded-for", "198.51.100.1")], &list);
    assert!(passes(&known), "a caller with a credential has its own: {known:?}");
    assert!(passes(&app.rpc_with(&pat, &[("x-forwarded-for", "198.51.100.1")], PING)));
}

#[test]
fn nobody_gets_a_new_address_by_saying_so() {
    let app = TestApp::builder()
        .with("service", &rate("grant", 1))
        .with("tail", "[service.tool.\"list_*\"]\npublic = true")
        .start();
    assert!(passes(&app.rpc_with("", &[("x-forwarded-for", "198.51.100.1")], PING)));
    assert!(!passes(&app.rpc_with("", &[("x-forwarded-for", "198.51.100.2")], PING)));
}

#[test]
fn each_style_says_it_in_its_own_way() {
    for style in ["http", "jsonrpc", "tool"] {
        let app = public(style);
        let pat = app.pat(&app.person("ana"), &[]).token;
        assert!(passes(&list(&app, &pat)) && passes(&list(&app, &pat)));
        let reply = list(&app, &pat);
        if style == "tool" {
            assert_eq!((reply.status, reply.header("retry-after")), (200, None));
            let result = &reply.json()["result"];
            assert_eq!(result["isError"], true);
            let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!((&text["code"], &text["status"]), (&json!("rate_limited"), &json!(429)));
            assert_eq!(text["hint"], "Wait 10 seconds, then call again.");
        } else {
            assert_eq!((reply.status, reply.header("retry-after")), (429, Some("10")), "{style}");
            assert_eq!(code(&reply), Some(-32004), "{style}");
        }
        // outside of calls there is no tool result to say it in
        assert!(passes(&app.rpc_with("", &[], PING)) && passes(&app.rpc_with("", &[], PING)));
        let reply = app.rpc_with("", &[], PING);
        assert_eq!(
            (reply.status, reply.header("retry-after"), code(&reply)),
            (429, Some("10"), Some(-32004))
        );
    }
}

#[test]
fn the_stateless_revision_has_its_own_number() {
    let app = TestApp::builder().with("service", &rate("grant", 1)).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let call = || app.modern(&pat, "tools/call", &json!({"name": "list_meetings", "arguments": {}}), &[]);
    assert!(passes(&call()));
    let reply = call();
    assert_eq!((reply.status, reply.header("retry-after"), code(&reply)), (429, Some("10"), Some(-31004)));
    assert_eq!(reply.json()["error"]["data"]["code"], "rate_limited");
}

#[test]
fn reads_and_prompts_count_before_a_worker_is_asked() {
    let shelf = Shelf::start();
    let policy = format!("{POLICY}[service.prompt.\"*\"]\nscopes = [\"mico:read\"]");
    let app = shelf.before(&policy).with("service", &rate("grant", 2)).start();
    let person = app.person("ana");
    let token = app.pat(&person, &[]).token;
    let read = |token: &str, uri: &str| rpc(&app, token, "resources/read", &json!({"uri": uri}));
    let prompt = || rpc(&app, &token, "prompts/get", &json!({"name": "sum up", "arguments": {"note": "a1"}}));
    assert!(passes(&read(&token, "notes://a1")) && passes(&prompt()));
    let asked = shelf.seen().len();
    for reply in
        [read(&token, "notes://a1"), read(&token, "files://nobody-knows"), prompt(), list(&app, &token)]
    {
        assert_eq!(
            (reply.status, reply.header("retry-after"), code(&reply)),
            (429, Some("10"), Some(-32004))
        );
    }
    for method in ["resources/templates/list", "prompts/list"] {
        assert!(passes(&rpc(&app, &token, method, &json!({}))), "{method}");
    }
    assert_eq!(shelf.seen().len(), asked);
    // what a scope is missing for says that, and counts for nothing
    let narrow = app.pat(&person, &["mico:read"]).token;
    for _ in 0..4 {
        assert!(read(&narrow, "notes://a1").text().contains("missing_scope"));
    }
    assert!(passes(&list(&app, &narrow)));
}
