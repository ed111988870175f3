//! The body of an operation's requests: what it is made of and how.

use std::collections::BTreeMap;

use http::HeaderValue;

use super::media::Kind;
use super::operation::Style;

/// The body of an operation's requests.
#[derive(Debug, Clone)]
pub(super) struct Body {
    /// `Content-Type`; of multipart without its boundary.
    pub(super) media: HeaderValue,
    pub(super) kind: Kind,
    /// True if a request without it is none.
    pub(super) required: bool,
    /// The arguments that are its properties; nothing if the argument `body` is all of it.
    pub(super) merged: Option<Vec<String>>,
    /// How single properties of a form are written.
    pub(super) encodings: BTreeMap<String, Encoding>,
}

/// How a property of a form is written (OpenAPI 3.1.1 §4.8.15).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Encoding {
    /// Its media type.
    pub(super) media: Option<String>,
    /// As a query parameter would be: style, `explode`, `allowReserved`.
    pub(super) styled: Option<(Style, bool, bool)>,
}

impl Body {
    /// True if an argument of this name is the body or stands in it.
    pub(super) fn takes(&self, argument: &str) -> bool {
        match &self.merged {
            Some(names) => names.iter().any(|own| own == argument),
            None => argument == "body",
        }
    }
}
