//! What an assertion says: the facts of the identity headers as claims, whom it is for, and which body it came with.
//!
//! A worker that checks it need not trust the network between the gateway and itself: neither the headers nor the
//! body can be changed on the way, and what was caught there is of no use elsewhere or a minute later.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{HeaderMap, HeaderName};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::identity_headers::Carrier;
use crate::domain::clock::Timestamp;

/// How long an assertion is good.
const LIFE: Duration = Duration::from_mins(1);

/// Whom the assertions of an upstream come from and go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parties {
    /// `iss`: the issuer, below which the keys are published.
    pub issuer: String,
    /// `aud`: the upstream's id.
    pub audience: String,
}

/// Facts gathered like headers: each is a claim of the same text, named after its header without the prefix.
#[derive(Debug)]
pub struct Facts<'a> {
    prefix: &'a str,
    claims: Map<String, Value>,
}

impl<'a> Facts<'a> {
    /// None yet. `prefix` is that of the identity headers, in lower case.
    pub fn new(prefix: &'a str) -> Self {
        Self { prefix, claims: Map::new() }
    }

    /// Adds what is the same for every call.
    pub fn fixed(&mut self, headers: &HeaderMap) {
        for (name, value) in headers {
            if let Ok(text) = std::str::from_utf8(value.as_bytes()) {
                self.set(name, text);
            }
        }
    }

    /// Adds what is asked for where it is no tool: the path below the upstream's URL, with its query.
    pub fn path(&mut self, path: &str) {
        self.claims.insert("path".to_owned(), Value::from(path));
    }

    /// The claims of an assertion, as JSON.
    pub fn signed_for(self, parties: &Parties, now: Timestamp, id: &str, body: &[u8]) -> Vec<u8> {
        let mut all = json!({
            "iss": parties.issuer, "aud": parties.audience, "iat": now.seconds(),
            "exp": now.plus(LIFE).seconds(), "jti": id,
            "body_sha256": URL_SAFE_NO_PAD.encode(Sha256::digest(body)),
        });
        if let Some(members) = all.as_object_mut() {
            if let Some(user) = self.claims.get("user") {
                members.insert("sub".to_owned(), user.clone());
            }
            for (name, value) in self.claims {
                members.entry(name).or_insert(value);
            }
        }
        all.to_string().into_bytes()
    }
}

impl Carrier for Facts<'_> {
    fn set(&mut self, name: &HeaderName, text: &str) {
        let claim = match name.as_str() {
            "x-request-id" => "request_id",
            "idempotency-key" => "idempotency_key",
            other => match other.strip_prefix(self.prefix) {
                Some(rest) => rest,
                None => return,
            },
        };
        self.claims.insert(claim.replace('-', "_"), Value::from(text));
    }

    fn set_words<'a>(&mut self, name: &HeaderName, words: impl Iterator<Item = &'a str>) {
        self.set(name, &words.collect::<Vec<_>>().join(" "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::header::{AUTHORIZATION, HeaderValue};

    #[test]
    fn facts_are_named_after_their_headers_and_replace_nothing() {
        let mut facts = Facts::new("x-acme-");
        facts.fixed(&HeaderMap::from_iter([
            (HeaderName::from_static("x-acme-tool"), HeaderValue::from_static("list")),
            (HeaderName::from_static("x-acme-exp"), HeaderValue::from_static("forever")),
            (AUTHORIZATION, HeaderValue::from_static("Basic secret")),
        ]));
        facts.set(&HeaderName::from_static("x-acme-user"), "usr_1");
        facts.set(&HeaderName::from_static("x-request-id"), "r1");
        facts.set_words(&HeaderName::from_static("x-acme-token-kind"), ["a", "b"].into_iter());
        let parties = Parties { issuer: "https://i".into(), audience: "meetings".into() };
        let claims = facts.signed_for(&parties, Timestamp::from_millis(1500), "j", b"{}");
        let claims: Value = serde_json::from_slice(&claims).unwrap();
        let expected = json!({
            "iss": "https://i", "aud": "meetings", "iat": 1, "exp": 61, "jti": "j", "sub": "usr_1",
            "body_sha256": "RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o",
            "tool": "list", "user": "usr_1", "request_id": "r1", "token_kind": "a b",
        });
        assert_eq!(claims, expected);
    }
}
