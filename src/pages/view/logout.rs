//! The page that asks whether to sign out.

use askama::Template;

use super::shell::Shell;

/// Sign out: a question, because a link alone must not do it.
#[derive(Clone, Template)]
#[template(path = "logout.html")]
pub struct LogoutPage {
    /// The frame.
    pub shell: Shell,
    /// Where to go afterwards: a path of ours or a transaction.
    pub next: String,
}
