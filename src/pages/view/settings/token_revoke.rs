//! The question before a token is revoked, with everything that ends with it.

use askama::Template;

use super::super::markup::{Markup, Piece};
use super::super::shell::Shell;
use super::tab::SettingsTab;
use super::tokens::{AppRef, TokenCard};

/// Revoke this token?
#[derive(Clone, Template)]
#[template(path = "settings/token_revoke.html")]
pub struct TokenRevokePage {
    /// The frame.
    pub shell: Shell,
    /// The token, with exactly the connections that end.
    pub token: TokenCard,
}

impl TokenRevokePage {
    const TAB: SettingsTab = SettingsTab::Tokens;

    /// Since when a connection stands, and to what.
    pub fn app_line(&self, app: &AppRef) -> Markup {
        self.shell.locale.rich(
            "revoke-app",
            &[
                ("client", Piece::Strong(&app.client)),
                ("service", Piece::Name(&app.service)),
                ("when", Piece::Html(&self.shell.when(app.allowed_at))),
            ],
        )
    }
}
