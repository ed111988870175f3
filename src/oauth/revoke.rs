//! Revocation, RFC 7009. A refresh token takes its family with it, an access token only itself.

use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};

use super::error::{Code, OAuthError};
use super::{client_auth, guess};
use crate::app::App;
use crate::app::brand::Brand;
use crate::domain::brand::Kind;
use crate::domain::grant::EndReason;
use crate::domain::ids::ClientId;
use crate::domain::secret::{Digest, MAX_LENGTH, recognise};
use crate::http::answer::NO_STORE;
use crate::http::strict;
use crate::identity::revoke::Target;

const KNOWN: [&str; 4] = ["token", "token_type_hint", "client_id", "client_secret"];

/// `POST {issuer}/revoke`. What is unknown, expired or revoked already is answered like what was revoked now.
pub async fn handle(
    app: &App,
    brand: &Brand,
    req: &HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, OAuthError> {
    let form = strict::form(req, payload, &KNOWN, &["resource"]).await?;
    let client = client_auth::authenticate(app, req, &form).await?;
    let token = form.get("token").ok_or(OAuthError::new(Code::InvalidRequest, "token is missing"))?;
    let heard_of = match recognised(brand, token) {
        Some((kind, digest)) => end(app, kind, &digest, &client.client.id).await?,
        None => false,
    };
    if !heard_of {
        guess::token(app, req, &client.client.id)?;
    }
    Ok(HttpResponse::build(StatusCode::OK).insert_header((header::CACHE_CONTROL, NO_STORE)).finish())
}

fn recognised(brand: &Brand, token: &str) -> Option<(Kind, Digest)> {
    let (kind, prefix) = brand.tokens.kind(token).filter(|_| token.len() <= MAX_LENGTH)?;
    Some((kind, recognise(prefix, token)?))
}

/// False if nobody was ever given such a token.
async fn end(app: &App, kind: Kind, digest: &Digest, client: &ClientId) -> Result<bool, OAuthError> {
    let store = &app.identity.store;
    let grant = match kind {
        Kind::Refresh => store.grant_of_refresh(digest).await?,
        Kind::Oauth => store.grant_of_access(digest).await?,
        // A person's token is theirs to revoke, not a client's.
        Kind::Pat => {
            return Err(OAuthError::new(Code::UnsupportedTokenType, "this kind is revoked by its owner"));
        }
        Kind::Code => return Ok(true),
    };
    let Some(grant) = grant else { return Ok(false) };
    let view = store.grant(&grant).await?;
    if view.is_none_or(|view| view.grant.client != *client) {
        return Err(OAuthError::invalid_grant("token_of_other_client"));
    }
    let target = if kind == Kind::Refresh { Target::Grant(grant) } else { Target::Access(*digest) };
    app.identity.revoke(&target, EndReason::Client).await?;
    Ok(true)
}
