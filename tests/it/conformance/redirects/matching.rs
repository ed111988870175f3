//! Which registered URI an asked one is, and how the answer goes there.

use serde_json::json;

use super::super::holds;
use super::{accepted, assert_page, authorize, redeem, refused, registered, sent_to};
use crate::support::TestApp;
use crate::support::http::{get, request};

#[test]
fn an_asked_uri_is_a_registered_one_as_a_string() {
    let app = TestApp::start();
    let own = "https://client.example/cb";
    let client = registered(&app, &[own]);
    holds("R-01", "nothing is normalised: any other spelling of a registered https URI is a page", || {
        accepted(&app, &client, own);
        for other in [
            "https://client.example/cb/",
            "https://client.example/CB",
            "https://CLIENT.example/cb",
            "HTTPS://client.example/cb",
            "https://client.example:443/cb",
            "https://client.example/./cb",
            "https://client.example/%63b",
            "https://client.example/cb?x=1",
            "https://client.example/cb#f",
            "https://client.example/cb2",
            "https://client.example",
            "https://sub.client.example/cb",
            "https://client.example@evil.example/cb",
            "https://client.example.evil.example/cb",
            "http://client.example/cb",
        ] {
            assert_page(&authorize(&app, &client, other));
        }
    });
    holds("R-08", "unknown client, missing or foreign redirect: a page with 400, never a redirect", || {
        let two = registered(&app, &[own, "https://client.example/two"]);
        for over in [
            vec![("client_id", "nobody")],
            vec![("client_id", "")],
            vec![("client_id", "https://client.example/metadata.json")],
            vec![("redirect_uri", "https://evil.example/cb")],
            vec![("redirect_uri", "")],
            vec![("redirect_uri", "https://evil.example/cb"), ("response_type", "token")],
        ] {
            assert_page(&get(&app.authorize_url(&two, &over)));
        }
        let url = app.authorize_url(&two, &[("redirect_uri", "https://evil.example/cb")]);
        let browser = request("GET", &url, &[("accept", "text/html")], None);
        assert_page(&browser);
        assert!(!browser.text().contains("href=\"https://evil"), "no link leads there either");
    });
    holds("R-07", "one registered https URI may be left out; of several one has to be named", || {
        let only = get(&app.authorize_url(&client, &[("redirect_uri", "")]));
        assert_eq!(only.status, 200, "{only:?}");
        let two = registered(&app, &[own, "https://client.example/two"]);
        assert_page(&get(&app.authorize_url(&two, &[("redirect_uri", "")])));
        accepted(&app, &two, "https://client.example/two");
    });
}

#[test]
fn loopback_ports_are_free_and_nothing_else_is() {
    let app = TestApp::start();
    let four = registered(&app, &["http://127.0.0.1/callback", "http://[::1]:1/callback"]);
    holds("R-02", "127.0.0.1 and [::1] over http: any port, the rest of the string equal", || {
        for good in [
            "http://127.0.0.1/callback",
            "http://127.0.0.1:1/callback",
            "http://127.0.0.1:65535/callback",
            "http://[::1]/callback",
            "http://[::1]:51234/callback",
        ] {
            accepted(&app, &four, good);
        }
        for bad in [
            "http://127.0.0.1:51234/callback/",
            "http://127.0.0.1:51234/Callback",
            "http://127.0.0.1:51234/callback?x=1",
            "http://127.0.0.1:51234/",
            "http://127.0.0.1:0/callback",
            "http://127.0.0.1:65536/callback",
            "http://127.0.0.1:51234x/callback",
            "http://127.0.0.1:/callback",
            "https://127.0.0.1:51234/callback",
            "HTTP://127.0.0.1:51234/callback",
            "http://127.0.0.2/callback",
            "http://127.1:51234/callback",
            "http://0x7f.0.0.1/callback",
            "http://[::ffff:127.0.0.1]/callback",
            "http://[0:0:0:0:0:0:0:1]/callback",
            "http://127.0.0.1:51234@evil.example/callback",
            "http://127.0.0.1.evil.example/callback",
        ] {
            assert_page(&authorize(&app, &four, bad));
        }
    });
    let named = registered(&app, &["http://localhost:3118/callback"]);
    holds("R-03", "localhost too, whatever the application type; it never stands for 127.0.0.1", || {
        accepted(&app, &named, "http://localhost:51234/callback");
        accepted(&app, &named, "http://localhost/callback");
        for kind in ["web", "native"] {
            let reply = app.register_with(
                &json!({"redirect_uris": ["http://localhost/callback"], "application_type": kind}),
            );
            accepted(&app, reply.json()["client_id"].as_str().unwrap(), "http://localhost:4/callback");
        }
        for bad in
            ["http://127.0.0.1:3118/callback", "http://[::1]:3118/callback", "http://localhost.evil/callback"]
        {
            assert_page(&authorize(&app, &named, bad));
        }
    });
}

#[test]
fn a_code_is_bound_to_the_uri_that_was_asked() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let four = registered(&app, &["http://127.0.0.1/callback", "http://[::1]:1/callback"]);
    let named = registered(&app, &["http://localhost:3118/callback"]);
    holds(
        "C053",
        "another loopback port than the registered one is fine, and the code is bound to the asked URI",
        || {
            for (client, asked, other) in [
                (&four, "http://127.0.0.1:51234/callback", "http://127.0.0.1/callback"),
                (&named, "http://localhost:51234/callback", "http://localhost:3118/callback"),
            ] {
                let location = sent_to(&app, client, asked, &pat.token);
                assert!(location.starts_with(&format!("{asked}?")), "{location}");
                let wrong = redeem(&app, client, &location, other);
                assert_eq!((wrong.status, wrong.json()["error"].as_str()), (400, Some("invalid_grant")));
                assert_eq!(redeem(&app, client, &location, asked).status, 200);
            }
        },
    );
    holds("R-10", "a code is redeemed with the exact string it was asked with, or none", || {
        let asked = "http://127.0.0.1:7/callback";
        let location = sent_to(&app, &four, asked, &pat.token);
        for wrong in
            ["http://127.0.0.1:8/callback", "http://127.0.0.1:7/callback/", "HTTP://127.0.0.1:7/callback"]
        {
            assert_eq!(redeem(&app, &four, &location, wrong).json()["error"], "invalid_grant", "{wrong}");
        }
        assert_eq!(redeem(&app, &four, &location, asked).status, 200);
    });
}

#[test]
fn loopback_hosts_are_told_apart_and_shown_as_they_are() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    holds(
        "C054",
        "another loopback host than the registered one is a page that names both and how to reconnect",
        || {
            let client = registered(&app, &["http://localhost:7777/oauth/callback"]);
            let url = app.authorize_url(&client, &[("redirect_uri", "http://127.0.0.1:7777/oauth/callback")]);
            let page = request("GET", &url, &[("accept", "text/html")], None);
            assert_page(&page);
            for named in [
                "http://127.0.0.1:7777/oauth/callback",
                "http://localhost:7777/oauth/callback",
                "Claude Code",
            ] {
                assert!(page.text().contains(named), "{named}: {}", page.text());
            }
        },
    );
    holds("C055", "an IPv6 loopback literal is registered, shown with its brackets and sent to", || {
        let client = registered(&app, &["http://[::1]:19878/callback"]);
        let asked = "http://[::1]:5/callback";
        assert!(authorize(&app, &client, asked).text().contains("[::1]"));
        let location = sent_to(&app, &client, asked, &pat.token);
        assert!(location.starts_with("http://[::1]:5/callback?code="), "{location}");
        assert_eq!(redeem(&app, &client, &location, asked).status, 200);
    });
    holds("C057", "an empty path and `/` are one on loopback; no other slash is forgiven", || {
        for (own, other) in [
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000/"),
            ("http://localhost/", "http://localhost:3000"),
        ] {
            let client = registered(&app, &[own]);
            accepted(&app, &client, own);
            accepted(&app, &client, other);
            assert_page(&authorize(&app, &client, &format!("{}//", own.trim_end_matches('/'))));
        }
    });
}

#[test]
fn what_real_clients_register_is_what_they_may_use() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    holds("C058", "whatever registration accepts, authorization accepts: one policy", || {
        for uri in [
            "https://global.consent.azure-apim.net/redirect/cr7c9-5fngrok-5fabc",
            "https://claude.ai/api/mcp/auth_callback",
            "https://chatgpt.com/connector_platform_oauth_redirect",
            "https://client.example:8443/cb?tenant=a%20b&x=",
            "https://xn--bcher-kva.example/cb",
            "https://grok.com/connectors-oauth-exchange-code/",
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "com.example.app:/oauth2redirect",
            "http://localhost:3118/callback",
        ] {
            let client = registered(&app, &[uri]);
            accepted(&app, &client, uri);
        }
    });
    holds(
        "R-09",
        "the answer is appended to the exact string; its own query stays; values are form-encoded",
        || {
            for (uri, begins) in [
                ("https://client.example/cb", "https://client.example/cb?code="),
                ("https://client.example/cb?x=1&y=%20z", "https://client.example/cb?x=1&y=%20z&code="),
                ("https://client.example/cb?", "https://client.example/cb?code="),
                ("com.example.app:/cb", "com.example.app:/cb?code="),
                (
                    "cursor://anysphere.cursor-mcp/oauth/callback",
                    "cursor://anysphere.cursor-mcp/oauth/callback?code=",
                ),
            ] {
                let client = registered(&app, &[uri]);
                let location = sent_to(&app, &client, uri, &pat.token);
                assert!(location.starts_with(begins), "{location}");
                assert!(location.contains("&state=st%2B1%2F%3D%25%26&iss=http%3A%2F%2F"), "{location}");
                assert_eq!(location.matches("code=").count(), 1, "{location}");
            }
            // What the answer says must not stand in the URI before it.
            for name in ["code", "state", "iss", "error", "c%6fde"] {
                refused(&app, &json!([format!("https://client.example/cb?x=1&{name}=mine")]));
            }
        },
    );
}
