//! Workspaces and who belongs to them.

use sqlx::any::AnyRow;

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::change::{Change, ChangeKind};
use crate::domain::ids::{PlanId, UserId, WorkspaceId};
use crate::domain::workspace::{Workspace, WorkspaceStatus};

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT w.id, w.name, w.personal_of, w.plan, w.status, w.created_at FROM workspaces w ",
            $tail
        )
    };
}
const BY_ID: &str = select!("WHERE w.id = $1");
const LIST: &str = select!("ORDER BY w.created_at, w.id");
const OF_USER: &str = select!(
    "JOIN memberships m ON m.workspace_id = w.id AND m.removed_at IS NULL WHERE m.user_id = $1
     ORDER BY CASE WHEN w.personal_of = m.user_id THEN 0 ELSE 1 END, w.name, w.id"
);
const INSERT: &str = "INSERT INTO workspaces (id, name, personal_of, plan, status, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
const SET_PLAN: &str = "UPDATE workspaces SET plan = $2 WHERE id = $1";
const SET_STATUS: &str = "UPDATE workspaces SET status = $2 WHERE id = $1";
const JOIN: &str = "INSERT INTO memberships (user_id, workspace_id, epoch, joined_at) VALUES ($1, $2, 1, $3)
     ON CONFLICT (user_id, workspace_id) DO UPDATE SET removed_at = NULL, joined_at = excluded.joined_at
     WHERE memberships.removed_at IS NOT NULL";
const LEAVE: &str = "UPDATE memberships SET epoch = epoch + 1, removed_at = $3
     WHERE user_id = $1 AND workspace_id = $2 AND removed_at IS NULL";
const MEMBERS: &str =
    "SELECT user_id FROM memberships WHERE workspace_id = $1 AND removed_at IS NULL ORDER BY joined_at";
const EPOCH: &str =
    "SELECT epoch FROM memberships WHERE user_id = $1 AND workspace_id = $2 AND removed_at IS NULL";

fn workspace(row: &AnyRow) -> Result<Workspace, StoreError> {
    Ok(Workspace {
        id: WorkspaceId::from(row.text("id")?),
        name: row.text("name")?,
        personal_of: row.text_opt("personal_of")?.map(UserId::from),
        plan: row.text_opt("plan")?.map(PlanId::from),
        status: WorkspaceStatus::from_label(&row.text("status")?).ok_or(StoreError::Corrupt("status"))?,
        created_at: row.time("created_at")?,
    })
}

impl Store {
    /// The workspace of an id.
    pub async fn workspace(&self, id: &WorkspaceId) -> Result<Option<Workspace>, StoreError> {
        let row = sqlx::query(BY_ID).bind(id.as_str()).fetch_optional(&self.reader).await?;
        row.as_ref().map(workspace).transpose()
    }

    /// Every workspace, oldest first.
    pub async fn workspaces(&self) -> Result<Vec<Workspace>, StoreError> {
        sqlx::query(LIST).fetch_all(&self.reader).await?.iter().map(workspace).collect()
    }

    /// The workspaces a user belongs to, the personal one first.
    pub async fn workspaces_of(&self, user: &UserId) -> Result<Vec<Workspace>, StoreError> {
        let rows = sqlx::query(OF_USER).bind(user.as_str()).fetch_all(&self.reader).await?;
        rows.iter().map(workspace).collect()
    }

    /// The users who belong to a workspace.
    pub async fn members(&self, id: &WorkspaceId) -> Result<Vec<UserId>, StoreError> {
        let rows = sqlx::query(MEMBERS).bind(id.as_str()).fetch_all(&self.reader).await?;
        rows.iter().map(|row| row.text("user_id").map(UserId::from)).collect()
    }
}

impl Tx {
    /// Adds a workspace.
    pub async fn insert_workspace(&mut self, workspace: &Workspace) -> Result<(), StoreError> {
        sqlx::query(INSERT)
            .bind(workspace.id.as_str())
            .bind(&workspace.name)
            .bind(workspace.personal_of.as_ref().map(UserId::as_str))
            .bind(workspace.plan.as_ref().map(PlanId::as_str))
            .bind(workspace.status.label())
            .bind(workspace.created_at.millis())
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Puts a workspace on a plan, or on none. False if there is no such workspace.
    pub async fn set_plan(&mut self, id: &WorkspaceId, plan: Option<&PlanId>) -> Result<bool, StoreError> {
        let plan = plan.map(PlanId::as_str);
        let done = sqlx::query(SET_PLAN).bind(id.as_str()).bind(plan).execute(self.connection()).await?;
        self.workspace_changed(id, done.rows_affected()).await
    }

    /// Sets how a workspace stands with its bill. False if there is no such workspace.
    pub async fn set_status(
        &mut self,
        id: &WorkspaceId,
        status: WorkspaceStatus,
    ) -> Result<bool, StoreError> {
        let done =
            sqlx::query(SET_STATUS).bind(id.as_str()).bind(status.label()).execute(self.connection()).await?;
        self.workspace_changed(id, done.rows_affected()).await
    }

    async fn workspace_changed(&mut self, id: &WorkspaceId, rows: u64) -> Result<bool, StoreError> {
        if rows > 0 {
            self.change(Change::new(ChangeKind::Workspace, id)).await?;
        }
        Ok(rows > 0)
    }

    /// Makes a user a member. False if it was one already.
    pub async fn join(&mut self, user: &UserId, workspace: &WorkspaceId) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(JOIN)
            .bind(user.as_str())
            .bind(workspace.as_str())
            .bind(now)
            .execute(self.connection())
            .await?;
        self.membership_changed(user, workspace, done.rows_affected()).await
    }

    /// Ends a membership and everything made under it. False if there was none. Attack: tokens of another issuer from
    /// before, which would be good again once the person is added again; ours are known by the membership's epoch.
    pub async fn leave(&mut self, user: &UserId, workspace: &WorkspaceId) -> Result<bool, StoreError> {
        self.end_external_in(user, workspace).await?;
        let now = self.now.millis();
        let done = sqlx::query(LEAVE)
            .bind(user.as_str())
            .bind(workspace.as_str())
            .bind(now)
            .execute(self.connection())
            .await?;
        self.membership_changed(user, workspace, done.rows_affected()).await
    }

    async fn membership_changed(
        &mut self,
        user: &UserId,
        workspace: &WorkspaceId,
        rows: u64,
    ) -> Result<bool, StoreError> {
        if rows > 0 {
            self.change(Change::new(ChangeKind::Membership, format!("{user}/{workspace}"))).await?;
        }
        Ok(rows > 0)
    }

    /// The epoch of a live membership.
    pub async fn membership_epoch(
        &mut self,
        user: &UserId,
        workspace: &WorkspaceId,
    ) -> Result<Option<i64>, StoreError> {
        let row = sqlx::query(EPOCH)
            .bind(user.as_str())
            .bind(workspace.as_str())
            .fetch_optional(self.connection())
            .await?;
        row.map(|row| row.number("epoch")).transpose()
    }
}
