//! Introspection, RFC 7662, for resource servers that ask instead of being fronted. Personal access tokens too.

use actix_web::http::StatusCode;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Map, Value, json};

use super::error::{Code, OAuthError};
use super::{client_auth, guess};
use crate::app::App;
use crate::app::brand::Brand;
use crate::domain::secret::recognise;
use crate::domain::verified::Verified;
use crate::http::answer;
use crate::http::strict::{self, Params};
use crate::identity::verify::VerifyError;
use crate::store::keys::KeyKind;

/// The prefix of introspection secrets.
pub const SECRET_PREFIX: &str = "portero_int_";
const KNOWN: [&str; 4] = ["token", "token_type_hint", "client_id", "client_secret"];

/// `POST {issuer}/introspect`. Whatever is no live access token or personal access token of this issuer is
/// exactly `{"active":false}`.
pub async fn handle(
    app: &App,
    brand: &Brand,
    req: &HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, OAuthError> {
    let form = strict::form(req, payload, &KNOWN, &["resource"]).await?;
    authenticate(app, req, &form).await?;
    let token = form.get("token").ok_or(OAuthError::new(Code::InvalidRequest, "token is missing"))?;
    let body = match app.identity.verify_for_brand(&brand.tokens, token).await {
        Ok(verified) => describe(app, brand, &verified).unwrap_or_else(|| json!({ "active": false })),
        Err(VerifyError::Invalid(_)) => json!({ "active": false }),
        Err(VerifyError::Unavailable(error)) => return Err(error.into()),
    };
    Ok(answer::json(StatusCode::OK, &body))
}

async fn authenticate(app: &App, req: &HttpRequest, form: &Params) -> Result<(), OAuthError> {
    let credential = client_auth::credential(req, form)?;
    for (id, secret) in credential.ids.iter().zip(&credential.secrets) {
        let Some(digest) = recognise(SECRET_PREFIX, secret) else { continue };
        let key = app.identity.operator_key(KeyKind::Introspection, &digest).await?;
        if key.is_some_and(|key| key.id.as_str() == id) {
            return Ok(());
        }
    }
    guess::client(app, req, None)?;
    Err(OAuthError::new(Code::InvalidClient, "introspection needs an introspection key")
        .challenge("Basic realm=\"portero\", charset=\"UTF-8\""))
}

/// `None` for a credential that no service accepts any more.
fn describe(app: &App, brand: &Brand, verified: &Verified) -> Option<Value> {
    let audience: Vec<&str> = app
        .services_of(brand)
        .filter(|service| match &verified.service {
            Some(own) => *own == service.id && service.accepts_oauth(),
            None => service.accepts_pat(),
        })
        .map(|service| service.resource.as_str())
        .collect();
    let audience = match audience.as_slice() {
        [] => return None,
        [only] => json!(only),
        several => json!(several),
    };
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| body.insert(name.to_owned(), value);
    set("active", json!(true));
    set("scope", json!(verified.scopes.to_string()));
    set("token_type", json!("Bearer"));
    set("token_kind", json!(verified.kind.label()));
    set("iss", json!(brand.issuer));
    set("aud", audience);
    set("sub", json!(verified.user.as_str()));
    set("workspace", json!(verified.workspace.as_str()));
    if let Some(plan) = &verified.plan {
        set("plan", json!(plan.as_str()));
    }
    set("mode", json!(verified.mode.label()));
    set("iat", json!(verified.issued_at.seconds()));
    if let Some(at) = verified.expires_at {
        set("exp", json!(at.seconds()));
    }
    if let Some(client) = &verified.client {
        set("client_id", json!(client.as_str()));
    }
    Some(Value::Object(body))
}
