//! The bodies of the document's own requests, byte for byte.

/// `initialize`.
pub const INITIALIZE: &str = r#"{
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
      "protocolVersion": "2025-06-18",
      "capabilities": {},
      "clientInfo": { "name": "my-client", "version": "0.1.0" }
    }
  }"#;

/// `tools/list`.
pub const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;

/// A public tool, sent without a bearer.
pub const LIST_ARTICLES: &str = r#"{
    "jsonrpc": "2.0",
    "id": 3,
    "method": "tools/call",
    "params": {
      "name": "list_articles",
      "arguments": { "category": "Cripto", "limit": 5 }
    }
  }"#;

/// A tool of the person, sent with a bearer.
pub const MY_AI_USAGE: &str = r#"{
    "jsonrpc": "2.0",
    "id": 4,
    "method": "tools/call",
    "params": {
      "name": "my_ai_usage",
      "arguments": {}
    }
  }"#;

/// A notification.
pub const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
