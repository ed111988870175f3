//! Who asks for access, and where the answer would go: what a person must see before allowing anything.

use super::markup::{Markup, Piece};
use super::shell::Shell;

/// How sure we are that a client is who it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientIdentity {
    /// Its identity is a document on this host.
    Verified {
        /// The host, in ASCII form.
        host: String,
    },
    /// The operator registered it by hand.
    Operator,
    /// It registered itself, under a name of its own choosing.
    Unverified,
}

impl ClientIdentity {
    /// Whether somebody other than the client stands for its name.
    pub fn is_verified(&self) -> bool {
        !matches!(self, Self::Unverified)
    }
}

/// A client as pages show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientView {
    /// Its name: cleaned of control characters, at most 64 characters.
    pub name: String,
    /// How sure we are of it.
    pub identity: ClientIdentity,
}

impl ClientView {
    /// The line that says whether the name can be believed.
    pub fn identity_line(&self, shell: &Shell) -> Markup {
        match &self.identity {
            ClientIdentity::Verified { host } => {
                shell.locale.rich("client-verified", &[("host", Piece::Strong(host))])
            }
            ClientIdentity::Operator => {
                shell.locale.rich("client-operator", &[("brand", Piece::Name(&shell.brand.name))])
            }
            ClientIdentity::Unverified => shell.locale.rich("client-unverified", &[]),
        }
    }
}

/// Where a client receives its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A web address.
    Host {
        /// The host, in ASCII form.
        host: String,
        /// The same host in its own script, where that differs.
        unicode: Option<String>,
    },
    /// A program on the person's own computer.
    Loopback {
        /// The host as the client wrote it.
        host: String,
        /// Its port, if named.
        port: Option<u16>,
    },
    /// An app that the system opens by its scheme.
    App {
        /// The whole scheme.
        scheme: String,
    },
}

impl Destination {
    /// Whether only a program on this computer can receive the answer.
    pub fn is_loopback(&self) -> bool {
        matches!(self, Self::Loopback { .. })
    }

    /// The sentence on the authorization page.
    pub fn line(&self, shell: &Shell) -> Markup {
        let locale = shell.locale;
        match self {
            Self::Host { host, unicode: None } => {
                locale.rich("destination-host", &[("host", Piece::Strong(host))])
            }
            Self::Host { host, unicode: Some(unicode) } => locale.rich(
                "destination-host-unicode",
                &[("host", Piece::Strong(host)), ("unicode", Piece::Name(unicode))],
            ),
            Self::Loopback { host, port: None } => {
                locale.rich("destination-loopback", &[("host", Piece::Strong(host))])
            }
            Self::Loopback { host, port: Some(port) } => locale.rich(
                "destination-loopback-port",
                &[("host", Piece::Strong(host)), ("port", Piece::Strong(&port.to_string()))],
            ),
            Self::App { scheme } => {
                locale.rich("destination-app", &[("scheme", Piece::Strong(&format!("{scheme}:")))])
            }
        }
    }

    /// The sentence on the page that sends on.
    pub fn line_back(&self, shell: &Shell) -> Markup {
        let locale = shell.locale;
        match self {
            Self::Host { host, .. } => locale.rich("done-to-host", &[("host", Piece::Strong(host))]),
            Self::Loopback { .. } => locale.rich("done-to-loopback", &[]),
            Self::App { .. } => locale.rich("done-to-app", &[]),
        }
    }

    /// The same in a few words, for lists.
    pub fn short(&self, shell: &Shell) -> Markup {
        let locale = shell.locale;
        match self {
            Self::Host { host, .. } => locale.rich("destination-short-host", &[("host", Piece::Name(host))]),
            Self::Loopback { .. } => locale.rich("destination-short-loopback", &[]),
            Self::App { scheme } => {
                locale.rich("destination-short-app", &[("scheme", Piece::Name(&format!("{scheme}:")))])
            }
        }
    }
}
