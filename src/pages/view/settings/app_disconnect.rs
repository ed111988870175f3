//! The question before a connection is ended.

use askama::Template;

use super::super::client::ClientView;
use super::super::markup::{Markup, Piece};
use super::super::shell::Shell;
use super::apps::Connection;
use super::tab::SettingsTab;

/// Disconnect this?
#[derive(Clone, Template)]
#[template(path = "settings/app_disconnect.html")]
pub struct AppDisconnectPage {
    /// The frame.
    pub shell: Shell,
    /// The client.
    pub client: ClientView,
    /// The connection that would end.
    pub connection: Connection,
}

impl AppDisconnectPage {
    const TAB: SettingsTab = SettingsTab::Apps;

    /// A sentence about the client and the service.
    pub fn said(&self, key: &str) -> Markup {
        self.shell.locale.rich(
            key,
            &[("client", Piece::Name(&self.client.name)), ("service", Piece::Name(&self.connection.service))],
        )
    }
}
