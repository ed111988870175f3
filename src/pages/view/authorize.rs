//! The authorization page, in all its states.

use askama::Template;

use super::client::{ClientView, Destination};
use super::login::OidcLink;
use super::markup::{Markup, Piece};
use super::scope::{ScopeView, WorkspaceChoice};
use super::shell::Shell;

/// How somebody who is not signed in can prove who they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignIn {
    /// With a password.
    pub password: bool,
    /// With the company's identity provider.
    pub oidc: Vec<OidcLink>,
    /// With a PAT, for this request alone.
    pub pat: bool,
    /// What a PAT begins with, to help recognise one.
    pub pat_prefix: String,
    /// Where to make an account, if that is open.
    pub signup_href: Option<String>,
}

impl SignIn {
    /// Whether there is an account to sign in to.
    pub fn has_account(&self) -> bool {
        self.password || !self.oidc.is_empty()
    }
}

/// What the form was refused for. A PAT is never said to be unknown, expired or another person's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorizeError {
    /// What was pasted does not look like a token.
    PatMalformed,
    /// It is a token, but of another kind.
    PatOtherKind,
    /// The PAT was not accepted.
    PatRefused,
    /// Too many PATs were tried.
    PatThrottled,
    /// No scope was ticked.
    NothingChosen,
    /// The workspace is not theirs.
    Workspace,
    /// The form was too old, or came from another browser.
    Stale,
}

impl AuthorizeError {
    /// The sentence.
    pub fn text(self, shell: &Shell) -> String {
        shell.t(match self {
            Self::PatMalformed => "authorize-error-pat-malformed",
            Self::PatOtherKind => "authorize-error-pat-other-kind",
            Self::PatRefused => "authorize-error-pat-refused",
            Self::PatThrottled => "authorize-error-pat-throttled",
            Self::NothingChosen => "authorize-error-nothing-chosen",
            Self::Workspace => "authorize-error-workspace",
            Self::Stale => "authorize-error-stale",
        })
    }

    /// The field it is about; the summary links there.
    pub fn field(self) -> Option<&'static str> {
        match self {
            Self::PatMalformed | Self::PatOtherKind | Self::PatRefused | Self::PatThrottled => Some("pat"),
            Self::NothingChosen => Some("scopes"),
            Self::Workspace => Some("workspace"),
            Self::Stale => None,
        }
    }
}

/// Why there is nothing this person could allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// Their workspace's plan does not include the service.
    Plan {
        /// Where to get one that does; a page of the operator.
        upgrade_href: Option<String>,
    },
    /// None of what is asked exists for this person.
    Scopes,
}

impl Nothing {
    /// The sentence.
    pub fn line(&self, page: &AuthorizePage) -> Markup {
        page.said(match self {
            Self::Plan { .. } => "authorize-nothing-plan",
            Self::Scopes => "authorize-nothing-scopes",
        })
    }

    /// Where a plan that includes the service can be had.
    pub fn upgrade_href(&self) -> Option<&str> {
        match self {
            Self::Plan { upgrade_href } => upgrade_href.as_deref(),
            Self::Scopes => None,
        }
    }
}

/// How long access lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessTerm {
    /// It ends after so many days without use.
    pub idle_days: i64,
    /// It ends then in any case.
    pub until_ms: i64,
}

/// What a person who knows the protocol wants to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TechnicalDetails {
    /// The client's id.
    pub client_id: String,
    /// The whole redirect URI, shown as text.
    pub redirect_uri: String,
    /// The service's resource URL.
    pub resource: String,
    /// The `scope` parameter as sent.
    pub requested_scope: String,
    /// The code challenge's method.
    pub code_challenge_method: String,
    /// When the client was registered, if it was.
    pub registered_at: Option<i64>,
}

/// Allow, or do not allow. Signed in or out by `shell.user`.
#[derive(Clone, Template)]
#[template(path = "authorize.html")]
pub struct AuthorizePage {
    /// The frame.
    pub shell: Shell,
    /// Where the form goes: the issuer's authorization endpoint.
    pub action: String,
    /// The request this page is about.
    pub transaction: String,
    /// Our own host, so that the person can compare it with the address bar.
    pub origin: String,
    /// The name of the service that would be used.
    pub service: String,
    /// Who asks.
    pub client: ClientView,
    /// When this person last connected this client; known only when signed in.
    pub last_connected_at: Option<i64>,
    /// Where the answer goes.
    pub destination: Destination,
    /// The ways to prove who one is; used when signed out.
    pub sign_in: SignIn,
    /// What can be allowed.
    pub scopes: Vec<ScopeView>,
    /// What an earlier consent allowed already; shown folded, sent along.
    pub already: Vec<ScopeView>,
    /// The workspaces to choose from; shown when there are several.
    pub workspaces: Vec<WorkspaceChoice>,
    /// How long access lasts.
    pub term: AccessTerm,
    /// Whether this person allowed exactly this before: the short page.
    pub repeat: bool,
    /// Why nothing can be allowed, if so.
    pub nothing: Option<Nothing>,
    /// When this request ends.
    pub expires_at: i64,
    /// The folded details.
    pub details: TechnicalDetails,
    /// What the last attempt was refused for.
    pub error: Option<AuthorizeError>,
}

impl AuthorizePage {
    /// The question: who wants to use what. An unverified name stands in quotes.
    pub fn heading(&self) -> Markup {
        let verified = self.client.identity.is_verified();
        let key = match (self.nothing.is_some(), self.repeat, verified) {
            (true, _, true) => "authorize-heading-nothing",
            (true, _, false) => "authorize-heading-nothing-unverified",
            (false, true, true) => "authorize-heading-repeat",
            (false, true, false) => "authorize-heading-repeat-unverified",
            (false, false, true) => "authorize-heading",
            (false, false, false) => "authorize-heading-unverified",
        };
        self.said(key)
    }

    /// The question without elements, for the window's title.
    pub fn title(&self) -> String {
        self.shell.locale.args(
            "authorize-title",
            &[("client", self.client.name.as_str().into()), ("service", self.service.as_str().into())],
        )
    }

    /// A sentence about the client and the service.
    pub fn said(&self, key: &str) -> Markup {
        self.shell
            .locale
            .rich(key, &[("client", Piece::Name(&self.client.name)), ("service", Piece::Name(&self.service))])
    }

    /// Whether the client was connected before.
    pub fn history_line(&self) -> Markup {
        match &self.last_connected_at {
            Some(at) => self
                .shell
                .locale
                .rich("authorize-connected-before", &[("when", Piece::Html(&self.shell.when(*at)))]),
            None => self.shell.locale.rich("authorize-first-time", &[]),
        }
    }

    /// How long access lasts.
    pub fn term_line(&self) -> Markup {
        self.shell.locale.rich(
            "authorize-term",
            &[
                ("days", Piece::Count(self.term.idle_days)),
                ("date", Piece::Html(&self.shell.date(self.term.until_ms))),
            ],
        )
    }

    /// Until when the page can be answered.
    pub fn expiry_line(&self) -> Markup {
        self.shell.locale.rich(
            "authorize-expires",
            &[
                ("time", Piece::Html(&self.shell.clock(self.expires_at))),
                ("client", Piece::Name(&self.client.name)),
            ],
        )
    }

    /// Where the person is.
    pub fn origin_line(&self) -> Markup {
        self.shell.locale.rich("authorize-origin", &[("origin", Piece::Strong(&self.origin))])
    }

    /// What a PAT begins with.
    pub fn pat_hint(&self) -> Markup {
        self.shell
            .locale
            .rich("authorize-pat-hint", &[("prefix", Piece::Code(&format!("{}…", self.sign_in.pat_prefix)))])
    }

    /// As whom access would be given.
    pub fn signed_in_line(&self, name: &str) -> Markup {
        self.shell.locale.rich("signed-in-as", &[("name", Piece::Strong(name))])
    }

    /// Whether the refusal was about this field.
    pub fn faults(&self, field: &str) -> bool {
        self.error.is_some_and(|error| error.field() == Some(field))
    }

    /// Whether the form on the page is answered with a PAT.
    pub fn by_pat(&self) -> bool {
        self.shell.user.is_none() && self.sign_in.pat
    }
}
