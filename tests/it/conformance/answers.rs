//! What every answer looks like, whoever gives it.

use super::holds;
use super::kit::refused;
use super::wire::Endpoint;
use crate::support::TestApp;
use crate::support::callers::PASSWORD;
use crate::support::flow::form_with;
use crate::support::http::{get, post_form, raw, request};

#[test]
fn answers_look_the_same_everywhere() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    let issued = app.post_text("token", &[], &endpoints[0].body(&[]));
    let registered = app.register_with(&serde_json::json!({"redirect_uris": ["https://h.example/cb"]}));
    let asked = app.post_text("introspect", &[], &endpoints[2].body(&[]));
    let revoked = app.post_text("revoke", &[], &endpoints[1].body(&[]));
    holds("W-08", "what carries or refuses a credential is no-store, and JSON", || {
        for reply in [&issued, &registered, &asked] {
            assert_eq!(reply.header("content-type"), Some("application/json"));
            assert_eq!(reply.header("pragma"), Some("no-cache"));
        }
        for reply in [&issued, &registered, &asked, &revoked] {
            assert_eq!(reply.header("cache-control"), Some("no-store"), "{reply:?}");
        }
        refused(&app.oauth("token", &[("grant_type", "x")]), 400, "invalid_request");
        let client = app.register("agent");
        for url in
            [app.authorize_url(&client, &[]), format!("{}/login", app.base), app.authorize_url("nobody", &[])]
        {
            assert_eq!(get(&url).header("cache-control"), Some("no-store"), "{url}");
        }
    });
    holds("W-09", "no JSON member is null", || {
        let metadata = get(&format!("{}/.well-known/oauth-authorization-server", app.base));
        for reply in [&issued, &registered, &asked, &metadata] {
            for (name, value) in reply.json().as_object().unwrap() {
                assert!(!value.is_null(), "{name}: {reply:?}");
            }
        }
    });
}

#[test]
fn errors_and_methods_are_the_same_everywhere() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    holds("W-10", "errors are plain ASCII and echo nothing of the request", || {
        for endpoint in &endpoints {
            let evil = "evil%22%5C%C3%A9";
            for body in [
                format!("grant_type={evil}&token={evil}&client_id={evil}&client_secret={evil}&scope={evil}"),
                endpoint.body(&[("scope", evil), ("resource", evil)]),
                format!("{evil}=1&{evil}=2"),
            ] {
                let reply = app.post_text(endpoint.name, &[], &body);
                assert!(!String::from_utf8_lossy(&reply.body).contains("evil"), "{reply:?}");
                assert!(reply.headers.iter().all(|(_, value)| !value.contains("evil")), "{reply:?}");
            }
        }
    });
    holds("W-11", "a wrong method is 405 with Allow; HEAD works where GET does", || {
        for name in ["token", "revoke", "register"] {
            let reply = get(&app.endpoint(name));
            assert_eq!((reply.status, reply.header("allow")), (405, Some("POST, OPTIONS")), "{name}");
            assert_eq!(request("OPTIONS", &app.endpoint(name), &[], None).status, 204);
        }
        assert_eq!(get(&app.endpoint("introspect")).header("allow"), Some("POST"));
        let reply = request("PUT", &app.endpoint("authorize"), &[], Some(""));
        assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD, POST")));
        for path in ["/login", "/.well-known/oauth-authorization-server"] {
            let url = format!("{}{path}", app.base);
            let (head, whole) = (request("HEAD", &url, &[], None), get(&url));
            assert_eq!((head.status, head.body.len()), (whole.status, 0), "{path}");
        }
    });
}

#[test]
fn requests_are_named_by_us_and_never_name_us() {
    let app = TestApp::start();
    let key = app.introspection_key();
    holds(
        "W-16",
        "every answer has a request id of its own; no log holds a credential (tests/log_scan.rs)",
        || {
            let ids: std::collections::BTreeSet<String> = [
                get(&format!("{}/login", app.base)),
                get(&format!("{}/nothing", app.base)),
                app.oauth("token", &[]),
                app.oauth(
                    "introspect",
                    &[("token", "x"), ("client_id", &key.id), ("client_secret", &key.secret)],
                ),
                app.rpc("", &serde_json::json!({})),
                request("OPTIONS", &app.resource, &[], None),
            ]
            .iter()
            .map(|reply| reply.header("x-request-id").unwrap_or_else(|| panic!("{reply:?}")).to_owned())
            .collect();
            assert_eq!(ids.len(), 6, "{ids:?}");
        },
    );
    holds("W-02", "no header of a request changes a URL that is published", || {
        let forged = [
            ("x-forwarded-host", "evil.example"),
            ("x-forwarded-proto", "https"),
            ("forwarded", "host=evil.example;proto=https"),
            ("x-original-url", "/evil"),
        ];
        for path in ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"] {
            let url = format!("{}{path}", app.base);
            assert_eq!(request("GET", &url, &forged, None).body, get(&url).body, "{path}");
        }
        let reply = request("POST", &app.resource, &forged, Some("{}"));
        assert!(reply.header("www-authenticate").unwrap().contains(&app.base), "{reply:?}");
    });
}

#[test]
fn pages_are_guarded_and_send_on_by_303() {
    let app = TestApp::start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let client = app.register("agent");
    holds("W-17", "every page has its Content-Security-Policy and the other guards", || {
        let (login, consent) = (format!("{}/login", app.base), app.authorize_url(&client, &[]));
        for url in [login, consent, app.authorize_url("nobody", &[]), format!("{}/nothing", app.base)] {
            let reply = request("GET", &url, &[("accept", "text/html")], None);
            let policy =
                reply.header("content-security-policy").unwrap_or_else(|| panic!("{url}: {reply:?}"));
            for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"] {
                assert!(policy.contains(part), "{url}: {policy}");
            }
            for (name, value) in [
                ("x-frame-options", "DENY"),
                ("referrer-policy", "no-referrer"),
                ("x-content-type-options", "nosniff"),
                ("cross-origin-opener-policy", "same-origin"),
                ("cache-control", "no-store"),
            ] {
                assert_eq!(reply.header(name), Some(value), "{url}");
            }
        }
    });
    holds("W-15", "what is posted is sent on by 303, never by 307 or 308", || {
        let reply = app.consent(&app.authorize_url(&client, &[]), &pat.token, "allow");
        assert_eq!(reply.status, 303);
        let reply = app.consent(&app.authorize_url(&client, &[]), &pat.token, "deny");
        assert_eq!(reply.status, 303);
        let page = get(&format!("{}/login", app.base));
        let form = form_with(&page, "password").set("email", &person.email).set("password", PASSWORD);
        let cookies = page.cookies();
        let headers = [("cookie", cookies.as_str()), ("origin", app.base.as_str())];
        let done = post_form(&app.absolute(&form.action), &headers, &form.pairs());
        assert_eq!(done.status, 303, "{done:?}");
    });
    holds(
        "W-18",
        "the form answers browsers with a page of its own, so form-action stays 'self' (rules: consent)",
        || {
            let url = app.authorize_url(&client, &[]);
            let page = request("GET", &url, &[("accept", "text/html")], None);
            assert!(page.header("content-security-policy").unwrap().contains("form-action 'self'"));
            let form = form_with(&page, "personal_access_token")
                .set("personal_access_token", &pat.token)
                .set("decision", "allow");
            let cookies = page.cookies();
            let headers =
                [("cookie", cookies.as_str()), ("origin", app.base.as_str()), ("accept", "text/html,*/*")];
            let done = post_form(&app.absolute(&form.action), &headers, &form.pairs());
            assert_eq!((done.status, done.header("location")), (200, None), "{done:?}");
            assert!(done.text().contains("http-equiv=\"refresh\""), "{}", done.text());
        },
    );
}

#[test]
fn public_urls_are_https_or_loopback() {
    holds(
        "W-01",
        "http URLs are refused but on loopback; https answers carry HSTS, http ones do not",
        || {
            let app = TestApp::start();
            assert!(get(&format!("{}/login", app.base)).header("strict-transport-security").is_none());
            let toml = std::fs::read_to_string(&app.config).unwrap();
            let path = app.dir.path().join("other.toml");
            for (url, fine) in [
                ("http://mcp.example.com", false),
                ("https://mcp.example.com", true),
                ("http://localhost:8080", true),
                ("http://10.0.0.1", false),
            ] {
                std::fs::write(&path, toml.replace(&app.base, url)).unwrap();
                let output = crate::support::app::command(&path, &["config", "check"], None);
                assert_eq!(output.status.success(), fine, "{url}: {output:?}");
            }
            let toml = toml.replace(
                &format!("public_url = \"{}\"", app.base),
                "public_url = \"https://mcp.example.com\"",
            );
            let secure =
                TestApp::builder_from(&toml.replace("portero.db", "other.db")).file("tools.json", "[]");
            let toml =
                secure.toml.replace(&format!("listen = \"{}\"", app.authority()), "listen = \"{listen}\"");
            let secure = TestApp::builder_from(&toml).file("tools.json", "[]").start();
            let listen = secure.app.config.listen.to_string();
            let ask = |path: &str| {
                raw(
                    &listen,
                    format!("GET {path} HTTP/1.1\r\nHost: mcp.example.com\r\nConnection: close\r\n\r\n")
                        .as_bytes(),
                )
            };
            for path in ["/login", "/settings/connect", "/nothing"] {
                let answer = ask(path);
                assert!(answer.contains("strict-transport-security: max-age=31536000\r\n"), "{answer}");
            }
        },
    );
}
