//! The command line as an operator meets it.

mod explain;
mod openapi;
mod start;
mod tools;

use std::path::Path;

use crate::support::app::command;

fn said(output: &std::process::Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn a_missing_configuration_says_how_to_make_one() {
    let output = command(Path::new("/nowhere/portero.toml"), &["serve"], None);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("portero init"), "{}", said(&output));
}

#[test]
fn every_fault_of_a_configuration_is_said_at_once_with_its_key() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("portero.toml");
    std::fs::write(
        &path,
        r#"
public_url = "http://public.example"
listn = "127.0.0.1:1"
[database]
url = "sqlite://p.db"
[brand.mico]
name = "Mico"
[[service]]
id = "mico"
brand = "other"
name = "Mico"
resource = "https://mcp.example.com/mcp"
accept = ["pat"]
errors = "htp"
"#,
    )
    .unwrap();
    let output = command(&path, &["serve"], None);
    assert_eq!(output.status.code(), Some(2));
    let text = said(&output);
    for part in ["public_url", "listn", "listen", "service[0].errors", "http, jsonrpc, tool"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn init_writes_a_configuration_that_is_sound() {
    let dir = tempfile::tempdir().unwrap();
    let output = command(&dir.path().join("x.toml"), &["init", "--dir", dir.path().to_str().unwrap()], None);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let check = command(&dir.path().join("portero.toml"), &["config", "check"], None);
    assert_eq!(check.status.code(), Some(0), "{}", said(&check));
    let again = command(&dir.path().join("x.toml"), &["init", "--dir", dir.path().to_str().unwrap()], None);
    assert_ne!(again.status.code(), Some(0), "nothing is overwritten");
}

#[test]
fn the_example_configuration_is_sound() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/mico/portero.toml");
    let check = command(&path, &["config", "check"], None);
    assert_eq!(check.status.code(), Some(0), "{}", said(&check));
}
