//! The kept request.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::VerifiedRedirect;
use super::check_redirect_uri::is_own;
use crate::app::App;
use crate::app::brand::Brand;
use crate::app::service::Service;
use crate::domain::client::Client;
use crate::domain::clock::Timestamp;
use crate::domain::ids::{ClientId, TransactionId};
use crate::domain::scope::ScopeSet;
use crate::store::StoreError;
use crate::store::transactions::Transaction;

/// A checked request, as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// The brand whose issuer was asked.
    pub brand: String,
    /// The service the token will be for.
    pub service: String,
    /// The client that asks.
    pub client: String,
    /// Where the answer goes, as the exact string.
    pub redirect_uri: String,
    /// The client's `state`.
    pub state: Option<String>,
    /// The scopes that can be allowed.
    pub scopes: String,
    /// Those ticked at first.
    pub ticked: String,
    /// The scope parameter as it was sent, for the technical details.
    pub scope_as_sent: String,
    /// The S256 challenge.
    pub challenge: String,
    /// Whether it takes a sign-in of its own: `prompt=login`.
    #[serde(default)]
    pub sign_in_again: bool,
}

/// A kept request with what it names.
#[derive(Clone, Debug)]
pub struct Pending {
    /// The row.
    pub kept: Transaction,
    /// The request.
    pub request: Request,
    /// The client.
    pub client: Client,
    /// The service.
    pub service: Arc<Service>,
}

impl Pending {
    /// The brand of the service.
    pub fn brand(&self) -> &Arc<Brand> {
        &self.service.brand
    }

    /// Where the answer goes.
    pub fn redirect(&self) -> VerifiedRedirect {
        VerifiedRedirect {
            uri: self.request.redirect_uri.clone(),
            state: self.request.state.clone(),
            issuer: self.brand().issuer.clone(),
        }
    }

    /// Whether a session that began at `began` is enough to decide it.
    pub fn accepts_session_of(&self, began: Timestamp) -> bool {
        !self.request.sign_in_again || began >= self.kept.created_at
    }

    /// The scopes that can be allowed.
    pub fn offered(&self) -> ScopeSet {
        ScopeSet::parse(&self.request.scopes)
    }

    /// Those ticked at first.
    pub fn ticked(&self) -> ScopeSet {
        ScopeSet::parse(&self.request.ticked)
    }
}

pub(super) async fn keep(
    app: &App,
    request: Request,
    client: Client,
    address: &str,
) -> Result<Pending, StoreError> {
    let now = app.clock.now();
    let kept = Transaction {
        id: TransactionId::generate(app.entropy.as_ref()),
        request: serde_json::to_string(&request).map_err(|_| StoreError::Corrupt("request"))?,
        user: None,
        created_at: now,
        expires_at: now.plus(app.identity.lifetimes.transaction),
        decision: None,
    };
    app.identity.keep_request(&kept, address).await?;
    let service = service(app, &request)?;
    Ok(Pending { kept, request, client, service })
}

fn service(app: &App, request: &Request) -> Result<Arc<Service>, StoreError> {
    let mut all = app.services.iter();
    all.find(|own| own.id.as_str() == request.service).cloned().ok_or(StoreError::Corrupt("service"))
}

/// The kept request of an id, decided or not. `None` if it is unknown, expired, or its client, redirect or service
/// has gone meanwhile.
pub async fn pending(app: &App, id: &TransactionId) -> Result<Option<Pending>, StoreError> {
    let Some(kept) = app.identity.store.authorization(id).await? else { return Ok(None) };
    if kept.expires_at <= app.clock.now() {
        return Ok(None);
    }
    let request: Request = serde_json::from_str(&kept.request).map_err(|_| StoreError::Corrupt("request"))?;
    let client = app.identity.store.client(&ClientId::from(request.client.as_str())).await?;
    let usable = |client: &Client| client.disabled_at.is_none() && is_own(app, client, &request.redirect_uri);
    let Some(client) = client.filter(usable) else { return Ok(None) };
    let Ok(service) = service(app, &request) else { return Ok(None) };
    Ok(Some(Pending { kept, request, client, service }))
}
