//! The company's issuer, as far as a gateway sees it: its keys at a URL, and tokens that it signs.

use portero::domain::clock::Timestamp;
use serde_json::{Value, json};

use crate::support::issuer::{Issuer as Keys, Key};

/// An issuer with one key of each kind.
pub struct Issuer {
    /// `iss` of its tokens; its keys are at `/.well-known/jwks.json` below.
    pub url: String,
    ec: Key,
    rsa: Key,
}

impl Issuer {
    pub fn start() -> Self {
        let (ec, rsa) = (Key::ec("ec"), Key::rsa("rsa"));
        let keys = Keys::with(&[&ec, &rsa]);
        Self { url: format!("{}/auth/v1", keys.url), ec, rsa }
    }

    /// The claims of somebody's token that is good for an hour.
    pub fn claims(&self, subject: &str, now: Timestamp) -> Value {
        let now = now.millis() / 1000;
        json!({
            "iss": self.url, "sub": subject, "aud": "authenticated", "exp": now + 3600, "iat": now,
            "role": "authenticated", "aal": "aal1", "session_id": "5f0c7d0e-5b1f-4e0b-9a55-1f3b3b6f1c11",
            "email": format!("{subject}@example.com"), "user_metadata": {"email_verified": true},
            "is_anonymous": false,
        })
    }

    /// A token signed with ES256.
    pub fn token(&self, claims: &Value) -> String {
        self.ec.sign(claims)
    }

    /// A token signed with RS256.
    pub fn rsa_token(&self, claims: &Value) -> String {
        self.rsa.sign(claims)
    }
}
