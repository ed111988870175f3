//! `[service.scopes.NAME]`: what a person can allow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    error::{Findings, KeyPath},
    value::Text,
};

/// A permission that a person can give a client.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScopeConfig {
    /// What the person reads on the authorization page.
    #[serde(default = "untitled")]
    #[schemars(extend("x-default" = "the scope's name"))]
    pub title: Text,
    /// A second line below the title.
    pub description: Option<Text>,
    /// Ticked beforehand when a client asks for no scope in particular.
    #[serde(default)]
    pub default: bool,
}

fn untitled() -> Text {
    Text::from("")
}

impl ScopeConfig {
    /// Titles a scope that has no title by its name.
    pub(super) fn resolve(&mut self, name: &str) {
        if matches!(&self.title, Text::Plain(title) if title.is_empty()) {
            self.title = Text::from(name);
        }
    }
}

/// Notes names that RFC 6749 3.3 does not know as scopes.
pub(super) fn validate(name: &str, at: &KeyPath, out: &mut Findings) {
    out.refuse(!is_scope(name), at, scope_sentence(name));
    // refresh tokens are always given, so it would promise a choice that does not exist
    out.refuse(name == "offline_access", at, "is always accepted and never granted; any other scope is allowed");
}

/// `scope-token = 1*( %x21 / %x23-5B / %x5D-7E )`
pub(super) fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() && c != '"' && c != '\\')
}

/// Why a text is no scope.
pub(super) fn scope_sentence(text: &str) -> String {
    format!("{text:?} is no scope; printable ASCII without space, \" and \\ is allowed")
}
