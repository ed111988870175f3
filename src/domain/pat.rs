//! Personal access tokens.

use super::clock::Timestamp;
use super::ids::{BrandId, PatId, UserId, WorkspaceId};
use super::scope::ScopeSet;

/// Live or test: test tokens do not see tools with outside effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum Mode {
    /// The real thing.
    #[default]
    Live,
    /// For trying.
    Test,
}

impl Mode {
    /// The stored and displayed word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }

    /// The mode of a word.
    pub fn from_label(label: &str) -> Option<Self> {
        [Self::Live, Self::Test].into_iter().find(|mode| mode.label() == label)
    }
}

/// A personal access token's row; the secret is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pat {
    /// Its id.
    pub id: PatId,
    /// Whose it is.
    pub user: UserId,
    /// The workspace it acts for.
    pub workspace: WorkspaceId,
    /// The brand that accepts it.
    pub brand: BrandId,
    /// The name its owner gave it.
    pub name: String,
    /// What it may reach.
    pub scopes: ScopeSet,
    /// Live or test.
    pub mode: Mode,
    /// Prefix and last four characters.
    pub hint: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends by itself; `None` is never.
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to about a minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was ended, if it was.
    pub ended_at: Option<Timestamp>,
}

impl Pat {
    /// True if the row itself has neither ended nor expired.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.ended_at.is_none() && self.expires_at.is_none_or(|at| now < at)
    }
}
