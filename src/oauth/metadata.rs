//! The two documents every client starts from, from configuration, written once at start.
//!
//! RFC 9728 for a service, RFC 8414 for an issuer. Lists keep the configuration's order; no member is null or
//! empty; nothing is advertised that does not work.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::app::App;
use crate::app::brand::Brand;
use crate::app::service::Service;
use crate::config::Registration;
use crate::http::document::Document;

/// How long a copy is good.
const KEEP: Duration = Duration::from_mins(5);

pub(super) fn document(value: Value) -> Document {
    let Value::Object(members) = value else { return Document::new("{}", KEEP) };
    let kept: Map<String, Value> = members.into_iter().filter(|(_, value)| !is_empty(value)).collect();
    Document::new(serde_json::to_vec_pretty(&kept).unwrap_or_default(), KEEP)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

/// The resource metadata of a service, RFC 9728 §2. `resource` is spelt as the client asked for it, with or
/// without the trailing slash.
pub fn protected_resource(service: &Service, resource: &str) -> Document {
    let scopes: Vec<&str> = service.default_scopes.iter().collect();
    document(json!({
        "resource": resource,
        "authorization_servers": service.authorization_servers(),
        "scopes_supported": scopes,
        "bearer_methods_supported": ["header"],
    }))
}

/// The metadata of an issuer, RFC 8414 §2.
pub fn authorization_server(app: &App, brand: &Brand) -> Document {
    let issuer = &brand.issuer;
    let scopes = app.scopes_of(brand);
    let services = app.services_of(brand).filter(|service| service.accepts_oauth());
    let resources: Vec<&str> = services.map(|service| service.resource.as_str()).collect();
    let languages: Vec<&str> = app.config.languages.iter().map(|language| language.tag()).collect();
    let open = app.config.oauth.registration != Registration::Off;
    document(json!({
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
    }))
}
