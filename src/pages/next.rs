//! Where to go after signing in or out.
//!
//! Attack: a link to our own sign-in that leads on to somebody else's copy of it. So it is a request we keep or a
//! path of this host, and nothing a browser could read as another host.

use actix_web::HttpRequest;

use super::shell::endpoint;
use crate::app::App;
use crate::domain::ids::TransactionId;
use crate::oauth::authorize::{Pending, pending};
use crate::store::StoreError;

const HOME: &str = "/settings/connect";
const LONGEST: usize = 1024;

/// A place of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing in particular.
    Home,
    /// A path of this host.
    Path(String),
    /// An authorization request that waits.
    Transaction(TransactionId),
}

impl Next {
    /// What a parameter names; anything doubtful is nothing in particular.
    pub(super) fn read(text: Option<&str>) -> Self {
        match text {
            Some(text) if is_transaction(text) => Self::Transaction(TransactionId::from(text)),
            Some(text) if is_own_path(text) => Self::Path(text.to_owned()),
            _ => Self::Home,
        }
    }

    /// The same as a form carries it.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Home => "",
            Self::Path(path) => path,
            Self::Transaction(id) => id.as_str(),
        }
    }

    /// The request it names, decided or not.
    pub(super) async fn pending(&self, app: &App) -> Result<Option<Pending>, StoreError> {
        match self {
            Self::Transaction(id) => pending(app, id).await,
            Self::Home | Self::Path(_) => Ok(None),
        }
    }

    /// Its address; `home` where it names nothing.
    pub(super) fn location(&self, req: &HttpRequest, issuer: &str, home: &str) -> String {
        match self {
            Self::Home => home.to_owned(),
            Self::Path(path) => path.clone(),
            Self::Transaction(id) => transaction(req, issuer, id),
        }
    }

    /// Its address, the first page of the settings where it names nothing.
    pub(super) fn location_or_home(&self, req: &HttpRequest, issuer: &str) -> String {
        self.location(req, issuer, HOME)
    }
}

/// Where a kept request is shown again.
pub(super) fn transaction(req: &HttpRequest, issuer: &str, id: &TransactionId) -> String {
    format!("{}?transaction={id}", endpoint(req, issuer))
}

/// True for the form of a transaction's id.
pub(super) fn is_transaction(text: &str) -> bool {
    text.len() <= 64 && text.strip_prefix("txn_").is_some_and(is_plain)
}

fn is_plain(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// True for a path, with or without a query, that every browser takes for one of this host.
pub(super) fn is_own_path(text: &str) -> bool {
    text.len() <= LONGEST
        && text.starts_with('/')
        && !text.contains("//")
        && text.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'\\' | b'#' | b'<' | b'>' | b'"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_of_ours_are_next() {
        let path = |text: &str| Next::Path(text.to_owned());
        for own in ["/settings/tokens", "/settings/apps?grant=grt_1", "/%2f%2fevil", "/"] {
            assert_eq!(Next::read(Some(own)), path(own));
        }
        let id = "txn_0123456789abcdefABCDEF";
        assert_eq!(Next::read(Some(id)), Next::Transaction(TransactionId::from(id)));
        for foreign in [
            "//evil.example",
            "/\\evil",
            "/a//b",
            "https://evil.example/",
            "javascript:alert(1)",
            "settings",
            "/a\tb",
            "/a\r\nSet-Cookie: x=y",
            "/ñ",
            "txn_",
            "txn_a/b",
            "",
        ] {
            assert_eq!(Next::read(Some(foreign)), Next::Home, "{foreign:?}");
        }
        assert_eq!(Next::read(None), Next::Home);
    }
}
