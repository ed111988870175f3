//! A server behind a proxy that ends TLS: what it publishes comes from the configuration, never from the request.

use serde_json::json;

use super::holds;
use crate::support::flow::{REDIRECT, VERIFIER, challenge};
use crate::support::http::{get, query_value, request};
use crate::support::{Reply, TestApp};

const ORIGIN: &str = "https://mcp.example.com";
const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";
const PATH: &str = "/team/a/mcp";
const INIT: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

/// A server that is reached as `https://mcp.example.com` by its clients, and believes the proxy before it.
fn behind_a_proxy() -> TestApp {
    let mut builder = TestApp::builder().with("top", "trusted_proxies = [\"127.0.0.0/8\"]");
    builder.toml = builder.toml.replace("{base}", ORIGIN).replace("/functions/v1/mcp", PATH);
    builder.start()
}

/// A request as the proxy passes it on.
fn ask(app: &TestApp, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Reply {
    let mut all = vec![("host", "mcp.example.com")];
    all.extend_from_slice(headers);
    request(method, &format!("{}{path}", app.base), &all, body)
}

/// Headers by which a proxy, or whoever poses as one, names another public URL.
const ELSEWHERE: [&[(&str, &str)]; 4] = [
    &[("x-forwarded-proto", "http")],
    &[("x-forwarded-host", "evil.example"), ("x-forwarded-port", "8080")],
    &[("forwarded", "for=192.0.2.1;host=evil.example;proto=http")],
    &[("x-original-url", "https://evil.example/"), ("x-forwarded-prefix", "/evil")],
];

#[test]
fn every_url_comes_from_the_configuration() {
    let app = behind_a_proxy();
    let documents = [format!("{RESOURCE}{PATH}"), format!("{SERVER}{PATH}"), SERVER.to_owned()];
    let whole = format!("Bearer resource_metadata=\"{ORIGIN}{RESOURCE}{PATH}\", scope=\"mico:read\"");
    holds("C030", "documents and challenge say https though the proxy speaks http and says so", || {
        for headers in ELSEWHERE {
            let body = ask(&app, "GET", &documents[0], headers, None).json();
            assert_eq!(body["resource"], format!("{ORIGIN}{PATH}"));
            assert_eq!(body["authorization_servers"], json!([format!("{ORIGIN}{PATH}")]));
            let reply = ask(&app, "POST", PATH, headers, Some(INIT));
            assert_eq!((reply.status, reply.header("www-authenticate")), (401, Some(whole.as_str())));
        }
    });
    holds("C031", "forwarded hosts change no byte of a document, from trusted proxies neither", || {
        for path in &documents {
            let clean = ask(&app, "GET", path, &[], None);
            assert_eq!(clean.status, 200, "{path}");
            for headers in ELSEWHERE {
                let reply = ask(&app, "GET", path, headers, None);
                assert_eq!((reply.status, &reply.body), (200, &clean.body), "{path} {headers:?}");
                assert_eq!(reply.header("etag"), clean.header("etag"));
            }
            assert!(!clean.text().contains("evil") && !clean.text().contains("http://"), "{}", clean.text());
        }
    });
    holds("C037", "the challenge names the public path with all its segments", || {
        let reply = ask(&app, "POST", PATH, &[], Some(INIT));
        assert_eq!(reply.header("www-authenticate"), Some(whole.as_str()));
        let twin = ask(&app, "POST", &format!("{PATH}/"), &[], Some(INIT));
        let named = format!("resource_metadata=\"{ORIGIN}{RESOURCE}{PATH}/\"");
        assert!(twin.header("www-authenticate").unwrap().contains(&named), "{twin:?}");
        let body = ask(&app, "GET", &format!("{RESOURCE}{PATH}/"), &[], None).json();
        assert_eq!(body["resource"], format!("{ORIGIN}{PATH}/"));
    });
    holds("C040", "pages send people to paths of this host, never to a listener or a forwarded name", || {
        for headers in ELSEWHERE {
            for (path, to) in [
                ("/settings/tokens", "/login?next=/settings/tokens"),
                ("/settings", "/settings/connect"),
                ("/", "/settings/connect"),
            ] {
                let reply = ask(&app, "GET", path, headers, None);
                assert_eq!((reply.status, reply.header("location")), (303, Some(to)), "{path}");
            }
        }
    });
}

#[test]
fn the_resource_is_recognised_however_its_origin_is_spelt() {
    let app = behind_a_proxy();
    let registration = json!({"client_name": "agent", "redirect_uris": [REDIRECT]}).to_string();
    let json_type = [("content-type", "application/json")];
    let own = ask(&app, "POST", &format!("{PATH}/register"), &json_type, Some(&registration)).json();
    let authorize = |resource: &str| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs([
            ("response_type", "code"),
            ("client_id", own["client_id"].as_str().unwrap()),
            ("redirect_uri", REDIRECT),
            ("code_challenge", &challenge(VERIFIER)),
            ("code_challenge_method", "S256"),
            ("resource", resource),
        ]);
        ask(&app, "GET", &format!("{PATH}/authorize?{}", query.finish()), &[], None)
    };
    holds(
        "C025",
        "scheme and host in any case and the default port are the same; another path is not",
        || {
            for same in ["HTTPS://MCP.Example.com:443/team/a/mcp", "https://mcp.example.com/team/a/mcp/"] {
                assert_eq!(authorize(same).status, 200, "{same}");
            }
            for other in [
                "https://mcp.example.com/team/a/MCP",
                "https://mcp.example.com/team/a",
                "https://mcp.example.com:8443/team/a/mcp",
                "http://mcp.example.com/team/a/mcp",
                "https://mcp.example.com/team/a/mcp#x",
            ] {
                let reply = authorize(other);
                assert_eq!(reply.status, 303, "{other}");
                let location = reply.header("location").unwrap();
                assert_eq!(query_value(location, "error").as_deref(), Some("invalid_target"), "{other}");
            }
        },
    );
}

#[test]
fn identifiers_are_canonical_or_the_configuration_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("portero.toml");
    let check = |resource: &str| {
        let text = format!(
            "public_url = \"{ORIGIN}\"\n[brand.mico]\nname = \"Mico\"\nissuer = \"{ORIGIN}/i\"\n\
             tokens = {{ pat = \"mico_pat_\", oauth = \"mico_oat_\", refresh = \"mico_ort_\" }}\n\
             [[service]]\nid = \"mico\"\nbrand = \"mico\"\nname = \"Mico\"\nresource = \"{resource}\"\n\
             accept = [\"oauth\"]\n[[service.upstream]]\nid = \"w\"\nkind = \"worker\"\nurl = \"http://127.0.0.1:1\"\n"
        );
        std::fs::write(&config, text).unwrap();
        crate::support::app::command(&config, &["config", "check"], None)
    };
    holds(
        "P-09",
        "a resource is configured in its canonical form: https, lower case, no default port or query",
        || {
            let good = check("https://mcp.example.com/mcp");
            assert!(good.status.success(), "{good:?}");
            for wrong in [
                "https://MCP.example.com/mcp",
                "HTTPS://mcp.example.com/mcp",
                "https://mcp.example.com:443/mcp",
                "https://mcp.example.com/mcp?x=1",
                "https://mcp.example.com/mcp#x",
                "https://u@mcp.example.com/mcp",
                "https://mcp.example.com/a/../mcp",
                "http://mcp.example.com/mcp",
                "mcp.example.com/mcp",
            ] {
                let output = check(wrong);
                assert_eq!(output.status.code(), Some(2), "{wrong}: {output:?}");
                let said = String::from_utf8_lossy(&output.stderr).into_owned()
                    + &String::from_utf8_lossy(&output.stdout);
                assert!(
                    said.contains("service[0].resource") || said.contains("service.0.resource"),
                    "{wrong}: {said}"
                );
            }
        },
    );
}

#[test]
fn a_resource_that_is_the_whole_origin_is_the_same_with_and_without_its_slash() {
    let mut builder = TestApp::builder();
    builder.toml = builder.toml.replace("/functions/v1/mcp", "");
    let app = builder.start();
    assert_eq!(app.resource, app.base);
    let slash = format!("{}/", app.base);
    let pat = app.pat(&app.person("ana"), &[]);
    holds(
        "C024",
        "a bare origin and the slash that clients add are one at authorize, token and endpoint",
        || {
            assert_eq!(get(&format!("{}{RESOURCE}", app.base)).json()["resource"], app.base);
            let client = app.register("agent");
            for (asked, redeemed) in [(&app.base, &slash), (&slash, &app.base), (&slash, &slash)] {
                let url = app.authorize_url(&client, &[("resource", asked)]);
                let reply = app.consent(&url, &pat.token, "allow");
                let code = query_value(reply.header("location").unwrap(), "code").unwrap();
                let token = app.token(&[
                    ("grant_type", "authorization_code"),
                    ("code", &code),
                    ("code_verifier", VERIFIER),
                    ("client_id", &client),
                    ("resource", redeemed),
                ]);
                assert_eq!(token.status, 200, "{token:?}");
                let bearer = format!("Bearer {}", token.json()["access_token"].as_str().unwrap());
                for endpoint in [&app.base, &slash] {
                    let headers = [
                        ("authorization", bearer.as_str()),
                        ("content-type", "application/json"),
                        ("accept", "application/json, text/event-stream"),
                    ];
                    assert_eq!(request("POST", endpoint, &headers, Some(INIT)).status, 200, "{endpoint}");
                }
            }
        },
    );
}

#[test]
fn nothing_that_programs_call_redirects() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    let headers = |token: &str| {
        [
            ("authorization", format!("Bearer {token}")),
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
        ]
    };
    holds(
        "C033",
        "the endpoint answers with and without slash; it, token, register and revoke never redirect",
        || {
            let sent = headers(&own.access);
            let sent = sent.each_ref().map(|(name, value)| (*name, value.as_str()));
            for url in [app.resource.clone(), format!("{}/", app.resource)] {
                assert_eq!(request("POST", &url, &sent, Some(INIT)).status, 200, "{url}");
                assert_eq!(request("POST", &url, &[], Some(INIT)).status, 401, "{url}");
            }
            for method in ["GET", "POST", "PUT", "DELETE", "HEAD"] {
                for name in ["", "/", "/token", "/token/", "/register", "/register/", "/revoke", "/revoke/"] {
                    let html = [("accept", "text/html"), ("content-type", "application/json")];
                    let reply = request(
                        method,
                        &format!("{}{name}", app.issuer),
                        &html,
                        (method == "POST").then_some("{}"),
                    );
                    assert!(
                        reply.status >= 400 && reply.header("location").is_none(),
                        "{method} {name}: {reply:?}"
                    );
                }
            }
        },
    );
    holds(
        "C034",
        "an expired token is a 401 with the challenge, also for a browser, never a sign-in page",
        || {
            app.advance(std::time::Duration::from_secs(3601));
            let mut sent = headers(&own.access).to_vec();
            sent[2].1 = "text/html, application/json".to_owned();
            let sent: Vec<_> = sent.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let reply = request("POST", &app.resource, &sent, Some(INIT));
            assert_eq!((reply.status, reply.header("content-type")), (401, Some("application/json")));
            assert!(reply.header("location").is_none());
            assert!(reply.header("www-authenticate").unwrap().starts_with("Bearer error=\"invalid_token\""));
        },
    );
}

#[test]
fn who_comes_without_a_token_is_told_where_to_sign_in() {
    let app = TestApp::start();
    let metadata = format!("resource_metadata=\"{}{RESOURCE}/functions/v1/mcp\"", app.base);
    let json_type = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    holds("C017", "`initialize` without a token is 401 with the challenge", || {
        let reply = request("POST", &app.resource, &json_type, Some(INIT));
        assert_eq!(reply.status, 401, "{reply:?}");
        assert!(reply.header("www-authenticate").unwrap().contains(&metadata));
    });
    let every_401 = |credential: Option<&str>| {
        ["GET", "HEAD", "POST", "DELETE", "PUT"].map(|method| {
            let mut headers = json_type.to_vec();
            headers.extend(credential.map(|value| ("authorization", value)));
            let reply = request(method, &app.resource, &headers, (method == "POST").then_some(INIT));
            assert_eq!(reply.status, 401, "{method}: {reply:?}");
            let challenges = reply.headers("www-authenticate");
            assert_eq!(challenges.len(), 1, "{method}");
            challenges[0].to_owned()
        })
    };
    holds(
        "C018",
        "every 401 carries one quoted, absolute, path-inserted resource_metadata of the same origin",
        || {
            for challenge in every_401(None).into_iter().chain(every_401(Some("Bearer mico_oat_x"))) {
                assert!(challenge.starts_with("Bearer ") && challenge.contains(&metadata), "{challenge}");
            }
        },
    );
    holds("P-05", "the challenge's URL is absolute, quoted and leads to the resource's document", || {
        for challenge in every_401(None) {
            let url = challenge.split("resource_metadata=\"").nth(1).unwrap().split('"').next().unwrap();
            assert_eq!(get(url).json()["resource"], app.resource);
        }
    });
    holds("P-06", "the challenge names the scopes that basic use needs", || {
        for challenge in every_401(None).into_iter().chain(every_401(Some("Bearer x"))) {
            assert!(challenge.contains("scope=\"mico:read\""), "{challenge}");
        }
    });
    holds(
        "C021",
        "no `error` without credentials; `invalid_token` with bad ones; another scheme is none",
        || {
            for challenge in every_401(None).into_iter().chain(every_401(Some("Basic eDp5"))) {
                assert!(!challenge.contains("error"), "{challenge}");
            }
            for challenge in every_401(Some("Bearer mico_oat_x")) {
                assert!(challenge.starts_with("Bearer error=\"invalid_token\", "), "{challenge}");
            }
        },
    );
}
