//! The form for a new personal access token.

use askama::Template;

use super::super::markup::{Markup, Piece};
use super::super::scope::{ScopeGroup, WorkspaceChoice};
use super::super::shell::Shell;
use super::tab::SettingsTab;

const DAY: i64 = 86_400_000;

/// When a token ends: the choices of the form's `expires` field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// Works until it is revoked.
    Never,
    /// After so many days.
    Days(u16),
    /// On the day in the form's `expires_on` field.
    Custom,
}

impl Expiry {
    /// The choices a brand's limits leave.
    pub fn offered(never: bool, max_days: Option<u16>) -> Vec<Self> {
        let fits = |days: &u16| max_days.is_none_or(|max| *days <= max);
        let days = [7, 30, 90, 365].into_iter().filter(fits).map(Self::Days);
        never.then_some(Self::Never).into_iter().chain(days).chain([Self::Custom]).collect()
    }

    /// The field's value.
    pub fn value(self) -> String {
        match self {
            Self::Never => "never".to_owned(),
            Self::Days(days) => format!("{days}d"),
            Self::Custom => "custom".to_owned(),
        }
    }

    /// The choice in words, with the day it comes to.
    pub fn label(self, shell: &Shell) -> Markup {
        match self {
            Self::Never => shell.locale.rich("expiry-never", &[]),
            Self::Days(days) => shell.locale.rich(
                "expiry-days",
                &[
                    ("days", Piece::Count(i64::from(days))),
                    ("date", Piece::Html(&shell.date(shell.now_ms + i64::from(days) * DAY))),
                ],
            ),
            Self::Custom => shell.locale.rich("expiry-custom", &[]),
        }
    }
}

/// Live data, or a test run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenMode {
    /// The real thing.
    Live,
    /// No outside effects, no charge.
    Test,
}

/// What the form was refused for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenFormError {
    /// No name.
    NameMissing,
    /// A name of more than 64 characters.
    NameTooLong,
    /// No scope ticked.
    ScopesMissing,
    /// A day that is none, or has passed.
    ExpiryInvalid,
    /// Later than the brand allows.
    ExpiryTooLate {
        /// The most days allowed.
        max_days: i64,
    },
    /// The workspace is not theirs.
    Workspace,
    /// As many tokens as one may have.
    LimitReached,
    /// The form was too old, or came from another browser.
    Stale,
}

impl TokenFormError {
    /// The sentence.
    pub fn text(self, shell: &Shell) -> String {
        match self {
            Self::NameMissing => shell.t("token-error-name-missing"),
            Self::NameTooLong => shell.t("token-error-name-too-long"),
            Self::ScopesMissing => shell.t("token-error-scopes-missing"),
            Self::ExpiryInvalid => shell.t("token-error-expiry-invalid"),
            Self::ExpiryTooLate { max_days } => {
                shell.locale.t1("token-error-expiry-too-late", "days", max_days)
            }
            Self::Workspace => shell.t("token-error-workspace"),
            Self::LimitReached => shell.t("token-error-limit"),
            Self::Stale => shell.t("login-error-stale"),
        }
    }

    /// The field it is about; the summary links there.
    pub fn field(self) -> Option<&'static str> {
        match self {
            Self::NameMissing | Self::NameTooLong => Some("name"),
            Self::ScopesMissing => Some("scopes"),
            Self::ExpiryInvalid | Self::ExpiryTooLate { .. } => Some("expires"),
            Self::Workspace => Some("workspace"),
            Self::LimitReached | Self::Stale => None,
        }
    }
}

/// Make a token.
#[derive(Clone, Template)]
#[template(path = "settings/token_new.html")]
pub struct TokenNewPage {
    /// The frame.
    pub shell: Shell,
    /// The name as typed.
    pub name: String,
    /// The choices of when it ends; see [`Expiry::offered`].
    pub expiries: Vec<Expiry>,
    /// The one chosen.
    pub expires: Expiry,
    /// The day as typed, `YYYY-MM-DD`.
    pub expires_on: String,
    /// What it can allow.
    pub groups: Vec<ScopeGroup>,
    /// The workspaces to choose from; shown when there are several.
    pub workspaces: Vec<WorkspaceChoice>,
    /// Live or test, where the brand tells them apart.
    pub mode: Option<TokenMode>,
    /// What the last attempt was refused for.
    pub errors: Vec<TokenFormError>,
}

impl TokenNewPage {
    const TAB: SettingsTab = SettingsTab::Tokens;

    /// What this field was refused for.
    pub fn fault(&self, field: &str) -> Option<String> {
        self.errors.iter().find(|error| error.field() == Some(field)).map(|error| error.text(&self.shell))
    }

    /// Whether this choice is the one made.
    pub fn chose(&self, expiry: &Expiry) -> bool {
        self.expires == *expiry
    }
}
