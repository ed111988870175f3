//! Whom a good token is about here. The first one about somebody makes the person, with a workspace of their own.
//!
//! People are known by issuer and subject. An address never leads to a person who is here already: whoever decides
//! what an issuer says of addresses would decide whose account it is.

use std::sync::Arc;
use std::time::Duration;

use super::claims::Claims;
use super::{External, Foreseen, PresentedError};
use crate::cluster::freshness::Ticket;
use crate::cluster::verified::Lookup;
use crate::domain::ids::{UserId, WorkspaceId};
use crate::domain::pat::Mode;
use crate::domain::secret::Digest;
use crate::domain::user::{User, email_key};
use crate::domain::verified::{TokenKind, Verified};
use crate::domain::workspace::{Workspace, WorkspaceStatus};
use crate::identity::Identity;
use crate::store::audit::Event;
use crate::store::external::{ActsFor, ExternalPerson, ExternalSubject};
use crate::store::{StoreError, Tx};

const DEADLINE: Duration = Duration::from_secs(8);
/// Somebody else may take an address between the look and the writing of it.
const TRIES: usize = 3;
/// What stands for ids that nobody has got yet.
const TO_BE: (&str, &str) = ("USER", "WORKSPACE");

impl Identity {
    /// The credential that a good token is. The database has a few seconds: a connection that died without a word is
    /// trouble, not patience.
    pub(super) async fn person_of(
        &self,
        external: &External,
        claims: &Claims,
        digest: Digest,
        ticket: Ticket,
    ) -> Result<Arc<Verified>, PresentedError> {
        let late = || StoreError::Unavailable("statement deadline".to_owned());
        tokio::time::timeout(DEADLINE, self.known_or_new(external, claims, digest, ticket))
            .await
            .unwrap_or_else(|_| Err(late().into()))
    }

    async fn known_or_new(
        &self,
        external: &External,
        claims: &Claims,
        digest: Digest,
        ticket: Ticket,
    ) -> Result<Arc<Verified>, PresentedError> {
        let found = self.store.external_subject(&external.issuer, &claims.subject).await?;
        let (found, ticket) = match found {
            Some(found) if !makes(&found, claims) => (found, ticket),
            _ => {
                self.make_person(external, claims).await?;
                // Making somebody is a change of its own: what is read now began after it.
                let ticket = match self.verified.look_up(&digest, self.now()) {
                    Lookup::Alive(verified, _) => return Ok(verified),
                    Lookup::Ask(ticket) => ticket,
                    Lookup::Unknown => ticket,
                };
                let made = self.store.external_subject(&external.issuer, &claims.subject).await?;
                (made.ok_or(PresentedError::Invalid("user_gone"))?, ticket)
            }
        };
        match verified(external, claims, &found) {
            Ok(verified) => {
                let verified = self.verified.shared(verified);
                self.verified.fill(digest, ticket, Arc::clone(&verified), self.now());
                Ok(verified)
            }
            Err(word) => {
                self.verified.fill_unknown(digest, ticket);
                Err(PresentedError::Invalid(word))
            }
        }
    }

    /// The credential that a good token is, or will be when it is first used.
    pub(super) async fn foresee(
        &self,
        external: &External,
        claims: &Claims,
    ) -> Result<Foreseen, PresentedError> {
        let found = self.store.external_subject(&external.issuer, &claims.subject).await?;
        let (found, known) = match found {
            Some(found) if !makes(&found, claims) => (found, true),
            _ => (to_be(external), false),
        };
        let verified = verified(external, claims, &found).map_err(PresentedError::Invalid)?;
        Ok(Foreseen { verified, known })
    }

    /// Makes somebody, once, however many ask.
    async fn make_person(&self, external: &External, claims: &Claims) -> Result<(), StoreError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.store.transaction(async |tx| self.insert_person(tx, external, claims).await).await {
                Err(StoreError::Conflict) if tries < TRIES => {}
                outcome => return outcome,
            }
        }
    }

    async fn insert_person(
        &self,
        tx: &mut Tx,
        external: &External,
        claims: &Claims,
    ) -> Result<(), StoreError> {
        let id = UserId::generate(self.entropy.as_ref());
        if !tx.claim_external(&external.issuer, &claims.subject, &id).await? {
            return Ok(());
        }
        let user = User {
            email: free_email(tx, claims, &id).await?,
            name: claims.name.clone(),
            external_id: free_external_id(tx, claims).await?,
            epoch: 1,
            locked_at: None,
            created_at: tx.now,
            id,
        };
        let workspace = Workspace {
            id: WorkspaceId::generate(self.entropy.as_ref()),
            name: claims.name.clone(),
            personal_of: Some(user.id.clone()),
            plan: external.plan.clone(),
            status: WorkspaceStatus::default(),
            created_at: tx.now,
        };
        tx.insert_user(&user, None).await?;
        tx.insert_workspace(&workspace).await?;
        tx.join(&user.id, &workspace.id).await?;
        tx.audit(Event {
            event: "user.created",
            user: Some(user.id),
            workspace: Some(workspace.id),
            detail: Some(format!("by a token of {}", external.issuer)),
            ..Event::default()
        })
        .await
    }
}

/// The address that the issuer vouches for, if nobody has it; else one that nobody can have (RFC 2606).
async fn free_email(tx: &mut Tx, claims: &Claims, id: &UserId) -> Result<String, StoreError> {
    if let Some(email) = &claims.email
        && !tx.email_is_taken(&email_key(email)).await?
    {
        return Ok(email.clone());
    }
    Ok(format!("{id}@external.invalid"))
}

/// The subject is the company's own id of the person, unless somebody has that already.
async fn free_external_id(tx: &mut Tx, claims: &Claims) -> Result<Option<String>, StoreError> {
    let taken = tx.external_id_is_taken(&claims.subject).await?;
    Ok((!taken).then(|| claims.subject.clone()))
}

/// True for a token that makes somebody of a subject that was forgotten.
fn makes(found: &ExternalSubject, claims: &Claims) -> bool {
    found.person.is_none() && !is_over(found, claims)
}

/// Somebody as their first call makes them.
fn to_be(external: &External) -> ExternalSubject {
    let (user, workspace) = TO_BE;
    let acts_for = ActsFor {
        workspace: WorkspaceId::from(workspace),
        plan: external.plan.clone(),
        status: WorkspaceStatus::default(),
    };
    let person = ExternalPerson { user: UserId::from(user), locked: false, acts_for: Some(acts_for) };
    ExternalSubject { not_before: None, person: Some(person) }
}

/// True for a token from before the person was locked or deleted here, or left the workspace they acted for: that ended
/// it, whatever came after. One that does not say when it was issued may be from before.
fn is_over(found: &ExternalSubject, claims: &Claims) -> bool {
    found.not_before.is_some_and(|from| claims.issued_at.is_none_or(|at| at < from))
}

fn verified(external: &External, claims: &Claims, found: &ExternalSubject) -> Result<Verified, &'static str> {
    if is_over(found, claims) {
        return Err("issued_before_end");
    }
    let person = found.person.as_ref().ok_or("user_gone")?;
    if person.locked {
        return Err("user_locked");
    }
    let ActsFor { workspace, plan, status } = person.acts_for.clone().ok_or("no_workspace")?;
    Ok(Verified {
        kind: TokenKind::Jwt,
        pat: None,
        grant: None,
        client: None,
        user: person.user.clone(),
        subject: Some(claims.subject.clone()),
        workspace,
        brand: external.brand.clone(),
        service: Some(external.service.clone()),
        scopes: claims.scopes.clone(),
        mode: Mode::Live,
        plan,
        status,
        issued_at: claims.issued_at.unwrap_or_default(),
        expires_at: Some(claims.expires_at),
        access: None,
    })
}
