//! The endpoint and how to connect each client to it.

use askama::Template;

use super::super::guide::{Guide, ServiceView};
use super::super::markup::{Markup, Piece};
use super::super::shell::Shell;
use super::tab::SettingsTab;

/// Connect a client.
#[derive(Clone, Template)]
#[template(path = "settings/connect.html")]
pub struct ConnectPage {
    /// The frame.
    pub shell: Shell,
    /// The brand's services.
    pub services: Vec<ServiceView>,
}

impl ConnectPage {
    const TAB: SettingsTab = SettingsTab::Connect;

    /// How to connect each client to a service.
    pub fn guides(&self, service: &ServiceView) -> Vec<Guide> {
        Guide::connecting(self.shell.locale, service)
    }

    /// How to prove who one is.
    pub fn ways(&self, service: &ServiceView) -> Markup {
        let tokens = self.shell.t("connect-make-token");
        let link = Piece::Link("/settings/tokens/new", &tokens);
        match (service.oauth, &service.pat_prefix) {
            (true, Some(_)) => self.shell.locale.rich("connect-ways-both", &[("token", link)]),
            (false, Some(_)) => self.shell.locale.rich("connect-ways-token", &[("token", link)]),
            (_, None) => self.shell.locale.rich("connect-ways-sign-in", &[]),
        }
    }
}
