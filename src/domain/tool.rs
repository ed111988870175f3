//! What a tool demands of a call, and a resource or a prompt of a read.

use super::pat::Mode;
use super::scope::ScopeSet;

/// What the gateway asks a person to confirm through the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Confirm {
    /// Nothing.
    #[default]
    No,
    /// `confirm: true`.
    Yes,
    /// `confirm: true` and `user_intent`.
    Intent,
}

/// The policy of one tool, resource or prompt, all globs merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolPolicy {
    /// The scopes a call needs.
    pub scopes: ScopeSet,
    /// Other sets of scopes, each of which does as well.
    pub alternatives: Vec<ScopeSet>,
    /// No credential is needed.
    pub public: bool,
    /// The tool's own plan feature, beside the service's.
    pub feature: Option<String>,
    /// The only mode that sees it; none is both.
    pub only_mode: Option<Mode>,
    /// Not there for anybody.
    pub hidden: bool,
    /// It only reads: allowed while a bill is overdue.
    pub read_only: bool,
    /// What has to be confirmed.
    pub confirm: Confirm,
}

impl ToolPolicy {
    /// Every set of scopes that a call may bring, the one that is asked for first.
    pub fn scope_sets(&self) -> impl Iterator<Item = &ScopeSet> {
        std::iter::once(&self.scopes).chain(&self.alternatives)
    }
}
