//! Workspaces: what a plan is paid for and what data belongs to.

use super::clock::Timestamp;
use super::ids::{PlanId, UserId, WorkspaceId};

/// How a workspace stands with its bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WorkspaceStatus {
    /// Paid.
    #[default]
    Active,
    /// In trial; the same as active for every decision.
    Trialing,
    /// Overdue: may read, not write.
    PastDue,
    /// No access.
    Inactive,
}

impl WorkspaceStatus {
    /// Every status, in the order help texts show them.
    pub const ALL: [Self; 4] = [Self::Active, Self::Trialing, Self::PastDue, Self::Inactive];

    /// The stored and displayed word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Trialing => "trialing",
            Self::PastDue => "past_due",
            Self::Inactive => "inactive",
        }
    }

    /// The status of a word.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.label() == label)
    }
}

/// A workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// Its id.
    pub id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// The user whose personal workspace it is, if it is one.
    pub personal_of: Option<UserId>,
    /// The plan it is on, if any.
    pub plan: Option<PlanId>,
    /// How it stands with its bill.
    pub status: WorkspaceStatus,
    /// When it was made.
    pub created_at: Timestamp,
}
