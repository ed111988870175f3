//! What a service demands of every call, as far as the decision needs it.

use super::ids::{BrandId, ServiceId};
use super::scope::ScopeSet;

/// Which tools `tools/list` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ListMode {
    /// Exactly those the caller may use (and locked ones where shown).
    #[default]
    Granted,
    /// Also those that only a scope is missing for.
    All,
}

/// What happens to tools the plan does not include.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LockedMode {
    /// Listed and marked; a call says 402.
    #[default]
    Show,
    /// As if they did not exist.
    Hide,
}

/// The policy of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServicePolicy {
    /// Its id.
    pub id: ServiceId,
    /// Its brand.
    pub brand: BrandId,
    /// The plan feature every request needs.
    pub feature: Option<String>,
    /// The scopes it declares, in order.
    pub scopes: ScopeSet,
    /// Those a client gets when it names none; what a tool no policy names needs.
    pub default_scopes: ScopeSet,
    /// Which tools are listed.
    pub list: ListMode,
    /// What happens to tools the plan does not include.
    pub locked: LockedMode,
}
