//! The authorization request: the order of its checks, on one screen.
//!
//! Until client and redirect are known to be good nothing is ever sent there: those faults are pages. After
//! that the client is told, with `state` and `iss` (RFC 9207). What passes is kept under a transaction, so that
//! nothing security-relevant comes back from the form but its id, the decision and a subset of the scopes.

mod check_client;
mod check_pkce;
mod check_prompt;
mod check_redirect_uri;
mod check_resource;
mod check_response_type;
mod check_scope;
pub mod decide;
pub mod redirect;
pub mod transaction;

use actix_web::HttpRequest;

use super::engine;
use super::error::Code;
use crate::app::App;
use crate::app::brand::Brand;
use crate::http::strict::{self, Params, Unreadable};
use crate::store::StoreError;
pub use redirect::VerifiedRedirect;
pub use transaction::{Pending, Request, pending};

const KNOWN: [&str; 13] = [
    "client_id",
    "redirect_uri",
    "response_type",
    "response_mode",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "prompt",
    "request",
    "request_uri",
    "ui_locales",
    "nonce",
];

/// Why a request is not kept.
#[derive(Debug)]
pub enum Fault {
    /// Client or redirect cannot be trusted: a page, never a redirect.
    Page(PageFault),
    /// The client may be told.
    Client(VerifiedRedirect, Code, &'static str),
    /// It could not be checked.
    Store(StoreError),
}

/// What a page says of a request whose redirect cannot be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFault {
    /// No such client, or it is disabled.
    UnknownClient,
    /// The redirect URI is missing or not one of the client's.
    Redirect,
    /// The request cannot be read.
    Unreadable(Unreadable),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Unreadable> for Fault {
    fn from(fault: Unreadable) -> Self {
        Self::Page(PageFault::Unreadable(fault))
    }
}

/// Reads the query of an authorization request.
pub fn parameters(req: &HttpRequest) -> Result<Params, Fault> {
    Ok(strict::query(req, &KNOWN, &["resource"])?)
}

/// Checks a request that came from `address` and keeps it. `GET` has no other effect, so a second one does no harm.
pub async fn begin(app: &App, brand: &Brand, params: &Params, address: &str) -> Result<Pending, Fault> {
    let client = check_client::check(app, params).await?;
    let redirect = check_redirect_uri::check(app, brand, params, &client)?;
    let refuse = |(code, description)| Fault::Client(redirect.clone(), code, description);
    check_response_type::check(params).map_err(refuse)?;
    let sign_in_again = check_prompt::check(params).map_err(refuse)?;
    let challenge = check_pkce::check(params).map_err(refuse)?;
    let service = check_resource::check(app, brand, params).map_err(refuse)?;
    let scopes = check_scope::check(params, &client, service).map_err(refuse)?;
    engine::authorize(&client, &redirect.uri, challenge, &scopes.offered)
        .map_err(|_| refuse((Code::ServerError, "the request could not be bound")))?;
    let request = Request {
        brand: brand.id.to_string(),
        service: service.id.to_string(),
        client: client.id.to_string(),
        redirect_uri: redirect.uri,
        state: redirect.state,
        scopes: scopes.offered.to_string(),
        ticked: scopes.ticked.to_string(),
        scope_as_sent: params.get("scope").unwrap_or_default().to_owned(),
        challenge: challenge.to_owned(),
        sign_in_again,
    };
    Ok(transaction::keep(app, request, client, address).await?)
}
