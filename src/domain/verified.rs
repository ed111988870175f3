//! What is known of a credential once its whole chain was read.

use std::sync::Arc;

use super::change::{Change, ChangeKind};
use super::clock::Timestamp;
use super::ids::{BrandId, ClientId, GrantId, PatId, PlanId, ServiceId, UserId, WorkspaceId};
use super::pat::Mode;
use super::scope::ScopeSet;
use super::secret::Digest;
use super::workspace::WorkspaceStatus;

/// The kinds of credential a call can carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// Personal access token.
    Pat,
    /// OAuth access token.
    Oauth,
    /// A JWT of the company's own issuer.
    Jwt,
    /// None at all.
    Anonymous,
}

impl TokenKind {
    /// The word that workers and logs see.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Pat => "pat",
            Self::Oauth => "oauth",
            Self::Jwt => "jwt",
            Self::Anonymous => "anonymous",
        }
    }
}

/// A live credential: token, grant, PAT, user, membership and client were all alive when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Pat, Oauth or Jwt.
    pub kind: TokenKind,
    /// The PAT presented, or the one that authorized the grant.
    pub pat: Option<PatId>,
    /// The grant, for OAuth tokens.
    pub grant: Option<GrantId>,
    /// The client of the grant.
    pub client: Option<ClientId>,
    /// Whose it is.
    pub user: UserId,
    /// The company's own id of that user.
    pub subject: Option<String>,
    /// The workspace it acts for.
    pub workspace: WorkspaceId,
    /// The brand that issued it.
    pub brand: BrandId,
    /// The audience: the one service of the grant; none for a PAT, which every service of the brand accepts.
    pub service: Option<ServiceId>,
    /// Effective scopes: the intersection down the chain.
    pub scopes: ScopeSet,
    /// Live or test.
    pub mode: Mode,
    /// The workspace's plan.
    pub plan: Option<PlanId>,
    /// The workspace's status.
    pub status: WorkspaceStatus,
    /// When it was issued.
    pub issued_at: Timestamp,
    /// Effective expiry: the earliest down the chain; none for a PAT that never expires.
    pub expires_at: Option<Timestamp>,
    /// The access token's digest, so that its own revocation finds it.
    pub access: Option<Digest>,
}

impl Verified {
    /// True until the effective expiry.
    pub fn is_current(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|at| now < at)
    }

    /// Whose it is where calls and sessions are told apart: a connection is one principal and a personal token another,
    /// also of the same person; a token that was refreshed is still its connection's. Of another issuer's token it is
    /// the person in a workspace.
    pub fn principal(&self) -> String {
        match (self.kind, &self.grant, &self.pat) {
            (TokenKind::Oauth, Some(grant), _) => format!("grant {grant}"),
            (TokenKind::Pat, _, Some(pat)) => format!("pat {pat}"),
            _ => format!("{} {} {}", self.kind.label(), self.user, self.workspace),
        }
    }

    /// Puts what `one` gives for the identifiers that other credentials have too in their place.
    pub fn share(&mut self, one: &impl Fn(&Arc<str>) -> Arc<str>) {
        self.user.share(one);
        self.workspace.share(one);
        self.brand.share(one);
        self.pat.iter_mut().for_each(|id| id.share(one));
        self.client.iter_mut().for_each(|id| id.share(one));
        self.service.iter_mut().for_each(|id| id.share(one));
        self.plan.iter_mut().for_each(|id| id.share(one));
    }

    /// Every change that touches this credential.
    pub fn touched_by(&self) -> Vec<Change> {
        let mut keys = vec![
            Change::new(ChangeKind::User, &self.user),
            Change::new(ChangeKind::Workspace, &self.workspace),
            Change::new(ChangeKind::Membership, format!("{}/{}", self.user, self.workspace)),
        ];
        keys.extend(self.pat.iter().map(|id| Change::new(ChangeKind::Pat, id)));
        keys.extend(self.grant.iter().map(|id| Change::new(ChangeKind::Grant, id)));
        keys.extend(self.client.iter().map(|id| Change::new(ChangeKind::Client, id)));
        keys.extend(self.access.iter().map(|digest| Change::new(ChangeKind::Access, digest.to_hex())));
        keys
    }
}
