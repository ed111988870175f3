//! Authorized apps: what is connected, and what was and why it ended.

use askama::Template;

use super::super::client::{ClientView, Destination};
use super::super::markup::{Markup, Piece};
use super::super::shell::Shell;
use super::tab::SettingsTab;

/// The token a connection was authorized with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRef {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its prefix and last four characters.
    pub hint: String,
}

/// One connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The grant's id.
    pub grant: String,
    /// The service's name.
    pub service: String,
    /// What it may do, as sentences.
    pub scopes: Vec<String>,
    /// The workspace it acts in; shown when the person has several.
    pub workspace: Option<String>,
    /// Where its answer went, which tells one installation from another.
    pub destination: Destination,
    /// When it was allowed.
    pub allowed_at: i64,
    /// When it was last used.
    pub last_used_at: Option<i64>,
    /// When it ends in any case.
    pub expires_at: i64,
    /// The token it hangs on.
    pub token: Option<TokenRef>,
    /// How often a lost refresh answer was recovered.
    pub recoveries: i64,
}

impl Connection {
    /// The token it hangs on, linked to its card.
    pub fn token_line(&self, shell: &Shell, token: &TokenRef) -> Markup {
        let href = format!("/settings/tokens#token-{}", token.id);
        shell.locale.rich(
            "connection-token",
            &[("token", Piece::Link(&href, &token.name)), ("hint", Piece::Code(&token.hint))],
        )
    }
}

/// The connections of one client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppGroup {
    /// The client.
    pub client: ClientView,
    /// Its connections, newest first.
    pub connections: Vec<Connection>,
}

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The person disconnected it.
    Person,
    /// The client gave its access back.
    Client,
    /// The token it hung on was revoked.
    TokenRevoked {
        /// The token's name.
        token: String,
    },
    /// The token it hung on ran out.
    TokenExpired {
        /// The token's name.
        token: String,
    },
    /// An old credential was used again.
    Reuse,
    /// One of its credentials was reported as leaked.
    Leaked,
    /// Not used for too long.
    Unused,
    /// As old as a connection may become.
    TooOld,
    /// The client was taken out of service.
    ClientRemoved,
    /// The operator ended it.
    Operator,
    /// The person left the workspace.
    WorkspaceLeft,
    /// The service no longer exists.
    ServiceRemoved,
}

impl EndReason {
    /// The sentence.
    pub fn line(&self, shell: &Shell) -> Markup {
        let (key, token) = match self {
            Self::Person => ("end-person", None),
            Self::Client => ("end-client", None),
            Self::TokenRevoked { token } => ("end-token-revoked", Some(token)),
            Self::TokenExpired { token } => ("end-token-expired", Some(token)),
            Self::Reuse => ("end-reuse", None),
            Self::Leaked => ("end-leaked", None),
            Self::Unused => ("end-unused", None),
            Self::TooOld => ("end-too-old", None),
            Self::ClientRemoved => ("end-client-removed", None),
            Self::Operator => ("end-operator", None),
            Self::WorkspaceLeft => ("end-workspace-left", None),
            Self::ServiceRemoved => ("end-service-removed", None),
        };
        match token {
            Some(token) => shell.locale.rich(key, &[("token", Piece::Name(token))]),
            None => shell.locale.rich(key, &[]),
        }
    }
}

/// A connection that is no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedConnection {
    /// The client's name.
    pub client: String,
    /// The service's name.
    pub service: String,
    /// When it ended.
    pub ended_at: i64,
    /// Why.
    pub reason: EndReason,
}

impl EndedConnection {
    /// Whether the person should look into it.
    pub fn warns(&self) -> bool {
        matches!(self.reason, EndReason::Reuse | EndReason::Leaked)
    }
}

/// What just happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppsNotice {
    /// A connection was ended.
    Disconnected {
        /// The client's name.
        client: String,
        /// The service's name.
        service: String,
    },
}

/// Authorized apps.
#[derive(Clone, Template)]
#[template(path = "settings/apps.html")]
pub struct AppsPage {
    /// The frame.
    pub shell: Shell,
    /// What is connected, by client.
    pub groups: Vec<AppGroup>,
    /// What ended in the last 90 days, newest first.
    pub ended: Vec<EndedConnection>,
    /// What just happened.
    pub notice: Option<AppsNotice>,
}

impl AppsPage {
    const TAB: SettingsTab = SettingsTab::Apps;

    /// What just happened, in words.
    pub fn notice_line(&self, notice: &AppsNotice) -> Markup {
        let AppsNotice::Disconnected { client, service } = notice;
        self.shell.locale.rich(
            "apps-notice-disconnected",
            &[("client", Piece::Name(client)), ("service", Piece::Name(service))],
        )
    }

    /// The link that ends a connection, told apart from the other ones by its words.
    pub fn disconnect_label(&self, group: &AppGroup, connection: &Connection) -> Markup {
        self.shell.locale.rich(
            "apps-disconnect",
            &[("client", Piece::Name(&group.client.name)), ("service", Piece::Name(&connection.service))],
        )
    }

    /// Why it ended.
    pub fn reason_line(&self, ended: &EndedConnection) -> Markup {
        ended.reason.line(&self.shell)
    }

    /// What ended and when.
    pub fn ended_line(&self, ended: &EndedConnection) -> Markup {
        self.shell.locale.rich(
            "apps-ended-line",
            &[
                ("client", Piece::Strong(&ended.client)),
                ("service", Piece::Name(&ended.service)),
                ("when", Piece::Html(&self.shell.when(ended.ended_at))),
            ],
        )
    }
}
