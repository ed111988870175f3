//! A brand's tokens: which prefix says what kind.

use super::ids::BrandId;
use super::pat::Mode;

/// The kinds of credential a brand issues, as their prefix tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Personal access token.
    Pat,
    /// OAuth access token.
    Oauth,
    /// OAuth refresh token: never good at a resource.
    Refresh,
    /// Authorization code: never good at a resource.
    Code,
}

/// The prefixes of a brand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrandTokens {
    /// The brand.
    pub brand: BrandId,
    /// Prefix of live personal access tokens.
    pub pat_live: String,
    /// Prefix of test ones; the same where the brand makes no difference.
    pub pat_test: String,
    /// Prefix of access tokens.
    pub oauth: String,
    /// Prefix of refresh tokens.
    pub refresh: String,
    /// Prefix of authorization codes.
    pub code: String,
}

impl BrandTokens {
    /// The kind and the prefix of a presented token. The longest prefix that fits decides.
    pub fn kind(&self, token: &str) -> Option<(Kind, &str)> {
        [
            (Kind::Pat, self.pat_live.as_str()),
            (Kind::Pat, self.pat_test.as_str()),
            (Kind::Oauth, self.oauth.as_str()),
            (Kind::Refresh, self.refresh.as_str()),
            (Kind::Code, self.code.as_str()),
        ]
        .into_iter()
        .filter(|(_, prefix)| token.starts_with(prefix))
        .max_by_key(|(_, prefix)| prefix.len())
    }

    /// The prefix of personal access tokens of a mode.
    pub fn pat(&self, mode: Mode) -> &str {
        match mode {
            Mode::Live => &self.pat_live,
            Mode::Test => &self.pat_test,
        }
    }

    /// True if the brand makes test tokens of their own.
    pub fn has_test_mode(&self) -> bool {
        self.pat_live != self.pat_test
    }
}
