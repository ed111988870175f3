//! Users: how they come to be, and how a locked one may act again.

use super::Identity;
use crate::domain::ids::{PlanId, UserId, WorkspaceId};
use crate::domain::user::User;
use crate::domain::workspace::{Workspace, WorkspaceStatus};
use crate::store::StoreError;
use crate::store::audit::Event;

/// A new user, as asked for. The caller has checked that the address can be one and that the plan is configured.
#[derive(Clone, Copy, Debug)]
pub struct NewUser<'a> {
    /// Mail address.
    pub email: &'a str,
    /// The name shown.
    pub name: &'a str,
    /// The company's own id of this person.
    pub external_id: Option<&'a str>,
    /// The password; without one the user signs in by other means, or not at all.
    pub password: Option<&'a str>,
    /// The plan of the personal workspace.
    pub plan: Option<&'a PlanId>,
}

/// Why a user could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CreateUserError {
    /// Somebody has the address.
    #[error("the e-mail address is taken")]
    EmailTaken,
    /// Somebody has the company's id.
    #[error("the external id is taken")]
    ExternalIdTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Identity {
    /// Makes a user with a personal workspace and the membership in it, all or nothing.
    pub async fn create_user(&self, new: NewUser<'_>) -> Result<(User, Workspace), CreateUserError> {
        let hash = match new.password {
            Some(password) => Some(self.hash_password(password).await?),
            None => None,
        };
        let now = self.now();
        let user = User {
            id: UserId::generate(self.entropy.as_ref()),
            email: new.email.trim().to_owned(),
            name: new.name.to_owned(),
            external_id: new.external_id.map(str::to_owned),
            epoch: 1,
            locked_at: None,
            created_at: now,
        };
        let workspace = Workspace {
            id: WorkspaceId::generate(self.entropy.as_ref()),
            name: new.name.to_owned(),
            personal_of: Some(user.id.clone()),
            plan: new.plan.cloned(),
            status: WorkspaceStatus::default(),
            created_at: now,
        };
        match self.insert_user(&user, hash.as_deref(), &workspace).await {
            Ok(()) => Ok((user, workspace)),
            Err(StoreError::Conflict) => Err(self.what_is_taken(&user).await?),
            Err(error) => Err(error.into()),
        }
    }

    async fn insert_user(
        &self,
        user: &User,
        hash: Option<&str>,
        workspace: &Workspace,
    ) -> Result<(), StoreError> {
        self.store
            .transaction(async |tx| {
                tx.insert_user(user, hash).await?;
                tx.insert_workspace(workspace).await?;
                tx.join(&user.id, &workspace.id).await?;
                tx.audit(Event {
                    event: "user.created",
                    user: Some(user.id.clone()),
                    workspace: Some(workspace.id.clone()),
                    ..Event::default()
                })
                .await
            })
            .await
    }

    async fn what_is_taken(&self, user: &User) -> Result<CreateUserError, StoreError> {
        let other = self.store.user_by_email(&user.email).await?;
        Ok(other.map_or(CreateUserError::ExternalIdTaken, |_| CreateUserError::EmailTaken))
    }

    /// Unlocks a user. What the lock ended stays ended. False if there is no such locked user.
    pub async fn unlock_user(&self, user: &UserId) -> Result<bool, StoreError> {
        self.store
            .transaction(async |tx| {
                let done = tx.unlock_user(user).await?;
                if done {
                    let event =
                        Event { event: "user.unlocked", user: Some(user.clone()), ..Event::default() };
                    tx.audit(event).await?;
                }
                Ok(done)
            })
            .await
    }
}
