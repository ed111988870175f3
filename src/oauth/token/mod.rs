//! The token endpoint: the order of its steps, on one screen.
//!
//! The client is authenticated before the grant is looked at (K-04), so that the answer tells an outsider
//! nothing about a code or token.

mod authorization_code;
mod refresh_token;

use actix_web::http::StatusCode;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use super::error::{Code, OAuthError};
use super::{client_auth, guess};
use crate::app::App;
use crate::app::brand::Brand;
use crate::domain::ids::ServiceId;
use crate::http::answer;
use crate::http::strict::{self, Params};
use crate::identity::issue::Issued;

const KNOWN: [&str; 8] = [
    "grant_type",
    "code",
    "redirect_uri",
    "code_verifier",
    "client_id",
    "client_secret",
    "refresh_token",
    "scope",
];

/// `POST {issuer}/token`.
pub async fn handle(
    app: &App,
    brand: &Brand,
    req: &HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, OAuthError> {
    let form = strict::form(req, payload, &KNOWN, &["resource"]).await?;
    let grant_type = required(&form, "grant_type", "grant_type is missing")?;
    let client = client_auth::authenticate(app, req, &form).await?;
    let issued = match grant_type {
        "authorization_code" => authorization_code::exchange(app, brand, &client, &form).await,
        "refresh_token" => refresh_token::exchange(app, brand, &client, &form).await,
        _ => Err(OAuthError::new(Code::UnsupportedGrantType, "this grant type is not supported")),
    };
    if issued.as_ref().is_err_and(|refusal| refusal.code == Code::InvalidGrant) {
        client_auth::still_there(app, req, &client).await?;
    }
    if issued.as_ref().is_err_and(|refusal| refusal.unheard_of) {
        guess::token(app, req, &client.client.id)?;
    }
    issued.map(|issued| answer(&issued))
}

fn required<'a>(form: &'a Params, name: &str, missing: &'static str) -> Result<&'a str, OAuthError> {
    form.get(name).ok_or(OAuthError::new(Code::InvalidRequest, missing))
}

/// The service that `resource` names, if it names one: every value must name the same.
fn asked_service(app: &App, brand: &Brand, form: &Params) -> Result<Option<ServiceId>, OAuthError> {
    let refused = || OAuthError::new(Code::InvalidTarget, "resource must name the service of the grant");
    let mut asked = None;
    for resource in form.resources()? {
        let service = app.service_for(brand, Some(resource)).ok_or_else(refused)?;
        if asked.as_ref().is_some_and(|other| *other != service.id) {
            return Err(refused());
        }
        asked = Some(service.id.clone());
    }
    Ok(asked)
}

/// The services of a brand that take OAuth tokens.
fn services(app: &App, brand: &Brand) -> Vec<ServiceId> {
    app.services_of(brand)
        .filter(|service| service.accepts_oauth())
        .map(|service| service.id.clone())
        .collect()
}

/// RFC 6749 §5.1: `expires_in` is a whole number of seconds, `scope` always says what was granted.
fn answer(issued: &Issued) -> HttpResponse {
    let mut body = json!({
        "access_token": issued.access.expose(),
        "token_type": "Bearer",
        "expires_in": issued.expires_in,
        "scope": issued.scopes.to_string(),
    });
    if let (Some(refresh), Some(members)) = (&issued.refresh, body.as_object_mut()) {
        members.insert("refresh_token".to_owned(), json!(refresh.expose()));
    }
    answer::json(StatusCode::OK, &body)
}
