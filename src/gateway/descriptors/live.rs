//! `/.well-known/mcp.json`: where a service is, how to get in, and what it offers, whole and as it is now.

use std::sync::Arc;
use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Map, Value, json};

use super::facts::{Facts, token_page};
use crate::app::service::Service;
use crate::config::MetadataUrl;
use crate::gateway::challenge::metadata_url;
use crate::gateway::{Service as Running, manifest};
use crate::http::document::Document;

/// How a service is spoken to, in the words of the registry's schema.
pub(super) const TRANSPORT: &str = "streamable-http";
/// As long as the manifest: it holds the same tools.
const KEEP: Duration = Duration::from_mins(1);

/// The descriptor of a service, of which everything but the tools is written once.
#[derive(Clone)]
pub struct Live {
    service: web::Data<Running>,
    head: Arc<str>,
}

impl Live {
    /// Of a service as configured and as it runs.
    pub fn new(configured: &Service, running: &web::Data<Running>) -> Self {
        let facts = Facts::of(configured);
        let head = json!({
            "name": configured.config.server_info.name,
            "version": facts.version,
            "endpoint": facts.endpoint,
            "transport": TRANSPORT,
            "authentication": authentication(configured, running),
        });
        Self { service: running.clone(), head: head.to_string().into() }
    }

    /// Answers a GET. While no tool is known it is 503, as the manifest.
    pub fn answer(&self, req: &HttpRequest) -> HttpResponse {
        let catalog = self.service.catalog.load();
        if let Some(wait) = manifest::unknown_yet(&catalog) {
            return wait;
        }
        let document = || Document::new(manifest::with_tools(&self.head, &catalog), KEEP).with_readable_tag();
        catalog.descriptor(document).answer(req)
    }
}

/// What a client needs to know to get in.
fn authentication(configured: &Service, running: &Running) -> Value {
    let config = &configured.config;
    let by_oauth = configured.accepts_oauth() || config.jwt.is_some();
    let mut schemes = vec!["bearer"];
    if by_oauth {
        schemes.insert(0, "oauth2");
    }
    let mut members = Map::new();
    let mut say = |name: &str, value: Value| members.insert(name.to_owned(), value);
    say("required", json!(!running.has_public));
    say("schemes", json!(schemes));
    if by_oauth {
        say("resource_metadata", json!(metadata_of(configured)));
        say("authorization_servers", json!(configured.authorization_servers()));
    }
    if configured.accepts_pat() {
        say("personal_access_tokens", json!(token_page(configured)));
    }
    if !configured.scopes.is_empty() {
        say("scopes", json!(configured.scopes.iter().collect::<Vec<_>>()));
    }
    Value::Object(members)
}

fn metadata_of(configured: &Service) -> String {
    let url = url::Url::parse(&configured.resource).ok();
    let inserted = configured.config.metadata_url == MetadataUrl::Inserted;
    url.map(|url| metadata_url(&url.origin().ascii_serialization(), url.path(), inserted)).unwrap_or_default()
}
