//! What pages of other origins may ask, and what of the answer their browsers show them.

use super::holds;
use crate::support::http::{get, request};
use crate::support::{Reply, TestApp};

const EXPOSED: &str = "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After";
const INIT: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
/// A loopback server takes loopback pages.
const PAGE: &str = "http://localhost:6274";

fn preflight(url: &str, method: &str, headers: &str) -> Reply {
    let mut sent = vec![("origin", PAGE), ("access-control-request-method", method)];
    if !headers.is_empty() {
        sent.push(("access-control-request-headers", headers));
    }
    request("OPTIONS", url, &sent, None)
}

/// The words of a header that is a list, in lower case and in order.
fn words(reply: &Reply, name: &str) -> Vec<String> {
    let value = reply.header(name).unwrap_or_else(|| panic!("no {name}: {reply:?}"));
    let mut words: Vec<String> = value.split(',').map(|word| word.trim().to_ascii_lowercase()).collect();
    words.sort();
    words
}

fn assert_open(reply: &Reply) {
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"), "{reply:?}");
    assert_eq!(reply.header("access-control-expose-headers"), Some(EXPOSED), "{reply:?}");
    assert_eq!(reply.header("access-control-allow-credentials"), None, "{reply:?}");
}

fn assert_closed(reply: &Reply) {
    let cors = |(name, _): &&(String, String)| name.starts_with("access-control");
    assert!(!reply.headers.iter().any(|header| cors(&header)), "{reply:?}");
}

#[test]
fn pages_of_ours_answer_no_other_origin() {
    let app = TestApp::start();
    let client = app.register("agent");
    holds(
        "CORS-01",
        "authorization, sign-in and settings pages carry no CORS header, whatever they answer",
        || {
            let authorize = format!("{}/authorize", app.issuer);
            for url in [
                app.authorize_url(&client, &[]),
                app.authorize_url("nobody", &[]),
                app.authorize_url(&client, &[("code_challenge", "")]),
                format!("{}/login", app.base),
                format!("{}/settings/tokens", app.base),
                format!("{}/authorize", app.base),
            ] {
                assert_closed(&request("GET", &url, &[("origin", PAGE)], None));
                let asked = preflight(&url, "POST", "content-type");
                assert_ne!(asked.status, 204, "{url}");
                assert_closed(&asked);
            }
            let form = [("origin", PAGE), ("content-type", "application/x-www-form-urlencoded")];
            assert_closed(&request("POST", &authorize, &form, Some("decision=allow")));
        },
    );
}

#[test]
fn documents_may_be_read_from_any_page() {
    let app = TestApp::start();
    let documents: Vec<String> = [
        "/.well-known/oauth-protected-resource/functions/v1/mcp",
        "/.well-known/oauth-protected-resource",
        "/functions/v1/mcp/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server/functions/v1/mcp",
        "/.well-known/oauth-authorization-server",
    ]
    .map(|path| format!("{}{path}", app.base))
    .into();
    holds(
        "CORS-02",
        "documents are open to any origin; their preflight allows both headers the SDK sends",
        || {
            for url in &documents {
                let asked = preflight(url, "GET", "authorization, MCP-Protocol-Version");
                assert_eq!(asked.status, 204, "{url}");
                assert_open(&asked);
                assert_eq!(words(&asked, "access-control-allow-methods"), ["get", "head", "options"]);
                assert_eq!(
                    words(&asked, "access-control-allow-headers"),
                    ["authorization", "mcp-protocol-version"]
                );
                assert_eq!(asked.header("access-control-max-age"), Some("7200"));
                assert_open(&request("GET", url, &[("origin", "https://any.example")], None));
            }
        },
    );
    holds(
        "C046",
        "a discovery that carries MCP-Protocol-Version passes its preflight, also where nothing stands",
        || {
            let nothing = format!("{}/.well-known/openid-configuration", app.base);
            for url in documents.iter().chain([&nothing]) {
                let asked = preflight(url, "GET", "mcp-protocol-version");
                assert_eq!(asked.status, 204, "{url}");
                assert_open(&asked);
                assert_eq!(asked.header("access-control-allow-headers"), Some("mcp-protocol-version"));
            }
            assert_open(&get(&nothing));
        },
    );
}

#[test]
fn endpoints_that_browser_clients_use_are_open_also_when_they_refuse() {
    let app = TestApp::start();
    let open = ["token", "register", "revoke"].map(|name| format!("{}/{name}", app.issuer));
    holds(
        "CORS-03",
        "token, register and revoke: any origin, no credentials, POST, the headers clients send",
        || {
            for url in &open {
                let asked =
                    preflight(url, "POST", "authorization,content-type,dpop,mcp-protocol-version,x-evil");
                assert_eq!(asked.status, 204, "{url}");
                assert_open(&asked);
                assert_eq!(words(&asked, "access-control-allow-methods"), ["options", "post"]);
                let allowed = words(&asked, "access-control-allow-headers");
                assert_eq!(allowed, ["authorization", "content-type", "dpop", "mcp-protocol-version"]);
            }
        },
    );
    holds("C045", "their errors can be read by the page that caused them", || {
        let page = ("origin", "https://any.example");
        let form = ("content-type", "application/x-www-form-urlencoded");
        for (url, kind, body, status) in [
            (&open[0], form, "grant_type=refresh_token&refresh_token=x&client_id=gone", 401),
            (&open[0], form, "x", 400),
            (&open[1], ("content-type", "application/json"), "{}", 400),
            (&open[1], ("content-type", "text/plain"), "{}", 400),
            (&open[2], form, "token=x", 400),
            (&open[2], form, "token=x&client_id=gone", 401),
        ] {
            let reply = request("POST", url, &[page, kind], Some(body));
            assert_eq!(reply.status, status, "{url} {body}: {reply:?}");
            assert_open(&reply);
        }
        for url in &open {
            let wrong = request("GET", url, &[page], None);
            assert_eq!(wrong.status, 405);
            assert_open(&wrong);
        }
        for name in ["authorize", "introspect"] {
            assert_closed(&request("GET", &format!("{}/{name}", app.issuer), &[page], None));
        }
    });
    holds("CORS-04", "introspection is for servers: no preflight, no CORS header", || {
        let url = format!("{}/introspect", app.issuer);
        let asked = preflight(&url, "POST", "content-type");
        assert_eq!(asked.status, 405);
        assert_closed(&asked);
        let form = [("origin", PAGE), ("content-type", "application/x-www-form-urlencoded")];
        let reply = request("POST", &url, &form, Some("token=x"));
        assert_eq!(reply.status, 401);
        assert_closed(&reply);
    });
}

#[test]
fn browser_clients_reach_the_endpoint_and_read_what_it_says() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    holds("C042", "a preflight is answered 204 without a token, with methods, headers and an age", || {
        for url in [app.resource.clone(), format!("{}/", app.resource)] {
            let asked = preflight(
                &url,
                "POST",
                "authorization,content-type,mcp-protocol-version,mcp-session-id,x-evil",
            );
            assert_eq!((asked.status, asked.body.len()), (204, 0));
            assert_open(&asked);
            assert_eq!(words(&asked, "access-control-allow-methods"), ["delete", "get", "options", "post"]);
            assert_eq!(
                words(&asked, "access-control-allow-headers"),
                ["authorization", "content-type", "mcp-protocol-version", "mcp-session-id"]
            );
            assert_eq!(asked.header("access-control-max-age"), Some("7200"));
            assert!(asked.header("www-authenticate").is_none());
        }
    });
    holds(
        "C043",
        "every answer exposes the challenge, session, version and Retry-After, errors included",
        || {
            for (token, method, accept, body, status) in [
                ("", "POST", "application/json", Some(INIT), 401),
                ("nonsense", "POST", "application/json", Some(INIT), 401),
                (pat.token.as_str(), "POST", "application/json, text/event-stream", Some(INIT), 200),
                (&pat.token, "POST", "image/png", Some(INIT), 406),
                (&pat.token, "POST", "application/json", Some("{"), 400),
                (&pat.token, "GET", "text/event-stream", None, 405),
                (&pat.token, "DELETE", "*/*", None, 405),
            ] {
                let bearer = format!("Bearer {token}");
                let mut headers =
                    vec![("origin", PAGE), ("accept", accept), ("content-type", "application/json")];
                if !token.is_empty() {
                    headers.push(("authorization", &bearer));
                }
                let reply = request(method, &app.resource, &headers, body);
                assert_eq!(reply.status, status, "{method} {reply:?}");
                assert_open(&reply);
            }
        },
    );
}

/// A server on the internet, with a list of the pages that may call it, or without one.
fn public(top: &str) -> TestApp {
    let mut builder = TestApp::builder().with("top", top);
    builder.toml = builder.toml.replace("{base}", "https://mcp.example.com");
    builder.start()
}

fn ask(app: &TestApp, method: &str, headers: &[(&str, &str)], body: Option<&str>) -> Reply {
    let mut all = vec![("host", "mcp.example.com")];
    all.extend_from_slice(headers);
    request(method, &format!("{}/functions/v1/mcp", app.base), &all, body)
}

#[test]
fn only_listed_origins_reach_the_endpoint_where_there_is_a_list() {
    let app = public("allowed_origins = [\"https://app.example\"]");
    let json_type = ("content-type", "application/json");
    holds(
        "CORS-05",
        "a listed origin is answered, another is 403 without allow headers, preflight included",
        || {
            for origin in
                ["https://evil.example", "null", "https://app.example.evil.example", "http://app.example"]
            {
                let asked = [("origin", origin), ("access-control-request-method", "POST")];
                for reply in [
                    ask(&app, "OPTIONS", &asked, None),
                    ask(&app, "POST", &[("origin", origin), json_type], Some(INIT)),
                ] {
                    assert_eq!(
                        (reply.status, reply.header("content-type")),
                        (403, Some("application/json")),
                        "{origin}"
                    );
                    assert_closed(&reply);
                    assert!(!reply.text().contains("evil"), "{reply:?}");
                }
            }
            let own = ("origin", "https://app.example");
            let asked = ask(&app, "OPTIONS", &[own, ("access-control-request-method", "POST")], None);
            assert_eq!((asked.status, asked.header("access-control-allow-origin")), (204, Some(own.1)));
            assert!(words(&asked, "vary").contains(&"origin".to_owned()));
            assert!(asked.header("www-authenticate").is_none(), "it says nothing of the resource");
            let reply = ask(&app, "POST", &[own, json_type], Some(INIT));
            assert_eq!((reply.status, reply.header("access-control-allow-origin")), (401, Some(own.1)));
            assert_eq!(reply.header("access-control-expose-headers"), Some(EXPOSED));
            assert!(words(&reply, "vary").contains(&"origin".to_owned()));
            assert_eq!(ask(&app, "POST", &[json_type], Some(INIT)).status, 401, "programs send no origin");
        },
    );
}

#[test]
fn a_foreign_page_without_a_token_is_asked_to_sign_in() {
    let app = public("");
    holds(
        "C049",
        "bearer endpoints have no form protection: an origin without token or cookie gets the 401",
        || {
            let headers = [("origin", "https://app.example"), ("content-type", "application/json")];
            let reply = ask(&app, "POST", &headers, Some(INIT));
            assert_eq!(reply.status, 401, "{reply:?}");
            assert!(
                reply.header("www-authenticate").unwrap().starts_with("Bearer resource_metadata=\"https://")
            );
            assert_open(&reply);
        },
    );
}
