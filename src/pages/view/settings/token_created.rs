//! A new token, shown this once.

use askama::Template;

use super::super::guide::{Guide, ServiceView};
use super::super::markup::{Markup, Piece};
use super::super::shell::Shell;
use super::tab::SettingsTab;

/// The token just made. Holds the secret: it is rendered once and never logged, so it has no `Debug`.
#[derive(Clone, Template)]
#[template(path = "settings/token_created.html")]
pub struct TokenCreatedPage {
    /// The frame.
    pub shell: Shell,
    /// The name its owner gave it.
    pub name: String,
    /// The secret.
    pub token: String,
    /// When it ends, if it does.
    pub expires_at: Option<i64>,
    /// The services that accept it.
    pub services: Vec<ServiceView>,
}

impl TokenCreatedPage {
    const TAB: SettingsTab = SettingsTab::Tokens;

    /// Where the token goes in each client.
    pub fn guides(&self, service: &ServiceView) -> Vec<Guide> {
        Guide::with_token(self.shell.locale, service, &self.token)
    }

    /// How long it works.
    pub fn expiry_line(&self) -> Markup {
        match &self.expires_at {
            None => self.shell.locale.rich("token-created-never", &[]),
            Some(at) => {
                self.shell.locale.rich("token-created-until", &[("date", Piece::Html(&self.shell.date(*at)))])
            }
        }
    }
}
