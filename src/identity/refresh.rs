//! The exchange of a refresh token: one successor, however many ask.
//!
//! Everything happens in one transaction that locks the grant first, so that a refresh and a revocation, or two
//! refreshes, come one after the other. The decision itself is [`crate::domain::refresh::decide`].

use super::Identity;
use super::issue::Issued;
use crate::domain::brand::BrandTokens;
use crate::domain::entropy;
use crate::domain::grant::EndReason;
use crate::domain::ids::{ClientId, ServiceId};
use crate::domain::refresh::{Link, MAX_HOPS, Verdict, decide};
use crate::domain::scope::ScopeSet;
use crate::domain::secret::Secret;
use crate::domain::verified::Verified;
use crate::store::audit::Event;
use crate::store::rotation::Rotation;
use crate::store::{StoreError, Tx};

/// A refresh request whose client has been authenticated.
#[derive(Debug)]
pub struct RefreshRequest<'a> {
    /// Prefixes of the brand.
    pub tokens: &'a BrandTokens,
    /// The presented token.
    pub presented: Secret,
    /// Who presents it.
    pub client: &'a ClientId,
    /// The scopes asked for, if any were.
    pub scopes: Option<ScopeSet>,
    /// The service asked for, if one was.
    pub service: Option<&'a ServiceId>,
    /// The services that take OAuth tokens now: the last link of the chain.
    pub services: &'a [ServiceId],
}

/// Why there are no new tokens. Nothing is consumed by any of these.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// `invalid_grant`: nobody was ever given this token.
    #[error("unknown")]
    Unknown,
    /// `invalid_grant`; the word is for logs alone.
    #[error("{0}")]
    InvalidGrant(&'static str),
    /// `invalid_scope`: nothing of what was asked is in the grant.
    #[error("nothing asked for is granted")]
    InvalidScope,
    /// `invalid_target`: the grant is for another resource.
    #[error("other resource")]
    InvalidTarget,
    /// It could not be checked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

struct Chain {
    secrets: Vec<Secret>,
    links: Vec<Link>,
}

impl Identity {
    /// Exchanges a refresh token.
    pub async fn refresh(&self, request: &RefreshRequest<'_>) -> Result<Issued, RefreshError> {
        if let Some(issued) = self.rotate_plainly(request).await? {
            return Ok(issued);
        }
        // A replay ends the grant *and* refuses, so a refusal is a committed outcome; trouble undoes everything.
        let outcome = self.store.transaction(async |tx| match self.exchange(tx, request).await {
            Err(RefreshError::Store(error)) => Err(error),
            outcome => Ok(outcome),
        });
        outcome.await?
    }

    /// A live token, asked for all that was granted, where one statement can do it. `None` where the rules have to be
    /// asked, also for every refusal.
    async fn rotate_plainly(&self, request: &RefreshRequest<'_>) -> Result<Option<Issued>, RefreshError> {
        if request.scopes.is_some() || !self.store.rotates_at_once() {
            return Ok(None);
        }
        let services: Vec<&ServiceId> =
            request.services.iter().filter(|id| request.service.is_none_or(|asked| asked == *id)).collect();
        let salt = entropy::bytes::<32>(self.entropy.as_ref());
        let successor = request.presented.successor(&request.tokens.refresh, &salt);
        let Some(successor) = successor else { return Ok(None) };
        let (access, now) = (Secret::generate(&request.tokens.oauth, self.entropy.as_ref()), self.now());
        let rotation = Rotation {
            presented: request.presented.digest(),
            client: request.client,
            services: &services,
            salt,
            successor: successor.digest(),
            successor_ends: now.plus(self.lifetimes.refresh),
            access: access.digest(),
            access_ends: now.plus(self.lifetimes.access),
        };
        let Some(family) = self.store.rotate(&rotation, now).await? else { return Ok(None) };
        let ends = family.expires_at.map_or(rotation.access_ends, |end| rotation.access_ends.min(end));
        Ok(Some(Issued::new(access, Some(successor), family.scopes, ends, now)))
    }

    async fn exchange(&self, tx: &mut Tx, request: &RefreshRequest<'_>) -> Result<Issued, RefreshError> {
        let digest = request.presented.digest();
        let grant = tx.lock_grant_of_refresh(&digest).await?.ok_or(RefreshError::Unknown)?;
        let family = tx.family(&grant).await?.ok_or(RefreshError::InvalidGrant("ended"))?;
        let scopes = admissible(request, &family)?;
        let chain = chain(tx, request).await?;
        let refresh = match decide(tx.now, self.lifetimes.grace, &chain.links) {
            Verdict::Rotate => self.rotate(tx, request, &family).await?,
            Verdict::Follow { hops, recovered } => {
                tx.refresh_raced(&digest).await?;
                if recovered {
                    tx.audit(event("refresh.recovered", &family)).await?;
                }
                chain.secrets.into_iter().nth(hops).ok_or(RefreshError::InvalidGrant("chain"))?
            }
            Verdict::Dead => return Err(RefreshError::InvalidGrant("expired")),
            Verdict::Reuse => {
                tx.end_grant(&grant, EndReason::RefreshReuse).await?;
                tx.audit(event("refresh.reuse", &family)).await?;
                return Err(RefreshError::InvalidGrant("reuse"));
            }
        };
        let mut issued = self.issue_access(tx, request.tokens, &family, scopes, Some(digest)).await?;
        issued.refresh = Some(refresh);
        Ok(issued)
    }

    async fn rotate(
        &self,
        tx: &mut Tx,
        request: &RefreshRequest<'_>,
        family: &Verified,
    ) -> Result<Secret, RefreshError> {
        let salt = entropy::bytes::<32>(self.entropy.as_ref());
        let successor = request
            .presented
            .successor(&request.tokens.refresh, &salt)
            .ok_or(RefreshError::InvalidGrant("successor"))?;
        let grant = family.grant.as_ref().ok_or(StoreError::Corrupt("grant_id"))?;
        if !tx.consume_refresh(&request.presented.digest(), &salt).await? {
            return Err(StoreError::Corrupt("consumed under the lock").into());
        }
        let ends = self.refresh_end(tx.now, family);
        tx.insert_refresh(&successor.digest(), grant, ends).await?;
        Ok(successor)
    }
}

/// What is checked before anything is consumed: the client, the resource, the scopes.
fn admissible(request: &RefreshRequest<'_>, family: &Verified) -> Result<ScopeSet, RefreshError> {
    if family.client.as_ref() != Some(request.client) {
        return Err(RefreshError::InvalidGrant("other_client"));
    }
    if !family.service.as_ref().is_some_and(|own| request.services.contains(own)) {
        return Err(RefreshError::InvalidGrant("service_gone"));
    }
    if request.service.is_some() && request.service != family.service.as_ref() {
        return Err(RefreshError::InvalidTarget);
    }
    match &request.scopes {
        None => Ok(family.scopes.clone()),
        Some(asked) => {
            let left = family.scopes.intersection(asked);
            if left.is_empty() && !family.scopes.is_empty() {
                Err(RefreshError::InvalidScope)
            } else {
                Ok(left)
            }
        }
    }
}

/// The presented token and its successors, derived hop by hop.
async fn chain(tx: &mut Tx, request: &RefreshRequest<'_>) -> Result<Chain, RefreshError> {
    let mut chain = Chain { secrets: Vec::new(), links: Vec::new() };
    let mut next = Some(request.presented.clone());
    while let Some(secret) = next.take() {
        let Some(row) = tx.refresh_row(&secret.digest()).await? else { break };
        next = row.salt.as_ref().and_then(|salt| secret.successor(&request.tokens.refresh, salt));
        chain.links.push(row.link);
        chain.secrets.push(secret);
        if chain.links.len() > MAX_HOPS + 1 {
            break;
        }
    }
    Ok(chain)
}

fn event(event: &'static str, family: &Verified) -> Event {
    Event {
        event,
        user: Some(family.user.clone()),
        workspace: Some(family.workspace.clone()),
        client: family.client.clone(),
        grant: family.grant.clone(),
        pat: family.pat.clone(),
        detail: None,
    }
}
