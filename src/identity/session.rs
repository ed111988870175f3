//! Browser sessions: a random cookie, kept as a digest, ended by time, by sign-out and by the account.

use std::time::Duration;

use super::Identity;
use crate::domain::ids::{UserId, WorkspaceId};
use crate::domain::secret::{Digest, Secret};
use crate::domain::user::User;
use crate::store::StoreError;
use crate::store::audit::Event;
use crate::store::sessions::Session;

/// Without use a session ends after this.
const IDLE: Duration = Duration::from_hours(12);
/// However much it is used, a session ends after this.
const ABSOLUTE: Duration = Duration::from_hours(7 * 24);
/// The prefix of session cookies' values.
pub const PREFIX: &str = "portero_ses_";

impl Identity {
    /// Begins a session for a user whose password was checked against `password_hash`. `None` if the password was
    /// changed or the account locked meanwhile.
    pub async fn begin_session(
        &self,
        user: &User,
        password_hash: &str,
    ) -> Result<Option<Secret>, StoreError> {
        let Some(workspace) = self.store.workspaces_of(&user.id).await?.into_iter().next() else {
            return Ok(None);
        };
        let secret = Secret::generate(PREFIX, self.entropy.as_ref());
        let now = self.now();
        let session =
            Session { user: user.id.clone(), workspace: workspace.id, created_at: now, seen_at: now };
        let begun = self
            .store
            .transaction(async |tx| {
                let ends = now.plus(IDLE);
                if !tx.insert_session(&secret.digest(), &session, password_hash, ends).await? {
                    return Ok(false);
                }
                let event = Event { event: "login.ok", user: Some(user.id.clone()), ..Event::default() };
                tx.audit(event).await?;
                Ok::<_, StoreError>(true)
            })
            .await?;
        Ok(begun.then_some(secret))
    }

    /// The live session of a cookie's value. Its end slides with use.
    pub async fn session(&self, cookie: &str) -> Result<Option<(Session, User)>, StoreError> {
        let Some(digest) = crate::domain::secret::recognise(PREFIX, cookie) else { return Ok(None) };
        let now = self.now();
        let Some(session) = self.store.session(&digest, now).await? else { return Ok(None) };
        let ends = session.created_at.plus(ABSOLUTE);
        if now >= ends {
            return Ok(None);
        }
        if now.since(session.seen_at) >= Duration::from_mins(1) {
            let until = now.plus(IDLE).min(ends);
            self.store.transaction(async |tx| tx.session_seen(&digest, until).await).await?;
        }
        let user = self.store.user(&session.user).await?;
        Ok(user.map(|user| (session, user)))
    }

    /// Ends the session of a cookie's value.
    pub async fn end_session(&self, cookie: &str) -> Result<(), StoreError> {
        let digest = Digest::of(cookie);
        self.store.transaction(async |tx| tx.delete_session(&digest).await).await
    }

    /// Replaces a password: pending codes and all other sessions end, connections and tokens stay.
    pub async fn set_password(
        &self,
        user: &UserId,
        password: &str,
        keep: Option<&Digest>,
    ) -> Result<(), StoreError> {
        let hash = self.hash_password(password).await?;
        self.store
            .transaction(async |tx| {
                tx.set_password_hash(user, &hash).await?;
                tx.drop_pending_codes(user).await?;
                tx.delete_other_sessions(user, keep).await?;
                tx.audit(Event { event: "password.changed", user: Some(user.clone()), ..Event::default() })
                    .await
            })
            .await
    }

    /// The workspace to act for: the asked one if the user belongs to it, else the one the session has open.
    pub async fn workspace_for(
        &self,
        user: &UserId,
        asked: Option<&str>,
        open: Option<&WorkspaceId>,
    ) -> Result<Option<WorkspaceId>, StoreError> {
        let own = self.store.workspaces_of(user).await?;
        let wanted = asked.or(open.map(WorkspaceId::as_str));
        Ok(match (asked, wanted) {
            (_, Some(id)) if own.iter().any(|workspace| workspace.id.as_str() == id) => {
                Some(WorkspaceId::from(id))
            }
            (Some(_), _) => None,
            (None, _) => own.into_iter().next().map(|workspace| workspace.id),
        })
    }
}
