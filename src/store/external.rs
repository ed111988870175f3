//! People as other issuers' tokens name them.

use sqlx::any::AnyRow;

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::clock::Timestamp;
use crate::domain::ids::{PlanId, UserId, WorkspaceId};
use crate::domain::workspace::WorkspaceStatus;

/// The person and what they act for: the personal workspace, or else the first of those they belong to.
const FIND: &str = "SELECT x.not_before, u.id AS user_id, u.locked_at, w.id AS workspace_id, w.plan, w.status
     FROM external_subjects x
     LEFT JOIN users u ON u.id = x.user_id
     LEFT JOIN memberships m ON m.user_id = u.id AND m.removed_at IS NULL
     LEFT JOIN workspaces w ON w.id = m.workspace_id
     WHERE x.issuer = $1 AND x.subject = $2
     ORDER BY CASE WHEN w.personal_of = u.id THEN 0 ELSE 1 END, w.name, w.id
     LIMIT 1";
const CLAIM: &str =
    "INSERT INTO external_subjects (issuer, subject, user_id, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (issuer, subject) DO UPDATE SET user_id = excluded.user_id
     WHERE external_subjects.user_id IS NULL";
const END: &str = "UPDATE external_subjects SET not_before = $2 WHERE user_id = $1";
/// The same order as that of [`FIND`].
const ACTS_FOR: &str = "SELECT w.id FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = $1 AND m.removed_at IS NULL
     ORDER BY CASE WHEN w.personal_of = m.user_id THEN 0 ELSE 1 END, w.name, w.id
     LIMIT 1";
const FORGET: &str = "UPDATE external_subjects SET user_id = NULL, not_before = $2 WHERE user_id = $1";
const EXTERNAL_ID_TAKEN: &str = "SELECT id FROM users WHERE external_id = $1";
const EMAIL_TAKEN: &str = "SELECT id FROM users WHERE email_key = $1";

/// What is known of somebody whom another issuer's token names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalSubject {
    /// Tokens issued before this are over.
    pub not_before: Option<Timestamp>,
    /// Who it is; none if that person was deleted.
    pub person: Option<ExternalPerson>,
}

/// The person behind an external subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalPerson {
    /// The person.
    pub user: UserId,
    /// True while they may do nothing.
    pub locked: bool,
    /// What they act for; none if they belong to nothing.
    pub acts_for: Option<ActsFor>,
}

/// A workspace, as far as a token's check needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActsFor {
    /// Which one.
    pub workspace: WorkspaceId,
    /// Its plan.
    pub plan: Option<PlanId>,
    /// How it stands with its bill.
    pub status: WorkspaceStatus,
}

fn acts_for(row: &AnyRow) -> Result<Option<ActsFor>, StoreError> {
    let Some(workspace) = row.text_opt("workspace_id")? else { return Ok(None) };
    Ok(Some(ActsFor {
        workspace: WorkspaceId::from(workspace),
        plan: row.text_opt("plan")?.map(PlanId::from),
        status: WorkspaceStatus::from_label(&row.text("status")?).ok_or(StoreError::Corrupt("status"))?,
    }))
}

fn subject(row: &AnyRow) -> Result<ExternalSubject, StoreError> {
    let person = match row.text_opt("user_id")? {
        None => None,
        Some(user) => Some(ExternalPerson {
            user: UserId::from(user),
            locked: row.time_opt("locked_at")?.is_some(),
            acts_for: acts_for(row)?,
        }),
    };
    Ok(ExternalSubject { not_before: row.time_opt("not_before")?, person })
}

impl Store {
    /// What is known of an issuer's subject; `None` if it was never seen.
    pub async fn external_subject(
        &self,
        issuer: &str,
        name: &str,
    ) -> Result<Option<ExternalSubject>, StoreError> {
        let row = sqlx::query(FIND).bind(issuer).bind(name).fetch_optional(&self.reader).await?;
        row.as_ref().map(subject).transpose()
    }
}

impl Tx {
    /// Says whom an issuer's subject is, unless somebody has said so before: then false. A second transaction waits
    /// here for the first, on either database.
    pub async fn claim_external(
        &mut self,
        issuer: &str,
        name: &str,
        user: &UserId,
    ) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(CLAIM)
            .bind(issuer)
            .bind(name)
            .bind(user.as_str())
            .bind(now)
            .execute(self.connection())
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// True if somebody has this address.
    pub async fn email_is_taken(&mut self, key: &str) -> Result<bool, StoreError> {
        Ok(sqlx::query(EMAIL_TAKEN).bind(key).fetch_optional(self.connection()).await?.is_some())
    }

    /// True if somebody has this id of the company's.
    pub async fn external_id_is_taken(&mut self, id: &str) -> Result<bool, StoreError> {
        Ok(sqlx::query(EXTERNAL_ID_TAKEN).bind(id).fetch_optional(self.connection()).await?.is_some())
    }

    /// Ends what other issuers have given out for a user until now.
    pub(super) async fn end_external(&mut self, user: &UserId) -> Result<(), StoreError> {
        let now = self.now.millis();
        sqlx::query(END).bind(user.as_str()).bind(now).execute(self.connection()).await?;
        Ok(())
    }

    /// Ends it where it acts for this workspace. To be called before the membership ends. What acts for another one, the
    /// personal one for most, loses nothing by it.
    pub(super) async fn end_external_in(
        &mut self,
        user: &UserId,
        workspace: &WorkspaceId,
    ) -> Result<(), StoreError> {
        let row = sqlx::query(ACTS_FOR).bind(user.as_str()).fetch_optional(self.connection()).await?;
        let acts_for = row.map(|row| row.text("id")).transpose()?;
        if acts_for.as_deref() == Some(workspace.as_str()) { self.end_external(user).await } else { Ok(()) }
    }

    /// The same as for a whole user, and forgets who it was.
    pub(super) async fn forget_external(&mut self, user: &UserId) -> Result<(), StoreError> {
        let now = self.now.millis();
        sqlx::query(FORGET).bind(user.as_str()).bind(now).execute(self.connection()).await?;
        Ok(())
    }
}
