//! A brand as the program runs it.

use crate::config::BrandConfig;
use crate::domain::brand::BrandTokens;
use crate::domain::ids::BrandId;

/// A brand.
#[derive(Clone, Debug)]
pub struct Brand {
    /// Its configured id.
    pub id: BrandId,
    /// The issuer, byte for byte as it stands in every document and answer.
    pub issuer: String,
    /// Its prefixes.
    pub tokens: BrandTokens,
    /// Everything else that was configured.
    pub config: BrandConfig,
}

impl Brand {
    /// From its section.
    pub fn new(id: &str, config: &BrandConfig) -> Self {
        Self {
            id: BrandId::from(id),
            issuer: config.issuer.clone(),
            tokens: tokens(id, config),
            config: config.clone(),
        }
    }
}

/// The prefixes of a brand. Codes have one by convention: `‹brand›_oac_`.
pub fn tokens(id: &str, config: &BrandConfig) -> BrandTokens {
    BrandTokens {
        brand: BrandId::from(id),
        pat_live: config.tokens.pat.live.clone(),
        pat_test: config.tokens.pat.test.clone(),
        oauth: config.tokens.oauth.clone(),
        refresh: config.tokens.refresh.clone(),
        code: format!("{}_oac_", id.replace('-', "_")),
    }
}
