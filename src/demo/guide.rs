//! What the demo prints: everything a newcomer needs, ready to paste.

use std::io::Write as _;

use super::World;

/// Writes the guide to standard output; with `json` one line for programs.
pub(super) fn print(world: &World, json: bool) {
    let text = if json { line(world) } else { text(world) };
    // A closed pipe is no reason to stop serving.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

fn line(world: &World) -> String {
    let World { endpoint, base, email, password, token, config } = world;
    let config = config.display().to_string();
    let value = serde_json::json!({
        "endpoint": endpoint, "sign_in": format!("{base}/login"), "email": email, "password": password,
        "token": token, "config": config,
    });
    format!("{value}\n")
}

fn text(world: &World) -> String {
    let World { endpoint, base, email, password, token, config } = world;
    let config = config.display();
    // Whoever ran this through cargo has no `portero` on the path.
    let program =
        std::env::current_exe().map_or_else(|_| "portero".to_owned(), |path| path.display().to_string());
    format!(
        r#"
  Portero is running: Mico, a meeting recorder with eight read-only tools and sample meetings.

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
    {program} --config {config} service tools --as {token}

  Stop with Ctrl-C. One line a request follows.

"#
    )
}
