//! Grants: one connection each, what one consent allowed.

use super::clock::Timestamp;
use super::ids::{BrandId, ClientId, GrantId, PatId, ServiceId, UserId, WorkspaceId};
use super::pat::Mode;
use super::scope::ScopeSet;

/// Why a grant or a token ended. Shown to its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The user disconnected it.
    User,
    /// The operator ended it by command or API.
    Operator,
    /// The client revoked its refresh token (RFC 7009).
    Client,
    /// A consumed refresh token was presented again.
    RefreshReuse,
    /// An authorization code was redeemed again.
    CodeReplay,
    /// Somebody who had it reported it as leaked.
    Leaked,
}

impl EndReason {
    const ALL: [Self; 6] =
        [Self::User, Self::Operator, Self::Client, Self::RefreshReuse, Self::CodeReplay, Self::Leaked];

    /// The stored word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Operator => "operator",
            Self::Client => "client",
            Self::RefreshReuse => "refresh_reuse",
            Self::CodeReplay => "code_replay",
            Self::Leaked => "leaked",
        }
    }

    /// The reason of a stored word.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.label() == label)
    }
}

/// One connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Its id.
    pub id: GrantId,
    /// Who allowed it.
    pub user: UserId,
    /// The workspace it acts for.
    pub workspace: WorkspaceId,
    /// To whom.
    pub client: ClientId,
    /// The one service it reaches.
    pub service: ServiceId,
    /// That service's brand.
    pub brand: BrandId,
    /// What was allowed.
    pub scopes: ScopeSet,
    /// The personal access token that proved identity, if one did: when it ends, this ends.
    pub pat: Option<PatId>,
    /// Live or test, taken over from that token.
    pub mode: Mode,
    /// When it was allowed.
    pub created_at: Timestamp,
    /// Its absolute end.
    pub expires_at: Timestamp,
    /// When it was last used, to about a minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was ended itself, if it was; what hangs above may have ended it too.
    pub ended_at: Option<Timestamp>,
    /// Why it was ended.
    pub ended_reason: Option<EndReason>,
}
