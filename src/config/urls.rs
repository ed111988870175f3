//! What a URL in the configuration may look like.

use std::net::Ipv4Addr;

use url::{Host, Url};

use super::error::{Findings, KeyPath};

const PUBLIC: &str = "https, or http on 127.0.0.0/8, [::1] or localhost, is allowed";

/// Paths that Portero's own pages stand under, on every host.
const RESERVED: [&str; 7] = ["login", "logout", "signup", "settings", "tokens", "static", ".well-known"];

/// Whether a URL's host is this machine by its very name.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.octets().first() == Ipv4Addr::LOCALHOST.octets().first(),
        Some(Host::Ipv6(address)) => address == std::net::Ipv6Addr::LOCALHOST,
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Reads a URL that clients are told and compare byte by byte, and says everything that is wrong with it.
pub(super) fn identifier(text: &str, at: &KeyPath, out: &mut Findings) -> Option<Url> {
    let url = public(text, at, out)?;
    if let Some(what) = surplus(&url) {
        out.error(at, format!("{text:?} has a {what}; scheme, host, port and path are allowed"));
        return None;
    }
    let canonical = url.as_str();
    if text != canonical && Some(text) != canonical.strip_suffix('/').filter(|_| url.path() == "/") {
        let wanted = if url.path() == "/" { canonical.trim_end_matches('/') } else { canonical };
        out.error(at, format!("{text:?} is not in canonical form; write {wanted:?}"));
        return None;
    }
    let first = url.path().trim_start_matches('/').split('/').next().unwrap_or_default();
    if RESERVED.contains(&first) {
        out.error(at, format!("the path /{first} belongs to Portero's own pages; any other is allowed"));
        return None;
    }
    Some(url)
}

/// An [`identifier`] that other URLs are built from by appending, so it ends without a slash.
pub(super) fn base(text: &str, at: &KeyPath, out: &mut Findings) -> Option<Url> {
    let url = identifier(text, at, out)?;
    if text.ends_with('/') {
        out.error(at, format!("{text:?} ends with a slash; write {:?}", text.trim_end_matches('/')));
        return None;
    }
    Some(url)
}

/// A URL of somebody else's that keys or people are trusted by.
pub(super) fn public(text: &str, at: &KeyPath, out: &mut Findings) -> Option<Url> {
    let url = web(text, at, out)?;
    if url.scheme() == "http" && !is_loopback(&url) {
        out.error(at, format!("{text:?} is not secure; {PUBLIC}"));
        return None;
    }
    Some(url)
}

/// Any http or https URL.
pub(super) fn web(text: &str, at: &KeyPath, out: &mut Findings) -> Option<Url> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.host().is_some() => Some(url),
        _ => {
            out.error(at, format!("{text:?} is not a URL; http:// or https:// and a host are allowed"));
            None
        }
    }
}

/// Scheme, host and port, as routing tells them apart.
pub(super) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn surplus(url: &Url) -> Option<&'static str> {
    if url.fragment().is_some() {
        Some("fragment")
    } else if url.query().is_some() {
        Some("query")
    } else if !url.username().is_empty() || url.password().is_some() {
        Some("user name")
    } else {
        None
    }
}
