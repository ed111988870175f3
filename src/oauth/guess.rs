//! What slows guessing down (W-13, CA-08): a budget of failures, never of requests.
//!
//! Hosted clients share one address and one id between thousands of people, and behind a proxy that nobody named
//! everybody has the same address. So whoever proves right is always served, and a token that was given out once is
//! told the truth about itself, however dead. Only what nobody was ever given spends the budget; when it is spent,
//! such a guess is 429 instead of a verdict. Attack: ids, secrets and tokens tried one after the other.

use actix_web::HttpRequest;

use super::error::OAuthError;
use crate::app::App;
use crate::domain::ids::ClientId;
use crate::http::client_ip;

/// Counts a client that did not prove itself, known or not: it costs its address and, if there is such a client, its
/// id, which nobody but the one who holds the secret has to care about.
pub fn client(app: &App, req: &HttpRequest, known: Option<&ClientId>) -> Result<(), OAuthError> {
    let address = format!("clients {}", source(app, req));
    let id = known.map(|id| format!("client {id}"));
    spend(app, &[Some(address), id])
}

/// Counts a code or token that was never given out, presented by a client. The client counts with its address: an id
/// that many installations share must not carry what one of them does.
pub fn token(app: &App, req: &HttpRequest, client: &ClientId) -> Result<(), OAuthError> {
    spend(app, &[Some(format!("tokens {} {client}", source(app, req)))])
}

fn source(app: &App, req: &HttpRequest) -> String {
    client_ip::source(req, &app.config.trusted_proxies)
}

fn spend(app: &App, keys: &[Option<String>]) -> Result<(), OAuthError> {
    let now = app.clock.now();
    let waits = keys.iter().flatten().filter_map(|key| app.identity.guesses.attempt(key, now).err());
    match waits.max() {
        Some(wait) => Err(OAuthError::too_many(wait).because("guessing")),
        None => Ok(()),
    }
}
