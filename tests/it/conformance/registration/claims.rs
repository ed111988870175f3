//! What a client says of itself, and what several installations share.

use serde_json::json;

use super::super::holds;
use super::{clients, made, with};
use crate::support::TestApp;
use crate::support::flow::VERIFIER;
use crate::support::http::{get, post_form, query_value};

#[test]
fn what_a_client_says_of_itself_is_held_short() {
    let app = TestApp::start();
    holds("D-05", "unknown members and an id or secret of the client's own are not taken over", || {
        let body = made(
            &app,
            &with(
                &json!({"client_id": "mine", "client_secret": "mine", "client_id_issued_at": 1, "x": {"a": [1]}}),
            ),
        );
        assert_ne!(body["client_id"], "mine");
        assert_eq!(body["client_id_issued_at"], app.now().seconds());
        assert!(body.get("client_secret").is_none() && body.get("x").is_none(), "{body}");
    });
    holds("N-183", "an own id, secret or registration token in the body is ignored", || {
        let metadata = json!({
            "client_name": "own", "client_id": "mine", "client_secret": "mine",
            "registration_access_token": "mine", "registration_client_uri": "https://evil.example/",
        });
        let body = made(&app, &with(&metadata));
        assert!(!body.to_string().contains("mine") && !body.to_string().contains("evil"), "{body}");
        assert_eq!(body["client_id"], made(&app, &with(&json!({"client_name": "own"})))["client_id"]);
    });
    holds(
        "D-09",
        "of the scopes named those are registered that this issuer has, in the configuration's order",
        || {
            let scope = |text: &str| made(&app, &with(&json!({"scope": text})))["scope"].clone();
            assert_eq!(scope("mico:write admin mico:read offline_access openid"), "mico:read mico:write");
            assert_eq!(scope("mico:read mico:read"), "mico:read");
        },
    );
    holds("N-184", "a scope that is not there is cut, and the answer does not have it", || {
        let body = made(&app, &with(&json!({"scope": "admin"})));
        assert!(body.get("scope").is_none(), "{body}");
        assert_eq!(made(&app, &with(&json!({"scope": "admin mico:read"})))["scope"], "mico:read");
    });
    holds("D-10", "keys are neither kept nor echoed: signed client authentication is not built", || {
        let keys = json!({
            "jwks": {"keys": [{"kty": "EC", "crv": "P-256", "x": "a", "y": "b", "d": "private"}]},
            "jwks_uri": "https://client.example/jwks.json",
        });
        let body = made(&app, &with(&keys));
        assert!(body.get("jwks").is_none() && body.get("jwks_uri").is_none(), "{body}");
    });
}

#[test]
fn links_are_kept_short_and_never_followed() {
    let app = TestApp::start();
    let links = json!({
        "client_name": "linked", "client_uri": "https://elsewhere.example/home",
        "logo_uri": format!("{}/logo.png", app.worker.url), "tos_uri": "https://elsewhere.example/tos",
        "policy_uri": "https://elsewhere.example/policy",
    });
    holds("D-11", "of links the https home page is kept and no other; no page shows one", || {
        let body = made(&app, &with(&links));
        assert_eq!(body["client_uri"], "https://elsewhere.example/home");
        for absent in ["logo_uri", "tos_uri", "policy_uri"] {
            assert!(body.get(absent).is_none(), "{absent}");
        }
        let page = get(&app.authorize_url(body["client_id"].as_str().unwrap(), &[]));
        assert!(page.status == 200 && !page.text().contains("elsewhere.example"), "{}", page.text());
        let long = format!("https://client.example/{}", "a".repeat(2048));
        for wrong in ["http://client.example/", "https://client.example/a b", "client.example", &long] {
            assert!(made(&app, &with(&json!({"client_uri": wrong}))).get("client_uri").is_none(), "{wrong}");
        }
    });
    holds("C067", "empty and non-http links are dropped and the registration succeeds", || {
        let body = made(
            &app,
            &with(&json!({
                "client_uri": "", "logo_uri": "data:image/png;base64,AAAA", "policy_uri": "javascript:1", "tos_uri": null,
            })),
        );
        for absent in ["client_uri", "logo_uri", "policy_uri", "tos_uri"] {
            assert!(body.get(absent).is_none(), "{absent}");
        }
        let script = made(&app, &with(&json!({"client_uri": "javascript:alert(1)"})));
        assert!(script.get("client_uri").is_none());
    });
    holds(
        "N-185",
        "links to scripts, inner addresses or other hosts are dropped or text, and never fetched",
        || {
            let client = made(&app, &with(&links))["client_id"].as_str().unwrap().to_owned();
            assert_eq!(get(&app.authorize_url(&client, &[])).status, 200);
            for wrong in ["javascript:alert(1)", "http://169.254.169.254/latest", "file:///etc/passwd"] {
                let body =
                    made(&app, &with(&json!({"logo_uri": wrong, "client_uri": wrong, "tos_uri": wrong})));
                assert!(!body.to_string().contains(wrong), "{body}");
            }
            assert!(app.worker.seen().is_empty(), "{:?}", app.worker.seen());
        },
    );
}

#[test]
fn a_name_is_what_can_be_seen_of_it() {
    let app = TestApp::start();
    holds(
        "D-12",
        "a name is cut to what can be seen, 100 characters of it, and is text on every page",
        || {
            let name =
                |text: &str| made(&app, &with(&json!({"client_name": text, "client_name#es": "otro"})));
            for hidden in [
                "\u{202e}",
                "\u{200b}",
                "\u{2028}",
                "\u{180e}",
                "\u{34f}",
                "\u{fe0f}",
                "\u{e0041}",
                "\n",
                "\u{7f}",
            ] {
                assert_eq!(name(&format!("Cla{hidden}ude"))["client_name"], "Claude", "{hidden:?}");
            }
            assert!(name("\u{200b}\u{2028}\u{3164} ").get("client_name").is_none());
            assert_eq!(name("e\u{34f}\u{301}")["client_name"], "\u{e9}");
            assert_eq!(name(&"é".repeat(150))["client_name"].as_str().unwrap().chars().count(), 100);
            let body = name("<script>alert(1)</script>");
            assert!(body.get("client_name#es").is_none());
            let page = get(&app.authorize_url(body["client_id"].as_str().unwrap(), &[]));
            assert!(
                !page.text().contains("<script>alert") && page.text().contains("&#60;script&#62;"),
                "{}",
                page.text()
            );
        },
    );
}

#[test]
fn one_id_is_shared_by_every_installation_of_a_client() {
    let app = TestApp::start();
    let (ana, bruno) = (app.person("ana"), app.person("bruno"));
    let (first, second) = (app.pat(&ana, &[]), app.pat(&bruno, &[]));
    let metadata = |port: u16| json!({"client_name": "Agent", "redirect_uris": [format!("http://127.0.0.1:{port}/callback")]});
    holds("D-14", "the same software gets the same id however often it registers, and one row", || {
        let ids: Vec<_> = (2000..2020).map(|port| made(&app, &metadata(port))["client_id"].clone()).collect();
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        assert_eq!(clients(&app), 1);
    });
    let client = made(&app, &metadata(1))["client_id"].as_str().unwrap().to_owned();
    holds(
        "N-191",
        "registering again with another port while a code is under way leaves the code its own URI",
        || {
            let asked = "http://127.0.0.1:1/callback";
            let url = app.authorize_url(&client, &[("redirect_uri", asked)]);
            let page = get(&url);
            assert_eq!(page.status, 200);
            let reply = app.consent(&url, &first.token, "allow");
            let code = query_value(reply.header("location").unwrap(), "code").unwrap();
            assert_eq!(made(&app, &metadata(2))["client_id"], client.as_str());
            let redeem = |uri: &str| {
                app.token(&[
                    ("grant_type", "authorization_code"),
                    ("code", &code),
                    ("code_verifier", VERIFIER),
                    ("client_id", &client),
                    ("redirect_uri", uri),
                ])
            };
            assert_eq!(redeem("http://127.0.0.1:2/callback").json()["error"], "invalid_grant");
            assert_eq!(redeem(asked).status, 200);
        },
    );
    holds(
        "C084",
        "disconnecting one installation ends neither another of the person nor another person's",
        || {
            let (one, two) = (app.connect_as(&client, &first.token), app.connect_as(&client, &first.token));
            let other = app.connect_as(&client, &second.token);
            let url = format!("{}/revoke", app.issuer);
            let form = [("token", one.refresh.as_str()), ("client_id", &client)];
            assert_eq!(post_form(&url, &[], &form).status, 200);
            app.assert_dead(&one.access);
            app.assert_alive(&two.access);
            app.assert_alive(&other.access);
            assert_eq!(app.refresh(&client, &other.refresh).status, 200);
        },
    );
}

#[test]
fn a_registered_scope_is_a_default_and_no_ceiling() {
    let app = TestApp::start();
    let first = app.pat(&app.person("ana"), &[]);
    holds(
        "C087",
        "registering a scope is a default, no ceiling: a wider request is granted without an error",
        || {
            let own = made(&app, &with(&json!({"client_name": "narrow", "scope": "mico:read"})));
            let own = own["client_id"].as_str().unwrap();
            let wide = app.authorize_url(own, &[("scope", "mico:read mico:write offline_access")]);
            let reply = app.consent(&wide, &first.token, "allow");
            let code = query_value(reply.header("location").unwrap(), "code").unwrap();
            assert_eq!(app.redeem(own, &code).json()["scope"], "mico:read mico:write");
            let none = app.consent(&app.authorize_url(own, &[("scope", "")]), &first.token, "allow");
            let code = query_value(none.header("location").unwrap(), "code").unwrap();
            assert_eq!(app.redeem(own, &code).json()["scope"], "mico:read");
        },
    );
}
