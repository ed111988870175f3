//! Messages as clients send them.

use serde_json::{Value, json};

use super::TestApp;
use super::http::{Reply, request};

pub const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
pub const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

/// The number of a JSON-RPC error.
pub fn code(reply: &Reply) -> Option<i64> {
    reply.json()["error"]["code"].as_i64()
}

impl TestApp {
    /// A POST with exactly these headers beside `Authorization`.
    pub fn post_exactly(&self, token: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let bearer = format!("Bearer {token}");
        let mut all = vec![("authorization", bearer.as_str())];
        all.extend_from_slice(headers);
        request("POST", &self.resource, &all, Some(body))
    }

    /// A request of 2026-07-28 with the headers that mirror it; `over` replaces headers, an empty value leaves
    /// one out.
    pub fn modern(&self, token: &str, method: &str, params: &Value, over: &[(&str, &str)]) -> Reply {
        let (headers, body) = modern(method, params, over);
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.post_exactly(token, &headers, &body)
    }
}

/// What a stream is asked for with: the headers and a call of a tool with a progress token.
pub fn streaming(token: &str, tool: &str) -> (Vec<(String, String)>, String) {
    let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": {"name": tool, "_meta": {"progressToken": "p"}}});
    let headers = [
        ("authorization", format!("Bearer {token}")),
        ("content-type", "application/json".to_owned()),
        ("accept", "application/json, text/event-stream".to_owned()),
    ];
    (headers.map(|(name, value)| (name.to_owned(), value)).to_vec(), call.to_string())
}

/// Headers and body of a request of 2026-07-28.
pub fn modern(method: &str, params: &Value, over: &[(&str, &str)]) -> (Vec<(String, String)>, String) {
    let mut params = params.clone();
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string();
    let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
    let usual = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
        ("mcp-name", &name),
    ];
    let mut headers: Vec<_> = usual.to_vec();
    for own in over {
        headers.retain(|(name, _)| *name != own.0);
    }
    headers.extend_from_slice(over);
    headers.retain(|(_, value)| !value.is_empty());
    (headers.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(), body)
}
