//! What cannot be registered, who may not register, and clients that are gone.

use serde_json::json;

use super::super::holds;
use super::{JSON, assert_refused, clients, error, made, post, with};
use crate::support::TestApp;
use crate::support::flow::REDIRECT;
use crate::support::http::{get, raw, request};

#[test]
fn what_cannot_be_registered_is_said_in_json() {
    let app = TestApp::start();
    let long = format!("https://client.example/{}", "a".repeat(10_000));
    holds(
        "D-03",
        "bad URIs are invalid_redirect_uri, other faults invalid_client_metadata; software statements ignored",
        || {
            assert_refused(&app.register_with(&json!({"redirect_uris": ["x"]})), "invalid_redirect_uri");
            let implicit = with(&json!({"grant_types": ["implicit"]}));
            assert_refused(&app.register_with(&implicit), "invalid_client_metadata");
            let stated = made(&app, &with(&json!({"software_statement": "eyJhbGciOiJub25lIn0.e30."})));
            assert!(stated.get("software_statement").is_none());
            let token = "registration = \"token\"\nregistration_token = \"an-operators-own-long-token\"";
            let asking = TestApp::builder().with("oauth", token).start();
            let wrong =
                post(&asking, &[JSON, ("authorization", "Bearer wrong")], &with(&json!({})).to_string());
            assert_eq!(wrong.status, 401);
            assert_eq!(wrong.header("www-authenticate"), Some("Bearer error=\"invalid_token\""));
        },
    );
    holds("D-04", "redirect_uris is an array of 1 to 20 acceptable strings (rules: 20)", || {
        for wrong in [
            json!({}),
            json!({"redirect_uris": null}),
            json!({"redirect_uris": []}),
            json!({"redirect_uris": REDIRECT}),
            json!({"redirect_uris": {"0": REDIRECT}}),
            json!({"redirect_uris": [""]}),
            json!({"redirect_uris": [1]}),
            json!({"redirect_uris": vec![REDIRECT; 21]}),
            json!({"redirect_uris": [REDIRECT, "/cb"]}),
        ] {
            assert_refused(&app.register_with(&wrong), "invalid_redirect_uri");
        }
        let twenty: Vec<_> = (1..=20).map(|n| format!("https://client.example/{n}")).collect();
        assert_eq!(made(&app, &json!({"redirect_uris": twenty}))["redirect_uris"], json!(twenty));
    });
    holds("N-175", "no URIs, a string, a thousand of them or one of 10 KiB: 400", || {
        for wrong in [
            json!({}),
            json!({"redirect_uris": []}),
            json!({"redirect_uris": REDIRECT}),
            json!({"redirect_uris": vec![REDIRECT; 1000]}),
            json!({"redirect_uris": [long]}),
        ] {
            assert_refused(&app.register_with(&wrong), "invalid_redirect_uri");
        }
    });
}

#[test]
fn bodies_are_read_exactly() {
    let app = TestApp::start();
    holds(
        "N-180",
        "grants and types without the code are refused; beside it they are cut and not echoed",
        || {
            for wrong in [
                json!({"grant_types": ["password"]}),
                json!({"grant_types": ["client_credentials"]}),
                json!({"response_types": ["token"]}),
                json!({"grant_types": ["authorization_code"], "response_types": ["token"]}),
            ] {
                assert_refused(&app.register_with(&with(&wrong)), "invalid_client_metadata");
            }
            let cut = made(
                &app,
                &with(
                    &json!({"grant_types": ["authorization_code", "password"], "response_types": ["code", "token"]}),
                ),
            );
            assert_eq!(cut["grant_types"], json!(["authorization_code", "refresh_token"]));
            assert_eq!(cut["response_types"], json!(["code"]));
        },
    );
    let before = clients(&app);
    let deep =
        format!("{{\"redirect_uris\":[\"{REDIRECT}\"],\"x\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    holds(
        "N-187",
        "members that stand twice, depth, NaN, arrays, other media types: 400; 1 MiB: 413",
        || {
            for body in [
                format!(
                    "{{\"redirect_uris\":[\"{REDIRECT}\"],\"redirect_uris\":[\"https://evil.example/cb\"]}}"
                ),
                format!(
                    "{{\"redirect_uris\":[\"{REDIRECT}\"],\"client_name\":\"a\",\"client_n\\u0061me\":\"a\"}}"
                ),
                format!("{{\"redirect_uris\":[\"{REDIRECT}\"],\"x\":{{\"a\":1,\"a\":2}}}}"),
                deep.clone(),
                format!("{{\"redirect_uris\":[\"{REDIRECT}\"],\"x\":NaN}}"),
                format!("{{\"redirect_uris\":[\"{REDIRECT}\"]}}{{}}"),
                format!("{{\"redirect_uris\":[\"{REDIRECT}\"],}}"),
                format!("[{{\"redirect_uris\":[\"{REDIRECT}\"]}}]"),
                "\"x\"".to_owned(),
                "null".to_owned(),
                String::new(),
            ] {
                assert_refused(&post(&app, &[JSON], &body), "invalid_client_metadata");
            }
            let good = with(&json!({"client_name": "types"})).to_string();
            for kind in ["application/x-www-form-urlencoded", "text/json", "application/jsonx", ""] {
                assert_refused(&post(&app, &[("content-type", kind)], &good), "invalid_request");
            }
            let large = format!("{{\"redirect_uris\":[\"{REDIRECT}\"],\"x\":\"{}\"}}", "a".repeat(1 << 20));
            assert_eq!(post(&app, &[JSON], &large).status, 413);
            assert_eq!(clients(&app), before);
            let charset = [("content-type", "Application/JSON; charset=utf-8")];
            assert_eq!(post(&app, &charset, &good).status, 201);
        },
    );
}

#[test]
fn nothing_large_and_no_foreign_form_gets_in() {
    let app = TestApp::start();
    let long = format!("https://client.example/{}", "a".repeat(10_000));
    let before = clients(&app);
    holds(
        "N-193",
        "a form of another site, which can only send plain text, multipart or pairs, registers nothing",
        || {
            let body = with(&json!({"client_name": "forged"})).to_string();
            for kind in
                ["text/plain", "text/plain; charset=application/json", "multipart/form-data; boundary=x"]
            {
                let headers = [("content-type", kind), ("origin", "https://evil.example")];
                assert_refused(&post(&app, &headers, &body), "invalid_request");
            }
            assert_eq!(clients(&app), before);
        },
    );
    holds("C069", "64 KiB, 20 URIs and 2 KiB a URI are the limits, and said in JSON", || {
        let large = format!("{{\"x\":\"{}\"}}", "a".repeat(1_000_000));
        let reply = post(&app, &[JSON], &large);
        assert_eq!((reply.status, error(&reply).as_str()), (413, "invalid_request"));
        let many: Vec<_> = (0..200).map(|n| format!("https://client.example/{n}")).collect();
        assert_refused(&app.register_with(&json!({"redirect_uris": many})), "invalid_redirect_uri");
        assert_refused(&app.register_with(&json!({"redirect_uris": [long]})), "invalid_redirect_uri");
        let whole = format!("https://client.example/{}", "a".repeat(2048 - 23));
        assert_eq!(made(&app, &json!({"redirect_uris": [whole]}))["redirect_uris"], json!([whole]));
    });
}

#[test]
fn an_operators_token_may_be_asked_for() {
    let token = "an-operators-own-long-token";
    let lines = format!("registration = \"token\"\nregistration_token = \"{token}\"");
    let app = TestApp::builder().with("oauth", &lines).start();
    let body = with(&json!({"client_name": "agent"})).to_string();
    let ask = |credential: &str| {
        let mut headers = vec![JSON];
        headers.extend((!credential.is_empty()).then_some(("authorization", credential)));
        post(&app, &headers, &body)
    };
    for good in [format!("Bearer {token}"), format!("bearer   {token}")] {
        assert_eq!(ask(&good).status, 201, "{good}");
    }
    // Other schemes are no credentials here (RFC 6750 §3), whatever stands after them.
    for none in ["", &format!("Basic {token}"), &format!("Token {token}"), &format!("DPoP {token}"), token] {
        let reply = ask(none);
        assert_eq!((reply.status, reply.header("www-authenticate")), (401, Some("Bearer")), "{none}");
    }
    for wrong in [
        format!("Bearer {token}x"),
        format!("Bearer {}", token.to_uppercase()),
        format!("Bearer Bearer {token}"),
    ] {
        let reply = ask(&wrong);
        let challenge = reply.header("www-authenticate");
        assert_eq!((reply.status, challenge), (401, Some("Bearer error=\"invalid_token\"")), "{wrong}");
        assert_eq!(error(&reply), "invalid_token");
    }
    assert_eq!(ask("Bearer ").status, 400);
    let path = format!("{}/register", app.issuer.strip_prefix(&app.base).unwrap());
    let twice = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nAuthorization: Bearer {token}\r\nAuthorization: Bearer other\r\n\r\n{body}",
        app.authority(),
        body.len()
    );
    let answer = raw(app.authority(), twice.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}

#[test]
fn a_client_that_is_gone_is_told_so_where_it_can_act_on_it() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    app.cli(&["client", "delete", &own.client], None);
    holds(
        "C075",
        "an id that is gone is a 400 page which says how to connect again, or JSON; never a redirect",
        || {
            for id in ["gone", own.client.as_str()] {
                let url = app.authorize_url(id, &[]);
                for accept in ["text/html", "application/json", "*/*"] {
                    let reply = request("GET", &url, &[("accept", accept)], None);
                    assert_eq!(reply.status, 400, "{id} {accept}");
                    assert!(reply.header("location").is_none() && reply.header("refresh").is_none());
                    if accept == "application/json" {
                        assert_eq!(reply.json()["error"], "invalid_client", "{id}");
                    } else {
                        assert!(
                            reply.text().contains("Claude Code"),
                            "how to connect again: {}",
                            reply.text()
                        );
                    }
                }
            }
        },
    );
    holds("C076", "at the token endpoint it is 401 invalid_client, for public clients too", || {
        for id in ["gone", own.client.as_str()] {
            let reply = app.refresh(id, &own.refresh);
            assert_eq!((reply.status, reply.json()["error"].as_str()), (401, Some("invalid_client")), "{id}");
        }
    });
    holds(
        "N-192",
        "a deleted client's tokens are dead and stay so when it registers again (by the operator)",
        || {
            app.assert_dead(&own.access);
            assert_eq!(app.register("test client"), own.client, "the same software, the same id");
            app.assert_dead(&own.access);
            assert_eq!(app.refresh(&own.client, &own.refresh).json()["error"], "invalid_grant");
        },
    );
    holds("C-14", "a client id that is a URL is an error page, no redirect, and nothing is fetched", || {
        let url = format!("{}/client.json", app.worker.url.replace("http://", "https://"));
        let reply = get(&app.authorize_url(&url, &[]));
        assert_eq!((reply.status, reply.header("location")), (400, None));
        let token = app.refresh(&url, &own.refresh);
        assert_eq!((token.status, token.json()["error"].as_str()), (401, Some("invalid_client")));
    });
}
