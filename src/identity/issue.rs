//! What is given out: personal access tokens, the code of a consent, the first tokens of a grant.

use super::Identity;
use crate::domain::brand::BrandTokens;
use crate::domain::clock::Timestamp;
use crate::domain::grant::{EndReason, Grant};
use crate::domain::ids::{ClientId, GrantId, PatId, ServiceId, TransactionId, UserId, WorkspaceId};
use crate::domain::pat::{Mode, Pat};
use crate::domain::scope::ScopeSet;
use crate::domain::secret::{Digest, Secret};
use crate::domain::verified::Verified;
use crate::store::audit::Event;
use crate::store::codes::Code;
use crate::store::tokens::NewAccess;
use crate::store::{StoreError, Tx};

/// A second identical redemption within this time is a double click, not a theft.
const REPEAT: std::time::Duration = std::time::Duration::from_secs(10);

/// A new personal access token, as asked for.
#[derive(Clone, Debug)]
pub struct NewPat<'a> {
    /// The brand's prefixes.
    pub tokens: &'a BrandTokens,
    /// Whose it is.
    pub user: &'a UserId,
    /// The workspace it acts for.
    pub workspace: &'a WorkspaceId,
    /// Its name.
    pub name: &'a str,
    /// What it may reach.
    pub scopes: ScopeSet,
    /// Live or test.
    pub mode: Mode,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
}

/// A consent, as given.
#[derive(Clone, Debug)]
pub struct Consent<'a> {
    /// The request it decides.
    pub transaction: &'a TransactionId,
    /// Prefixes of the service's brand.
    pub tokens: &'a BrandTokens,
    /// Who allows it.
    pub user: &'a UserId,
    /// The workspace it acts for.
    pub workspace: &'a WorkspaceId,
    /// The token that proved identity, if one did.
    pub pat: Option<&'a PatId>,
    /// Taken over from that token.
    pub mode: Mode,
    /// To whom.
    pub client: &'a ClientId,
    /// The service it reaches.
    pub service: &'a ServiceId,
    /// What was allowed.
    pub scopes: ScopeSet,
    /// Where the code goes, as the exact string.
    pub redirect_uri: &'a str,
    /// Host or scheme of that, for lists.
    pub redirect_host: &'a str,
    /// The S256 challenge.
    pub challenge: &'a str,
}

/// Tokens given to a client.
#[derive(Clone, Debug)]
pub struct Issued {
    /// The access token.
    pub access: Secret,
    /// The refresh token, where the client can use one.
    pub refresh: Option<Secret>,
    /// The access token's scopes.
    pub scopes: ScopeSet,
    /// Whole seconds until the access token expires.
    pub expires_in: i64,
}

impl Issued {
    pub(super) fn new(
        access: Secret,
        refresh: Option<Secret>,
        scopes: ScopeSet,
        ends: Timestamp,
        now: Timestamp,
    ) -> Self {
        let expires_in = (ends.millis() - now.millis()).div_euclid(1000).max(1);
        Self { access, refresh, scopes, expires_in }
    }
}

/// Why a code gives no tokens. Both are `invalid_grant` to the client.
#[derive(Debug, thiserror::Error)]
pub enum RedeemError {
    /// It was redeemed before; the flag is true if that ended the grant.
    #[error("replayed")]
    Replayed(bool),
    /// What it hangs on has ended.
    #[error("ended")]
    Ended,
    /// It could not be checked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Identity {
    /// Makes a personal access token. `None` if its user is locked or not a member of its workspace.
    pub async fn create_pat(&self, new: NewPat<'_>) -> Result<Option<(Pat, Secret)>, StoreError> {
        let prefix = new.tokens.pat(new.mode);
        let secret = Secret::generate(prefix, self.entropy.as_ref());
        let pat = Pat {
            id: PatId::generate(self.entropy.as_ref()),
            user: new.user.clone(),
            workspace: new.workspace.clone(),
            brand: new.tokens.brand.clone(),
            name: new.name.to_owned(),
            scopes: new.scopes,
            mode: new.mode,
            hint: secret.hint(prefix),
            created_at: self.now(),
            expires_at: new.expires_at,
            last_used_at: None,
            ended_at: None,
        };
        let made = self
            .store
            .transaction(async |tx| {
                let made = tx.insert_pat(&pat, &secret.digest()).await?;
                if made {
                    tx.audit(Event {
                        event: "pat.created",
                        user: Some(pat.user.clone()),
                        workspace: Some(pat.workspace.clone()),
                        pat: Some(pat.id.clone()),
                        detail: Some(pat.name.clone()),
                        ..Event::default()
                    })
                    .await?;
                }
                Ok::<_, StoreError>(made)
            })
            .await?;
        Ok(made.then_some((pat, secret)))
    }

    /// Records a consent: decides its request, makes the grant and the code that will activate it. `None` if
    /// the request was decided before, is too late, or what the grant would hang on has ended.
    pub async fn allow(&self, consent: &Consent<'_>) -> Result<Option<Secret>, StoreError> {
        let secret = Secret::generate(&consent.tokens.code, self.entropy.as_ref());
        let grant = self.new_grant(consent);
        let code = Code {
            grant: grant.id.clone(),
            client: grant.client.clone(),
            redirect_uri: consent.redirect_uri.to_owned(),
            challenge: consent.challenge.to_owned(),
            expires_at: grant.created_at.plus(self.lifetimes.code),
            consumed_at: None,
            wrong_tries: 0,
        };
        let made = self
            .store
            .transaction(async |tx| {
                if !tx.decide_authorization(consent.transaction, "allow", Some(consent.user)).await? {
                    return Ok::<_, Undone>(false);
                }
                if !tx.insert_grant(&grant, consent.redirect_host).await? {
                    return Err(Undone::Ended);
                }
                // Told, not refused: a person may answer two copies of one request. A client whose challenge never
                // changes has no PKCE worth the name (RFC 9700 §2.1.1).
                if tx.challenge_seen(&code.client, &code.challenge).await? {
                    tx.audit(grant_event("challenge.repeated", &grant)).await?;
                }
                tx.insert_code(&secret.digest(), &code).await?;
                tx.client_granted(&grant.client).await?;
                tx.audit(grant_event("grant.created", &grant)).await?;
                Ok(true)
            })
            .await;
        match made {
            Ok(made) => Ok(made.then_some(secret)),
            Err(Undone::Ended) => Ok(None),
            Err(Undone::Store(error)) => Err(error),
        }
    }

    fn new_grant(&self, consent: &Consent<'_>) -> Grant {
        let now = self.now();
        Grant {
            id: GrantId::generate(self.entropy.as_ref()),
            user: consent.user.clone(),
            workspace: consent.workspace.clone(),
            client: consent.client.clone(),
            service: consent.service.clone(),
            brand: consent.tokens.brand.clone(),
            scopes: consent.scopes.clone(),
            pat: consent.pat.cloned(),
            mode: consent.mode,
            created_at: now,
            expires_at: now.plus(self.lifetimes.grant),
            last_used_at: None,
            ended_at: None,
            ended_reason: None,
        }
    }

    /// Exchanges a code whose client, redirect and verifier were found right: consumed last, once, in the
    /// transaction that makes the tokens.
    pub async fn redeem(
        &self,
        tokens: &BrandTokens,
        digest: &Digest,
        code: &Code,
        wants_refresh: bool,
    ) -> Result<Issued, RedeemError> {
        self.store
            .transaction(async |tx| {
                tx.lock_grant(&code.grant).await?;
                let Some(family) = tx.family(&code.grant).await? else { return Ok(Err(RedeemError::Ended)) };
                if !tx.consume_code(digest).await? {
                    return Ok(Err(replayed(tx, code).await?));
                }
                tx.activate_grant(&code.grant).await?;
                let refresh = wants_refresh.then(|| Secret::generate(&tokens.refresh, self.entropy.as_ref()));
                if let Some(secret) = &refresh {
                    let ends = self.refresh_end(tx.now, &family);
                    tx.insert_refresh(&secret.digest(), &code.grant, ends).await?;
                }
                let scopes = family.scopes.clone();
                let mut issued = self.issue_access(tx, tokens, &family, scopes, None).await?;
                issued.refresh = refresh;
                Ok::<_, StoreError>(Ok(issued))
            })
            .await?
    }

    pub(super) fn refresh_end(&self, now: Timestamp, family: &Verified) -> Timestamp {
        let idle = now.plus(self.lifetimes.refresh);
        family.expires_at.map_or(idle, |end| idle.min(end))
    }

    pub(super) async fn issue_access(
        &self,
        tx: &mut Tx,
        tokens: &BrandTokens,
        family: &Verified,
        scopes: ScopeSet,
        issued_from: Option<Digest>,
    ) -> Result<Issued, StoreError> {
        let access = Secret::generate(&tokens.oauth, self.entropy.as_ref());
        let own_end = tx.now.plus(self.lifetimes.access);
        let expires_at = family.expires_at.map_or(own_end, |end| own_end.min(end));
        let grant = family.grant.as_ref().ok_or(StoreError::Corrupt("grant_id"))?;
        let digest = access.digest();
        tx.insert_access(&NewAccess { digest, grant, issued_from, scopes: &scopes, expires_at }).await?;
        Ok(Issued::new(access, None, scopes, expires_at, tx.now))
    }
}

enum Undone {
    Ended,
    Store(StoreError),
}

impl From<StoreError> for Undone {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// A second valid redemption: a double click is only refused, a later one ends what the first gave.
async fn replayed(tx: &mut Tx, code: &Code) -> Result<RedeemError, StoreError> {
    if code.consumed_at.is_none_or(|at| tx.now.since(at) <= REPEAT) {
        return Ok(RedeemError::Replayed(false));
    }
    let ended = tx.end_grant(&code.grant, EndReason::CodeReplay).await?;
    if ended {
        tx.audit(Event {
            event: "code.replay",
            client: Some(code.client.clone()),
            grant: Some(code.grant.clone()),
            ..Event::default()
        })
        .await?;
    }
    Ok(RedeemError::Replayed(ended))
}

fn grant_event(event: &'static str, grant: &Grant) -> Event {
    Event {
        event,
        user: Some(grant.user.clone()),
        workspace: Some(grant.workspace.clone()),
        client: Some(grant.client.clone()),
        grant: Some(grant.id.clone()),
        pat: grant.pat.clone(),
        detail: Some(grant.scopes.to_string()),
    }
}
