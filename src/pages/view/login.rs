//! The sign-in page.

use askama::Template;

use super::shell::Shell;

/// Another way to sign in: the company's own identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcLink {
    /// The provider's name.
    pub name: String,
    /// Where signing in there starts.
    pub href: String,
}

/// Why signing in did not work. None says whether the address exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginError {
    /// Address or password is wrong, or the account is closed.
    Wrong,
    /// Too many attempts.
    Throttled,
    /// The form was too old, or came from another browser.
    Stale,
    /// The identity provider said no, or something unreadable.
    Provider,
}

impl LoginError {
    /// The sentence.
    pub fn text(self, shell: &Shell) -> String {
        shell.t(match self {
            Self::Wrong => "login-error-wrong",
            Self::Throttled => "login-error-throttled",
            Self::Stale => "login-error-stale",
            Self::Provider => "login-error-provider",
        })
    }
}

/// Sign in, with or without a client waiting.
#[derive(Clone, Template)]
#[template(path = "login.html")]
pub struct LoginPage {
    /// The frame.
    pub shell: Shell,
    /// The address as typed before.
    pub email: String,
    /// Where to go afterwards: a path of ours or a transaction.
    pub next: String,
    /// The client that waits for this sign-in.
    pub client: Option<String>,
    /// Whether passwords are accepted.
    pub password: bool,
    /// Other ways.
    pub oidc: Vec<OidcLink>,
    /// Where to make an account, if that is open.
    pub signup_href: Option<String>,
    /// Why the last attempt did not work.
    pub error: Option<LoginError>,
}
