//! How to connect each known client: steps in words, and configuration ready to be copied.

use serde_json::{Value as Json, json};

use super::locale::Locale;
use super::markup::{Markup, Piece};

/// A service as the connect page needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceView {
    /// Its id; clients list the connection under it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The endpoint's URL.
    pub endpoint: String,
    /// Whether clients can sign people in by themselves.
    pub oauth: bool,
    /// What a PAT for it begins with, if it accepts any.
    pub pat_prefix: Option<String>,
}

/// One piece of configuration to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// What it is and where it goes.
    pub label: String,
    /// The text itself.
    pub code: String,
}

/// One client's way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guide {
    /// For anchors.
    pub id: &'static str,
    /// The client's name.
    pub name: String,
    /// What to do, in order.
    pub steps: Vec<Markup>,
    /// What to copy.
    pub snippets: Vec<Snippet>,
}

impl Guide {
    /// How to connect each client to a service.
    pub fn connecting(locale: Locale, service: &ServiceView) -> Vec<Self> {
        let guided = Client::ALL.into_iter().filter(|client| service.oauth || client.takes_token());
        guided.map(|client| client.connecting(locale, service)).collect()
    }

    /// Where a token just made goes in each client that takes one.
    pub fn with_token(locale: Locale, service: &ServiceView, token: &str) -> Vec<Self> {
        let takers = Client::ALL.into_iter().filter(|client| client.takes_token());
        takers
            .map(|client| Self {
                id: client.id(),
                name: client.name(locale),
                steps: Vec::new(),
                snippets: vec![client.snippet(locale, service, Some(token))],
            })
            .collect()
    }

    /// How to connect again in each client that keeps a registration of its own.
    pub fn reconnecting(locale: Locale) -> Vec<Self> {
        let keepers = Client::ALL.into_iter().filter_map(|client| Some((client, client.reconnect_key()?)));
        keepers
            .map(|(client, key)| Self {
                id: client.id(),
                name: client.name(locale),
                steps: vec![locale.rich(key, &[])],
                snippets: Vec::new(),
            })
            .collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Client {
    Claude,
    ClaudeCode,
    ChatGpt,
    Cursor,
    VsCode,
    Windsurf,
    Codex,
    GeminiCli,
    OwnAgent,
}

impl Client {
    const ALL: [Self; 9] = [
        Self::Claude,
        Self::ClaudeCode,
        Self::ChatGpt,
        Self::Cursor,
        Self::VsCode,
        Self::Windsurf,
        Self::Codex,
        Self::GeminiCli,
        Self::OwnAgent,
    ];

    fn id(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::ClaudeCode => "claude-code",
            Self::ChatGpt => "chatgpt",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Windsurf => "windsurf",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::OwnAgent => "own-agent",
        }
    }

    fn name(self, locale: Locale) -> String {
        match self {
            Self::Claude => "Claude".to_owned(),
            Self::ClaudeCode => "Claude Code".to_owned(),
            Self::ChatGpt => "ChatGPT".to_owned(),
            Self::Cursor => "Cursor".to_owned(),
            Self::VsCode => "VS Code".to_owned(),
            Self::Windsurf => "Windsurf".to_owned(),
            Self::Codex => "Codex".to_owned(),
            Self::GeminiCli => "Gemini CLI".to_owned(),
            Self::OwnAgent => locale.t("guide-own-agent"),
        }
    }

    /// The two hosted ones offer no place for a token.
    fn takes_token(self) -> bool {
        !matches!(self, Self::Claude | Self::ChatGpt)
    }

    fn steps(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &["guide-claude-open", "guide-claude-paste", "guide-claude-connect"],
            Self::ClaudeCode => &["guide-claude-code-run", "guide-claude-code-sign-in"],
            Self::ChatGpt => &["guide-chatgpt-open", "guide-chatgpt-paste", "guide-chatgpt-connect"],
            Self::Cursor => &["guide-cursor-file", "guide-cursor-sign-in"],
            Self::VsCode => &["guide-vscode-file", "guide-vscode-sign-in"],
            Self::Windsurf => &["guide-windsurf-file", "guide-windsurf-sign-in"],
            Self::Codex => &["guide-codex-run"],
            Self::GeminiCli => &["guide-gemini-run", "guide-gemini-sign-in"],
            Self::OwnAgent => &["guide-own-agent-call", "guide-own-agent-discover"],
        }
    }

    fn reconnect_key(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some("reconnect-claude"),
            Self::ClaudeCode => Some("reconnect-claude-code"),
            Self::ChatGpt => Some("reconnect-chatgpt"),
            Self::Cursor => Some("reconnect-cursor"),
            Self::VsCode => Some("reconnect-vscode"),
            Self::Windsurf => Some("reconnect-windsurf"),
            Self::Codex => Some("reconnect-codex"),
            Self::GeminiCli => Some("reconnect-gemini"),
            Self::OwnAgent => None,
        }
    }

    fn connecting(self, locale: Locale, service: &ServiceView) -> Guide {
        let pieces = [("id", Piece::Text(&service.id)), ("name", Piece::Name(&service.name))];
        let steps = self.steps().iter().map(|key| locale.rich(key, &pieces)).collect();
        let placeholder = service.pat_prefix.as_ref().map(|prefix| format!("{prefix}…"));
        let mut snippets = Vec::new();
        if service.oauth && self != Self::OwnAgent {
            snippets.push(self.snippet(locale, service, None));
        }
        if let Some(token) = placeholder.filter(|_| self.takes_token()) {
            snippets.push(self.snippet(locale, service, Some(&token)));
        }
        Guide { id: self.id(), name: self.name(locale), steps, snippets }
    }

    fn snippet(self, locale: Locale, service: &ServiceView, token: Option<&str>) -> Snippet {
        let label = match (self.place(), token) {
            (Place::Field, _) => locale.t("snippet-address"),
            (Place::Terminal, None) => locale.t("snippet-terminal"),
            (Place::Terminal, Some(_)) => locale.t("snippet-terminal-token"),
            (Place::File(file), None) => locale.t1("snippet-file", "file", file),
            (Place::File(file), Some(_)) => locale.t1("snippet-file-token", "file", file),
        };
        Snippet { label, code: self.code(service, token) }
    }

    fn place(self) -> Place {
        match self {
            Self::Claude | Self::ChatGpt => Place::Field,
            Self::ClaudeCode | Self::Codex | Self::GeminiCli | Self::OwnAgent => Place::Terminal,
            Self::Cursor => Place::File("~/.cursor/mcp.json"),
            Self::VsCode => Place::File(".vscode/mcp.json"),
            Self::Windsurf => Place::File("~/.codeium/windsurf/mcp_config.json"),
        }
    }

    fn code(self, service: &ServiceView, token: Option<&str>) -> String {
        let (id, url) = (&service.id, shell_word(&service.endpoint));
        let bearer = token.map(|token| format!("Authorization: Bearer {token}"));
        match (self, bearer) {
            (Self::Claude | Self::ChatGpt, _) => service.endpoint.clone(),
            (Self::ClaudeCode, None) => format!("claude mcp add --transport http {id} {url}"),
            (Self::ClaudeCode, Some(bearer)) => {
                format!("claude mcp add --transport http {id} {url} \\\n  --header \"{bearer}\"")
            }
            (Self::GeminiCli, None) => format!("gemini mcp add --transport http {id} {url}"),
            (Self::GeminiCli, Some(bearer)) => {
                format!("gemini mcp add --transport http \\\n  --header \"{bearer}\" {id} {url}")
            }
            (Self::Codex, None) => format!("codex mcp add {id} --url {url}\ncodex mcp login {id}"),
            (Self::Codex, Some(_)) => codex_with_token(id, &url, token.unwrap_or_default()),
            (Self::OwnAgent, bearer) => call_by_hand(&url, bearer.as_deref()),
            (Self::Cursor, _) => file("mcpServers", id, json!({ "url": service.endpoint }), token),
            (Self::VsCode, _) => {
                file("servers", id, json!({ "type": "http", "url": service.endpoint }), token)
            }
            (Self::Windsurf, _) => file("mcpServers", id, json!({ "serverUrl": service.endpoint }), token),
        }
    }
}

enum Place {
    Field,
    Terminal,
    File(&'static str),
}

/// Codex refuses a token in its file and reads it from the environment instead.
fn codex_with_token(id: &str, url: &str, token: &str) -> String {
    let variable =
        format!("{}_TOKEN", id.to_ascii_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
    format!(
        "export {variable}=\"{token}\"\ncodex mcp add {id} --url {url} \\\n  --bearer-token-env-var {variable}"
    )
}

fn call_by_hand(url: &str, bearer: Option<&str>) -> String {
    let bearer = bearer.map(|bearer| format!("  -H \"{bearer}\" \\\n")).unwrap_or_default();
    format!(
        "curl {url} \\\n{bearer}  -H \"Content-Type: application/json\" \\\n  \
         -H \"Accept: application/json, text/event-stream\" \\\n  \
         -d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}}'"
    )
}

fn file(list: &str, id: &str, mut server: Json, token: Option<&str>) -> String {
    if let (Some(token), Some(server)) = (token, server.as_object_mut()) {
        server.insert("headers".to_owned(), json!({ "Authorization": format!("Bearer {token}") }));
    }
    format!("{:#}", json!({ list: { id: server } }))
}

/// The text as one word of a shell, quoted only where it must be.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/@%+=,".contains(c);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::super::Lang;
    use super::*;

    fn service() -> ServiceView {
        ServiceView {
            id: "mico".to_owned(),
            name: "Mico".to_owned(),
            endpoint: "https://mcp.example.com/functions/v1/mcp".to_owned(),
            oauth: true,
            pat_prefix: Some("mico_pat_".to_owned()),
        }
    }

    fn code(client: Client, token: Option<&str>) -> String {
        client.code(&service(), token)
    }

    #[test]
    fn files_are_valid_json_in_each_clients_own_form() {
        let read = |client, token| serde_json::from_str::<Json>(&code(client, token)).unwrap();
        let url = "https://mcp.example.com/functions/v1/mcp";
        assert_eq!(read(Client::Cursor, None), json!({"mcpServers": {"mico": {"url": url}}}));
        assert_eq!(read(Client::VsCode, None), json!({"servers": {"mico": {"type": "http", "url": url}}}));
        let windsurf = json!({"serverUrl": url, "headers": {"Authorization": "Bearer mico_pat_x"}});
        assert_eq!(read(Client::Windsurf, Some("mico_pat_x")), json!({"mcpServers": {"mico": windsurf}}));
    }

    #[test]
    fn commands_can_be_pasted() {
        let url = "https://mcp.example.com/functions/v1/mcp";
        assert_eq!(code(Client::ClaudeCode, None), format!("claude mcp add --transport http mico {url}"));
        assert!(code(Client::ClaudeCode, Some("t")).ends_with("--header \"Authorization: Bearer t\""));
        assert!(code(Client::Codex, Some("t")).starts_with("export MICO_TOKEN=\"t\"\n"));
        assert_eq!(shell_word("https://x/y?a=b&c='d'"), r"'https://x/y?a=b&c='\''d'\'''");
    }

    #[test]
    fn a_service_without_sign_in_shows_only_clients_that_take_a_token() {
        let only_tokens = ServiceView { oauth: false, ..service() };
        let guides = Guide::connecting(Locale::new(Lang::En), &only_tokens);
        assert!(
            guides
                .iter()
                .all(|guide| guide.id != "claude" && guide.id != "chatgpt" && guide.snippets.len() == 1)
        );
        assert_eq!(Guide::connecting(Locale::new(Lang::En), &service()).len(), 9);
    }
}
