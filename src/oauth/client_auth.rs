//! Client authentication at token, revocation and the like: RFC 6749 §2.3.
//!
//! Public clients name themselves; confidential ones prove themselves with their secret in the form or the header,
//! whichever they like. One text for every failure, and the same work for an unknown client.

use actix_web::HttpRequest;
use actix_web::http::header;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use percent_encoding::percent_decode_str;

use super::error::{Code, OAuthError};
use super::{engine, guess};
use crate::app::App;
use crate::domain::client::Client;
use crate::domain::ids::ClientId;
use crate::http::strict::Params;

const CHALLENGE: &str = "Basic realm=\"portero\", charset=\"UTF-8\"";
/// Secrets of ours are far shorter; longer ones are refused unhashed.
const SECRET_LIMIT: usize = 512;

/// What a request says of its client.
#[derive(Debug, Default)]
pub struct Credential {
    /// Who it says it is; in the header both readings of a percent sign are possible.
    pub ids: Vec<String>,
    /// What it proves it with, in the same order as the ids.
    pub secrets: Vec<String>,
    /// True if the header was used.
    pub by_header: bool,
}

/// A client that has proved itself as far as it must.
#[derive(Debug)]
pub struct Authenticated {
    /// The client.
    pub client: Client,
    /// The secret it used, for the grant machines' own check.
    pub secret: Option<String>,
}

fn invalid_request(description: &'static str) -> OAuthError {
    OAuthError::new(Code::InvalidRequest, description)
}

fn invalid_client(by_header: bool, reason: &'static str) -> OAuthError {
    let error = OAuthError::new(Code::InvalidClient, "the client is unknown or did not prove itself");
    let error = error.because(reason);
    if by_header { error.challenge(CHALLENGE) } else { error }
}

/// Reads what a request says of its client, from header and form. Exactly one place may carry the secret.
pub fn credential(req: &HttpRequest, form: &Params) -> Result<Credential, OAuthError> {
    let mut headers = req.headers().get_all(header::AUTHORIZATION);
    let (first, more) = (headers.next(), headers.next());
    if more.is_some() {
        return Err(invalid_request("there is more than one Authorization header"));
    }
    let (id, secret) = (form.get("client_id"), form.get("client_secret"));
    let Some(value) = first else {
        return Ok(Credential {
            ids: id.map(str::to_owned).into_iter().collect(),
            secrets: secret.map(str::to_owned).into_iter().collect(),
            by_header: false,
        });
    };
    let (ids, secrets) = basic(value).ok_or_else(|| invalid_client(true, "authorization_header"))?;
    if secret.is_some() {
        return Err(invalid_request("the client secret is sent in two places"));
    }
    if id.is_some_and(|id| !ids.iter().any(|own| own == id)) {
        return Err(invalid_request("header and body name different clients"));
    }
    Ok(Credential { ids, secrets, by_header: true })
}

/// Both readings of Basic credentials: as they stand, and form-decoded as RFC 6749 §2.3.1 wants. Clients do
/// either.
fn basic(value: &header::HeaderValue) -> Option<(Vec<String>, Vec<String>)> {
    let text = value.to_str().ok()?;
    let (scheme, rest) = text.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let encoded = rest.trim();
    let bytes = STANDARD.decode(encoded).or_else(|_| STANDARD_NO_PAD.decode(encoded)).ok()?;
    let plain = String::from_utf8(bytes).ok()?;
    let (id, secret) = plain.split_once(':')?;
    let mut readings = vec![(id.to_owned(), secret.to_owned())];
    if let (Some(id), Some(secret)) = (form_decoded(id), form_decoded(secret)) {
        readings.push((id, secret));
    }
    readings.dedup();
    Some(readings.into_iter().unzip())
}

fn form_decoded(text: &str) -> Option<String> {
    percent_decode_str(&text.replace('+', " ")).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// The authenticated client of a request.
pub async fn authenticate(app: &App, req: &HttpRequest, form: &Params) -> Result<Authenticated, OAuthError> {
    let credential = credential(req, form)?;
    if credential.ids.iter().all(String::is_empty) {
        return Err(invalid_request("client_id is missing"));
    }
    if credential.secrets.iter().any(|secret| secret.len() > SECRET_LIMIT) {
        return Err(invalid_request("the client secret is too long"));
    }
    let by_header = credential.by_header;
    let mut known = None;
    for (index, id) in credential.ids.iter().enumerate() {
        let Some(client) = app.identity.known_client(&ClientId::from(id.as_str())).await? else { continue };
        if client.disabled_at.is_some() {
            return Err(invalid_client(by_header, "client_disabled"));
        }
        let secret = credential.secrets.get(index).filter(|secret| !secret.is_empty());
        if engine::authenticates(&client, secret.map(String::as_str)) {
            return Ok(Authenticated { client, secret: secret.cloned() });
        }
        known = Some(client.id);
    }
    let reason = if known.is_some() { "client_proof" } else { "client_unknown" };
    guess::client(app, req, known.as_ref())?;
    Err(invalid_client(by_header, reason))
}

/// Whether a client is there still. What is remembered of it may be a moment old: what has ended with the client must
/// not be blamed on the grant, or its software would ask its person again under an id that nobody knows.
pub async fn still_there(app: &App, req: &HttpRequest, own: &Authenticated) -> Result<(), OAuthError> {
    let client = app.identity.store.client(&own.client.id).await?;
    if client.is_some_and(|client| client.disabled_at.is_none()) {
        return Ok(());
    }
    Err(invalid_client(req.headers().contains_key(header::AUTHORIZATION), "client_gone"))
}
