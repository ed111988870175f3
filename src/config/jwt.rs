//! `[service.jwt]`: tokens of somebody else's issuer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    error::{Findings, KeyPath},
    scope::{is_scope, scope_sentence},
    urls,
};

/// Which JWTs of an external issuer a service accepts.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JwtConfig {
    /// `iss` of the tokens.
    #[schemars(extend("x-allowed" = "https://…, or http://… on a loopback host"))]
    pub issuer: String,
    /// Where the issuer's public keys are.
    #[schemars(extend("x-allowed" = "https://…, or http://… on a loopback host"))]
    pub jwks_url: String,
    /// `aud` that the tokens must name.
    #[serde(default = "audience")]
    pub audience: String,
    /// Claim that names the user; what workers get as the subject.
    #[serde(default = "user_claim")]
    pub user_claim: String,
    /// Claim that holds the scopes, space-separated or a list; a path with dots leads into objects. With the default
    /// a token may also have them in `scp` or `permissions`.
    #[serde(default = "scope_claim")]
    pub scope_claim: String,
    /// Scopes of a token that carries none of the service's.
    #[serde(default = "assume_scopes")]
    pub assume_scopes: Vec<String>,
}

fn audience() -> String {
    "authenticated".to_owned()
}

fn user_claim() -> String {
    "sub".to_owned()
}

fn scope_claim() -> String {
    "scope".to_owned()
}

fn assume_scopes() -> Vec<String> {
    ["openid", "email", "profile"].map(str::to_owned).to_vec()
}

impl JwtConfig {
    pub(super) fn validate(&self, at: &KeyPath, out: &mut Findings) {
        urls::public(&self.issuer, &at.key("issuer"), out);
        urls::public(&self.jwks_url, &at.key("jwks_url"), out);
        for (key, text) in [
            ("audience", &self.audience),
            ("user_claim", &self.user_claim),
            ("scope_claim", &self.scope_claim),
        ] {
            out.refuse(text.is_empty(), &at.key(key), "is empty; a name is allowed");
        }
        for (index, scope) in self.assume_scopes.iter().enumerate() {
            out.refuse(!is_scope(scope), &at.key("assume_scopes").index(index), scope_sentence(scope));
        }
    }
}
