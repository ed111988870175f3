//! The one cascade: every revocation, whoever asks for it.
//!
//! A revocation writes one row and one change. What hangs below needs no rows of its own, because a credential's
//! authority is the whole chain. What ends is listed before, for the page that asks, and after, for the page
//! and the command that tell.

use super::Identity;
use crate::domain::grant::EndReason;
use crate::domain::ids::{ClientId, GrantId, KeyId, PatId, UserId, WorkspaceId};
use crate::domain::secret::Digest;
use crate::store::audit::Event;
use crate::store::grants::GrantView;
use crate::store::keys::KeyKind;
use crate::store::{StoreError, Tx};

/// What is to end.
#[derive(Clone, Debug)]
pub enum Target {
    /// A personal access token, and every connection it authorized.
    Pat(PatId),
    /// One connection.
    Grant(GrantId),
    /// One access token, by its digest.
    Access(Digest),
    /// A client may be used no more.
    DisableClient(ClientId),
    /// A client is forgotten.
    DeleteClient(ClientId),
    /// A user may do nothing more.
    LockUser(UserId),
    /// A user is forgotten.
    DeleteUser(UserId),
    /// A user leaves a workspace.
    Membership(UserId, WorkspaceId),
    /// An operator key opens nothing any more.
    OperatorKey(KeyKind, KeyId),
}

/// What ended, or would.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// The connections, alive until then.
    pub grants: Vec<GrantView>,
}

impl Identity {
    /// The live connections that would end with a target.
    pub async fn would_end(&self, target: &Target) -> Result<Ended, StoreError> {
        let grants = match target {
            Target::Pat(id) => self.store.grants_of_pat(id).await?,
            Target::Grant(id) => self.store.grant(id).await?.into_iter().collect(),
            Target::Access(_) | Target::OperatorKey(..) => Vec::new(),
            Target::DisableClient(id) | Target::DeleteClient(id) => self.store.grants_of_client(id).await?,
            Target::LockUser(id) | Target::DeleteUser(id) => self.store.grants(Some(id)).await?,
            Target::Membership(user, workspace) => {
                let mut grants = self.store.grants(Some(user)).await?;
                grants.retain(|view| view.grant.workspace == *workspace);
                grants
            }
        };
        Ok(Ended { grants: grants.into_iter().filter(|view| view.alive && view.activated).collect() })
    }

    /// Ends a target and all that hangs on it, everywhere. `None` if it was not there or had ended already.
    pub async fn revoke(&self, target: &Target, reason: EndReason) -> Result<Option<Ended>, StoreError> {
        let ended = self.would_end(target).await?;
        let done = self
            .store
            .transaction(async |tx| {
                let done = end(tx, target, reason).await?;
                if done {
                    tx.audit(event(target, reason)).await?;
                }
                Ok::<_, StoreError>(done)
            })
            .await?;
        Ok(done.then_some(ended))
    }
}

async fn end(tx: &mut Tx, target: &Target, reason: EndReason) -> Result<bool, StoreError> {
    match target {
        Target::Pat(id) => tx.end_pat(id, reason).await,
        Target::Grant(id) => tx.end_grant(id, reason).await,
        Target::Access(digest) => tx.revoke_access(digest).await,
        Target::DisableClient(id) => tx.disable_client(id).await,
        Target::DeleteClient(id) => tx.delete_client(id).await,
        Target::LockUser(id) => {
            tx.delete_other_sessions(id, None).await?;
            tx.lock_user(id).await
        }
        Target::DeleteUser(id) => {
            tx.delete_other_sessions(id, None).await?;
            tx.delete_user(id).await
        }
        Target::Membership(user, workspace) => tx.leave(user, workspace).await,
        Target::OperatorKey(kind, id) => tx.revoke_operator_key(*kind, id).await,
    }
}

fn event(target: &Target, reason: EndReason) -> Event {
    let mut event = Event { detail: Some(reason.label().to_owned()), ..Event::default() };
    match target {
        Target::Pat(id) => (event.event, event.pat) = ("pat.revoked", Some(id.clone())),
        Target::Grant(id) => (event.event, event.grant) = ("grant.revoked", Some(id.clone())),
        Target::Access(_) => event.event = "access.revoked",
        Target::DisableClient(id) => (event.event, event.client) = ("client.disabled", Some(id.clone())),
        Target::DeleteClient(id) => (event.event, event.client) = ("client.deleted", Some(id.clone())),
        Target::LockUser(id) => (event.event, event.user) = ("user.locked", Some(id.clone())),
        Target::DeleteUser(id) => (event.event, event.user) = ("user.deleted", Some(id.clone())),
        Target::Membership(user, workspace) => {
            (event.event, event.user, event.workspace) =
                ("member.removed", Some(user.clone()), Some(workspace.clone()));
        }
        Target::OperatorKey(_, id) => {
            (event.event, event.detail) = ("key.revoked", Some(format!("{id} {}", reason.label())));
        }
    }
    event
}
