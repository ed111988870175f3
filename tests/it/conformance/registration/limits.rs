//! Registrations that nobody ever allowed anything: how many there may be, and for how long.

use std::time::Duration;

use portero::domain::client::{AuthMethod, Client, ClientKind, ClientMetadata};
use portero::domain::ids::ClientId;
use portero::store::StoreError;
use serde_json::json;

use super::super::holds;
use crate::support::TestApp;
use crate::support::flow::REDIRECT;
use crate::support::http::{Reply, request};

const CAP: usize = 10_000;

fn register(app: &TestApp, name: &str, address: &str) -> Reply {
    let headers = [("content-type", "application/json"), ("x-forwarded-for", address)];
    let body = json!({"client_name": name, "redirect_uris": [REDIRECT]}).to_string();
    request("POST", &format!("{}/register", app.issuer), &headers, Some(&body))
}

fn clients(app: &TestApp) -> usize {
    let store = &app.app.identity.store;
    actix_web::rt::System::new().block_on(store.clients()).unwrap().len()
}

fn sweep(app: &TestApp) {
    for _ in 0..3 {
        actix_web::rt::System::new().block_on(portero::jobs::sweep::run_once(&app.app));
    }
}

/// Registers as the endpoint would, `count` times from an address, in few transactions.
fn fill(app: &TestApp, address: &str, count: usize) {
    let client = |number: usize| Client {
        id: ClientId::from(format!("dcr_{}_{number}", address.replace(['.', ':', '/'], "_"))),
        kind: ClientKind::Dynamic,
        metadata: ClientMetadata {
            redirect_uris: vec![REDIRECT.to_owned()],
            client_name: None,
            client_uri: None,
            token_endpoint_auth_method: AuthMethod::None,
            grant_types: vec!["authorization_code".to_owned()],
            response_types: vec!["code".to_owned()],
            scope: None,
            application_type: None,
            software_id: None,
            software_version: None,
        },
        secret_hash: None,
        epoch: 1,
        disabled_at: None,
        created_at: app.now(),
        last_granted_at: None,
    };
    actix_web::rt::System::new().block_on(async {
        for start in (0..count).step_by(500) {
            let part = start..(start + 500).min(count);
            let stored = app.app.identity.store.transaction(async |tx| {
                for number in part.clone() {
                    tx.register_client(&client(number), address).await?;
                }
                Ok::<_, StoreError>(())
            });
            stored.await.unwrap();
        }
    });
}

#[test]
fn registrations_are_capped_and_purged_and_shared_addresses_are_not_starved() {
    let app = TestApp::builder().with("top", "trusted_proxies = [\"127.0.0.0/8\"]").start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    holds("C073", "a hundred different clients from one address within a minute are all registered", || {
        for number in 0..100 {
            let reply = register(&app, &format!("hosted {number}"), "192.0.2.1:443");
            assert_eq!(reply.status, 201, "{reply:?}");
        }
    });
    let (heavy, light) = ("198.51.100.7", "203.0.113.9");
    fill(&app, heavy, CAP - 500);
    fill(&app, light, 400);
    assert_eq!(clients(&app), CAP + 1);
    holds(
        "N-188",
        "full: the address that holds most gets 429, others go on; old ones make room; a month purges",
        || {
            // The port is the proxy's own affair: it is the same address.
            for address in [heavy.to_owned(), format!("{heavy}:51234")] {
                let reply = register(&app, "one too many", &address);
                assert_eq!((reply.status, reply.header("retry-after")), (429, Some("3600")), "{reply:?}");
                assert_eq!(reply.header("content-type"), Some("application/json"));
                let body = reply.json();
                assert_eq!(body["error"], "temporarily_unavailable");
                assert!(
                    body["error_description"].as_str().is_some_and(|text| text.contains("later")),
                    "{body}"
                );
            }
            assert_eq!(clients(&app), CAP + 1);
            assert_eq!(register(&app, "hosted 1", heavy).status, 201, "what is known is no new row");
            assert_eq!(register(&app, "another", light).status, 201);
            assert_eq!(clients(&app), CAP + 2);

            app.advance(Duration::from_secs(3601));
            assert_eq!(register(&app, "after an hour", heavy).status, 201);
            let room = clients(&app);
            assert_eq!(room, CAP + 2 - 100 + 1, "a hundredth of the cap, of the address that holds most");
            assert_eq!(app.refresh(&own.client, &own.refresh).status, 200, "granted ones are never evicted");
            app.advance(Duration::from_hours(31 * 24));
            sweep(&app);
            assert_eq!(clients(&app), 1);
        },
    );
}

#[test]
fn registrations_that_nobody_allowed_anything_live_a_month() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    let light = "203.0.113.9";
    holds(
        "D-13",
        "never granted ones live thirty days; granted ones live on; registering alone grants nothing",
        || {
            assert_eq!(register(&app, "visitor", light).status, 201);
            app.advance(Duration::from_hours(29 * 24));
            sweep(&app);
            assert_eq!(clients(&app), 2);
            assert_eq!(register(&app, "visitor", light).status, 201, "registering again begins anew");
            app.advance(Duration::from_hours(29 * 24));
            sweep(&app);
            assert_eq!(clients(&app), 2);
            app.advance(Duration::from_hours(2 * 24));
            sweep(&app);
            assert_eq!(clients(&app), 1);
            assert_eq!(app.register("test client"), own.client);
            let grants = app.cli(&["grant", "list", "--client", &own.client], None);
            assert_eq!(grants.as_array().unwrap().len(), 1, "one consent, one grant: {grants}");
        },
    );
}
