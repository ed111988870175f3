//! Workspaces: making them, and what changes in them without ending anything.

use super::Identity;
use crate::domain::ids::{PlanId, UserId, WorkspaceId};
use crate::domain::workspace::{Workspace, WorkspaceStatus};
use crate::store::StoreError;
use crate::store::audit::Event;

fn event(event: &'static str, workspace: &WorkspaceId, detail: Option<String>) -> Event {
    Event { event, workspace: Some(workspace.clone()), detail, ..Event::default() }
}

impl Identity {
    /// Makes a workspace that is nobody's personal one, with a first member where one is named.
    pub async fn create_workspace(
        &self,
        name: &str,
        plan: Option<&PlanId>,
        owner: Option<&UserId>,
    ) -> Result<Workspace, StoreError> {
        let workspace = Workspace {
            id: WorkspaceId::generate(self.entropy.as_ref()),
            name: name.to_owned(),
            personal_of: None,
            plan: plan.cloned(),
            status: WorkspaceStatus::default(),
            created_at: self.now(),
        };
        self.store
            .transaction(async |tx| {
                tx.insert_workspace(&workspace).await?;
                if let Some(owner) = owner {
                    tx.join(owner, &workspace.id).await?;
                }
                let event = event("workspace.created", &workspace.id, None);
                tx.audit(Event { user: owner.cloned(), ..event }).await
            })
            .await?;
        Ok(workspace)
    }

    /// Puts a workspace on a plan, or on none. False if there is no such workspace.
    pub async fn set_plan(&self, workspace: &WorkspaceId, plan: Option<&PlanId>) -> Result<bool, StoreError> {
        self.store
            .transaction(async |tx| {
                let done = tx.set_plan(workspace, plan).await?;
                if done {
                    let plan = plan.map_or("none", PlanId::as_str).to_owned();
                    tx.audit(event("workspace.plan", workspace, Some(plan))).await?;
                }
                Ok(done)
            })
            .await
    }

    /// Sets how a workspace stands with its bill. False if there is no such workspace.
    pub async fn set_status(
        &self,
        workspace: &WorkspaceId,
        status: WorkspaceStatus,
    ) -> Result<bool, StoreError> {
        self.store
            .transaction(async |tx| {
                let done = tx.set_status(workspace, status).await?;
                if done {
                    let status = Some(status.label().to_owned());
                    tx.audit(event("workspace.status", workspace, status)).await?;
                }
                Ok(done)
            })
            .await
    }

    /// Makes a user a member. False if they were one already.
    pub async fn add_member(&self, user: &UserId, workspace: &WorkspaceId) -> Result<bool, StoreError> {
        self.store
            .transaction(async |tx| {
                let done = tx.join(user, workspace).await?;
                if done {
                    let event = event("member.added", workspace, None);
                    tx.audit(Event { user: Some(user.clone()), ..event }).await?;
                }
                Ok(done)
            })
            .await
    }
}
