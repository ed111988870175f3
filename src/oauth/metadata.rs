//! The two documents every client starts from, from configuration, written once at start.
//!
//! RFC 9728 for a service, RFC 8414 for an issuer. Lists keep the configuration's order; no member is null or
//! empty; nothing is advertised that does not work.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::app::App;
use crate::app::brand::Brand;
use crate::app::service::Service;
use crate::config::Registration;
use crate::domain::secret::base62;
use crate::http::cors;

/// A document, ready to send, with the tag of its bytes.
#[derive(Clone, Debug)]
pub struct Document {
    body: Bytes,
    tag: HeaderValue,
}

impl Document {
    fn new(members: Map<String, Value>) -> Self {
        let kept: Map<String, Value> = members.into_iter().filter(|(_, value)| !is_empty(value)).collect();
        let body = Bytes::from(serde_json::to_vec_pretty(&kept).unwrap_or_default());
        let digest: [u8; 32] = Sha256::digest(&body).into();
        let tag = HeaderValue::from_str(&format!("\"{}\"", base62(&digest, 43)));
        Self { body, tag: tag.unwrap_or(HeaderValue::from_static("\"\"")) }
    }

    /// Answers a request for the document, or says that the asker's copy of it is the same still. It is public and
    /// the same for everybody.
    pub fn answer(&self, req: &HttpRequest) -> HttpResponse {
        let kept = is_named(req, &self.tag);
        let mut builder = HttpResponse::build(if kept { StatusCode::NOT_MODIFIED } else { StatusCode::OK });
        builder
            .insert_header((header::ETAG, self.tag.clone()))
            .insert_header((header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300")));
        if kept {
            return cors::open(builder.finish());
        }
        cors::open(
            builder
                .insert_header((header::CONTENT_TYPE, HeaderValue::from_static("application/json")))
                .insert_header((header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")))
                .body(self.body.clone()),
        )
    }
}

/// True if `If-None-Match` names the tag (RFC 9110 §13.1.2): weak comparison, any of a list.
fn is_named(req: &HttpRequest, tag: &HeaderValue) -> bool {
    let named = req.headers().get_all(header::IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    let mut named = named.flat_map(|value| value.split(',')).map(str::trim);
    named.any(|own| own == "*" || own.strip_prefix("W/").unwrap_or(own).as_bytes() == tag.as_bytes())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// The resource metadata of a service, RFC 9728 §2. `resource` is spelt as the client asked for it, with or
/// without the trailing slash.
pub fn protected_resource(service: &Service, resource: &str) -> Document {
    let scopes: Vec<&str> = service.default_scopes.iter().collect();
    let issuers = match &service.config.jwt {
        Some(jwt) if !service.accepts_oauth() => vec![jwt.issuer.as_str()],
        _ => vec![service.brand.issuer.as_str()],
    };
    Document::new(members(json!({
        "resource": resource,
        "authorization_servers": issuers,
        "scopes_supported": scopes,
        "bearer_methods_supported": ["header"],
    })))
}

/// The metadata of an issuer, RFC 8414 §2.
pub fn authorization_server(app: &App, brand: &Brand) -> Document {
    let issuer = &brand.issuer;
    let scopes = app.scopes_of(brand);
    let services = app.services_of(brand).filter(|service| service.accepts_oauth());
    let resources: Vec<&str> = services.map(|service| service.resource.as_str()).collect();
    let languages: Vec<&str> = app.config.languages.iter().map(|language| language.tag()).collect();
    let open = app.config.oauth.registration != Registration::Off;
    Document::new(members(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "registration_endpoint": open.then(|| format!("{issuer}/register")),
        "revocation_endpoint": format!("{issuer}/revoke"),
        "introspection_endpoint": format!("{issuer}/introspect"),
        "scopes_supported": scopes.iter().collect::<Vec<_>>(),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_post", "client_secret_basic"],
        "revocation_endpoint_auth_methods_supported": ["none", "client_secret_post", "client_secret_basic"],
        "introspection_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "ui_locales_supported": languages,
        "protected_resources": resources,
    })))
}
