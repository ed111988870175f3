//! Users.

use super::clock::Timestamp;
use super::ids::UserId;

/// A person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// Mail address, as entered; compared in lower case.
    pub email: String,
    /// The name shown.
    pub name: String,
    /// The company's own id of this person.
    pub external_id: Option<String>,
    /// Copied into everything made under the user; raised by lock and delete, so that what ended stays ended.
    pub epoch: i64,
    /// When it was locked, if it is.
    pub locked_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// The form in which addresses are compared.
pub fn email_key(email: &str) -> String {
    email.trim().to_lowercase()
}

/// True for something that can be a mail address: one `@` with text on both sides, no spaces or control
/// characters, at most 254 characters.
pub fn is_email(text: &str) -> bool {
    let mut parts = text.split('@');
    let (local, domain, more) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next());
    text.len() <= 254
        && !local.is_empty()
        && !domain.is_empty()
        && more.is_none()
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}
