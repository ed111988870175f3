//! Secrets: kept out of every log, print and error message.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";

/// A secret value, given inline or by its key's `_file` twin; wiped from memory when dropped.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// The secret itself, for the one place that sends or compares it.
    pub fn expose_secret(&self) -> &str {
        self.0.expose_secret()
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(SecretString::from(text))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(SecretString::from(text)))
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REDACTED)
    }
}

impl JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "x-secret": true, "x-allowed": "a text that is not empty" })
    }
}

/// Stands in the schema for a header's value.
pub(super) struct HeaderText;

impl JsonSchema for HeaderText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "HeaderValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let one = |key: &str| {
            serde_json::json!({
                "type": "object",
                "properties": { key: { "type": "string", "minLength": 1 } },
                "required": [key],
                "additionalProperties": false
            })
        };
        json_schema!({
            "anyOf": [{ "type": "string" }, one("value"), one("file")],
            "x-secret-header": true,
            "x-allowed": "a text, { value = \"…\" } or { file = \"path\" }"
        })
    }
}

/// A URL without the password that may stand in it.
pub(super) fn url(text: &str) -> String {
    match url::Url::parse(text) {
        Ok(mut url) if url.password().is_some() => match url.set_password(Some("redacted")) {
            // the brackets would be percent-encoded by the URL, and are put back to read alike everywhere
            Ok(()) => url.as_str().replacen(":redacted@", &format!(":{REDACTED}@"), 1),
            Err(()) => REDACTED.to_owned(),
        },
        Ok(_) => text.to_owned(),
        Err(_) if text.contains('@') => REDACTED.to_owned(),
        Err(_) => text.to_owned(),
    }
}

/// Serializes a secret URL without its password, and without a password given as a parameter.
pub(super) fn secret_url<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    let text = url(secret.expose_secret());
    let shown = if text.contains("password=") { REDACTED } else { &text };
    serializer.serialize_str(shown)
}

/// [`secret_url`] for a URL that may be absent.
#[expect(clippy::ref_option, reason = "the signature is serde's")]
pub(super) fn optional_secret_url<S: Serializer>(secret: &Option<Secret>, serializer: S) -> Result<S::Ok, S::Error> {
    match secret {
        Some(secret) => secret_url(secret, serializer),
        None => serializer.serialize_none(),
    }
}
