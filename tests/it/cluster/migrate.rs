//! A served database is migrated when its operator says so, and only then.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::app::{Laid, command};
use crate::support::{TestApp, together};

/// An installation on a new PostgreSQL database that nobody has migrated.
fn laid() -> Laid {
    let mut builder = TestApp::builder().on_postgres();
    builder.toml = builder.toml.replace("migrate = true\n", "");
    builder.lay()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Every migration that is listed, and whether it has been applied.
fn states(config: &Path) -> Vec<bool> {
    let output = command(config, &["--json", "migrate", "--status"], None);
    assert!(output.status.success(), "{output:?}");
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    list.as_array().unwrap().iter().map(|state| state["applied"].as_bool().unwrap()).collect()
}

#[test]
fn postgres_is_migrated_by_command_and_by_nothing_else() {
    let laid = laid();
    for arguments in [
        &["serve"][..],
        &["user", "create", "--email", "ana@example.com", "--name", "Ana"],
        &["client", "list"],
    ] {
        let refused = command(&laid.config, arguments, None);
        assert_eq!(refused.status.code(), Some(1), "{arguments:?}: {refused:?}");
        assert!(said(&refused).contains("portero migrate"), "{}", said(&refused));
    }
    let before = states(&laid.config);
    assert!(!before.is_empty() && before.iter().all(|applied| !applied), "{before:?}");
    let done = command(&laid.config, &["migrate"], None);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert!(states(&laid.config).iter().all(|applied| *applied));
    let again = command(&laid.config, &["--json", "migrate"], None);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    let made =
        command(&laid.config, &["user", "create", "--email", "ana@example.com", "--name", "Ana"], None);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
}

/// Every node of a deployment starts with the same command at the same time.
#[test]
fn several_that_migrate_at_once_do_not_trip_over_each_other() {
    let laid = laid();
    let outcomes = together(4, |_| command(&laid.config, &["migrate"], None));
    for outcome in outcomes {
        assert_eq!(outcome.status.code(), Some(0), "{outcome:?}");
    }
    assert!(states(&laid.config).iter().all(|applied| *applied));
}

#[test]
fn nodes_that_migrate_by_themselves_may_start_together() {
    let laid = TestApp::builder().on_postgres().lay();
    let made = together(3, |number| {
        let email = format!("person{number}@example.com");
        command(&laid.config, &["user", "create", "--email", &email, "--name", "Ana"], None)
    });
    for outcome in made {
        assert_eq!(outcome.status.code(), Some(0), "{outcome:?}");
    }
}
