//! The list of personal access tokens.

use askama::Template;

use super::super::markup::{Markup, Piece};
use super::super::shell::Shell;
use super::tab::SettingsTab;

const DAY: i64 = 86_400_000;
/// From so many days before its end a token's card warns.
const SOON: i64 = 14;

/// A connection that hangs on a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppRef {
    /// The grant's id.
    pub grant: String,
    /// The client's name.
    pub client: String,
    /// The service's name.
    pub service: String,
    /// When it was allowed.
    pub allowed_at: i64,
}

/// One token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenCard {
    /// Its id.
    pub id: String,
    /// The name its owner gave it.
    pub name: String,
    /// Its prefix and last four characters.
    pub hint: String,
    /// What it allows, as sentences.
    pub scopes: Vec<String>,
    /// The workspace it acts in; shown when the person has several.
    pub workspace: Option<String>,
    /// Whether it is a test token.
    pub test: bool,
    /// When it was made.
    pub created_at: i64,
    /// When it was last used.
    pub last_used_at: Option<i64>,
    /// When it ends, if it does.
    pub expires_at: Option<i64>,
    /// The connections authorized with it.
    pub apps: Vec<AppRef>,
}

impl TokenCard {
    /// Whether it has run out.
    pub fn is_expired(&self, shell: &Shell) -> bool {
        self.expires_at.is_some_and(|at| at <= shell.now_ms)
    }

    /// Whether it runs out soon.
    pub fn expires_soon(&self, shell: &Shell) -> bool {
        self.expires_at.is_some_and(|at| at > shell.now_ms && at - shell.now_ms <= SOON * DAY)
    }

    /// When it ends, in words.
    pub fn expiry(&self, shell: &Shell) -> Markup {
        match &self.expires_at {
            None => shell.locale.rich("token-never-expires", &[]),
            Some(at) if self.is_expired(shell) => {
                shell.locale.rich("token-expired", &[("when", Piece::Html(&shell.when(*at)))])
            }
            Some(at) => shell.locale.rich("token-expires", &[("when", Piece::Html(&shell.when(*at)))]),
        }
    }
}

/// What just happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokensNotice {
    /// A token was revoked.
    Revoked {
        /// Its name.
        name: String,
        /// The clients that were disconnected with it.
        clients: Vec<String>,
    },
    /// A token's page was asked for again; its value is not kept.
    ValueGone,
}

/// Personal access tokens.
#[derive(Clone, Template)]
#[template(path = "settings/tokens.html")]
pub struct TokensPage {
    /// The frame.
    pub shell: Shell,
    /// The tokens: those that end soon first, then the newest, expired ones last.
    pub tokens: Vec<TokenCard>,
    /// What just happened.
    pub notice: Option<TokensNotice>,
    /// Whether another one may be made.
    pub can_create: bool,
}

impl TokensPage {
    const TAB: SettingsTab = SettingsTab::Tokens;

    /// What just happened, in words.
    pub fn notice_line(&self, notice: &TokensNotice) -> Markup {
        let locale = self.shell.locale;
        match notice {
            TokensNotice::ValueGone => locale.rich("tokens-notice-value-gone", &[]),
            TokensNotice::Revoked { name, clients } if clients.is_empty() => {
                locale.rich("tokens-notice-revoked", &[("name", Piece::Name(name))])
            }
            TokensNotice::Revoked { name, clients } => {
                let names: Vec<&str> = clients.iter().map(String::as_str).collect();
                locale.rich(
                    "tokens-notice-revoked-apps",
                    &[
                        ("name", Piece::Name(name)),
                        ("count", Piece::Count(i64::try_from(names.len()).unwrap_or(i64::MAX))),
                        ("apps", Piece::Name(&locale.list(&names))),
                    ],
                )
            }
        }
    }
}
