//! What machines find a service by before anybody has signed in: `/.well-known/mcp.json`, the manifest, `server.json`,
//! the server card and the catalog of a host's cards.
//!
//! All of them are made from one place, `facts.rs`, and from the catalog in use. Nothing in them depends on who asks,
//! and nothing of an upstream or of policy is in them but what `tools/list` shows.

mod facts;
mod live;

use std::time::Duration;

use serde_json::{Map, Value, json};

pub use live::Live;

use crate::app::service::Service;
use crate::http::document::Document;
use facts::Facts;

/// The published schema that `server.json` follows.
const SERVER_SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/// The schema of server cards (SEP-2127).
const CARD_SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
/// The media type of a server card.
const CARD: &str = "application/mcp-server-card+json";
/// The media type of an AI Catalog.
const CATALOG: &str = "application/ai-catalog+json";
/// What server cards ask for (SEP-2127). Nothing in these changes while the server runs.
const KEEP: Duration = Duration::from_hours(1);

/// `server.json`, the format of MCP registries. None without a `registry_name`: the name is the publisher's claim to a
/// domain, and a registry would refuse one that was made up.
pub fn server_json(service: &Service) -> Option<Document> {
    let name = service.config.registry_name.as_deref()?;
    let facts = Facts::of(service);
    let mut remote = json!({"type": live::TRANSPORT, "url": facts.endpoint});
    if let (Some(header), Some(members)) = (facts.header(), remote.as_object_mut()) {
        members.insert("headers".to_owned(), json!([header]));
    }
    Some(written(vec![
        ("$schema", json!(SERVER_SCHEMA)),
        ("name", json!(name)),
        ("title", json!(facts.title)),
        ("description", json!(facts.description)),
        ("version", json!(facts.version)),
        ("websiteUrl", json!(facts.website)),
        ("remotes", json!([remote])),
    ]))
}

/// The server card (SEP-2127): identity and connection. It names no tools and no capabilities: those are for a client
/// that has connected.
pub fn server_card(service: &Service) -> Document {
    let facts = Facts::of(service);
    let mut versions: Vec<&str> = service.config.protocol_versions.iter().map(|own| own.as_str()).collect();
    // newest first, as `server/discover` lists them
    versions.sort_unstable_by(|one, other| other.cmp(one));
    let remote =
        json!({"type": live::TRANSPORT, "url": facts.endpoint, "supportedProtocolVersions": versions});
    written(vec![
        ("$schema", json!(CARD_SCHEMA)),
        ("name", json!(facts.name)),
        ("version", json!(facts.version)),
        ("description", json!(facts.description)),
        ("title", json!(facts.title)),
        ("websiteUrl", json!(facts.website)),
        ("remotes", json!([remote])),
    ])
    .served_as(CARD)
}

/// The AI Catalog of a host: where the card of each of these services is.
pub fn ai_catalog<'a>(services: impl Iterator<Item = &'a Service>) -> Document {
    let entries: Vec<Value> = services.map(|service| entry(&Facts::of(service))).collect();
    written(vec![("specVersion", json!("1.0")), ("entries", json!(entries))]).served_as(CATALOG)
}

fn entry(facts: &Facts) -> Value {
    json!({
        "identifier": facts.urn(),
        "displayName": facts.title,
        "type": CARD,
        "url": format!("{}/server-card", facts.endpoint.trim_end_matches('/')),
    })
}

/// A document of these members, without those that are null.
fn written(members: Vec<(&str, Value)>) -> Document {
    let said = members.into_iter().filter(|(_, value)| !value.is_null());
    let members: Map<String, Value> = said.map(|(name, value)| (name.to_owned(), value)).collect();
    Document::new(serde_json::to_vec_pretty(&members).unwrap_or_default(), KEEP).with_readable_tag()
}
