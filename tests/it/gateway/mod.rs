//! The MCP endpoint and forward authentication, over real HTTP.

mod assertion;
mod batches;
mod credits;
mod hostile_server;
mod idempotency;
mod jwt;
mod lying_worker;
mod nginx;
mod prompts;
mod public;
mod published;
mod rate;
mod refusals;
mod remote;
mod resources;
mod results;
mod sessions;
mod shelf;
mod widening;

use serde_json::json;

use crate::conformance::holds;
use crate::support::TestApp;
use crate::support::http::{get, raw, request};

#[test]
fn a_worker_gets_the_real_identity_and_nothing_of_the_clients() {
    let app = TestApp::start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let own = app.connect(&pat.token);
    let forged = [
        ("x-portero-user", "evil"),
        ("x-portero-scopes", "everything"),
        ("x-portero-assertion", "evil"),
        ("cookie", "a=b"),
        ("forwarded", "for=1.2.3.4"),
        ("x-forwarded-user", "evil"),
    ];
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "list_meetings", "arguments": {"limit": 3}}});
    let reply = app.rpc_with(&own.access, &forged, &body.to_string());
    assert_eq!(reply.status, 200, "{reply:?}");
    let seen = app.worker.last();
    assert_eq!((seen.path.as_str(), seen.body.as_str()), ("/tools/list_meetings", r#"{"limit":3}"#));
    for (name, value) in [
        ("x-portero-user", person.id.as_str()),
        ("x-portero-workspace", &person.workspace),
        ("x-portero-subject", "ana"),
        ("x-portero-plan", "flow"),
        ("x-portero-features", "mcp"),
        ("x-portero-scopes", "mico:read"),
        ("x-portero-token-kind", "oauth"),
        ("x-portero-mode", "live"),
        ("x-portero-client", &own.client),
        ("x-portero-service", "mico"),
        ("x-portero-tool", "list_meetings"),
        ("content-type", "application/json"),
    ] {
        assert_eq!(seen.header(name), Some(value), "{name}");
    }
    assert_eq!(seen.header("x-request-id"), reply.header("x-request-id"));
    for absent in ["authorization", "cookie", "forwarded", "x-forwarded-user", "x-portero-assertion"] {
        assert_eq!(seen.header(absent), None, "{absent}");
    }
    let count = seen.headers.iter().filter(|(name, _)| name.replace('_', "-") == "x-portero-user").count();
    assert_eq!(count, 1);
}

#[test]
fn the_same_answer_for_everything_anonymous() {
    let app = TestApp::start();
    for (method, accept) in
        [("GET", "text/event-stream"), ("HEAD", "*/*"), ("POST", "image/png"), ("DELETE", "*/*")]
    {
        let reply = request(method, &app.resource, &[("accept", accept)], (method == "POST").then_some("{"));
        assert_eq!(reply.status, 401, "{method}");
        let challenges = reply.headers("www-authenticate");
        assert_eq!(challenges.len(), 1, "{method}");
        assert!(challenges[0].starts_with("Bearer resource_metadata=\"http"), "{challenges:?}");
        assert!(!challenges[0].contains("error="), "no credentials, no error");
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    }
    let url = format!("{}?access_token=mico_pat_x", app.resource);
    assert_eq!(request("POST", &url, &[], Some("{}")).status, 401, "a token in the query is none");
}

#[test]
fn origins_are_loopback_where_the_server_is() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let good = app.rpc_with(&pat.token, &[("origin", "http://localhost:6274")], ping);
    assert_eq!((good.status, good.header("access-control-allow-origin")), (200, Some("*")));
    for origin in ["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://", ""] {
        for token in [pat.token.as_str(), ""] {
            let bad = app.rpc_with(token, &[("origin", origin)], ping);
            let check = || {
                assert_eq!(
                    (bad.status, bad.header("content-type")),
                    (403, Some("application/json")),
                    "{origin}"
                );
                assert_eq!(bad.json()["code"], "origin_not_allowed");
                assert_eq!(bad.header("access-control-allow-origin"), None);
            };
            holds("B-15", "an Origin that is not allowed is 403, before anybody asks who it is", check);
            holds("N-165", "a foreign Origin and Origin: null are 403", check);
        }
    }
}

#[test]
fn a_proxy_in_front_can_ask_who_somebody_is() {
    let app = TestApp::start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let free = app.pat(&app.person_on("bruno", Some("free")), &[]);
    let bearer = format!("Bearer {}", pat.token);
    for path in ["/verify", "/verify/anything/below"] {
        let url = format!("{}{path}", app.resource);
        let reply = request("PUT", &url, &[("authorization", &bearer)], Some("x"));
        assert_eq!(reply.status, 200, "{reply:?}");
        let mut told: Vec<_> =
            reply.headers.iter().filter(|(name, _)| name.starts_with("x-portero")).collect();
        told.sort();
        let told: Vec<_> = told.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(
            told,
            [
                ("x-portero-features", "mcp"),
                ("x-portero-mode", "live"),
                ("x-portero-plan", "flow"),
                ("x-portero-scopes", "mico:read mico:write"),
                ("x-portero-service", "mico"),
                ("x-portero-subject", "ana"),
                ("x-portero-token-kind", "pat"),
                ("x-portero-user", &person.id),
                ("x-portero-workspace", &person.workspace),
            ]
        );
        assert!(reply.body.is_empty());
    }
    let url = format!("{}/verify", app.resource);
    assert_eq!(get(&url).status, 401);
    let free = format!("Bearer {}", free.token);
    assert_eq!(request("GET", &url, &[("authorization", &free)], None).status, 402);
    let softened = request("GET", &format!("{url}?deny=403"), &[("authorization", &free)], None);
    assert_eq!(softened.status, 403);
    assert_eq!(
        (softened.header("x-portero-status"), softened.header("x-portero-code")),
        (Some("402"), Some("feature_not_included"))
    );
    assert_eq!(get(&format!("{}/verifyx", app.resource)).status, 404);
}

/// What stands behind a proxy is no tool that a policy names, so it needs what such tools need.
#[test]
fn a_proxy_lets_nobody_through_without_the_default_scopes() {
    let app = TestApp::start();
    let person = app.person("ana");
    let ask = |token: &str, path: &str| {
        let bearer = format!("Bearer {token}");
        let reply = request("GET", &format!("{}{path}", app.resource), &[("authorization", &bearer)], None);
        (reply.status, reply.header("www-authenticate").is_some())
    };
    let own = app.connect(&app.pat(&person, &["mico:read"]).token).access;
    let (read, write) = (app.pat(&person, &["mico:read"]).token, app.pat(&person, &["mico:write"]).token);
    let both = app.pat(&person, &[]).token;
    for (token, path, expected) in [
        (&own, "/verify", (200, false)),
        (&read, "/verify/below", (200, false)),
        (&write, "/verify", (403, false)),
        (&own, "/verify?scope=mico:write", (403, true)),
        (&read, "/verify?scope=mico%3Awrite", (403, false)),
        (&both, "/verify?scope=mico:write", (200, false)),
        (&both, "/verify?scope=mico:read+mico:write&scope=", (200, false)),
        // What a client appends can only ask for more.
        (&write, "/verify?scope=", (403, false)),
        (&write, "/verify?scope=mico:write", (403, false)),
        (&both, "/verify?scope=mico:write&scope=mico:admin", (403, false)),
    ] {
        assert_eq!(ask(token, path), expected, "{path}");
    }
}

/// Two more services on another host, one of them at the path of the first.
const ELSEWHERE: &str = r#"
[[service]]
id = "notes"
brand = "mico"
name = "Notes"
resource = "http://localhost:9/notes"
accept = ["pat"]
[service.scopes."mico:read"]
default = true
[[service.upstream]]
id = "meetings"
kind = "worker"
url = "{worker}"
catalog = "tools.json"
[[service]]
id = "twin"
brand = "mico"
name = "Twin"
resource = "http://localhost:9/functions/v1/mcp"
accept = ["pat"]
[[service.upstream]]
id = "meetings"
kind = "worker"
url = "{worker}"
catalog = "tools.json"
"#;

#[test]
fn a_trusted_proxy_asks_by_the_path_whatever_the_host() {
    let trusting =
        TestApp::builder().with("top", "trusted_proxies = [\"127.0.0.0/8\"]").with("tail", ELSEWHERE).start();
    let wary =
        TestApp::builder().with("top", "trusted_proxies = [\"10.0.0.0/8\"]").with("tail", ELSEWHERE).start();
    let ask = |app: &TestApp, host: &str, path: &str, token: &str| {
        let lines =
            format!("X-Forwarded-For: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nConnection: close");
        let answer = raw(
            app.authority(),
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{lines}\r\n\r\n").as_bytes(),
        );
        let service =
            answer.lines().find_map(|line| line.strip_prefix("x-portero-service: ").map(str::to_owned));
        (answer.split(' ').nth(1).unwrap().parse::<u16>().unwrap(), service)
    };
    let token = trusting.pat(&trusting.person("ana"), &[]).token;
    let own = trusting.authority().to_owned();
    let verify = "/functions/v1/mcp/verify";
    for (host, path, status, service) in [
        ("portero", "/notes/verify", 200, Some("notes")),
        ("portero:8080", "/notes/verify/api/x", 200, Some("notes")),
        (&own, "/notes/verify", 200, Some("notes")),
        ("localhost:9", "/notes/verify", 200, Some("notes")),
        // Two hosts have this path: there the host decides.
        (&own, verify, 200, Some("mico")),
        ("localhost:9", verify, 200, Some("twin")),
        ("portero", verify, 421, None),
        // Nothing else is answered to a foreign host.
        ("portero", "/notes", 421, None),
        ("portero", "/login", 421, None),
        ("portero", "/verify", 421, None),
        (&own, "/verify", 404, None),
    ] {
        assert_eq!(ask(&trusting, host, path, &token), (status, service.map(str::to_owned)), "{host} {path}");
    }
    assert_eq!(ask(&trusting, "portero", "/notes/verify", "x").0, 401);
    let token = wary.pat(&wary.person("ana"), &[]).token;
    assert_eq!(ask(&wary, "portero", "/notes/verify", &token).0, 421, "nobody becomes trusted by saying so");
    assert_eq!(ask(&wary, "localhost:9", "/notes/verify", &token).0, 200);
}

#[test]
fn a_worker_in_trouble_is_not_the_callers_fault() {
    let app = TestApp::builder().with("upstream", "timeout = \"300ms\"").start();
    let pat = app.pat(&app.person("ana"), &[]);
    let call = || app.call(&pat.token, "list_meetings", &json!({}));
    app.worker.answers(500, "text/plain", "oops");
    let reply = call();
    assert_eq!((reply.status, reply.json()["result"]["isError"].as_bool()), (200, Some(true)), "{reply:?}");
    app.worker.answers(404, "application/json", r#"{"error":"meeting 'x' not found"}"#);
    let reply = call();
    assert_eq!(reply.json()["result"]["content"][0]["text"], r#"{"error":"meeting 'x' not found"}"#);
    app.worker.answers(401, "application/json", r#"{"error":"the worker's own trouble"}"#);
    assert_eq!(call().status, 200, "a worker's 401 is not the client's");
    app.worker.answers(200, "application/json", "not json");
    assert_eq!(call().json()["result"]["isError"], true);
    app.worker.answers(200, "application/json", "{}");
    app.worker.takes(std::time::Duration::from_millis(900));
    let reply = call();
    assert!(reply.text().contains("upstream_timeout"), "{reply:?}");
}

#[test]
fn of_two_headers_neither_is_believed() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let bearer = format!("Bearer {}", pat.token);
    let send = |more: &[(&str, &str)]| {
        let mut headers = vec![("authorization", bearer.as_str()), ("accept", "application/json")];
        headers.extend_from_slice(more);
        request("POST", &app.resource, &headers, Some(ping)).status
    };
    let json = ("content-type", "application/json");
    assert_eq!(send(&[json]), 200);
    let (own, foreign) = (("origin", "http://localhost:1"), ("origin", "https://evil.example"));
    assert_eq!((send(&[json, own, foreign]), send(&[json, foreign, own])), (403, 403));
    assert_eq!(send(&[json, ("content-type", "text/plain")]), 415);
}

#[test]
fn discovery_probes_that_find_nothing_are_readable_in_a_browser() {
    let app = TestApp::start();
    let url = format!("{}/.well-known/openid-configuration", app.base);
    let origin = ("origin", "http://localhost:6274");
    let reply = request("GET", &url, &[origin], None);
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (404, Some("*")));
    let preflight = request("OPTIONS", &url, &[origin, ("access-control-request-method", "GET")], None);
    assert_eq!(preflight.status, 204);
}
