//! Step 2: who calls.

use std::sync::Arc;

use super::call::{Authenticated, Cx, Received};
use super::receive;
use super::refusal::Reason;
use super::service::Service;
use crate::app::App;
use crate::domain::ids::PlanId;
use crate::domain::plan::Plan;
use crate::domain::table::Table;
use crate::domain::verified::Verified;
use crate::identity::external::PresentedError;

/// Who sent this request.
///
/// # Errors
/// As [`authenticate`], and for what is no credential at all.
pub async fn caller(cx: Cx<'_>) -> Result<Authenticated<'_>, Reason> {
    authenticate(cx, receive::credentials(cx.headers())?).await
}

/// Verifies the token for this service, and finds the plan of its workspace.
///
/// Credentials that are sent are always checked, also where none is needed: a client whose token has died
/// must learn it.
///
/// # Errors
/// 401 and 503. A token that could not be checked is never called bad: a client would throw it away.
pub async fn authenticate<'r>(cx: Cx<'r>, received: Received<'r>) -> Result<Authenticated<'r>, Reason> {
    let service = cx.service;
    let Some(token) = received.token else {
        return if service.has_public {
            Ok(Authenticated { credential: None, plan: None, token: None, session: None })
        } else {
            Err(Reason::NoCredentials(false))
        };
    };
    let credential = known(cx.app, service, token).await.map_err(|error| match error {
        PresentedError::Invalid(label) => Reason::BadCredentials(label),
        PresentedError::NoKeys => Reason::Unverifiable("issuer_keys_unavailable"),
        PresentedError::Unavailable(_) => Reason::Unverifiable("verification_unavailable"),
    })?;
    let plan = admit(service, &cx.app.plans, &credential)?;
    Ok(Authenticated { credential: Some(credential), plan, token: Some(token), session: None })
}

/// Whether a live credential is one for this service, and the plan of its workspace.
///
/// # Errors
/// 401, and 503 for a plan that is not configured any more.
pub fn admit<'a>(
    service: &Service,
    plans: &'a Table<PlanId, Plan>,
    credential: &Verified,
) -> Result<Option<&'a Plan>, Reason> {
    // RFC 8707: a token for another service is no token here, whoever verified it
    let audience = credential.service.as_ref().is_none_or(|own| *own == service.policy.id);
    if !audience || credential.brand != service.policy.brand {
        return Err(Reason::BadCredentials("other_service"));
    }
    if !service.kinds.contains(&credential.kind) {
        return Err(Reason::BadCredentials("other_kind"));
    }
    match &credential.plan {
        None => Ok(None),
        // a plan that was renamed or removed says nothing about what was paid for
        Some(id) => plans.get(id).map(Some).ok_or(Reason::Unverifiable("plan_not_configured")),
    }
}

/// The credential behind a token presented at a service, ours or its external issuer's.
///
/// # Errors
/// It is not good here, or nobody can say now.
pub async fn known(app: &App, service: &Service, token: &str) -> Result<Arc<Verified>, PresentedError> {
    let (own, external) = (&service.policy.id, service.external.as_ref());
    app.identity.verify_presented(&service.brand, own, external, &app.upstream, token).await
}
