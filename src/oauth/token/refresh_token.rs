//! A refresh token for new tokens. The rules are [`crate::domain::refresh`], the exchange is
//! [`crate::identity::refresh`]; here the request is read and the answer worded.

use super::{asked_service, required, services};
use crate::app::App;
use crate::app::brand::Brand;
use crate::domain::scope::{self, ScopeSet};
use crate::domain::secret::Secret;
use crate::http::strict::Params;
use crate::identity::issue::Issued;
use crate::identity::refresh::{RefreshError, RefreshRequest};
use crate::oauth::client_auth::Authenticated;
use crate::oauth::engine;
use crate::oauth::error::{Code, OAuthError};

pub(super) async fn exchange(
    app: &App,
    brand: &Brand,
    client: &Authenticated,
    form: &Params,
) -> Result<Issued, OAuthError> {
    let token = required(form, "refresh_token", "refresh_token is missing")?;
    engine::refresh(&client.client, client.secret.as_deref())
        .map_err(|_| OAuthError::new(Code::InvalidClient, "the client is unknown or did not prove itself"))?;
    let service = asked_service(app, brand, form)?;
    let presented =
        Secret::parse(&brand.tokens.refresh, token).ok_or(OAuthError::unheard_of("refresh_malformed"))?;
    let request = RefreshRequest {
        tokens: &brand.tokens,
        presented,
        client: &client.client.id,
        scopes: asked_scopes(form),
        service: service.as_ref(),
        services: &services(app, brand),
    };
    app.identity.refresh(&request).await.map_err(|error| match error {
        RefreshError::Unknown => OAuthError::unheard_of("refresh_unknown"),
        RefreshError::InvalidGrant(reason) => OAuthError::invalid_grant(reason),
        RefreshError::InvalidScope => OAuthError::new(Code::InvalidScope, "none of the scopes is granted"),
        RefreshError::InvalidTarget => {
            OAuthError::new(Code::InvalidTarget, "resource must name the service of the grant")
        }
        RefreshError::Store(error) => error.into(),
    })
}

fn asked_scopes(form: &Params) -> Option<ScopeSet> {
    form.get("scope").map(scope::asked).filter(|asked| !asked.is_empty())
}
