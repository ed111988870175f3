//! Which URIs may be registered.

use serde_json::json;

use super::super::holds;
use super::{accepted, refused, registered};
use crate::support::TestApp;
use crate::support::flow::REDIRECT;

#[test]
fn what_may_not_be_registered_is_refused_whole() {
    let app = TestApp::start();
    let long = format!("https://client.example/{}", "a".repeat(2048));
    let malformed: &[&str] = &[
        "/cb",
        "cb",
        "//client.example/cb",
        "https://client.example/cb#f",
        "https://client.example/cb#",
        "https://a@client.example/cb",
        "https://u:p@client.example/cb",
        "https://*.example/cb",
        "https://client.example/*",
        "https://client.example/c b",
        "https://client.example/cb\n",
        "https://client.example/\u{0}",
        "https://client.example\\@evil.example/cb",
        "https:\\\\client.example\\cb",
        "https://bücher.example/cb",
        "https:///cb",
        "https://",
        "https:client.example/cb",
        "http://client.example/cb",
        "http://10.0.0.1/cb",
        "http://127.0.0.1%2F@evil/cb",
        "http://[::1/cb",
        "http://localhost.evil.example/cb",
        &long,
    ];
    holds(
        "R-04",
        "relative, fragment, user name, wildcard, spaces, backslash, long, http off loopback: refused",
        || {
            for uri in malformed {
                refused(&app, &json!([uri]));
            }
        },
    );
    holds(
        "N-177",
        "plain http elsewhere, wildcards, user names, fragments and relative URIs are refused",
        || {
            for uri in [
                "http://evil.example/cb",
                "https://*.example/cb",
                "https://a@b/cb",
                "https://x/cb#f",
                "/cb",
                "//x/cb",
            ] {
                refused(&app, &json!([uri]));
            }
        },
    );
}

#[test]
fn schemes_are_private_ones_of_somebody_or_the_webs() {
    let app = TestApp::start();
    let denied =
        "javascript data vbscript file blob about filesystem view-source ws wss ftp mailto tel".split(' ');
    holds(
        "R-05",
        "schemes that run code, read files or leave the web are refused in any case of letters",
        || {
            for scheme in denied {
                let mixed: String = scheme
                    .chars()
                    .enumerate()
                    .map(|(at, c)| if at % 2 == 0 { c.to_ascii_uppercase() } else { c })
                    .collect();
                for spelling in [scheme.to_owned(), scheme.to_uppercase(), mixed] {
                    refused(&app, &json!([format!("{spelling}:x")]));
                    refused(&app, &json!([format!("{spelling}://client.example/cb")]));
                }
            }
        },
    );
    holds("N-176", "script and file schemes are refused however they are hidden", || {
        for uri in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            " javascript:alert(1)",
            "java\tscript:alert(1)",
            "java\nscript:alert(1)",
            "\u{1}javascript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "blob:https://client.example/x",
            "view-source:https://client.example/",
        ] {
            refused(&app, &json!([uri]));
        }
    });
    holds("R-06", "private-use schemes need a dot or to be one of the known clients'", || {
        for good in
            ["com.example.app:/cb", "com.example.app://cb", "cursor://a/cb", "vscode://x/cb", "zed://cb"]
        {
            registered(&app, &[good]);
        }
        for bad in ["myapp:/cb", "myapp://cb", "intent://x", "my-app:/cb"] {
            refused(&app, &json!([bad]));
        }
    });
    holds("N-179", "a scheme without a dot that nobody knows is refused", || {
        refused(&app, &json!(["myapp:/cb"]));
    });
}

#[test]
fn one_bad_uri_refuses_the_whole_registration() {
    let app = TestApp::start();
    holds(
        "C060",
        "one dangerous or malformed URI refuses the registration with 400, and nothing is stored",
        || {
            let before = app.cli(&["client", "list"], None).as_array().unwrap().len();
            for uri in [
                "javascript:alert(1)",
                "https://u:p@h/cb",
                "https://h/cb#f",
                "http://evil.example/cb",
                "http://127.0.0.1%2F@evil/cb",
                "http://[::1/cb",
                "/relative",
                "com.app:/cb%0d%0aX: y",
            ] {
                refused(&app, &json!([REDIRECT, uri]));
            }
            assert_eq!(app.cli(&["client", "list"], None).as_array().unwrap().len(), before);
        },
    );
}

#[test]
fn an_operators_list_holds_at_registration_and_authorization() {
    let list =
        "redirect_allowlist = [\"https://claude.ai/*\", \"http://127.0.0.1/callback\", \"http://[::1]/*\"]";
    let app = TestApp::builder().with("oauth", list).start();
    holds(
        "D-15",
        "registration is open, closed or for token holders, and may be held to a list of redirect URIs",
        || {
            for good in [
                "https://claude.ai/api/mcp/auth_callback",
                "http://127.0.0.1:51234/callback",
                "http://[::1]:7/cb",
            ] {
                let client = registered(&app, &[good]);
                accepted(&app, &client, good);
            }
            for bad in
                ["https://evil.example/cb", "https://claude.ai.evil.example/", "http://localhost/callback"]
            {
                refused(&app, &json!([bad]));
            }
            let closed = TestApp::builder().with("oauth", "registration = \"off\"").start();
            assert_eq!(closed.register_with(&json!({"redirect_uris": [REDIRECT]})).status, 404);
            let token = "registration = \"token\"\nregistration_token = \"an-operators-own-long-token\"";
            let asking = TestApp::builder().with("oauth", token).start();
            assert_eq!(asking.register_with(&json!({"redirect_uris": [REDIRECT]})).status, 401);
        },
    );
}
