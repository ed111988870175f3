//! Services that take the tokens of another issuer: from their section to what is checked, and the issuer's keys
//! kept at hand.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use http::Uri;

use super::Gateway;
use crate::app::App;
use crate::config::{Config, ServiceConfig};
use crate::domain::ids::{BrandId, PlanId, ServiceId};
use crate::domain::scope::ScopeSet;
use crate::identity::external::External;
use crate::identity::external::key_set::KeySet;
use crate::identity::jose;

/// How often it is looked whether somebody's keys are due.
const LOOK: Duration = Duration::from_millis(250);

/// The issuer whose tokens a service takes, if it takes any.
pub(super) fn compile(config: &Config, own: &ServiceConfig) -> Result<Option<External>, String> {
    let Some(jwt) = &own.jwt else { return Ok(None) };
    jose::install();
    let uri: Uri = jwt.jwks_url.parse().map_err(|_| format!("jwt.jwks_url: {}", jwt.jwks_url))?;
    let assumed: ScopeSet = jwt.assume_scopes.iter().map(String::as_str).collect();
    Ok(Some(External {
        issuer: jwt.issuer.clone(),
        audience: jwt.audience.clone(),
        user_claim: jwt.user_claim.clone(),
        scope_claim: jwt.scope_claim.clone(),
        known: own.scopes.keys().map(String::as_str).chain(assumed.iter()).collect(),
        assumed,
        service: ServiceId::from(own.id.as_str()),
        brand: BrandId::from(own.brand.as_str()),
        plan: config.login.default_plan.as_deref().map(PlanId::from),
        keys: KeySet::new(uri),
    }))
}

/// Sees that https can be spoken to every issuer.
pub(super) fn ready(gateway: &Gateway, app: &App) -> Vec<String> {
    let externals =
        gateway.services.values().filter_map(|service| Some((service, service.external.as_ref()?)));
    externals
        .filter_map(|(service, external)| {
            let fault = app.upstream.ready_for(external.jwks()).err()?;
            Some(format!("service {:?}: jwt.jwks_url: {fault}", service.policy.id))
        })
        .collect()
}

/// Fetches every issuer's keys at once and then before they are old, for as long as the process lives.
pub async fn keep_keys(gateway: Arc<Gateway>, app: Arc<App>) {
    loop {
        let externals = gateway.services.values().filter_map(|service| service.external.as_ref());
        // side by side: an issuer that is slow delays nobody else's keys
        join_all(externals.map(|own| own.keys.refresh(&app.upstream, app.clock.now()))).await;
        tokio::time::sleep(LOOK).await;
    }
}
