//! What may be allowed, in words and grouped by service.

use super::shell::Shell;

/// What a scope lets a client do, as one word beside its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// Only looks.
    Read,
    /// Changes or adds.
    Change,
    /// Removes for good.
    Delete,
}

impl ScopeKind {
    /// The word.
    pub fn label(self, shell: &Shell) -> String {
        shell.t(match self {
            Self::Read => "scope-read",
            Self::Change => "scope-change",
            Self::Delete => "scope-delete",
        })
    }

    /// The class that colours the word.
    pub fn class(self) -> &'static str {
        match self {
            Self::Read => "badge",
            Self::Change => "badge badge-change",
            Self::Delete => "badge badge-delete",
        }
    }

    /// Whether the word comes with a warning sign.
    pub fn warns(self) -> bool {
        self == Self::Delete
    }
}

/// One scope as a check box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeView {
    /// The scope itself, the box's value.
    pub id: String,
    /// What it allows, as a sentence in the page's language.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// The word beside it, if known.
    pub kind: Option<ScopeKind>,
    /// Whether the box is ticked.
    pub checked: bool,
}

/// The scopes of one service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeGroup {
    /// The service's name.
    pub service: String,
    /// Its scopes, in the configuration's order, sensitive ones last.
    pub scopes: Vec<ScopeView>,
}

/// A workspace to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceChoice {
    /// Its id, the option's value.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Whether it is the one preselected.
    pub selected: bool,
}
