//! The documents that hold a service's tools: the manifest, and `/.well-known/mcp.json`, which also says where the
//! service is and how to get in.
//!
//! Each is made of the catalog in use and made again with the next one. What is hidden from everybody is not in them.

use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Map, Value, json};

use super::facts::{Facts, token_page};
use crate::app::service::Service;
use crate::config::MetadataUrl;
use crate::gateway::challenge::metadata_url;
use crate::gateway::{Catalog, Service as Running};
use crate::http::document::Document;
use crate::http::{answer, cors};

/// How a service is spoken to, in the words of the registry's schema.
pub(super) const TRANSPORT: &str = "streamable-http";
/// Workers are asked for their tools every half minute; an older copy could name tools that are gone.
const KEEP: Duration = Duration::from_mins(1);

/// A document with the tools of a service, of which everything else is written once.
#[derive(Clone)]
pub struct Live {
    service: web::Data<Running>,
    head: Arc<str>,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Manifest,
    Descriptor,
}

impl Live {
    /// The manifest: `name`, `version`, `tools`.
    pub fn manifest(running: &web::Data<Running>) -> Self {
        Self { service: running.clone(), head: running.info.short.as_str().into(), kind: Kind::Manifest }
    }

    /// `mcp.json` of a service as configured and as it runs.
    pub fn descriptor(configured: &Service, running: &web::Data<Running>) -> Self {
        let facts = Facts::of(configured);
        let head = json!({
            "name": configured.config.server_info.name,
            "version": facts.version,
            "endpoint": facts.endpoint,
            "transport": TRANSPORT,
            "authentication": authentication(configured, running),
        });
        Self { service: running.clone(), head: head.to_string().into(), kind: Kind::Descriptor }
    }

    /// Answers a GET. While no tool is known it is 503: an empty catalog would be believed.
    pub fn answer(&self, req: &HttpRequest) -> HttpResponse {
        let catalog = self.service.catalog.load();
        if catalog.pending && catalog.tools().next().is_none() {
            let message = "the tools of this service are not known yet; ask again in a moment";
            let mut response =
                answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "temporarily_unavailable", message);
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("2"));
            return cors::open(response);
        }
        let document = || Document::new(with_tools(&self.head, &catalog), KEEP);
        match self.kind {
            Kind::Manifest => catalog.manifest(document),
            Kind::Descriptor => catalog.descriptor(|| document().with_readable_tag()),
        }
        .answer(req)
    }
}

/// A JSON object with `tools` as its last member: all that somebody can see.
fn with_tools(object: &str, catalog: &Catalog) -> Vec<u8> {
    let head = object.strip_suffix('}').unwrap_or("{");
    let mut out = Vec::with_capacity(16 << 10);
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(b",\"tools\":");
    catalog.write_all(&mut out);
    out.push(b'}');
    out
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

/// The one that the challenge names.
fn metadata_of(configured: &Service) -> String {
    let url = url::Url::parse(&configured.resource).ok();
    let inserted = configured.config.metadata_url == MetadataUrl::Inserted;
    url.map(|url| metadata_url(&url.origin().ascii_serialization(), url.path(), inserted)).unwrap_or_default()
}
