//! Which redirect an authorization request may name: an exact string of its client's, loopback ports aside.

use serde_json::json;

use super::holds;
use crate::support::TestApp;
use crate::support::answer::assert_page;
use crate::support::http::get;

fn client(app: &TestApp, redirects: &[&str]) -> String {
    let reply = app.register_with(&json!({"client_name": "agent", "redirect_uris": redirects}));
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.json()["client_id"].as_str().unwrap().to_owned()
}

fn refused(app: &TestApp, client: &str, redirects: &[&str]) {
    for asked in redirects {
        // Left out altogether would be another question, so an empty one is spelt as it is.
        let url =
            format!("{}&redirect_uri={}", app.authorize_url(client, &[("redirect_uri", "")]), escaped(asked));
        assert_page(&get(&url), 400);
    }
}

fn accepted(app: &TestApp, client: &str, redirects: &[&str]) {
    for asked in redirects {
        let reply = get(&app.authorize_url(client, &[("redirect_uri", asked)]));
        assert_eq!(reply.status, 200, "{asked}");
    }
}

fn escaped(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[test]
fn a_site_is_matched_as_the_exact_string() {
    let app = TestApp::start();
    let one = client(&app, &["https://client.example/cb"]);
    accepted(&app, &one, &["https://client.example/cb"]);
    holds("N-049", "a redirect that is not registered is a page, never followed", || {
        refused(
            &app,
            &one,
            &["https://evil.example/cb", "https://client.example/", "https://client.example/CB"],
        );
        refused(&app, &one, &["https://client.example/cb/", "https://client.example/cb?x=1", "x", "/cb"]);
    });
    holds("N-051", "a default port or another case of the host is another string", || {
        refused(
            &app,
            &one,
            &["https://client.example:443/cb", "https://CLIENT.example/cb", "HTTPS://client.example/cb"],
        );
    });
    holds("N-052", "user names, longer hosts, missing slashes and escaped dots do not match", || {
        refused(
            &app,
            &one,
            &[
                "https://client.example@evil.example/cb",
                "https://client.example.evil.example/cb",
                "https:\\\\evil",
                "https:/evil",
                "https://evil%2eexample",
                "https://client%2eexample/cb",
                "https:\\\\client.example\\cb",
            ],
        );
    });
    holds("N-053", "http is not accepted for a registered https", || {
        refused(&app, &one, &["http://client.example/cb"]);
    });
    let two = client(&app, &["https://client.example/cb", "https://client.example/other"]);
    holds("N-059", "of two registered redirects one must be named; a single one may be left out", || {
        assert_page(&get(&app.authorize_url(&two, &[("redirect_uri", "")])), 400);
        accepted(&app, &two, &["https://client.example/cb", "https://client.example/other"]);
        assert_eq!(get(&app.authorize_url(&one, &[("redirect_uri", "")])).status, 200);
    });
    holds("N-060", "a redirect that is named twice is a page, whichever stands first", || {
        for (first, second) in [("client", "evil"), ("evil", "client"), ("client", "client")] {
            let uri = |host: &str| format!("https://{host}.example/cb");
            let url = app.authorize_url(&one, &[("redirect_uri", &uri(first))]);
            assert_page(&get(&format!("{url}&redirect_uri={}", escaped(&uri(second)))), 400);
        }
    });
    let own = client(&app, &["com.example.app:/cb", "cursor://anysphere.cursor-mcp/oauth/callback"]);
    holds("N-061", "a private-use scheme is matched as the exact string too", || {
        accepted(&app, &own, &["com.example.app:/cb", "cursor://anysphere.cursor-mcp/oauth/callback"]);
        refused(
            &app,
            &own,
            &["com.example.app://cb", "com.example.app:/cb/", "COM.example.app:/cb", "com.example:/cb"],
        );
        refused(&app, &own, &["cursor:/anysphere.cursor-mcp/oauth/callback", "cursor://evil/oauth/callback"]);
    });
}

#[test]
fn only_the_port_of_a_loopback_address_is_free() {
    let app = TestApp::start();
    let hosts =
        ["http://127.0.0.1:51234/callback", "http://[::1]/callback", "http://localhost:3000/callback"];
    let one = client(&app, &hosts);
    holds("N-055", "any port of 127.0.0.1, [::1] and localhost, each for itself alone", || {
        for host in ["127.0.0.1", "[::1]", "localhost"] {
            for port in ["", ":1", ":65535"] {
                accepted(&app, &one, &[&format!("http://{host}{port}/callback")]);
            }
        }
        let named = client(&app, &["http://localhost/callback"]);
        refused(&app, &named, &["http://127.0.0.1/callback", "http://[::1]:3000/callback"]);
    });
    holds("N-056", "what only looks like a loopback address or a port is a page", || {
        for host in [
            "127.1",
            "2130706433",
            "0x7f.1",
            "0x7f000001",
            "127.0.0.2",
            "127.0.0.01",
            "0.0.0.0",
            "[::ffff:127.0.0.1]",
            "[0:0:0:0:0:0:0:1]",
            "[::1%25lo]",
            "localhost.",
            "LOCALHOST",
            "localhost.evil",
            "127.0.0.1:80@evil",
            "user@127.0.0.1",
            "127.0.0.1.evil",
            "127.0.0.1:0",
            "127.0.0.1:99999",
            "127.0.0.1:08 0",
            "127.0.0.1:+80",
            "127.0.0.1:80:80",
            "127.0.0.1:",
        ] {
            refused(&app, &one, &[&format!("http://{host}/callback")]);
        }
    });
    holds("N-057", "scheme, path and query of a loopback redirect are as they were registered", || {
        refused(
            &app,
            &one,
            &[
                "https://127.0.0.1:51234/callback",
                "http://127.0.0.1:51234/",
                "http://127.0.0.1:51234",
                "http://127.0.0.1:51234/callback/",
                "http://127.0.0.1:51234/callback/../callback",
                "http://127.0.0.1:51234/callback?x=1",
                "http://127.0.0.1:51234/callback?",
                "http://127.0.0.1:51234/callback#x",
                "http://127.0.0.1:51234//callback",
            ],
        );
    });
}
