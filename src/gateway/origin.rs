//! The `Origin` rule: a page in somebody's browser must not reach a server on their machine.
//!
//! By DNS rebinding a foreign page can make a loopback server its own host (Streamable HTTP › Security
//! Warning); `Origin` is what it cannot forge.

use actix_web::http::header::HeaderValue;
use url::Url;

use crate::config::is_loopback;

/// Which origins may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origins {
    /// A server on this machine: pages of this machine alone.
    Loopback,
    /// Any.
    Any,
    /// These.
    List(Vec<String>),
}

impl Origins {
    /// For a public URL and the configured list.
    pub fn new(public_url: &str, allowed: &[String]) -> Self {
        if Url::parse(public_url).is_ok_and(|url| is_loopback(&url)) {
            Self::Loopback
        } else if allowed.iter().any(|origin| origin == "*") {
            Self::Any
        } else {
            Self::List(allowed.to_vec())
        }
    }

    /// True if a request with this `Origin` may be served. One without comes from no page.
    pub fn allows(&self, origin: Option<&HeaderValue>) -> bool {
        let Some(origin) = origin else { return true };
        let Ok(origin) = origin.to_str() else { return false };
        match self {
            Self::Any => true,
            Self::List(list) => list.iter().any(|own| own.eq_ignore_ascii_case(origin)),
            Self::Loopback => Url::parse(origin).is_ok_and(|url| {
                let named = url.host_str().is_some_and(|host| host.ends_with(".localhost"));
                matches!(url.scheme(), "http" | "https") && (named || is_loopback(&url))
            }),
        }
    }

    /// What `Access-Control-Allow-Origin` says to an allowed origin.
    pub fn allow_header(&self, origin: Option<&HeaderValue>) -> HeaderValue {
        match (self, origin) {
            (Self::List(_), Some(origin)) => origin.clone(),
            (Self::List(_), None) => HeaderValue::from_static("null"),
            _ => HeaderValue::from_static("*"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(origins: &Origins, origin: &'static str) -> bool {
        origins.allows(Some(&HeaderValue::from_static(origin)))
    }

    #[test]
    fn a_loopback_server_takes_loopback_pages() {
        let own = Origins::new("http://127.0.0.1:8080", &["*".to_owned()]);
        for good in
            ["http://localhost:6274", "http://127.0.0.1", "https://[::1]:1", "http://app.localhost:3000"]
        {
            assert!(check(&own, good), "{good}");
        }
        for bad in
            ["https://evil.example", "null", "http://127.0.0.1.evil.example", "http://localhost.evil", "x"]
        {
            assert!(!check(&own, bad), "{bad}");
        }
        assert!(own.allows(None));
    }

    #[test]
    fn a_public_server_takes_what_is_configured() {
        assert!(check(&Origins::new("https://h", &["*".to_owned()]), "https://any.example"));
        let own = Origins::new("https://h", &["https://app.example".to_owned()]);
        assert!(
            check(&own, "https://app.example")
                && !check(&own, "https://evil.example")
                && !check(&own, "null")
        );
        let origin = HeaderValue::from_static("https://app.example");
        assert_eq!(own.allow_header(Some(&origin)), origin);
    }
}
