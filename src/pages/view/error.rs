//! Every page that says no, or not now.

use askama::Template;

use super::guide::Guide;
use super::markup::{Markup, Piece};
use super::shell::Shell;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The authorization request is too old, or was never ours.
    Expired {
        /// The client that has to start again, if still known.
        client: Option<String>,
    },
    /// No such client: its registration is gone, or never was.
    UnknownClient,
    /// The redirect URI is not one of the client's; nobody is sent there.
    BadRedirect {
        /// The client's name.
        client: String,
        /// The URI it asked for, if it named one.
        asked: Option<String>,
        /// Those it registered.
        registered: Vec<String>,
    },
    /// Another fault in the request of a known client with a good redirect URI.
    BadRequest {
        /// The client's name.
        client: String,
        /// The host, or scheme, that the link leads to.
        host: String,
        /// The OAuth error code.
        code: String,
        /// What is wrong, in words of ours.
        description: String,
        /// The verified redirect URI with the error, `state` and `iss`.
        return_to: String,
    },
    /// Something in the request is missing, repeated or damaged.
    Unreadable,
    /// The form did not come from this browser's page.
    Csrf,
    /// Signed in, but this is not theirs.
    Forbidden,
    /// No such page.
    NotFound,
    /// Wrong method.
    MethodNotAllowed,
    /// The form is too large.
    TooLarge,
    /// Too many requests.
    TooMany {
        /// How long to wait.
        retry_after_seconds: i64,
    },
    /// A fault of ours.
    Internal,
    /// A storage or neighbour of ours does not answer; nothing was lost.
    Unavailable,
}

impl ErrorKind {
    /// The HTTP status the page goes with.
    pub fn status(&self) -> u16 {
        match self {
            Self::Expired { .. }
            | Self::UnknownClient
            | Self::BadRedirect { .. }
            | Self::BadRequest { .. }
            | Self::Unreadable => 400,
            Self::Csrf | Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::TooLarge => 413,
            Self::TooMany { .. } => 429,
            Self::Internal => 500,
            Self::Unavailable => 503,
        }
    }

    fn title_key(&self) -> &'static str {
        match self {
            Self::Expired { .. } => "error-title-expired",
            Self::UnknownClient => "error-title-unknown-client",
            Self::BadRedirect { .. } => "error-title-bad-redirect",
            Self::BadRequest { .. } => "error-title-bad-request",
            Self::Unreadable => "error-title-unreadable",
            Self::Csrf => "error-title-csrf",
            Self::Forbidden => "error-title-forbidden",
            Self::NotFound => "error-title-not-found",
            Self::MethodNotAllowed => "error-title-method",
            Self::TooLarge => "error-title-too-large",
            Self::TooMany { .. } => "error-title-too-many",
            Self::Internal => "error-title-internal",
            Self::Unavailable => "error-title-unavailable",
        }
    }
}

/// An error page.
#[derive(Clone, Template)]
#[template(path = "error.html")]
pub struct ErrorPage {
    /// The frame.
    pub shell: Shell,
    /// What went wrong.
    pub kind: ErrorKind,
    /// What support can look for.
    pub request_id: Option<String>,
    /// Where trying again makes sense: a path of ours.
    pub retry_href: Option<String>,
}

impl ErrorPage {
    /// The heading.
    pub fn title(&self) -> String {
        self.shell.t(self.kind.title_key())
    }

    /// What it means and what to do.
    pub fn lead(&self) -> Markup {
        let locale = self.shell.locale;
        match &self.kind {
            ErrorKind::Expired { client: Some(client) } => {
                locale.rich("error-expired-client", &[("client", Piece::Name(client))])
            }
            ErrorKind::Expired { client: None } => locale.rich("error-expired", &[]),
            ErrorKind::UnknownClient => locale.rich("error-unknown-client", &[]),
            ErrorKind::BadRedirect { client, .. } => {
                locale.rich("error-bad-redirect", &[("client", Piece::Name(client))])
            }
            ErrorKind::BadRequest { client, .. } => {
                locale.rich("error-bad-request", &[("client", Piece::Name(client))])
            }
            ErrorKind::Unreadable => locale.rich("error-unreadable", &[]),
            ErrorKind::Csrf => locale.rich("error-csrf", &[]),
            ErrorKind::Forbidden => locale.rich("error-forbidden", &[]),
            ErrorKind::NotFound => locale.rich("error-not-found", &[]),
            ErrorKind::MethodNotAllowed => locale.rich("error-method", &[]),
            ErrorKind::TooLarge => locale.rich("error-too-large", &[]),
            ErrorKind::TooMany { retry_after_seconds } => {
                locale.rich("error-too-many", &[("seconds", Piece::Count(*retry_after_seconds))])
            }
            ErrorKind::Internal => locale.rich("error-internal", &[]),
            ErrorKind::Unavailable => locale.rich("error-unavailable", &[]),
        }
    }

    /// How to connect again in each client, where a lost or stale registration is the likely cause.
    pub fn reconnect(&self) -> Vec<Guide> {
        match self.kind {
            ErrorKind::UnknownClient | ErrorKind::BadRedirect { .. } => {
                Guide::reconnecting(self.shell.locale)
            }
            _ => Vec::new(),
        }
    }

    /// What to tell support.
    pub fn request_line(&self, id: &str) -> Markup {
        self.shell.locale.rich("error-request-id", &[("id", Piece::Code(id))])
    }

    /// The sentence that names where the link with the error leads.
    pub fn host_line(&self, host: &str) -> Markup {
        self.shell.locale.rich("error-bad-request-host", &[("host", Piece::Strong(host))])
    }
}
