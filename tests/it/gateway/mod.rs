//! The MCP endpoint and forward authentication, over real HTTP.

use serde_json::json;

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
fn two_authorization_headers_are_refused() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let path = app.resource.strip_prefix(&app.base).unwrap();
    let bearer = format!("Authorization: Bearer {}\r\n", pat.token);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        app.authority(),
        body.len()
    );
    let once = raw(app.authority(), format!("{head}{bearer}\r\n{body}").as_bytes());
    assert!(once.starts_with("HTTP/1.1 200"), "{once}");
    let twice = raw(app.authority(), format!("{head}{bearer}{bearer}\r\n{body}").as_bytes());
    assert!(twice.starts_with("HTTP/1.1 400"), "{twice}");
}

#[test]
fn origins_are_loopback_where_the_server_is() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let good = app.rpc_with(&pat.token, &[("origin", "http://localhost:6274")], ping);
    assert_eq!((good.status, good.header("access-control-allow-origin")), (200, Some("*")));
    let bad = app.rpc_with(&pat.token, &[("origin", "https://evil.example")], ping);
    assert_eq!((bad.status, bad.header("content-type")), (403, Some("application/json")));
    assert_eq!(bad.header("access-control-allow-origin"), None);
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
        assert_eq!(
            (reply.status, reply.header("x-portero-user")),
            (200, Some(person.id.as_str())),
            "{reply:?}"
        );
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
