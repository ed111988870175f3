//! `WWW-Authenticate`: one challenge, every value quoted, `error` first (RFC 6750 §3, RFC 9728 §5.1).

use actix_web::http::header::HeaderValue;

/// The challenges of one spelling of a resource, made once.
#[derive(Clone, Debug)]
pub struct Challenge {
    /// No credentials: where to find out, and what to ask for.
    pub plain: HeaderValue,
    /// Bad credentials.
    pub invalid: HeaderValue,
    metadata: String,
}

impl Challenge {
    /// For a resource whose metadata is at `metadata` and whose default scopes are `scope`.
    pub fn new(metadata: &str, scope: &str) -> Option<Self> {
        let scope = if scope.is_empty() { String::new() } else { format!(", scope=\"{scope}\"") };
        let rest = format!("resource_metadata=\"{metadata}\"{scope}");
        let invalid =
            format!("Bearer error=\"invalid_token\", error_description=\"The token is not valid\", {rest}");
        Some(Self {
            plain: HeaderValue::from_str(&format!("Bearer {rest}")).ok()?,
            invalid: HeaderValue::from_str(&invalid).ok()?,
            metadata: metadata.to_owned(),
        })
    }

    /// More scope is needed: everything that this operation needs, in one go.
    pub fn step_up(&self, scope: &str) -> Option<HeaderValue> {
        let text = format!(
            "Bearer error=\"insufficient_scope\", scope=\"{scope}\", resource_metadata=\"{}\"",
            self.metadata
        );
        HeaderValue::from_str(&text).ok()
    }
}

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Where a resource's metadata stands: before its path or after it.
pub fn metadata_url(origin: &str, path: &str, inserted: bool) -> String {
    let path = if path == "/" { "" } else { path };
    if inserted || path.ends_with('/') {
        format!("{origin}{WELL_KNOWN}{path}")
    } else {
        format!("{origin}{path}{WELL_KNOWN}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_challenge_of_quoted_values() {
        let challenge = Challenge::new("https://h/.well-known/oauth-protected-resource/mcp", "a b").unwrap();
        assert_eq!(
            challenge.plain,
            "Bearer resource_metadata=\"https://h/.well-known/oauth-protected-resource/mcp\", scope=\"a b\""
        );
        assert!(challenge.invalid.to_str().unwrap().starts_with("Bearer error=\"invalid_token\", "));
        assert!(challenge.step_up("a c").unwrap().to_str().unwrap().starts_with(
            "Bearer error=\"insufficient_scope\", scope=\"a c\", resource_metadata=\"https://h/"
        ));
        assert!(!Challenge::new("https://h/x", "").unwrap().plain.to_str().unwrap().contains("scope"));
    }

    #[test]
    fn where_metadata_stands() {
        let check = |path, inserted| metadata_url("https://h", path, inserted);
        assert_eq!(check("/a/mcp", true), "https://h/.well-known/oauth-protected-resource/a/mcp");
        assert_eq!(check("/a/mcp", false), "https://h/a/mcp/.well-known/oauth-protected-resource");
        assert_eq!(check("/a/mcp/", false), "https://h/.well-known/oauth-protected-resource/a/mcp/");
        assert_eq!(check("/", true), "https://h/.well-known/oauth-protected-resource");
    }
}
