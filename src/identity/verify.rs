//! A presented token: kind by prefix, checksum, digest, cache, store.

use std::sync::Arc;
use std::time::Duration;

use super::Identity;
use crate::cluster::freshness::Ticket;
use crate::cluster::verified::Lookup;
use crate::domain::brand::{BrandTokens, Kind};
use crate::domain::ids::ServiceId;
use crate::domain::secret::{Digest, MAX_LENGTH, recognise};
use crate::domain::verified::Verified;
use crate::store::StoreError;

const DEADLINE: Duration = Duration::from_secs(3);

/// Why a token is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// It is no live token for this service. The word is for logs alone.
    #[error("{0}")]
    Invalid(&'static str),
    /// It could not be checked.
    #[error(transparent)]
    Unavailable(#[from] StoreError),
}

/// A token of the operator's to look at.
#[derive(Clone, Debug)]
pub struct Inspected {
    /// What its prefix says.
    pub kind: Kind,
    /// Under which it is found.
    pub digest: Digest,
    /// The live credential; none if it is unknown or it, or anything above it, has ended.
    pub verified: Option<Verified>,
}

/// What can be said of a token by its text alone.
fn read_token(tokens: &BrandTokens, token: &str) -> Result<(Kind, Digest), VerifyError> {
    if token.len() > MAX_LENGTH {
        return Err(VerifyError::Invalid("too_long"));
    }
    let (kind, prefix) = tokens.kind(token).ok_or(VerifyError::Invalid("unknown_prefix"))?;
    if !matches!(kind, Kind::Pat | Kind::Oauth) {
        return Err(VerifyError::Invalid("other_kind"));
    }
    let digest = recognise(prefix, token).ok_or(VerifyError::Invalid("bad_checksum"))?;
    Ok((kind, digest))
}

impl Identity {
    /// The live credential behind a token presented at a service. Nothing is asked of the database while the
    /// cache is warm.
    pub async fn verify(
        &self,
        tokens: &BrandTokens,
        service: &ServiceId,
        token: &str,
    ) -> Result<Arc<Verified>, VerifyError> {
        let verified = self.verify_for_brand(tokens, token).await?;
        if verified.service.as_ref().is_some_and(|audience| audience != service) {
            return Err(VerifyError::Invalid("other_service"));
        }
        Ok(verified)
    }

    /// The live credential behind a token of a brand, whichever of its services it is for.
    pub async fn verify_for_brand(
        &self,
        tokens: &BrandTokens,
        token: &str,
    ) -> Result<Arc<Verified>, VerifyError> {
        let (kind, digest) = read_token(tokens, token)?;
        let verified = match self.verified.look_up(&digest, self.now()) {
            Lookup::Alive(verified, note) => {
                if note {
                    self.usage.note(&verified, self.now());
                }
                verified
            }
            Lookup::Unknown => return Err(VerifyError::Invalid("unknown")),
            Lookup::Ask(ticket) => self.ask(kind, digest, ticket).await?,
        };
        if verified.brand != tokens.brand {
            return Err(VerifyError::Invalid("other_brand"));
        }
        Ok(verified)
    }

    /// The live credential behind a token of a brand, read for the operator: it counts as no use of the token, and
    /// leaves no trace that would tell a lost refresh from a replayed one.
    pub async fn inspect(&self, tokens: &BrandTokens, token: &str) -> Result<Inspected, VerifyError> {
        let (kind, digest) = read_token(tokens, token)?;
        let now = self.now();
        let verified = match kind {
            Kind::Pat => self.store.pat_token(&digest, now).await?,
            _ => self.store.access_token(&digest, now).await?.map(|row| row.verified),
        };
        Ok(Inspected { kind, digest, verified: verified.filter(|own| own.brand == tokens.brand) })
    }

    /// Asks the database, for three seconds at most: a connection that died without a word is trouble, not patience.
    async fn ask(&self, kind: Kind, digest: Digest, ticket: Ticket) -> Result<Arc<Verified>, VerifyError> {
        tokio::time::timeout(DEADLINE, self.read(kind, digest, ticket))
            .await
            .unwrap_or_else(|_| Err(StoreError::Unavailable("statement deadline".to_owned()).into()))
    }

    async fn read(&self, kind: Kind, digest: Digest, ticket: Ticket) -> Result<Arc<Verified>, VerifyError> {
        let now = self.now();
        let found = match kind {
            Kind::Pat => self.store.pat_token(&digest, now).await?,
            _ => match self.store.access_token(&digest, now).await? {
                Some(row) => {
                    if !row.used {
                        self.store.first_use(&digest, now).await?;
                    }
                    Some(row.verified)
                }
                None => None,
            },
        };
        let Some(verified) = found.map(|verified| self.verified.shared(verified)) else {
            self.verified.fill_unknown(digest, ticket);
            return Err(VerifyError::Invalid("unknown"));
        };
        self.usage.note(&verified, now);
        self.verified.fill(digest, ticket, Arc::clone(&verified), now);
        Ok(verified)
    }
}
