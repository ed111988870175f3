//! Values on the command line that several commands read.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::domain::pat::Mode;
use crate::domain::user::is_email;
use crate::domain::workspace::WorkspaceStatus;

const NAME_LIMIT: usize = 100;

/// A name that people will read.
pub fn name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() || name.chars().count() > NAME_LIMIT || name.chars().any(char::is_control) {
        return Err(format!("1 to {NAME_LIMIT} characters on one line are allowed"));
    }
    Ok(name.to_owned())
}

/// A mail address.
pub fn email(text: &str) -> Result<String, String> {
    let email = text.trim();
    if is_email(email) {
        Ok(email.to_owned())
    } else {
        Err("an e-mail address such as ana@example.com is allowed".to_owned())
    }
}

/// `live` or `test`.
pub fn mode() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new([Mode::Live.label(), Mode::Test.label()])
        .try_map(|word| Mode::from_label(&word).ok_or("live or test is allowed"))
}

/// How a workspace stands with its bill.
pub fn status() -> impl TypedValueParser<Value = WorkspaceStatus> {
    PossibleValuesParser::new(WorkspaceStatus::ALL.map(WorkspaceStatus::label))
        .try_map(|word| WorkspaceStatus::from_label(&word).ok_or("is no status"))
}
