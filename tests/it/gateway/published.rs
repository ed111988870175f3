//! What a service shows to everybody: its manifest and the OpenAPI wrapping of its endpoint.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::app::Builder;
use crate::support::http::{Reply, get, request};
use crate::support::worker::by_hand;

const MANIFEST: &str = "manifest_path = \"/mcp-manifest.json\"\nserver_info = { name = \"mico-mcp\", title = \"Mico\", version = \"0.1.0\" }";
const TOOLS: &str = r#"[
  {"name": "list_meetings", "title": "Meetings", "description": "Lists meetings", "inputSchema":
    {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}, "annotations": {"readOnlyHint": true}},
  {"name": "delete_meeting", "description": "Deletes a meeting", "inputSchema": {"type": "object"}},
  {"name": "secret_tool", "description": "Not for anybody", "inputSchema": {"type": "object"}}]"#;

fn builder() -> Builder {
    TestApp::builder()
        .file("tools.json", TOOLS)
        .with("service", MANIFEST)
        .with("tail", "[service.tool.\"delete_*\"]\nconfirm = true\n[service.tool.\"list_*\"]\npublic = true\n[service.tool.secret_tool]\nhidden = true")
}

fn tools(app: &TestApp, token: &str) -> Value {
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    app.rpc(token, &list).json()["result"]["tools"].clone()
}

fn assert_open(reply: &Reply) {
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert!(reply.header("cache-control").unwrap().starts_with("public, max-age="));
    assert!(reply.header("etag").is_some() && reply.header("set-cookie").is_none());
}

#[test]
fn the_manifest_is_the_catalog_of_whoever_may_use_everything() {
    let app = builder().start();
    let url = format!("{}/mcp-manifest.json", app.base);
    let reply = get(&url);
    assert_open(&reply);
    let manifest = reply.json();
    let names: Vec<_> = manifest.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["name", "version", "tools"]);
    assert_eq!((&manifest["name"], &manifest["version"]), (&json!("mico-mcp"), &json!("0.1.0")));
    let pat = app.pat(&app.person("ana"), &[]);
    assert_eq!(
        manifest["tools"],
        tools(&app, &pat.token),
        "the same as tools/list, and nothing that is hidden"
    );
    assert_eq!(manifest["tools"].as_array().unwrap().len(), 2);
    assert!(reply.text().contains("\"$schema\":\"http://json-schema.org/draft-07/schema#\""));
    assert_eq!(manifest["tools"][0]["securitySchemes"], json!([{"type": "noauth"}]));
    assert!(manifest["tools"][1]["inputSchema"]["properties"]["confirm"].is_object());
    assert_eq!(tools(&app, "").as_array().unwrap().len(), 1, "a list is filtered, the manifest is not");
}

#[test]
fn who_has_a_copy_is_told_that_it_is_good_still() {
    let app = builder().start();
    let url = format!("{}/mcp-manifest.json", app.base);
    let tag = get(&url).header("etag").unwrap().to_owned();
    let kept = request("GET", &url, &[("if-none-match", &tag)], None);
    assert_eq!((kept.status, kept.text()), (304, ""));
    // nobody's credential matters to a public document
    assert_eq!(request("GET", &url, &[("authorization", "Bearer garbage")], None).status, 200);
    let head = request("HEAD", &url, &[], None);
    assert_eq!((head.status, head.header("etag"), head.text()), (200, Some(tag.as_str()), ""));
    let preflight = request(
        "OPTIONS",
        &url,
        &[("origin", "https://a.example"), ("access-control-request-method", "GET")],
        None,
    );
    assert_eq!((preflight.status, preflight.header("access-control-allow-origin")), (204, Some("*")));
    let posted = request("POST", &url, &[], Some("{}"));
    assert_eq!((posted.status, posted.header("allow")), (405, Some("GET, HEAD, OPTIONS")));
}

#[test]
fn the_manifest_follows_the_catalog_and_says_when_there_is_none() {
    let awake = Arc::new(AtomicBool::new(false));
    let shared = Arc::clone(&awake);
    let worker = by_hand(move |_, stream| {
        let (status, body) = if shared.load(Ordering::SeqCst) { (200, TOOLS) } else { (503, "{}") };
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
    });
    let mut builder = builder();
    builder.toml = builder.toml.replace("catalog = \"tools.json\"\n", "").replace("{worker}", &worker);
    let app = builder.start();
    let url = format!("{}/mcp-manifest.json", app.base);
    let reply = get(&url);
    assert_eq!(
        (reply.status, reply.header("retry-after")),
        (503, Some("2")),
        "an empty one would be believed"
    );
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    awake.store(true, Ordering::SeqCst);
    // a silent worker is asked again every second
    let manifest = (0..500).find_map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        Some(get(&url)).filter(|reply| reply.status == 200)
    });
    assert_eq!(manifest.expect("the worker's tools").json()["tools"].as_array().unwrap().len(), 2);
}

#[test]
fn a_service_of_another_host_shows_it_on_the_public_one_too() {
    let mut builder = builder();
    builder.toml = builder
        .toml
        .replace("resource = \"{base}/functions/v1/mcp\"", "resource = \"http://localhost:9/mcp\"");
    let app = builder.start();
    for host in [app.authority(), "localhost:9"] {
        for path in ["/mcp-manifest.json", "/mcp/openapi.json"] {
            let reply = request("GET", &format!("{}{path}", app.base), &[("host", host)], None);
            assert_eq!(reply.status, 200, "{host}{path}: {reply:?}");
        }
    }
}

#[test]
fn the_wrapping_is_openapi_as_its_publishers_schema_has_it() {
    let app = builder().start();
    let reply = get(&format!("{}/openapi.json", app.resource));
    assert_open(&reply);
    let document = reply.json();
    let schema: Value = serde_json::from_str(include_str!("schemas/openapi-3.1.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<_> = schema.iter_errors(&document).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(!schema.is_valid(&json!({"openapi": "3.1.0"})), "the schema refuses what is none");
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"], json!({"title": "Mico MCP", "version": "0.1.0"}));
    assert_eq!(document["servers"], json!([{"url": app.base}]));
    let post = &document["paths"]["/functions/v1/mcp"]["post"];
    assert_eq!(post["summary"], "JSON-RPC endpoint (MCP Streamable HTTP)");
    assert_eq!(post["security"], json!([{"bearerAuth": []}]));
    assert_eq!(
        post["requestBody"],
        json!({"required": true, "content": {"application/json":
            {"schema": {"$ref": "#/components/schemas/JSONRPCRequest"}}}})
    );
    assert_eq!(
        post["responses"],
        json!({"200": {"description": "JSON-RPC response (JSON or SSE stream)", "content": {"application/json":
            {"schema": {"$ref": "#/components/schemas/JSONRPCResponse"}}}}})
    );
    let bearer = &document["components"]["securitySchemes"]["bearerAuth"];
    assert_eq!(*bearer, json!({"type": "http", "scheme": "bearer"}), "these tokens are no JWTs");
}

#[test]
fn the_wrapping_describes_what_is_really_sent() {
    let app = builder().start();
    let document = get(&format!("{}/openapi.json", app.resource)).json();
    let schema = |name: &str| jsonschema::validator_for(&document["components"]["schemas"][name]).unwrap();
    let (request, response) = (schema("JSONRPCRequest"), schema("JSONRPCResponse"));
    let pat = app.pat(&app.person("ana"), &[]);
    for (body, good) in [
        (json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}), true),
        (json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {}}), true),
        (json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}), false),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}), false),
        (json!({"jsonrpc": "2.0", "id": 1}), false),
        (json!({"id": 1, "method": "ping"}), false),
    ] {
        assert_eq!(request.is_valid(&body), good, "{body}");
        let answer = app.rpc(&pat.token, &body).json();
        assert!(response.is_valid(&answer), "{answer}");
        assert_eq!(answer["error"]["code"] == -32600, !good, "{answer}");
    }
}

#[test]
fn nothing_is_shown_that_was_switched_off() {
    let app = TestApp::builder().with("service", "descriptors = false").start();
    assert_eq!(get(&format!("{}/openapi.json", app.resource)).status, 404);
    assert_eq!(get(&format!("{}/mcp-manifest.json", app.base)).status, 404);
}
