//! `[login]`: how people sign in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    error::{Findings, KeyPath},
    redact::Secret,
    urls,
};

/// How people sign in.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LoginConfig {
    /// Sign in with e-mail and password.
    pub password: bool,
    /// Let anybody make an account.
    pub signup: bool,
    /// Plan of the workspaces of people who come by sign-up, OIDC, handoff or JWT.
    #[schemars(extend("x-default" = "no plan"))]
    pub default_plan: Option<String>,
    /// Identity providers to sign in with.
    pub oidc: Vec<OidcConfig>,
    /// The company's own app, which sends its signed-in user over.
    pub handoff: Option<HandoffConfig>,
}

impl Default for LoginConfig {
    fn default() -> Self {
        Self { password: true, signup: false, default_plan: None, oidc: Vec::new(), handoff: None }
    }
}

/// An OpenID Connect identity provider.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OidcConfig {
    /// What the sign-in button says; also the last part of the path `/login/oidc/NAME`.
    pub name: String,
    /// The provider's issuer, where its `/.well-known/openid-configuration` is found.
    pub issuer: String,
    /// Portero's client id at the provider.
    pub client_id: String,
    /// Portero's client secret at the provider; without one it is a public client.
    pub client_secret: Option<Secret>,
    /// Scopes to ask the provider for.
    #[serde(default = "oidc_scopes")]
    pub scopes: Vec<String>,
}

/// An app whose one-minute signed JWT signs its user in.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandoffConfig {
    /// `iss` of the app's JWTs.
    pub issuer: String,
    /// Where the app's public keys are.
    pub jwks_url: String,
}

fn oidc_scopes() -> Vec<String> {
    ["openid", "email", "profile"].map(str::to_owned).to_vec()
}

impl LoginConfig {
    pub(super) fn validate(&self, at: &KeyPath, out: &mut Findings) {
        for (index, oidc) in self.oidc.iter().enumerate() {
            let here = at.key("oidc").index(index);
            oidc.validate(&here, out);
            let name = oidc.name.to_lowercase();
            let twice = self.oidc.iter().take(index).any(|other| other.name.to_lowercase() == name);
            out.refuse(twice, &here.key("name"), format!("{:?} is there twice; each name once", oidc.name));
        }
        if let Some(handoff) = &self.handoff {
            urls::public(&handoff.issuer, &at.key("handoff").key("issuer"), out);
            urls::public(&handoff.jwks_url, &at.key("handoff").key("jwks_url"), out);
        }
    }
}

impl OidcConfig {
    fn validate(&self, at: &KeyPath, out: &mut Findings) {
        let plain = !self.name.trim().is_empty() && !self.name.contains(['/', '?', '#', '%', '\\']);
        out.refuse(
            !plain,
            &at.key("name"),
            format!("{:?} is no name for a path; a text without / ? # % \\ is allowed", self.name),
        );
        urls::public(&self.issuer, &at.key("issuer"), out);
        out.refuse(self.client_id.is_empty(), &at.key("client_id"), "is empty; the id that the provider gave is allowed");
        let openid = self.scopes.iter().any(|scope| scope == "openid");
        out.refuse(!openid, &at.key("scopes"), "has no \"openid\"; a list with it is allowed");
    }
}
