use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header, jwk::JwkSet};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

pub fn verify(
    keys: &JwkSet,
    [iss, aud]: [&str; 2],
    assertion: &str,
    tool: &str,
    body: &[u8],
) -> Option<Value> {
    let key = keys.find(&decode_header(assertion).ok()?.kid?)?;
    let mut rules = Validation::new(Algorithm::ES256);
    (rules.leeway, rules.required_spec_claims) = (5, ["exp", "iss", "aud"].map(String::from).into());
    (rules.iss, rules.aud) = (Some([iss.to_owned()].into()), Some([aud.to_owned()].into()));
    let claims: Value = decode(assertion, &DecodingKey::from_jwk(key).ok()?, &rules).ok()?.claims;
    let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(body));
    (claims["body_sha256"] == digest && claims["tool"] == tool).then_some(claims)
}
