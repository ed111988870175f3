//! A copied database opens nothing.

use sqlx::{Column as _, Row as _};

use crate::support::TestApp;
use crate::support::http::post_form;

/// Every text in every column of every table.
fn every_value(app: &TestApp) -> Vec<String> {
    let url = format!("sqlite://{}?mode=ro", app.dir.path().join("portero.db").display());
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        sqlx::any::install_default_drivers();
        let pool = sqlx::AnyPool::connect(&url).await.unwrap();
        let tables = sqlx::query("SELECT name FROM sqlite_master WHERE type = 'table'")
            .fetch_all(&pool)
            .await
            .unwrap();
        let mut values = Vec::new();
        for table in tables {
            let table: String = table.get(0);
            if table.starts_with("_sqlx") {
                continue;
            }
            let sql = format!("SELECT * FROM {table}");
            for row in sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(&pool).await.unwrap() {
                for column in row.columns() {
                    if let Ok(Some(value)) = row.try_get::<Option<String>, _>(column.ordinal()) {
                        values.push(value);
                    }
                }
            }
        }
        values.sort();
        values.dedup();
        values
    })
}

#[test]
fn no_column_of_a_copied_database_is_accepted_anywhere() {
    let app = TestApp::start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let client = app.register("agent");
    let unused = app.code(&client, &pat.token);
    let own = app.connect(&pat.token);
    assert_eq!(app.refresh(&own.client, &own.refresh).status, 200);
    let key = app.cli(&["introspection-key", "create", "--name", "k"], None);
    let secrets = [&pat.token, &unused, &own.access, &own.refresh];
    let values = every_value(&app);
    assert!(values.len() > 40, "{values:?}");
    for value in &values {
        for secret in secrets {
            assert!(!value.contains(secret.as_str()), "a secret in clear");
        }
        if value.is_empty() || value.contains(['\n', '\r']) {
            continue;
        }
        // As it stands, and dressed up as each kind.
        for prefix in ["", "mico_pat_", "mico_oat_", "mico_ort_"] {
            let token = format!("{prefix}{value}");
            if !token.is_ascii() {
                continue;
            }
            let reply = app.rpc_with(&token, &[], r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
            assert!(matches!(reply.status, 400 | 401), "{token}: {reply:?}");
            assert_ne!(app.refresh(&own.client, &token).status, 200, "{token}");
        }
        let redeemed = app.redeem(&client, value);
        assert_ne!(redeemed.status, 200, "{value}");
        let cookie = format!("portero_session={value}");
        let settings = crate::support::request(
            "GET",
            &format!("{}/settings/tokens", app.base),
            &[("cookie", &cookie)],
            None,
        );
        assert_ne!(settings.status, 200, "{value}");
        let form = [
            ("token", own.access.as_str()),
            ("client_id", key["id"].as_str().unwrap()),
            ("client_secret", value),
        ];
        // So many guesses are slowed down; the right secret would be served all the same.
        let asked = post_form(&format!("{}/introspect", app.issuer), &[], &form).status;
        assert!(matches!(asked, 401 | 429), "{value}: {asked}");
    }
}

#[cfg(unix)]
#[test]
fn database_and_key_file_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let app = TestApp::start();
    for file in ["portero.db", "portero.keys"] {
        let mode = std::fs::metadata(app.dir.path().join(file)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{file}");
    }
}
