//! What machines find a service by: `mcp.json`, `server.json`, the server card, the catalog of a host's cards.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::app::Builder;
use crate::support::http::{Reply, get, request};
use crate::support::worker::answering;
use crate::support::{TestApp, patiently};

const ABOUT: &str = r#"
registry_name = "com.mico/meetings"
description = "Find and read your meetings"
website = "https://mico.example/product"
server_info = { name = "mico-mcp", title = "Mico", version = "1.2.0" }"#;
const MCP: &str = "/.well-known/mcp.json";
const SERVER: [&str; 2] = ["/server.json", "/.well-known/server.json"];
const CATALOG: &str = "/.well-known/ai-catalog.json";
const CARD: &str = "/functions/v1/mcp/server-card";
const VERSIONS: [&str; 5] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

fn every_path() -> Vec<&'static str> {
    [MCP, CATALOG, CARD].into_iter().chain(SERVER).collect()
}

fn about(more: &str) -> Builder {
    TestApp::builder().with("service", &format!("{ABOUT}\n{more}"))
}

fn at(app: &TestApp, host: &str, path: &str) -> Reply {
    request("GET", &format!("{}{path}", app.base), &[("host", host)], None)
}

fn members(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn names(document: &Value) -> Vec<&str> {
    document["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn faults(document: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(include_str!("schemas/server-2025-12-11.json")).unwrap();
    let schema = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    schema.iter_errors(document).map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
}

#[test]
fn the_descriptor_says_where_and_how_and_what() {
    let hidden = "[service.tool.secret_tool]\nhidden = true\n[service.tool.\"delete_*\"]\nconfirm = true";
    let tools = r#"[{"name": "list_meetings", "title": "Meetings", "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": true}, "_meta": {"io.portero/domain": "Meetings", "own/key": 1}},
        {"name": "delete_meeting", "inputSchema": {"type": "object"}, "_meta": {"io.portero/domain": "Meetings"}},
        {"name": "secret_tool", "inputSchema": {"type": "object"}}]"#;
    let app = about("").file("tools.json", tools).with("tail", hidden).start();
    let reply = get(&format!("{}{MCP}", app.base));
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    let document = reply.json();
    assert_eq!(members(&document), ["name", "version", "endpoint", "transport", "authentication", "tools"]);
    assert_eq!((&document["name"], &document["version"]), (&json!("mico-mcp"), &json!("1.2.0")));
    assert_eq!(document["endpoint"], app.resource);
    assert_eq!(document["transport"], "streamable-http");
    assert_eq!(
        document["authentication"],
        json!({
            "required": true,
            "schemes": ["oauth2", "bearer"],
            "resource_metadata": format!("{}/.well-known/oauth-protected-resource/functions/v1/mcp", app.base),
            "authorization_servers": [app.issuer],
            "personal_access_tokens": format!("{}/settings/tokens", app.base),
            "scopes": ["mico:read", "mico:write"],
        })
    );
    let metadata = get(document["authentication"]["resource_metadata"].as_str().unwrap()).json();
    assert_eq!(metadata["authorization_servers"], document["authentication"]["authorization_servers"]);
    assert_eq!(get(document["authentication"]["personal_access_tokens"].as_str().unwrap()).status, 303);
    let pat = app.pat(&app.person("ana"), &[]);
    let list = app.rpc(&pat.token, &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).json();
    assert_eq!(document["tools"], list["result"]["tools"], "the catalog of whoever may use everything");
    assert_eq!(names(&document), ["list_meetings", "delete_meeting"]);
    assert_eq!(document["tools"][0]["_meta"], json!({"own/key": 1}), "the domain is not for clients");
    assert_eq!(document["tools"][1].get("_meta"), None);
    let narrow = app.pat(&app.person("beto"), &["mico:read"]);
    let bearer = format!("Bearer {}", narrow.token);
    let theirs = request("GET", &format!("{}{MCP}", app.base), &[("authorization", &bearer)], None);
    assert_eq!(theirs.body, reply.body, "not filtered by caller");
}

#[test]
fn what_gets_a_client_in_depends_on_what_is_accepted() {
    let accepting = |accept: &str, more: &str| {
        let mut builder = about(more);
        builder.toml = builder.toml.replace("accept = [\"pat\", \"oauth\"]", accept);
        builder.start()
    };
    let authentication = |app: &TestApp| get(&format!("{}{MCP}", app.base)).json()["authentication"].clone();
    let headers =
        |app: &TestApp| get(&format!("{}/server.json", app.base)).json()["remotes"][0]["headers"].clone();
    let pat = accepting("accept = [\"pat\"]", "");
    let page = format!("{}/settings/tokens", pat.base);
    assert_eq!(
        authentication(&pat),
        json!({"required": true, "schemes": ["bearer"], "personal_access_tokens": page,
            "scopes": ["mico:read", "mico:write"]})
    );
    // without OAuth a person has to give the client a token, and a registry's client asks for it
    assert_eq!(
        headers(&pat),
        json!([{"name": "Authorization", "description": format!("A personal access token, made at {page}"),
            "value": "Bearer {token}", "isRequired": true, "isSecret": true,
            "variables": {"token": {"description": "The personal access token", "isRequired": true, "isSecret": true}}}])
    );
    assert_eq!(faults(&get(&format!("{}/server.json", pat.base)).json()), [""; 0]);
    let oauth = accepting("accept = [\"oauth\"]", "metadata_url = \"appended\"");
    let own = authentication(&oauth);
    assert_eq!((&own["schemes"], own.get("personal_access_tokens")), (&json!(["oauth2", "bearer"]), None));
    let appended = format!("{}/.well-known/oauth-protected-resource", oauth.resource);
    assert_eq!(own["resource_metadata"], appended, "the one the challenge names");
    assert_eq!(headers(&oauth), Value::Null);
    let public = about("").with("tail", "[service.tool.\"list_*\"]\npublic = true").start();
    assert_eq!(authentication(&public)["required"], false);
}

#[test]
fn server_json_is_what_the_registry_publishes_a_schema_for() {
    let app = about("").start();
    for path in SERVER {
        let reply = get(&format!("{}{path}", app.base));
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")), "{path}");
        let document = reply.json();
        assert_eq!(
            document,
            json!({
                "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
                "name": "com.mico/meetings",
                "title": "Mico",
                "description": "Find and read your meetings",
                "version": "1.2.0",
                "websiteUrl": "https://mico.example/product",
                "remotes": [{"type": "streamable-http", "url": app.resource}],
            })
        );
        assert_eq!(faults(&document), [""; 0]);
    }
    assert!(!faults(&json!({"name": "com.mico/meetings"})).is_empty(), "the schema refuses what is none");
}

#[test]
fn what_is_too_long_is_cut_so_that_the_schema_holds() {
    let long = format!(
        "registry_name = \"com.mico/m\"\ndescription = \"{}end\"\nserver_info = {{ title = \"{}\" }}",
        "Reunión ".repeat(14),
        "T".repeat(120)
    );
    let app = TestApp::builder().with("service", &long).start();
    let document = get(&format!("{}/server.json", app.base)).json();
    assert_eq!(faults(&document), [""; 0]);
    assert_eq!(document["description"], format!("{}Reunión…", "Reunión ".repeat(11)));
    assert_eq!(document["title"], format!("{}…", "T".repeat(99)));
    let card = get(&format!("{}/server-card", app.resource)).json();
    assert_eq!((&card["description"], &card["title"]), (&document["description"], &document["title"]));
}

#[test]
fn a_card_says_who_and_where_and_nothing_of_what() {
    let app = about("protocol_versions = [\"2025-06-18\", \"2026-07-28\"]").start();
    let reply = get(&format!("{}/server-card", app.resource));
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/mcp-server-card+json")));
    assert_eq!(
        reply.json(),
        json!({
            "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
            "name": "com.mico/meetings",
            "version": "1.2.0",
            "description": "Find and read your meetings",
            "title": "Mico",
            "websiteUrl": "https://mico.example/product",
            "remotes": [{"type": "streamable-http", "url": app.resource,
                "supportedProtocolVersions": ["2026-07-28", "2025-06-18"]}],
        })
    );
    let pat = app.pat(&app.person("ana"), &[]).token;
    let discover = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}}});
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "server/discover")];
    let live = app.rpc_with(&pat, &headers, &discover.to_string()).json();
    assert_eq!(live["result"]["supportedVersions"], json!(["2026-07-28", "2025-06-18"]), "{live}");
    assert_eq!(live["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["version"], "1.2.0", "{live}");
}

#[test]
fn a_host_lists_the_cards_of_its_services() {
    let app = about("").start();
    let reply = get(&format!("{}{CATALOG}", app.base));
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/ai-catalog+json")));
    let catalog = reply.json();
    assert_eq!(
        catalog,
        json!({"specVersion": "1.0", "entries": [{
            "identifier": "urn:air:mico.com:mcp:meetings",
            "displayName": "Mico",
            "type": "application/mcp-server-card+json",
            "url": format!("{}/server-card", app.resource),
        }]})
    );
    let card = get(catalog["entries"][0]["url"].as_str().unwrap());
    assert_eq!((card.status, &card.json()["title"]), (200, &json!("Mico")));
}

#[test]
fn without_a_registry_name_there_is_a_card_and_no_server_json() {
    let app = TestApp::start();
    let card = get(&format!("{}/server-card", app.resource)).json();
    assert_eq!(
        card,
        json!({
            "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
            "name": "127.0.0.1/mico",
            "version": "1.0.0",
            "description": "Mico",
            "title": "Mico",
            "remotes": [{"type": "streamable-http", "url": app.resource, "supportedProtocolVersions": VERSIONS}],
        })
    );
    let catalog = get(&format!("{}{CATALOG}", app.base)).json();
    assert_eq!(catalog["entries"][0]["identifier"], "urn:air:127.0.0.1:mcp:mico");
    for path in SERVER {
        let reply = get(&format!("{}{path}", app.base));
        assert_eq!((reply.status, &reply.json()["error"]), (404, &json!("not_found")), "{path}");
    }
}

#[test]
fn each_is_a_public_document_with_a_tag() {
    let app = about("").start();
    for path in every_path() {
        let url = format!("{}{path}", app.base);
        let reply = get(&url);
        assert_eq!(reply.status, 200, "{path}");
        let keep = if path == MCP { "public, max-age=60" } else { "public, max-age=3600" };
        assert_eq!(reply.header("cache-control"), Some(keep), "{path}");
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"), "{path}");
        assert!(reply.header("access-control-expose-headers").unwrap().ends_with(", ETag"), "{path}");
        assert_eq!((reply.header("set-cookie"), reply.header("vary")), (None, None), "{path}");
        let tag = reply.header("etag").unwrap();
        let kept = request("GET", &url, &[("if-none-match", tag)], None);
        assert_eq!((kept.status, kept.text(), kept.header("etag")), (304, "", Some(tag)), "{path}");
        assert_eq!(kept.header("access-control-allow-origin"), Some("*"), "{path}");
        let other = request("GET", &url, &[("if-none-match", "\"other\"")], None);
        assert_eq!((other.status, &other.body), (200, &reply.body), "{path}");
        let head = request("HEAD", &url, &[], None);
        assert_eq!((head.status, head.header("etag"), head.text()), (200, Some(tag), ""), "{path}");
        assert_eq!(head.header("content-type"), reply.header("content-type"), "{path}");
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            let body = (method != "DELETE").then_some("{}");
            let refused = request(method, &url, &[("content-type", "application/json")], body);
            assert_eq!(
                (refused.status, refused.header("allow")),
                (405, Some("GET, HEAD, OPTIONS")),
                "{path}"
            );
            assert_eq!(refused.json()["error"], "method_not_allowed", "{method} {path}");
        }
        let asked = [
            ("origin", "https://any.example"),
            ("access-control-request-method", "GET"),
            ("access-control-request-headers", "content-type, if-none-match"),
        ];
        let preflight = request("OPTIONS", &url, &asked, None);
        assert_eq!((preflight.status, preflight.header("access-control-allow-origin")), (204, Some("*")));
        assert_eq!(preflight.header("access-control-allow-headers"), Some("content-type, if-none-match"));
        // nobody's credential and nobody's page matters to them
        let wrong = [("authorization", "Bearer garbage"), ("origin", "https://any.example")];
        assert_eq!(request("GET", &url, &wrong, None).body, reply.body, "{path}");
    }
}

/// A service on a host of its own, and one that shows nothing.
const ELSEWHERE: &str = r#"
[[service]]
id = "notes"
brand = "mico"
name = "Notes"
resource = "http://localhost:9/notes"
accept = ["pat"]
{notes}
[[service.upstream]]
id = "notes"
kind = "worker"
url = "{worker}"
catalog = "tools.json"
[[service]]
id = "quiet"
brand = "mico"
name = "Quiet"
resource = "http://localhost:9/quiet"
accept = ["pat"]
descriptors = false
[[service.upstream]]
id = "quiet"
kind = "worker"
url = "{worker}"
catalog = "tools.json"
"#;

fn entries(reply: &Reply) -> Vec<String> {
    let catalog = reply.json();
    let entries = catalog["entries"].as_array().unwrap().iter();
    entries.map(|entry| entry["displayName"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn of_several_services_on_a_host_the_default_one_stands_for_it() {
    let other = |notes: &str| about("").with("tail", &ELSEWHERE.replace("{notes}", notes)).start();
    let app = other("default = true\nregistry_name = \"com.mico/notes\"");
    let own = app.authority().to_owned();
    for (host, endpoint, registry) in [
        (own.as_str(), app.resource.as_str(), "com.mico/meetings"),
        ("localhost:9", "http://localhost:9/notes", "com.mico/notes"),
    ] {
        assert_eq!(at(&app, host, MCP).json()["endpoint"], endpoint, "{host}");
        for path in SERVER {
            assert_eq!(at(&app, host, path).json()["name"], registry, "{host}");
        }
    }
    assert_eq!(entries(&at(&app, "localhost:9", CATALOG)), ["Notes"], "the quiet one is not listed");
    assert_eq!(entries(&at(&app, &own, CATALOG)), ["Mico", "Notes"], "the public host lists all");
    let url = at(&app, &own, CATALOG).json()["entries"][1]["url"].clone();
    assert_eq!(url, "http://localhost:9/notes/server-card");
    for (host, path, status) in [
        ("localhost:9", "/notes/server-card", 200),
        (&own, "/notes/server-card", 200),
        ("localhost:9", CARD, 404),
        ("localhost:9", "/quiet/server-card", 404),
        (&own, "/quiet/server-card", 404),
        ("localhost:9", "/quiet/openapi.json", 404),
        ("elsewhere.example", MCP, 421),
    ] {
        assert_eq!(at(&app, host, path).status, status, "{host}{path}");
    }
    // two services and none marked: nobody stands for the host, but its cards are found
    let undecided = other("");
    assert_eq!(at(&undecided, "localhost:9", MCP).status, 404);
    assert_eq!(entries(&at(&undecided, "localhost:9", CATALOG)), ["Notes"]);
}

#[test]
fn a_public_host_without_a_service_shows_the_default_one() {
    let elsewhere = |service: &str, tail: &str| {
        let mut builder = about(service).with("tail", tail);
        builder.toml = builder.toml.replace(
            "resource = \"{base}/functions/v1/mcp\"",
            "resource = \"http://localhost:8/functions/v1/mcp\"",
        );
        builder.start()
    };
    let endpoint = "http://localhost:8/functions/v1/mcp";
    let alone = elsewhere("", "");
    for host in [alone.authority(), "localhost:8"] {
        let document = at(&alone, host, MCP).json();
        assert_eq!((&document["endpoint"], names(&document).len()), (&json!(endpoint), 2), "{host}");
        assert_eq!(at(&alone, host, "/server.json").json()["remotes"][0]["url"], endpoint);
        assert_eq!(at(&alone, host, CARD).json()["remotes"][0]["url"], endpoint);
        assert_eq!(entries(&at(&alone, host, CATALOG)), ["Mico"]);
    }
    let marked = elsewhere("default = true", &ELSEWHERE.replace("{notes}", ""));
    assert_eq!(at(&marked, marked.authority(), MCP).json()["endpoint"], endpoint);
    assert_eq!(entries(&at(&marked, marked.authority(), CATALOG)), ["Mico", "Notes"]);
    let unmarked = elsewhere("", &ELSEWHERE.replace("{notes}", ""));
    assert_eq!(at(&unmarked, unmarked.authority(), MCP).status, 404);
}

#[test]
fn switched_off_nothing_is_there() {
    let app = about("descriptors = false").start();
    for path in every_path() {
        let reply = get(&format!("{}{path}", app.base));
        assert_eq!((reply.status, reply.header("content-type")), (404, Some("application/json")), "{path}");
        assert_eq!(reply.json()["error"], "not_found", "{path}");
    }
}

/// `GET /tools` as it is now, and 404 for everything else.
fn living(tools: &Arc<Mutex<Option<Value>>>) -> String {
    let tools = Arc::clone(tools);
    answering(move |seen| match (seen.path.as_str(), &*tools.lock().unwrap()) {
        ("/tools", Some(tools)) => (200, tools.to_string()),
        ("/tools", None) => (503, "{}".to_owned()),
        _ => (404, "{}".to_owned()),
    })
}

fn until(what: &str, found: impl Fn() -> bool) {
    patiently(Duration::from_secs(5), what, || found().then_some(()));
}

#[test]
fn a_new_tool_is_in_it_once_the_catalog_is_read_again() {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let offered = Arc::new(Mutex::new(None));
    // a worker that has said nothing yet is asked every second, and not every half minute
    let later = Arc::new(Mutex::new(None));
    let second =
        format!("[[service.upstream]]\nid = \"later\"\nkind = \"worker\"\nurl = \"{}\"", living(&later));
    let mut builder = about("").with("upstream", &second);
    builder.toml =
        builder.toml.replace("catalog = \"tools.json\"\n", "").replace("{worker}", &living(&offered));
    let app = builder.start();
    let url = format!("{}{MCP}", app.base);
    let unknown = get(&url);
    assert_eq!(
        (unknown.status, unknown.header("retry-after")),
        (503, Some("2")),
        "an empty one would be believed"
    );
    assert_eq!(unknown.header("access-control-allow-origin"), Some("*"));
    assert_eq!(get(&format!("{}/server.json", app.base)).status, 200, "it names no tools");
    *offered.lock().unwrap() = Some(json!([tool("list_meetings")]));
    until("the worker's first tool", || get(&url).status == 200);
    let first = get(&url);
    assert_eq!(names(&first.json()), ["list_meetings"]);
    *later.lock().unwrap() = Some(json!([tool("find_meetings")]));
    let tag = first.header("etag").unwrap();
    let again = || request("GET", &url, &[("if-none-match", tag)], None);
    assert_eq!(again().status, 304);
    until("the worker's new tool", || again().status == 200);
    assert_eq!(names(&again().json()), ["list_meetings", "find_meetings"]);
}

#[test]
fn nothing_of_what_is_behind_is_in_any() {
    let upstream = "assertion = true\nheaders = { \"X-Internal-Key\" = \"k-very-secret\" }";
    let policy = r#"cost = 7
feature = "hidden-feature"
rate = "7654321/min"
path = "/internal/path"
[service.tool.secret_tool]
hidden = true
[service.scopes."mico:admin"]
title = "secret title""#;
    let tools = r#"[{"name": "list_meetings", "inputSchema": {"type": "object"}},
        {"name": "delete_meeting", "inputSchema": {"type": "object"}},
        {"name": "secret_tool", "inputSchema": {"type": "object"}}]"#;
    let app = about("rate = \"7654322/min\"")
        .file("tools.json", tools)
        .with("upstream", upstream)
        .with("tail", policy)
        .start();
    let worker = app.worker.url.strip_prefix("http://").unwrap();
    for path in every_path() {
        let reply = get(&format!("{}{path}", app.base));
        assert_eq!(reply.status, 200, "{path}");
        let text = format!("{:?}{}", reply.headers, reply.text());
        for secret in [
            worker,
            "k-very-secret",
            "X-Internal-Key",
            "x-internal-key",
            "/internal/path",
            "hidden-feature",
            "7654321",
            "7654322",
            "secret_tool",
            "secret title",
            "mico_pat_",
            "mico_ort_",
            "portero.db",
            "sqlite",
            "cost",
        ] {
            assert!(!text.contains(secret), "{path} says {secret}: {text}");
        }
    }
}
