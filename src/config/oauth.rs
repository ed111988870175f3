//! `[oauth]`: lifetimes and how clients come to be known.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    error::{Findings, KeyPath},
    redact::Secret,
    value::Period,
};

/// Lifetimes of what is issued, and how clients come to be known.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OauthConfig {
    /// How long an access token lives.
    pub access_token_ttl: Period,
    /// How long a refresh token may lie unused; every use begins anew.
    pub refresh_token_ttl: Period,
    /// How long a grant lives at most, however often it is refreshed.
    pub grant_max_ttl: Period,
    /// How long an authorization code lives; at most 10min.
    pub code_ttl: Period,
    /// How long a refresh token that was already used still leads to its successor; less than 72h.
    pub refresh_grace: Period,
    /// How long a person may take to decide on the authorization page.
    pub transaction_ttl: Period,
    /// Who may register clients dynamically.
    pub registration: Registration,
    /// The initial access token that `registration = "token"` asks for; if absent, operator keys are taken.
    pub registration_token: Option<Secret>,
    /// Accept client ids that are the URL of a client's metadata document.
    pub client_id_metadata_documents: bool,
    /// Redirect URIs that clients may register: exact ones, or a beginning with `*` at its end.
    #[schemars(extend("x-default" = "empty: any https, loopback or private-use scheme by the rules"))]
    pub redirect_allowlist: Vec<String>,
}

/// Who may register clients dynamically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Registration {
    /// Anybody.
    Open,
    /// Who has the initial access token.
    Token,
    /// Nobody; the operator makes clients.
    Off,
}

impl Default for OauthConfig {
    fn default() -> Self {
        Self {
            access_token_ttl: Period::seconds(60 * 60),
            refresh_token_ttl: Period::days(30),
            grant_max_ttl: Period::days(365),
            code_ttl: Period::seconds(60),
            refresh_grace: Period::seconds(60),
            transaction_ttl: Period::seconds(60 * 60),
            registration: Registration::Open,
            registration_token: None,
            client_id_metadata_documents: true,
            redirect_allowlist: Vec::new(),
        }
    }
}

impl OauthConfig {
    pub(super) fn validate(&self, at: &KeyPath, out: &mut Findings) {
        let lifetimes = [
            ("access_token_ttl", self.access_token_ttl),
            ("refresh_token_ttl", self.refresh_token_ttl),
            ("grant_max_ttl", self.grant_max_ttl),
            ("code_ttl", self.code_ttl),
            ("refresh_grace", self.refresh_grace),
            ("transaction_ttl", self.transaction_ttl),
        ];
        for (key, lifetime) in lifetimes {
            positive(lifetime, &at.key(key), out);
        }
        // RFC 6749 4.1.2: a code lives ten minutes at most
        out.refuse(
            self.code_ttl > Period::seconds(600),
            &at.key("code_ttl"),
            format!("{} is too long; at most 10min is allowed", self.code_ttl),
        );
        out.refuse(
            self.refresh_grace >= Period::days(3),
            &at.key("refresh_grace"),
            format!("{} is too long; less than 72h is allowed", self.refresh_grace),
        );
        out.refuse(
            self.registration_token.is_some() && self.registration != Registration::Token,
            &at.key("registration_token"),
            "is there without registration = \"token\"; both or none are allowed",
        );
        let bearer = |b: u8| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b);
        // RFC 6750 2.1: nothing else can be sent as a bearer token
        out.refuse(
            self.registration_token.as_ref().is_some_and(|token| !token.expose_secret().bytes().all(bearer)),
            &at.key("registration_token"),
            "holds characters that no bearer token has; letters, digits and - . _ ~ + / = are allowed",
        );
        for (index, uri) in self.redirect_allowlist.iter().enumerate() {
            out.refuse(
                !is_allowable(uri),
                &at.key("redirect_allowlist").index(index),
                format!(
                    "{uri:?} is no redirect URI; an absolute URI, or a beginning of one with its whole host and *, is \
                     allowed"
                ),
            );
        }
    }
}

/// An absolute URI, or a beginning of one that ends in `*`. `https://h.example*` is none: it would let in
/// `https://h.example.evil.example`.
fn is_allowable(entry: &str) -> bool {
    let (uri, whole) = entry.strip_suffix('*').map_or((entry, true), |beginning| (beginning, false));
    let Some((scheme, rest)) = uri.split_once(':') else { return false };
    let host = rest.strip_prefix("//").unwrap_or_default();
    let open = !whole && !host.is_empty() && !host.contains('/') && !host.ends_with(':');
    !scheme.is_empty() && (whole || !rest.is_empty()) && !uri.contains(['#', '*']) && !open
}

/// Notes a duration that is nothing.
pub(super) fn positive(period: Period, at: &KeyPath, out: &mut Findings) {
    out.refuse(period.get().is_zero(), at, format!("{period} is not allowed; more than 0s is"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_stand_on_the_list_of_redirect_uris() {
        for good in [
            "https://claude.ai/api/mcp/auth_callback",
            "https://claude.ai/*",
            "https://claude.ai:*",
            "https://*",
            "http://127.0.0.1/callback",
            "cursor://*",
            "com.example.app:/*",
        ] {
            assert!(is_allowable(good), "{good}");
        }
        for bad in [
            "*",
            "https:*",
            "claude.ai",
            "https://claude.ai*",
            "https://*.claude.ai/*",
            "https://h/#x",
            ":x",
            "x:/**",
        ] {
            assert!(!is_allowable(bad), "{bad}");
        }
    }
}
