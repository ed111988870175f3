//! The sections of the settings and the trail above them.

use super::super::markup::{Markup, Piece};
use super::super::shell::Shell;

/// A section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsTab {
    /// How to connect a client.
    Connect,
    /// Personal access tokens.
    Tokens,
    /// Authorized apps.
    Apps,
}

impl SettingsTab {
    /// The sections in their order.
    pub const ALL: [Self; 3] = [Self::Connect, Self::Tokens, Self::Apps];

    /// Where it is.
    pub fn href(self) -> &'static str {
        match self {
            Self::Connect => "/settings/connect",
            Self::Tokens => "/settings/tokens",
            Self::Apps => "/settings/apps",
        }
    }

    /// What it is called.
    pub fn label(self, shell: &Shell) -> String {
        shell.t(match self {
            Self::Connect => "tab-connect",
            Self::Tokens => "tab-tokens",
            Self::Apps => "tab-apps",
        })
    }

    /// Settings › Developers › MCP, the last of them a link.
    pub fn trail(shell: &Shell) -> Markup {
        shell.locale.rich("settings-trail", &[("mcp", Piece::Link(Self::Connect.href(), "MCP"))])
    }
}
