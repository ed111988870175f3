//! Which service a token is for (RFC 8707).

use serde_json::json;

use super::holds;
use super::kit::{ARCHIVE, redemption, refused};
use crate::support::http::{get, query_value, request};
use crate::support::{Reply, TestApp};

/// What an authorization request is answered, for a program.
fn error_of(app: &TestApp, client: &str, resource: &str) -> Option<String> {
    let reply = get(&app.authorize_url(client, &[("resource", resource)]));
    match reply.status {
        200 => None,
        303 => query_value(reply.header("location").unwrap(), "error"),
        _ => panic!("{reply:?}"),
    }
}

fn call_archive(app: &TestApp, token: &str) -> Reply {
    let bearer = format!("Bearer {token}");
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("authorization", &bearer),
    ];
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "list_meetings", "arguments": {}}});
    request("POST", &format!("{}/archive", app.base), &headers, Some(&body.to_string()))
}

#[test]
fn with_several_services_a_token_is_for_the_one_that_was_named() {
    let app = TestApp::builder().with("tail", ARCHIVE).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let client = app.register("agent");
    let archive = format!("{}/archive", app.base);
    holds(
        "I-01",
        "resource is an absolute URI without a fragment, at both endpoints; equal ones are one",
        || {
            for bad in [
                format!("{archive}#part"),
                "/archive".to_owned(),
                "archive".to_owned(),
                "urn:archive".to_owned(),
            ] {
                assert_eq!(error_of(&app, &client, &bad).as_deref(), Some("invalid_target"), "{bad}");
                let code = app.code(&client, &pat);
                refused(
                    &app.token(&redemption(&client, &code, &[("resource", &bad)])),
                    400,
                    "invalid_target",
                );
            }
            let code = app.code(&client, &pat);
            let mut form = redemption(&client, &code, &[]);
            form.extend([("resource", app.resource.as_str()), ("resource", app.resource.as_str())]);
            assert_eq!(app.token(&form).status, 200);
        },
    );
    holds("I-02", "an unknown resource is invalid_target: by redirect at /authorize, 400 at /token", || {
        for unknown in
            ["https://other.example/mcp", &format!("{}/nothing", app.base), "http://127.0.0.1/archive"]
        {
            assert_eq!(error_of(&app, &client, unknown).as_deref(), Some("invalid_target"), "{unknown}");
            let given = app.connect_as(&client, &pat);
            let form = [
                ("grant_type", "refresh_token"),
                ("refresh_token", given.refresh.as_str()),
                ("client_id", client.as_str()),
                ("resource", unknown),
            ];
            refused(&app.token(&form), 400, "invalid_target");
            assert_eq!(app.refresh(&client, &given.refresh).status, 200, "nothing was consumed");
        }
    });
    holds("I-03", "one audience a token: two services asked for are invalid_target", || {
        let both = format!("{}&resource={archive}", app.authorize_url(&client, &[]));
        let reply = get(&both);
        assert_eq!(
            query_value(reply.header("location").unwrap(), "error").as_deref(),
            Some("invalid_target")
        );
        let code = app.code(&client, &pat);
        let mut form = redemption(&client, &code, &[]);
        form.extend([("resource", app.resource.as_str()), ("resource", archive.as_str())]);
        refused(&app.token(&form), 400, "invalid_target");
    });
    holds("I-05", "no resource with several services and no default is invalid_target", || {
        assert_eq!(error_of(&app, &client, "").as_deref(), Some("invalid_target"));
    });
}

#[test]
fn a_token_for_one_service_is_nothing_at_another() {
    let app = TestApp::builder().with("tail", ARCHIVE).start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let client = app.register("agent");
    let archive = format!("{}/archive", app.base);
    let mico = app.connect_as(&client, &pat);
    let over = [("resource", archive.as_str()), ("scope", "archive:read")];
    let old = app.connect_with(&client, &pat, &over);
    holds("I-06", "a token for one service is 401 invalid_token at another", || {
        app.assert_alive(&mico.access);
        assert_eq!(call_archive(&app, &old.access).status, 200);
        app.assert_dead(&old.access);
        let foreign = call_archive(&app, &mico.access);
        assert_eq!(foreign.status, 401, "{foreign:?}");
        assert!(foreign.header("www-authenticate").unwrap().contains("error=\"invalid_token\""));
    });
    holds("I-07", "scopes are a service's own: another service's are not offered and not granted", || {
        assert_eq!((mico.scope.as_str(), old.scope.as_str()), ("mico:read", "archive:read"));
        let mixed = [("resource", archive.as_str()), ("scope", "archive:read mico:read mico:write")];
        assert_eq!(app.connect_with(&client, &pat, &mixed).scope, "archive:read");
        let none = get(&app.authorize_url(&client, &[("resource", &archive), ("scope", "mico:read")]));
        assert_eq!(query_value(none.header("location").unwrap(), "error").as_deref(), Some("invalid_scope"));
    });
    holds(
        "C133",
        "a token request without resource is for the grant's; another is invalid_target, not consumed",
        || {
            let code = app.code_with(&client, &pat, &over);
            refused(
                &app.token(&redemption(&client, &code, &[("resource", &app.resource)])),
                400,
                "invalid_target",
            );
            let given = app.token(&redemption(&client, &code, &[]));
            assert_eq!(given.status, 200, "{given:?}");
            assert_eq!(call_archive(&app, given.json()["access_token"].as_str().unwrap()).status, 200);
        },
    );
    holds(
        "N-136",
        "a refresh for a resource that was not granted is invalid_target, for its own 200",
        || {
            let refresh = |resource: &str| {
                app.token(&[
                    ("grant_type", "refresh_token"),
                    ("refresh_token", &mico.refresh),
                    ("client_id", &client),
                    ("resource", resource),
                ])
            };
            refused(&refresh(&archive), 400, "invalid_target");
            refused(&refresh("https://other.example/"), 400, "invalid_target");
            assert_eq!(refresh(&app.resource).status, 200);
        },
    );
}

#[test]
fn a_resource_is_recognised_in_every_spelling_clients_send() {
    let app = TestApp::start();
    let pat = app.pat(&app.person("ana"), &[]).token;
    let client = app.register("agent");
    let upper = app.resource.replacen("http://", "HTTP://", 1);
    holds(
        "I-04",
        "scheme and host have no case, the trailing slash and a query do not count (rules: resource)",
        || {
            for spelling in [upper.clone(), format!("{}/", app.resource), format!("{}?x=1", app.resource)] {
                assert_eq!(error_of(&app, &client, &spelling), None, "{spelling}");
                let code = app.code_with(&client, &pat, &[("resource", &spelling)]);
                let reply = app.token(&redemption(&client, &code, &[("resource", &app.resource)]));
                app.assert_alive(reply.json()["access_token"].as_str().unwrap());
            }
            for other in
                [app.resource.to_uppercase(), format!("{}//", app.resource), format!("{}/x", app.resource)]
            {
                assert_eq!(error_of(&app, &client, &other).as_deref(), Some("invalid_target"), "{other}");
            }
        },
    );
    holds("I-05", "no resource is the only service's, and the token says so", || {
        let code = app.code_with(&client, &pat, &[("resource", "")]);
        app.assert_alive(app.redeem(&client, &code).json()["access_token"].as_str().unwrap());
    });
}
