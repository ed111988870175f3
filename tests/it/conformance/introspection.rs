//! Introspection (RFC 7662) for resource servers that ask.

use serde_json::{Value, json};

use super::holds;
use super::kit::{ARCHIVE, Key, refused};
use crate::support::callers::{Pat, Person};
use crate::support::flow::Connection;
use crate::support::http::{get, post_form};
use crate::support::{TestApp, eventually};

struct Setup {
    app: TestApp,
    person: Person,
    pat: Pat,
    client: String,
    own: Connection,
    key: Key,
}

impl Setup {
    fn new() -> Self {
        let app = TestApp::builder().with("tail", ARCHIVE).start();
        let person = app.person("ana");
        let pat = app.pat(&person, &[]);
        let client = app.register("agent");
        let own = app.connect_as(&client, &pat.token);
        let key = app.introspection_key();
        Self { app, person, pat, client, own, key }
    }

    fn ask(&self, token: &str) -> Value {
        let Key { id, secret } = &self.key;
        let form = [("token", token), ("client_id", id.as_str()), ("client_secret", secret.as_str())];
        let reply = self.app.oauth("introspect", &form);
        assert_eq!((reply.status, reply.header("cache-control")), (200, Some("no-store")), "{reply:?}");
        reply.json()
    }
}

#[test]
fn the_caller_proves_itself() {
    let setup = Setup::new();
    let Setup { app, client, own, key: Key { id, secret }, .. } = &setup;
    let ask = |token: &str| setup.ask(token);
    holds(
        "IN-01",
        "the caller proves itself by an introspection key, posted or Basic; others are 401",
        || {
            let encoded = {
                use base64::Engine as _;
                base64::engine::general_purpose::STANDARD.encode(format!("{id}:{secret}"))
            };
            let url = app.endpoint("introspect");
            let header = [("authorization", format!("Basic {encoded}"))];
            let header: Vec<(&str, &str)> =
                header.iter().map(|(name, value)| (*name, value.as_str())).collect();
            assert_eq!(post_form(&url, &header, &[("token", &own.access)]).json()["active"], true);
            assert_eq!(ask(&own.access)["active"], true);
            let confidential = app.confidential();
            for wrong in [
                vec![],
                vec![("client_id", client.as_str())],
                vec![
                    ("client_id", confidential.id.as_str()),
                    ("client_secret", confidential.secret.as_str()),
                ],
                vec![("client_id", id.as_str())],
                vec![("client_id", id.as_str()), ("client_secret", "wrong")],
                vec![("client_id", "other"), ("client_secret", secret.as_str())],
            ] {
                let form = [&[("token", own.access.as_str())], wrong.as_slice()].concat();
                let reply = app.oauth("introspect", &form);
                refused(&reply, 401, "invalid_client");
                assert!(reply.header("www-authenticate").unwrap().starts_with("Basic realm="));
            }
            let bearer = [("authorization", "Bearer x")];
            refused(&post_form(&url, &bearer, &[("token", &own.access)]), 401, "invalid_client");
            let metadata =
                get(&format!("{}/.well-known/oauth-authorization-server/functions/v1/mcp", app.base)).json();
            let methods = json!(["client_secret_post", "client_secret_basic"]);
            assert_eq!(metadata["introspection_endpoint_auth_methods_supported"], methods);
        },
    );
    holds("IN-01", "a revoked introspection key opens nothing any more", || {
        app.cli(&["introspection-key", "revoke", id], None);
        let form = [("token", "x"), ("client_id", id), ("client_secret", secret)];
        eventually("the key is refused", || (app.oauth("introspect", &form).status == 401).then_some(()));
        refused(&app.oauth("introspect", &form), 401, "invalid_client");
    });
}

#[test]
fn a_live_token_is_described() {
    let setup = Setup::new();
    let Setup { app, person, pat, client, own, .. } = &setup;
    let ask = |token: &str| setup.ask(token);
    holds(
        "IN-03",
        "a live token: active, scope, client_id, token_type, exp, iat, sub, aud, iss; PATs marked",
        || {
            let live = ask(&own.access);
            let text =
                |name: &str| live[name].as_str().unwrap_or_else(|| panic!("{name}: {live}")).to_owned();
            assert_eq!(live["active"], true);
            assert_eq!((text("scope"), text("client_id")), ("mico:read".to_owned(), client.clone()));
            assert_eq!((text("token_type"), text("token_kind")), ("Bearer".to_owned(), "oauth".to_owned()));
            assert_eq!((text("sub"), text("aud")), (person.id.clone(), app.resource.clone()));
            assert_eq!((text("iss"), text("workspace")), (app.issuer.clone(), person.workspace.clone()));
            assert_eq!(live["exp"].as_i64().unwrap() - live["iat"].as_i64().unwrap(), 3600);
            assert!(live.get("username").is_none() && live.get("cnf").is_none());
            let token = ask(&pat.token);
            assert_eq!((&token["active"], &token["token_kind"]), (&json!(true), &json!("pat")));
            assert!(
                token.get("exp").is_none() && token.get("client_id").is_none(),
                "it has no end and no client"
            );
            assert_eq!(token["aud"], json!([app.resource, format!("{}/archive", app.base)]));
        },
    );
}

#[test]
fn everything_else_is_inactive() {
    let setup = Setup::new();
    let Setup { app, person, pat, client, own, key: Key { secret, .. } } = &setup;
    let ask = |token: &str| setup.ask(token);
    holds("IN-02", "whatever is no live token is exactly active:false, refresh tokens and codes too", || {
        let inactive = json!({"active": false});
        let code = app.code(client, &pat.token);
        let unknown = format!("mico_oat_{}", "a".repeat(49));
        for dead in [own.refresh.as_str(), &code, "unknown", &unknown, secret, "mico_pat_", &"x".repeat(4000)]
        {
            assert_eq!(ask(dead), inactive, "{dead}");
        }
        assert_eq!(app.redeem(client, &code).status, 200, "asking uses nothing up");
        let revoked = app.connect_as(client, &pat.token);
        assert_eq!(ask(&revoked.access)["active"], true);
        app.oauth("revoke", &[("token", &revoked.access), ("client_id", client)]);
        assert_eq!(ask(&revoked.access), inactive);
        app.cli(&["token", "revoke", &pat.id], None);
        eventually("the revocation", || {
            (ask(&own.access) == inactive && ask(&pat.token) == inactive).then_some(())
        });
        let old = app.connect_as(client, &app.pat(person, &[]).token);
        assert_eq!(ask(&old.access)["active"], true);
        app.advance(std::time::Duration::from_hours(1));
        assert_eq!(ask(&old.access), inactive);
    });
}
