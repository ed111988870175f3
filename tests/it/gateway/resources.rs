//! Resources and their templates: whose they are, who may read them, and how that is said in every revision.

use serde_json::{Value, json};

use super::shelf::{POLICY, Shelf, members, rpc};
use crate::support::mcp::code;
use crate::support::{Reply, TestApp, eventually};

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn read(app: &TestApp, token: &str, uri: &str) -> Reply {
    rpc(app, token, "resources/read", &json!({"uri": uri}))
}

fn text(reply: &Reply) -> Option<String> {
    Some(reply.json()["result"]["contents"][0]["text"].as_str()?.to_owned())
}

fn listed(app: &TestApp, token: &str, cursor: Option<&str>) -> (Vec<String>, Option<String>) {
    let reply = rpc(app, token, "resources/list", &json!({"cursor": cursor}));
    let next = reply.json()["result"]["nextCursor"].as_str().map(str::to_owned);
    (members(&reply, "resources", "uri"), next)
}

#[test]
fn everybody_reads_their_own_and_nobody_elses() {
    let shelf = Shelf::start();
    let app = shelf.before(POLICY).start();
    let (ana, bruno) = (app.person("ana"), app.person("bruno"));
    let (one, other) = (app.pat(&ana, &[]).token, app.pat(&bruno, &[]).token);
    assert_eq!(text(&read(&app, &one, "notes://a1")).as_deref(), Some("of ana"));
    let asked = shelf.seen().pop().unwrap();
    assert_eq!(asked.path, "/resources/read?uri=notes%3A%2F%2Fa1");
    for (name, value) in [
        ("x-portero-user", Some(ana.id.as_str())),
        ("x-portero-workspace", Some(&ana.workspace)),
        ("x-portero-subject", Some("ana")),
        ("x-portero-service", Some("mico")),
        ("x-portero-token-kind", Some("pat")),
        ("accept", Some("application/json")),
        ("x-portero-tool", None),
        ("authorization", None),
        ("content-type", None),
    ] {
        assert_eq!(asked.header(name), value, "{name}");
    }
    assert!(asked.header("x-request-id").is_some() && asked.header("traceparent").is_some());
    assert_eq!(text(&read(&app, &other, "notes://b1")).as_deref(), Some("of bruno"));
    // somebody else's, and one that nobody has: nothing tells them apart
    let told = |token: &str, uri: &str| {
        let reply = read(&app, token, uri);
        (reply.status, reply.text().replace(uri, "URI"))
    };
    let absent = told(&one, "notes://c1");
    assert_eq!(absent, told(&one, "notes://b1"));
    assert_eq!(absent, told(&other, "notes://a1"));
    let reply = read(&app, &one, "notes://b1");
    assert_eq!(
        reply.json()["error"],
        json!({"code": -32002, "message": "Resource not found: notes://b1", "data": {
            "code": "resource_not_found", "uri": "notes://b1",
            "hint": "Ask resources/list and resources/templates/list which resources there are."}})
    );
    // the list is theirs too, page by page, one worker after the other
    for (token, first) in [(&one, 'a'), (&other, 'b')] {
        let (page, next) = listed(&app, token, None);
        assert_eq!(page, [format!("notes://{first}1")]);
        assert_eq!(next.as_deref(), Some("notes:p 2/ñ"));
        let (page, next) = listed(&app, token, next.as_deref());
        assert_eq!(page, [format!("notes://{first}2"), "files://logo".into(), "loose://one".into()]);
        assert_eq!(next, None);
    }
    for bad in ["p 2/ñ", "nobody:x", "notes:x", "", &"x".repeat(5000)] {
        let reply = rpc(&app, &one, "resources/list", &json!({"cursor": bad}));
        assert_eq!((reply.status, code(&reply)), (200, Some(-32602)), "{bad}");
    }
}

#[test]
fn a_resource_comes_from_the_worker_that_knows_it() {
    let shelf = Shelf::start();
    let app = shelf.before(POLICY).start();
    let token = app.pat(&app.person("ana"), &[]).token;
    assert_eq!(read(&app, &token, "files://logo").json()["result"]["contents"][0]["blob"], "aGk=");
    assert_eq!(text(&read(&app, &token, "loose://one")).as_deref(), Some("loose"));
    // named by policy and known to nobody: looked for in the lists, and not found there
    assert_eq!(code(&read(&app, &token, "files://other")), Some(-32002));
    assert!(shelf.seen().iter().all(|seen| !seen.path.contains("other")));
}

#[test]
fn what_is_listed_is_what_may_be_read() {
    let shelf = Shelf::start();
    let app = shelf.before(POLICY).start();
    let person = app.person("ana");
    let templates = |token: &str| {
        members(&rpc(&app, token, "resources/templates/list", &json!({})), "resourceTemplates", "uriTemplate")
    };
    let all = app.pat(&person, &[]).token;
    assert_eq!(templates(&all), ["notes://{note_id}", "odd://{kind}/{id}"]);
    let whole = rpc(&app, &all, "resources/templates/list", &json!({})).json();
    assert_eq!(
        whole["result"]["resourceTemplates"][0],
        json!({"uriTemplate": "notes://{note_id}", "name": "note", "title": "A note", "mimeType": "text/plain"})
    );
    // what no policy names needs the default scopes
    let default = app.pat(&person, &["mico:read"]).token;
    assert_eq!(templates(&default), ["odd://{kind}/{id}"]);
    let (page, next) = listed(&app, &default, None);
    assert_eq!((page.len(), next.is_some()), (0, true), "a page may have nothing for somebody");
    assert_eq!(listed(&app, &default, next.as_deref()).0, ["loose://one"]);
    let notes = app.pat(&person, &["notes:read"]).token;
    assert_eq!(templates(&notes), ["notes://{note_id}"]);
    let next = listed(&app, &notes, None).1;
    assert_eq!(listed(&app, &notes, next.as_deref()).0, ["notes://a2"]);
    let before = shelf.seen().len();
    // who lacks a scope learns which, whether there is such a note or not, and no worker is asked
    for uri in ["notes://a1", "notes://zzz"] {
        let reply = read(&app, &default, uri);
        assert_eq!((reply.status, code(&reply)), (200, Some(-32002)), "{reply:?}");
        let data = &reply.json()["error"]["data"];
        assert_eq!((&data["code"], &data["scope"]), (&json!("missing_scope"), &json!("notes:read")));
        assert!(reply.header("www-authenticate").is_none(), "a personal token cannot step up");
    }
    let own = app.connect(&app.pat(&person, &[]).token).access;
    let reply = read(&app, &own, "notes://a1");
    assert_eq!((reply.status, code(&reply)), (403, Some(-32002)));
    let challenge = reply.header("www-authenticate").unwrap();
    assert!(
        challenge.contains("error=\"insufficient_scope\", scope=\"mico:read notes:read\""),
        "{challenge}"
    );
    assert_eq!(shelf.seen().len(), before);
}

#[test]
fn other_spellings_reach_no_worker() {
    let shelf = Shelf::start();
    let guarded = format!("{POLICY}[service.resource.\"odd://señas/{{id}}\"]\nscopes = [\"notes:read\"]");
    let app = shelf.before(&guarded).start();
    let token = app.pat(&app.person("ana"), &["mico:read", "files:read"]).token;
    let reads = || shelf.seen().iter().filter(|seen| seen.path.starts_with("/resources/read")).count();
    for (uri, expected) in [
        ("notes://a1", -32002),
        ("NOTES://a1", -32002),
        ("notes://%611", -32002),
        ("notes://A1", -32002),
        ("notes://a1/", -32002),
        ("notes://a1?x", -32002),
        ("notes://a1#x", -32002),
        ("notes:a1", -32002),
        ("odd://señas/1", -32002),
        ("odd://se%C3%B1as/1", -32002),
        ("odd://se%c3%b1as/%31", -32002),
        ("nowhere://x", -32002),
        ("notes://{note_id}", -32602),
        ("notes://x/../a1", -32602),
        ("notes://x/%2e%2e/a1", -32602),
        ("odd://x/..%2Fa1", -32602),
        ("notes://a1\r\nX-Portero-User: x", -32602),
        ("notes://a1%0d%0a", -32602),
        ("notes://a1%", -32602),
        ("a1", -32602),
        ("", -32602),
    ] {
        assert_eq!(code(&read(&app, &token, uri)), Some(expected), "{uri:?}");
    }
    for params in [
        json!({}),
        json!({"uri": 1}),
        json!({"uri": null}),
        json!({"uri": format!("notes://{}", "a".repeat(2048))}),
    ] {
        assert_eq!(code(&rpc(&app, &token, "resources/read", &params)), Some(-32602));
    }
    assert_eq!(reads(), 0);
    // what goes into the query stays one value
    let all = app.pat(&app.person("bruno"), &[]).token;
    read(&app, &all, "odd://a/b,c%20é%26uri%3Dx");
    let seen = shelf.seen().pop().unwrap();
    assert_eq!(seen.path, "/resources/read?uri=odd%3A%2F%2Fa%2Fb%2Cc%2520%C3%A9%2526uri%253Dx");
}

/// Without a number of the operator's for what is not there, and with one.
const NUMBERS: [(&str, i64); 2] = [("", -32002), ("error_codes = { resource_not_found = -32003 }", -32003)];

#[test]
fn in_every_revision_with_a_handshake() {
    let shelf = Shelf::start();
    for (codes, number) in NUMBERS {
        let app = shelf.before(POLICY).with("service", codes).start();
        let token = app.pat(&app.person("ana"), &[]).token;
        for version in LEGACY {
            let opened = rpc(&app, &token, "initialize", &json!({"protocolVersion": version}));
            let capabilities = &opened.json()["result"]["capabilities"];
            assert_eq!(capabilities["resources"], json!({"subscribe": false, "listChanged": false}));
            assert_eq!(capabilities["prompts"], json!({"listChanged": false}));
            let ask = |method: &str, uri: &str| {
                let body = json!({"jsonrpc": "2.0", "id": "é", "method": method, "params": {"uri": uri}});
                app.rpc_with(&token, &[("mcp-protocol-version", version)], &body.to_string())
            };
            let contents = json!([{"uri": "notes://a1", "mimeType": "text/plain", "text": "of ana"}]);
            assert_eq!(
                ask("resources/read", "notes://a1").json(),
                json!({"jsonrpc": "2.0", "id": "é", "result": {"contents": contents}})
            );
            let absent = ask("resources/read", "notes://c1");
            assert_eq!((absent.status, code(&absent)), (200, Some(number)), "{version}");
            assert_eq!(code(&ask("resources/read", "notes://{")), Some(-32602));
            assert_eq!(code(&ask("resources/subscribe", "notes://a1")), Some(-32601));
        }
    }
}

#[test]
fn in_the_stateless_revision() {
    let shelf = Shelf::start();
    for (codes, _) in NUMBERS {
        let app = shelf.before(POLICY).with("service", codes).start();
        let person = app.person("ana");
        let token = app.pat(&person, &[]).token;
        let modern =
            |method: &str, params: Value, over: &[(&str, &str)]| app.modern(&token, method, &params, over);
        let discovered = modern("server/discover", json!({}), &[]).json();
        assert_eq!(discovered["result"]["capabilities"]["resources"]["subscribe"], false);
        let read = modern("resources/read", json!({"uri": "notes://a1"}), &[]);
        let result = &read.json()["result"];
        assert_eq!(
            (&result["resultType"], &result["ttlMs"], &result["cacheScope"]),
            (&json!("complete"), &json!(0), &json!("private")),
        );
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mico");
        for (method, list) in
            [("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")]
        {
            let result = &modern(method, json!({}), &[]).json()["result"];
            assert!(result[list].is_array() && result["ttlMs"].is_u64(), "{result}");
            assert_eq!(
                (&result["cacheScope"], &result["resultType"]),
                (&json!("private"), &json!("complete"))
            );
        }
        let absent = modern("resources/read", json!({"uri": "notes://c1"}), &[]);
        assert_eq!(
            (absent.status, code(&absent)),
            (200, Some(-32602)),
            "-32002 and -32003 are reserved here"
        );
        assert_eq!(absent.json()["error"]["data"]["code"], "resource_not_found");
        for over in [("mcp-name", "notes://a2"), ("mcp-name", "")] {
            let reply = modern("resources/read", json!({"uri": "notes://a1"}), &[over]);
            assert_eq!((reply.status, code(&reply)), (400, Some(-32020)));
        }
        for method in ["resources/subscribe", "resources/unsubscribe", "completion/complete"] {
            let reply = modern(method, json!({}), &[]);
            assert_eq!((reply.status, code(&reply)), (404, Some(-32601)), "{method}");
        }
        let narrow = app.pat(&person, &["mico:read"]).token;
        let reply = app.modern(&narrow, "resources/read", &json!({"uri": "notes://a1"}), &[]);
        assert_eq!((reply.status, code(&reply)), (200, Some(-31002)));
    }
}

#[test]
fn a_service_without_them_does_not_have_their_methods() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let opened = rpc(&app, &token, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    assert_eq!(opened.json()["result"]["capabilities"], json!({"tools": {"listChanged": false}}));
    for method in
        ["resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get"]
    {
        let params = json!({"uri": "notes://a1", "name": "notes://a1"});
        let reply = rpc(&app, &token, method, &params);
        assert_eq!((reply.status, code(&reply)), (200, Some(-32601)), "{method}");
        let reply = app.modern(&token, method, &params, &[]);
        assert_eq!((reply.status, code(&reply)), (404, Some(-32601)), "{method}");
    }
}

#[test]
fn every_style_says_it_as_an_error() {
    let shelf = Shelf::start();
    for style in ["http", "jsonrpc", "tool"] {
        let app = shelf.before(POLICY).with("service", &format!("errors = \"{style}\"")).start();
        let person = app.person("ana");
        let own = app.connect(&app.pat(&person, &[]).token).access;
        let reply = read(&app, &own, "notes://a1");
        let status = if style == "http" { 403 } else { 200 };
        assert_eq!((reply.status, code(&reply)), (status, Some(-32002)), "{style}");
        let token = app.pat(&person, &[]).token;
        for (uri, status, number, word) in [
            ("notes://crash", 200, -32099, "upstream_unavailable"),
            ("notes://array", 200, -32099, "upstream_unavailable"),
            ("notes://shape", 200, -32099, "upstream_unavailable"),
            ("notes://picky", 200, -32011, "invalid_arguments"),
            ("notes://busy", 429, -32004, "rate_limited"),
            ("notes://b1", 200, -32002, "resource_not_found"),
        ] {
            let reply = read(&app, &token, uri);
            assert_eq!((reply.status, code(&reply)), (status, Some(number)), "{style} {uri}");
            assert_eq!(reply.json()["error"]["data"]["code"], word);
        }
    }
}

#[test]
fn what_is_hidden_answers_as_what_is_absent() {
    let policy = r#"
[service.resource."notes://{id}"]
scopes = ["notes:read"]
[service.resource."notes://hide"]
hidden = true
[service.resource."notes://mode"]
modes = ["test"]
[service.resource."notes://lock"]
feature = "extra"
[service.resource."notes://none"]
scopes = ["nobody:has"]
"#;
    let shelf = Shelf::start();
    let app = shelf.before(policy).with("service", "locked = \"hide\"").start();
    let token = app.pat(&app.person("ana"), &[]).token;
    for modern in [false, true] {
        let told = |uri: &str| {
            let params = json!({"uri": uri});
            let reply = if modern {
                app.modern(&token, "resources/read", &params, &[])
            } else {
                rpc(&app, &token, "resources/read", &params)
            };
            (reply.status, reply.text().replace(uri, "URI"))
        };
        let absent = told("notes://c1");
        assert!(absent.1.contains("resource_not_found"), "{absent:?}");
        for uri in ["notes://hide", "notes://mode", "notes://lock", "notes://none", "gone://x"] {
            assert_eq!(told(uri), absent, "{uri}");
        }
    }
    assert_eq!(
        shelf.seen().iter().filter(|seen| seen.path.contains("read")).count(),
        2,
        "the absent one alone"
    );
}

#[test]
fn a_locked_resource_is_shown_with_the_way_to_unlock_it() {
    let policy = r#"
[service.resource."notes://*"]
scopes = []
feature = "extra"
"#;
    let shelf = Shelf::start();
    let app = shelf.before(policy).with("service", "upgrade_url = \"https://m.example/plans\"").start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let lock =
        json!({"code": "feature_not_included", "feature": "extra", "upgrade_url": "https://m.example/plans"});
    let list = rpc(&app, &token, "resources/list", &json!({})).json();
    assert_eq!(list["result"]["resources"][0]["_meta"]["io.portero/locked"], lock);
    let list = rpc(&app, &token, "resources/templates/list", &json!({})).json();
    assert_eq!(list["result"]["resourceTemplates"][0]["_meta"]["io.portero/locked"], lock);
    assert!(list["result"]["resourceTemplates"][1].get("_meta").is_none());
    let reply = read(&app, &token, "notes://a1");
    assert_eq!((reply.status, code(&reply)), (402, Some(-32010)));
}

#[test]
fn an_overdue_bill_still_reads() {
    let shelf = Shelf::start();
    let app = shelf.before(POLICY).start();
    let person = app.person("ana");
    let token = app.pat(&person, &[]).token;
    app.cli(&["workspace", "set-status", &person.workspace, "past_due"], None);
    eventually("the status is seen", || {
        app.call(&token, "delete_meeting", &json!({})).text().contains("workspace_blocked").then_some(())
    });
    assert_eq!(text(&read(&app, &token, "notes://a1")).as_deref(), Some("of ana"));
}

#[test]
fn public_resources_stand_beside_protected_ones() {
    let policy = format!("{POLICY}[service.resource.\"files://logo\"]\npublic = true\n");
    let shelf = Shelf::start();
    let app = shelf.before(&policy).start();
    // the notes' worker wants to know for whom, and has nothing for nobody
    assert_eq!(listed(&app, "", None), (vec!["files://logo".to_owned()], None));
    assert_eq!(read(&app, "", "files://logo").json()["result"]["contents"][0]["blob"], "aGk=");
    let asked = shelf.seen().pop().unwrap();
    assert_eq!(
        (asked.header("x-portero-token-kind"), asked.header("x-portero-user")),
        (Some("anonymous"), None)
    );
    let before = shelf.seen().len();
    for uri in ["notes://a1", "nowhere://x", "loose://one"] {
        let reply = read(&app, "", uri);
        assert_eq!((reply.status, code(&reply)), (401, Some(-32001)), "{uri}");
        assert!(reply.header("www-authenticate").unwrap().starts_with("Bearer resource_metadata="));
    }
    assert_eq!(shelf.seen().len(), before);
    let templates = rpc(&app, "", "resources/templates/list", &json!({}));
    assert_eq!(templates.json()["result"]["resourceTemplates"], json!([]));
}
