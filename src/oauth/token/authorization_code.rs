//! A code for tokens: everything is checked first, the code is consumed last, once (OAuth 2.1 §4.1.3).
//!
//! Another client's request, a wrong verifier or another redirect leave the code usable by its owner; five
//! wrong verifiers burn it. One text says no to all of them.

use super::{asked_service, required, services};
use crate::app::App;
use crate::app::brand::Brand;
use crate::domain::pkce;
use crate::domain::secret::{Digest, recognise};
use crate::http::strict::Params;
use crate::identity::issue::{Issued, RedeemError};
use crate::oauth::client_auth::Authenticated;
use crate::oauth::engine::{self, RedeemRefused, StoredCode};
use crate::oauth::error::{Code, OAuthError};
use crate::store::StoreError;
use crate::store::codes::Code as Row;

const WRONG_TRIES: i64 = 5;

pub(super) async fn exchange(
    app: &App,
    brand: &Brand,
    client: &Authenticated,
    form: &Params,
) -> Result<Issued, OAuthError> {
    let code = required(form, "code", "code is missing")?;
    let verifier = required(form, "code_verifier", "code_verifier is missing")?;
    if !pkce::is_verifier(verifier) {
        return Err(OAuthError::new(
            Code::InvalidRequest,
            "code_verifier must be 43 to 128 unreserved characters",
        ));
    }
    let service = asked_service(app, brand, form)?;
    let digest = recognise(&brand.tokens.code, code).ok_or(OAuthError::unheard_of("code_malformed"))?;
    let row = app.identity.store.code(&digest).await?.ok_or(OAuthError::unheard_of("code_unknown"))?;
    check(app, client, form, &row)?;
    verify(app, client, &row, &digest, verifier).await?;
    let grant = app.identity.store.grant(&row.grant).await?.ok_or(OAuthError::invalid_grant("grant_gone"))?;
    if !services(app, brand).contains(&grant.grant.service) {
        return Err(OAuthError::invalid_grant("service_gone"));
    }
    if service.is_some_and(|service| service != grant.grant.service) {
        return Err(OAuthError::new(Code::InvalidTarget, "resource must name the service of the grant"));
    }
    let wants_refresh = client.client.metadata.allows_grant("refresh_token");
    app.identity.redeem(&brand.tokens, &digest, &row, wants_refresh).await.map_err(|error| match error {
        RedeemError::Replayed(true) => OAuthError::invalid_grant("code_replay_ended_the_grant"),
        RedeemError::Replayed(false) => OAuthError::invalid_grant("code_repeated"),
        RedeemError::Ended => OAuthError::invalid_grant("grant_ended"),
        RedeemError::Store(error) => error.into(),
    })
}

fn check(app: &App, client: &Authenticated, form: &Params, row: &Row) -> Result<(), OAuthError> {
    if row.client != client.client.id {
        return Err(OAuthError::invalid_grant("code_of_other_client"));
    }
    if form.get("redirect_uri").is_some_and(|uri| uri != row.redirect_uri) {
        return Err(OAuthError::invalid_grant("code_redirect"));
    }
    // A consumed code is judged as a replay below, however old it is.
    if row.consumed_at.is_none() && app.clock.now() >= row.expires_at {
        return Err(OAuthError::invalid_grant("code_expired"));
    }
    if row.wrong_tries >= WRONG_TRIES {
        return Err(OAuthError::invalid_grant("code_burnt"));
    }
    Ok(())
}

async fn verify(
    app: &App,
    client: &Authenticated,
    row: &Row,
    digest: &Digest,
    verifier: &str,
) -> Result<(), OAuthError> {
    let stored = StoredCode { client: row.client.as_str(), challenge: &row.challenge };
    match engine::redeem(&client.client, client.secret.as_deref(), stored, verifier) {
        Ok(()) => Ok(()),
        Err(RedeemRefused::Client) => Err(OAuthError::invalid_grant("code_client")),
        Err(RedeemRefused::Verifier) => {
            let counted = app.identity.store.transaction(async |tx| tx.wrong_verifier(digest).await);
            counted.await.map_err(|error: StoreError| OAuthError::from(error))?;
            Err(OAuthError::invalid_grant("code_verifier"))
        }
    }
}
