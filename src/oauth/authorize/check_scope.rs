//! The scopes that can be allowed: narrowed, not refused, unless nothing is left. Attack: a scope of another
//! service, or one nobody declared, slipped into a grant.

use crate::app::service::Service;
use crate::domain::client::Client;
use crate::domain::scope::{self, ScopeSet};
use crate::http::strict::Params;
use crate::oauth::error::Code;

/// What the page offers.
#[derive(Debug)]
pub(super) struct Offered {
    /// What can be ticked.
    pub offered: ScopeSet,
    /// What is ticked at first.
    pub ticked: ScopeSet,
}

pub(super) fn check(
    params: &Params,
    client: &Client,
    service: &Service,
) -> Result<Offered, (Code, &'static str)> {
    let asked = scope::asked(params.get("scope").unwrap_or_default());
    if asked.is_empty() || service.scopes.is_empty() {
        let registered = scope::asked(client.metadata.scope.as_deref().unwrap_or_default());
        let ticked = service.scopes.intersection(&registered);
        let ticked = if ticked.is_empty() { service.default_scopes.clone() } else { ticked };
        return Ok(Offered { offered: service.scopes.clone(), ticked });
    }
    let offered = service.scopes.intersection(&asked);
    if offered.is_empty() {
        return Err((Code::InvalidScope, "none of the scopes exists here"));
    }
    Ok(Offered { ticked: offered.clone(), offered })
}
