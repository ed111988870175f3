//! Tokens of the company's own issuer: JWTs that are signed with a key of its published set.
//!
//! - [`key_set`]: the issuer's keys, fetched and kept
//! - [`key`]: which of them fits which algorithm
//! - [`token`]: a presented token against keys, issuer, audience and time
//! - [`claims`]: what a token says of a person
//! - [`people`]: whom it is about here

pub mod claims;
pub mod key;
pub mod key_set;
pub mod people;
pub mod token;

use std::sync::Arc;

use http::Uri;

use super::Identity;
use super::verify::VerifyError;
use crate::cluster::verified::Lookup;
use crate::domain::brand::BrandTokens;
use crate::domain::ids::{BrandId, PlanId, ServiceId};
use crate::domain::scope::ScopeSet;
use crate::domain::secret::Digest;
use crate::domain::verified::Verified;
use crate::store::StoreError;
use crate::upstream::client::Client;
use key_set::KeySet;

/// Longer ones are no tokens: the fields of a request are not longer together.
const MAX_LENGTH: usize = 16 << 10;

/// The issuer whose tokens a service takes.
#[derive(Debug)]
pub struct External {
    /// `iss`.
    pub issuer: String,
    /// What `aud` must name.
    pub audience: String,
    /// The claim that names the user.
    pub user_claim: String,
    /// The claim that holds the scopes.
    pub scope_claim: String,
    /// Scopes of a token that carries none of the service's.
    pub assumed: ScopeSet,
    /// Scopes that mean something here: those the service declares, and the assumed ones.
    pub known: ScopeSet,
    /// The service.
    pub service: ServiceId,
    /// Its brand.
    pub brand: BrandId,
    /// The plan of new people.
    pub plan: Option<PlanId>,
    /// The issuer's keys.
    pub keys: KeySet,
}

/// Why a presented token is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum PresentedError {
    /// It is no live token for this service. The word is for logs alone.
    #[error("{0}")]
    Invalid(&'static str),
    /// The keys of its issuer cannot be had.
    #[error("the keys of the issuer cannot be fetched from its jwks_url")]
    NoKeys,
    /// It could not be checked.
    #[error(transparent)]
    Unavailable(#[from] StoreError),
}

impl From<VerifyError> for PresentedError {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::Invalid(label) => Self::Invalid(label),
            VerifyError::Unavailable(error) => Self::Unavailable(error),
        }
    }
}

impl External {
    /// Where its keys are.
    pub fn jwks(&self) -> &Uri {
        self.keys.uri()
    }
}

/// The credential that a token is, or would be.
#[derive(Clone, Debug)]
pub struct Foreseen {
    /// As a call would get it.
    pub verified: Verified,
    /// False for somebody whom only their first call makes: then user and workspace are no ids.
    pub known: bool,
}

/// True for three parts with dots between them; no token of ours has one.
pub fn is_jwt(token: &str) -> bool {
    token.bytes().filter(|byte| *byte == b'.').count() == 2
}

impl Identity {
    /// The live credential behind a token presented at a service, whether we issued it or its external issuer did.
    /// Nothing is asked of anybody while the cache is warm.
    pub async fn verify_presented(
        &self,
        tokens: &BrandTokens,
        service: &ServiceId,
        external: Option<&External>,
        client: &Client,
        token: &str,
    ) -> Result<Arc<Verified>, PresentedError> {
        match external {
            Some(external) if is_jwt(token) => self.verify_jwt(external, client, token).await,
            _ => Ok(self.verify(tokens, service, token).await?),
        }
    }

    /// The cache is asked by the service and the digest of the whole token, so that a signature is checked once a
    /// minute, and a token that means one thing at one service means nothing by that at another.
    async fn verify_jwt(
        &self,
        external: &External,
        client: &Client,
        token: &str,
    ) -> Result<Arc<Verified>, PresentedError> {
        if token.len() > MAX_LENGTH {
            return Err(PresentedError::Invalid("too_long"));
        }
        let digest = Digest::of_parts(&["jwt", external.service.as_str(), token]);
        let ticket = match self.verified.look_up(&digest, self.now()) {
            Lookup::Alive(verified, _) => return Ok(verified),
            Lookup::Unknown => return Err(PresentedError::Invalid("unknown")),
            Lookup::Ask(ticket) => ticket,
        };
        let checked = external.check(client, token, self.now()).await?;
        self.person_of(external, &checked, digest, ticket).await
    }

    /// What a token of the issuer's is good for, read for the operator: a question makes nobody, and nothing of it is
    /// remembered.
    ///
    /// # Errors
    /// As a call with it would meet them.
    pub async fn inspect_jwt(
        &self,
        external: &External,
        client: &Client,
        token: &str,
    ) -> Result<Foreseen, PresentedError> {
        if token.len() > MAX_LENGTH {
            return Err(PresentedError::Invalid("too_long"));
        }
        let checked = external.check(client, token, self.now()).await?;
        self.foresee(external, &checked).await
    }
}
