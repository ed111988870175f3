//! What the demo prints: everything a newcomer needs, ready to paste.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

/// What the demo shows.
pub struct World {
    /// The MCP endpoints, the first example's first.
    pub endpoints: Vec<Endpoint>,
    /// Where people sign in.
    pub base: String,
    /// The person's mail address.
    pub email: &'static str,
    /// Their password, made at this start.
    pub password: String,
    /// The configuration file that commands can be given.
    pub config: PathBuf,
}

/// A service of the demo's.
pub struct Endpoint {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is.
    pub about: &'static str,
    /// Where it is.
    pub url: String,
    /// The person's token for it, made at this start.
    pub token: String,
}

/// Writes the guide to standard output; with `json` one line for programs.
pub fn print(world: &World, json: bool) {
    let text = if json { line(world) } else { text(world) };
    // A closed pipe is no reason to stop serving.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

fn line(world: &World) -> String {
    let World { endpoints, base, email, password, config } = world;
    let first = endpoints.first();
    let services: Vec<Value> = endpoints
        .iter()
        .map(|own| json!({"id": own.id, "name": own.name, "resource": own.url, "token": own.token}))
        .collect();
    let value = json!({
        "endpoint": first.map(|own| &own.url), "sign_in": format!("{base}/login"), "email": email,
        "password": password, "token": first.map(|own| &own.token),
        "config": config.display().to_string(), "services": services,
    });
    format!("{value}\n")
}

/// The other examples, each with its endpoint and token.
fn others(endpoints: &[Endpoint]) -> String {
    let mut out = String::new();
    for own in endpoints.iter().skip(1) {
        let Endpoint { name, about, url, token, .. } = own;
        let _ = write!(out, "    {name}{}\n      {url}\n      {token}\n", colon(about));
    }
    out
}

fn colon(about: &str) -> String {
    if about.is_empty() { String::new() } else { format!(": {about}") }
}

fn text(world: &World) -> String {
    let World { endpoints, base, email, password, config } = world;
    let Some(Endpoint { url: endpoint, token, .. }) = endpoints.first() else { return String::new() };
    let config = config.display();
    // Whoever ran this through cargo has no `portero` on the path.
    let program =
        std::env::current_exe().map_or_else(|_| "portero".to_owned(), |path| path.display().to_string());
    let (count, others) = (endpoints.len(), others(endpoints));
    format!(
        r#"
  Portero is running, with {count} example systems. The first is Mico, a meeting recorder with sample meetings.

  MCP endpoint   {endpoint}
  Sign in        {base}/login
                 {email}
                 {password}
  Token          {token}

  Try it

    curl -s {endpoint} \
      -H 'Authorization: Bearer {token}' \
      -H 'Content-Type: application/json' \
      -d '{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"list_meetings","arguments":{{"limit":3}}}}}}'

  The others, each with its endpoint and a token

{others}
  Connect an agent; it opens the authorization page, where you sign in as above or paste the token

    Claude Code    claude mcp add --transport http mico {endpoint}
    Codex          codex mcp add mico --url {endpoint}
    Gemini CLI     gemini mcp add --transport http mico {endpoint}
    VS Code        code --add-mcp '{{"name":"mico","type":"http","url":"{endpoint}"}}'
    Cursor         ~/.cursor/mcp.json
                   {{"mcpServers":{{"mico":{{"url":"{endpoint}"}}}}}}
    Windsurf       ~/.codeium/windsurf/mcp_config.json
                   {{"mcpServers":{{"mico":{{"serverUrl":"{endpoint}"}}}}}}
    Your own code  send the header Authorization: Bearer TOKEN

  Take it back

    {base}/settings/tokens     revoke the token: every connection made with it ends at once
    {base}/settings/apps       disconnect one app

  Commands beside it

    {program} --config {config} token list
    {program} --config {config} service tools mico --as {token}

  Stop with Ctrl-C. One line a request follows.

"#
    )
}
