//! `portero service tools --markdown`: the catalog as a page for documentation.

use std::process::Output;

use crate::support::TestApp;
use crate::support::app::Builder;

const TOOLS: &str = r#"[
  {"name": "list_meetings", "title": "Meetings", "description": "Lists meetings, e.g. of a week. Use it first.",
    "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}, "_meta": {"io.portero/domain": "Meetings"}},
  {"name": "ask", "description": "Asks a question | <b>anything</b>", "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": true}},
  {"name": "move_flow", "title": "Move a flow", "inputSchema": {"type": "object"}, "_meta": {"io.portero/domain": "Flows & data"}},
  {"name": "delete_meeting", "description": "Deletes a meeting", "inputSchema": {"type": "object"},
    "annotations": {"destructiveHint": true}, "_meta": {"io.portero/domain": "Meetings"}},
  {"name": "secret_tool", "description": "Not for anybody", "inputSchema": {"type": "object"},
    "_meta": {"io.portero/domain": "Secrets"}}]"#;
const POLICY: &str = r#"confirm = true
[service.tool.move_flow]
scopes = ["mico:read", "mico:write"]
confirm = "intent"
cost = 5
[service.tool.ask]
public = true
[service.tool.secret_tool]
hidden = true"#;

fn builder() -> Builder {
    TestApp::builder().file("tools.json", TOOLS).with("tail", POLICY)
}

fn page(app: &TestApp, more: &[&str]) -> String {
    let output = app.command(&[&["service", "tools", "mico", "--markdown"], more].concat(), None);
    said(&output)
}

fn said(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_page_is_a_table_of_each_domain() {
    let app = builder().with("top", "languages = [\"en\"]").start();
    let expected = "\
# Mico

4 tools in 2 domains.

## Meetings (2)

| Tool | What it does | Scopes | Kind | Confirm | Credits |
|---|---|---|---|---|---|
| `list_meetings` | Lists meetings, e.g. of a week. | `mico:read` | reads |  |  |
| `delete_meeting` | Deletes a meeting | `mico:write` | deletes | yes |  |

## Flows &amp; data (1)

| Tool | What it does | Scopes | Kind | Confirm | Credits |
|---|---|---|---|---|---|
| `move_flow` | Move a flow | `mico:read` `mico:write` | writes | yes, with the intent | 5 |

## Others (1)

| Tool | What it does | Scopes | Kind | Confirm | Credits |
|---|---|---|---|---|---|
| `ask` | Asks a question \\| &lt;b>anything&lt;/b> | public | reads |  |  |
";
    assert_eq!(page(&app, &[]), expected);
    assert_eq!(page(&app, &[]), expected, "the same catalog, the same page");
    let narrow = app.pat(&app.person("ana"), &["mico:read"]).token;
    let seen = page(&app, &["--as", &narrow]);
    assert!(seen.contains("\n2 tools in 1 domain.\n") && !seen.contains("delete_meeting"), "{seen}");
    let json = app.cli(&["service", "tools", "mico", "--markdown"], None);
    assert_eq!(json[0]["service"], "mico");
    assert_eq!(json[0]["tools"].as_array().unwrap().len(), 4, "for programs it is the catalog");
    assert_eq!(json[0]["tools"][0].get("_meta"), None, "the domain is not for clients");
}

#[test]
fn without_domains_it_is_one_table_in_the_first_language() {
    let tools = TOOLS.replace("io.portero/domain", "other/domain");
    let app = builder().file("tools.json", &tools).with("top", "languages = [\"es\", \"en\"]").start();
    let page = page(&app, &[]);
    let expected = "\
# Mico

4 tools.

| Tool | Qué hace | Scopes | Tipo | Confirma | Créditos |
|---|---|---|---|---|---|
| `list_meetings` | Lists meetings, e.g. of a week. | `mico:read` | lee |  |  |
| `ask` |";
    assert!(page.starts_with(expected), "{page}");
    assert_eq!(page.matches("| Tool |").count(), 1);
    assert!(page.contains("| `mico:write` | borra | sí |  |\n"), "{page}");
}

#[test]
fn a_page_that_would_lack_tools_is_not_written() {
    let mut builder = builder();
    builder.toml =
        builder.toml.replace("catalog = \"tools.json\"\n", "").replace("{worker}", "http://127.0.0.1:9");
    let app = builder.start();
    let output = app.command(&["service", "tools", "mico", "--markdown"], None);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{output:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("a worker of mico does not say its tools; see: portero service check mico"),
        "{text}"
    );
}

#[test]
fn a_domain_that_is_no_heading_stops_the_start() {
    let app = builder().start();
    let tools = TOOLS.replace("\"Flows & data\"", "7");
    std::fs::write(app.dir.path().join("tools.json"), tools).unwrap();
    let output = app.command(&["service", "tools"], None);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("tool \"move_flow\" has _meta \"io.portero/domain\" that is not a text"), "{text}");
}
