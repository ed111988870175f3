//! `{resource}/openapi.json`: the MCP endpoint wrapped in OpenAPI 3.1, for readers who know nothing else.
//!
//! MCP is JSON-RPC and no REST, so there is one path with one POST; the tools stand in the manifest.

use std::time::Duration;

use serde_json::{Value, json};

use crate::app::service::Service;
use crate::app::sites::Base;
use crate::config::Accept;
use crate::http::document::Document;

/// Nothing in it changes while the server runs.
const KEEP: Duration = Duration::from_mins(5);

/// The document of a service.
pub fn document(service: &Service) -> Document {
    Document::new(serde_json::to_vec_pretty(&described(service)).unwrap_or_default(), KEEP)
}

fn described(service: &Service) -> Value {
    let base = Base::of(&service.resource);
    let info = &service.config.server_info;
    let title = if info.title.ends_with("MCP") { info.title.clone() } else { format!("{} MCP", info.title) };
    let path = match service.resource.strip_prefix(&base.origin) {
        Some("") | None => "/",
        Some(path) => path,
    };
    json!({
        "openapi": "3.1.0",
        "info": {"title": title, "version": info.version},
        "servers": [{"url": base.origin}],
        "paths": {path: {"post": {
            "summary": "JSON-RPC endpoint (MCP Streamable HTTP)",
            "security": [{"bearerAuth": []}],
            "requestBody": {"required": true, "content": content("JSONRPCRequest")},
            "responses": {"200": {
                "description": "JSON-RPC response (JSON or SSE stream)",
                "content": content("JSONRPCResponse"),
            }},
        }}},
        "components": {
            "securitySchemes": {"bearerAuth": bearer(service)},
            "schemas": {"JSONRPCRequest": request(), "JSONRPCResponse": response()},
        },
    })
}

fn content(schema: &str) -> Value {
    json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}}})
}

/// Only an external issuer's tokens have a form that a client could read.
fn bearer(service: &Service) -> Value {
    let mut scheme = json!({"type": "http", "scheme": "bearer"});
    if service.config.accepts(Accept::Jwt)
        && let Some(members) = scheme.as_object_mut()
    {
        members.insert("bearerFormat".to_owned(), Value::from("JWT"));
    }
    scheme
}

fn request() -> Value {
    json!({
        "type": "object",
        "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": {"type": "string", "const": "2.0"},
            "id": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "method": {"type": "string"},
            "params": {"type": "object"},
        },
    })
}

fn response() -> Value {
    json!({
        "type": "object",
        "properties": {
            "jsonrpc": {"type": "string", "const": "2.0"},
            "id": {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
            "result": {"type": "object"},
            "error": {
                "type": "object",
                "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::app::brand::Brand;
    use crate::config::Config;

    fn of(resource: &str, more: &str) -> Value {
        let text = format!(
            "public_url = \"http://127.0.0.1:1\"\n[brand.ic]\nname = \"IC\"\n[[service]]\nid = \"ic\"\nbrand = \"ic\"\n\
             name = \"Inversión Consciente\"\nresource = \"{resource}\"\n{more}"
        );
        let loaded = Config::from_toml(&text, &std::env::temp_dir(), std::iter::empty());
        let config = loaded.unwrap_or_else(|faults| panic!("{faults}")).config;
        let brand = Arc::new(Brand::new("ic", &config.brand["ic"]));
        described(&Service::new(&config.service[0], &brand))
    }

    #[test]
    fn an_external_issuers_tokens_are_jwts() {
        let jwt = "accept = [\"jwt\"]\nserver_info = { version = \"0.1.0\" }\n\
            [service.jwt]\nissuer = \"https://a.example\"\njwks_url = \"https://a.example/jwks\"\naudience = \"authenticated\"";
        let document = of("https://www.xn--inversinconsciente-w1b.com/mcp", jwt);
        assert_eq!(document["info"], json!({"title": "Inversión Consciente MCP", "version": "0.1.0"}));
        assert_eq!(document["servers"][0]["url"], "https://www.xn--inversinconsciente-w1b.com");
        assert!(document["paths"]["/mcp"]["post"].is_object());
        assert_eq!(
            document["components"]["securitySchemes"]["bearerAuth"],
            json!({"type": "http", "scheme": "bearer", "bearerFormat": "JWT"})
        );
    }

    #[test]
    fn a_title_says_mcp_once_and_a_path_is_never_empty() {
        let document = of("https://a.example", "server_info = { title = \"Acme MCP\" }");
        assert_eq!(document["info"]["title"], "Acme MCP");
        assert!(document["paths"]["/"]["post"].is_object());
    }
}
