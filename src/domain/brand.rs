//! What the credentials of a brand begin with.

use super::ids::BrandId;

/// The prefixes of a brand's credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrandTokens {
    /// The brand.
    pub brand: BrandId,
    /// Personal access tokens that act for real.
    pub pat_live: String,
    /// Personal access tokens for trying out; may be the same.
    pub pat_test: String,
    /// OAuth access tokens.
    pub oauth: String,
    /// OAuth refresh tokens.
    pub refresh: String,
}
