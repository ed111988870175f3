//! Where the documents stand on hosts of several services and issuers, and what stands at other places.

use serde_json::json;

use super::super::holds;
use super::{OPENID, PATH, RESOURCE, SERVER, assert_json_404, document, server_document};
use crate::support::TestApp;
use crate::support::flow::VERIFIER;
use crate::support::http::{get, request};

#[test]
fn what_is_no_document_is_json_404_and_never_asks_for_a_token() {
    let app = TestApp::start();
    holds("C009", "unknown well-known places are JSON 404, also for browsers", || {
        for path in [
            format!("{SERVER}/unknown"),
            format!("{RESOURCE}/unknown"),
            OPENID.to_owned(),
            "/.well-known/".to_owned(),
            "/.well-known/nothing".to_owned(),
            format!("{PATH}/.well-known/nothing"),
        ] {
            assert_json_404(&app, &path);
        }
    });
    holds("C012", "no well-known place answers 401, whatever token is or is not sent", || {
        for path in [
            OPENID.to_owned(),
            format!("{SERVER}{PATH}"),
            format!("{RESOURCE}{PATH}"),
            format!("{OPENID}{PATH}"),
        ] {
            let url = format!("{}{path}", app.base);
            let plain = get(&url);
            assert!(matches!(plain.status, 200 | 404), "{path}");
            for credential in ["Bearer mico_oat_nothing", "Bearer ", "Basic x", "nonsense"] {
                let reply = request("GET", &url, &[("authorization", credential)], None);
                assert_eq!((reply.status, &reply.body), (plain.status, &plain.body), "{path} {credential}");
            }
        }
    });
}

/// The database of an app on PostgreSQL is taken away under it.
pub fn drop_database(app: &TestApp) {
    let text = std::fs::read_to_string(&app.config).unwrap();
    let url = text.split('"').find(|part| part.starts_with("postgres://")).unwrap();
    let (server, name) = url.rsplit_once('/').unwrap();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let pool = sqlx::AnyPool::connect(&format!("{server}/postgres")).await.unwrap();
        let drop = format!("DROP DATABASE {name} WITH (FORCE)");
        sqlx::query(sqlx::AssertSqlSafe(drop)).execute(&pool).await.unwrap();
        pool.close().await;
    });
}

#[test]
fn discovery_needs_no_database_and_is_never_limited() {
    let app = TestApp::builder().on_postgres().start();
    drop_database(&app);
    let token = app.refresh("dcr_x", "mico_ort_x");
    assert_eq!((token.status, token.json()["error"].as_str()), (503, Some("temporarily_unavailable")));
    holds(
        "C016",
        "documents are served from memory while the database is gone, however often they are asked",
        || {
            for _ in 0..50 {
                for path in [format!("{SERVER}{PATH}"), format!("{RESOURCE}{PATH}"), SERVER.to_owned()] {
                    document(&app, &path);
                }
                assert_json_404(&app, OPENID);
            }
        },
    );
}

#[test]
fn an_issuer_beside_the_resource_is_found_from_both() {
    let mut builder = TestApp::builder();
    builder.toml = builder.toml.replace("issuer = \"{base}/functions/v1/mcp\"", "issuer = \"{base}/idp\"");
    let app = builder.with("tail", NOTES).start();
    assert_eq!(app.issuer, format!("{}/idp", app.base));
    let own = document(&app, &format!("{SERVER}/idp"));
    assert_eq!(own.json()["issuer"], app.issuer);
    holds(
        "C004",
        "the issuer's document stands on the resource's origin too, under each resource's path",
        || {
            for place in [
                SERVER.to_owned(),
                format!("{SERVER}{PATH}"),
                format!("{PATH}{SERVER}"),
                format!("{SERVER}/notes/mcp"),
                format!("/notes/mcp{SERVER}"),
                format!("/idp{SERVER}"),
            ] {
                assert_eq!(document(&app, &place).body, own.body, "{place}");
            }
        },
    );
    holds(
        "C006",
        "an issuer that is asked for with a trailing slash gets the same document, no redirect",
        || {
            let twin = document(&app, &format!("{SERVER}/idp/"));
            assert_eq!(twin.body, own.body);
        },
    );
}

/// A second service of the brand on the same host.
const NOTES: &str = r#"
[[service]]
id = "notes"
brand = "mico"
name = "Notes"
resource = "{base}/notes/mcp"
accept = ["pat", "oauth"]
[service.scopes."notes:read"]
title = { es = "Leer tus notas", en = "Read your notes" }
[[service.upstream]]
id = "notes"
kind = "worker"
url = "{worker}"
catalog = "tools.json"
unlisted = "default"
"#;

#[test]
fn of_several_services_on_a_host_the_default_one_answers_at_the_root() {
    let plain = TestApp::builder().with("tail", NOTES).start();
    let chosen = NOTES.replace("accept", "default = true\naccept");
    let marked = TestApp::builder().with("tail", &chosen).start();
    holds("P-01", "the root form is the default service's, and nobody's where none is marked", || {
        assert_json_404(&plain, RESOURCE);
        let body = document(&marked, RESOURCE).json();
        assert_eq!(body["resource"], format!("{}/notes/mcp", marked.base));
        assert_eq!(body["scopes_supported"], json!(["notes:read"]), "all of them where none is a default");
    });
    holds(
        "M-01",
        "the issuer's root form stands wherever a host has one issuer, whatever services are there",
        || {
            for app in [&plain, &marked] {
                assert_eq!(document(app, SERVER).json()["issuer"], app.issuer);
            }
        },
    );
}

#[test]
fn two_resources_of_one_origin_are_kept_apart() {
    let app = TestApp::builder().with("tail", NOTES).start();
    let notes = format!("{}/notes/mcp", app.base);
    let pat = app.pat(&app.person("ana"), &[]);
    let own = app.connect(&pat.token);
    holds(
        "C039",
        "each resource has its document and audience; codes and tokens of one are nothing to the other",
        || {
            for (path, resource) in [(PATH, &app.resource), ("/notes/mcp", &notes)] {
                assert_eq!(document(&app, &format!("{RESOURCE}{path}")).json()["resource"], *resource);
            }
            let headers = [
                ("authorization", format!("Bearer {}", own.access)),
                ("content-type", "application/json".into()),
            ];
            let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
            let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
            let reply = request("POST", &notes, &headers, Some(ping));
            let challenge = reply.header("www-authenticate").unwrap();
            assert_eq!(reply.status, 401);
            assert!(challenge.starts_with("Bearer error=\"invalid_token\""), "{challenge}");
            assert!(challenge.contains(&format!("resource_metadata=\"{}{RESOURCE}/notes/mcp\"", app.base)));
            app.assert_alive(&own.access);

            let code = app.code(&own.client, &pat.token);
            let other = app.token(&[
                ("grant_type", "authorization_code"),
                ("code", &code),
                ("code_verifier", VERIFIER),
                ("client_id", &own.client),
                ("resource", &notes),
            ]);
            assert_eq!((other.status, other.json()["error"].as_str()), (400, Some("invalid_target")));
            assert_eq!(app.redeem(&own.client, &code).status, 200, "the code was not used up");
            let form = [
                ("grant_type", "refresh_token"),
                ("refresh_token", own.refresh.as_str()),
                ("client_id", &own.client),
                ("resource", &notes),
            ];
            assert_eq!(app.token(&form).json()["error"], "invalid_target");
            assert_eq!(
                app.refresh(&own.client, &own.refresh).status,
                200,
                "the refresh token was not used up"
            );
        },
    );
}

#[test]
fn closed_registration_is_said_in_json_and_advertised_nowhere() {
    let app = TestApp::builder().with("oauth", "registration = \"off\"").start();
    holds(
        "C010",
        "without registration its path is a JSON 404 with error and description, and unadvertised",
        || {
            for url in [format!("{}/register", app.issuer), format!("{}/register", app.base)] {
                let reply = request("POST", &url, &[("content-type", "application/json")], Some("{}"));
                assert_eq!(
                    (reply.status, reply.header("content-type")),
                    (404, Some("application/json")),
                    "{url}"
                );
                let body = reply.json();
                assert_eq!(body["error"], "not_found");
                assert!(body["error_description"].is_string(), "{body}");
            }
            assert!(server_document(&app).get("registration_endpoint").is_none());
        },
    );
}
