//! Which hosts are ours. A request for any other is misdirected, so that no foreign name can be made to point here.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::brand::Brand;
use super::service::Service;

/// A configured base URL in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// `scheme://authority`.
    pub origin: String,
    /// Host and port as clients send it, in lower case, without a default port.
    pub authority: String,
    /// The path, without a trailing slash; empty for a bare origin.
    pub path: String,
}

impl Base {
    /// The parts of a configured URL; configuration has checked that it is one.
    pub fn of(url: &str) -> Self {
        let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        Self {
            origin: format!("{scheme}://{authority}"),
            authority: plain_authority(authority),
            path: path.trim_end_matches('/').to_owned(),
        }
    }

    /// True if browsers send `Secure` cookies there.
    pub fn is_https(&self) -> bool {
        self.origin.starts_with("https://")
    }
}

/// An authority as it is compared: lower case, without a default port.
pub fn plain_authority(authority: &str) -> String {
    let lower = authority.to_ascii_lowercase();
    let plain = lower.strip_suffix(":443").or_else(|| lower.strip_suffix(":80"));
    plain.map(str::to_owned).unwrap_or(lower)
}

fn is_loopback(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| crate::config::is_loopback(&url))
}

/// The hosts that are ours.
#[derive(Clone, Debug)]
pub struct Sites {
    authorities: BTreeSet<String>,
    /// True if the public URL is on a loopback host: then browsers' origins must be too.
    pub loopback: bool,
    /// The public URL in its parts.
    pub public: Base,
}

impl Sites {
    /// The hosts of the public URL, of every issuer and of every resource.
    pub fn new(public_url: &str, brands: &[Arc<Brand>], services: &[Arc<Service>]) -> Self {
        let public = Base::of(public_url);
        let urls = brands.iter().map(|brand| &brand.issuer).chain(services.iter().map(|own| &own.resource));
        let mut authorities: BTreeSet<String> = urls.map(|url| Base::of(url).authority).collect();
        authorities.insert(public.authority.clone());
        Self { authorities, loopback: is_loopback(public_url), public }
    }

    /// True if `authority`, as a client sent it, is one of ours.
    pub fn knows(&self, authority: &str) -> bool {
        self.authorities.contains(authority) || self.authorities.contains(&plain_authority(authority))
    }

    /// Every host, for the message that names what is configured.
    pub fn list(&self) -> String {
        self.authorities.iter().cloned().collect::<Vec<_>>().join(", ")
    }
}
