//! A key of an issuer's set, and the algorithms it may be used with. The key decides, never the token: an RSA key is
//! no HMAC secret and no point on a curve, whatever a token's header says.

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;

/// No issuer has more keys than this.
const MOST: usize = 100;

const RSA: &[Algorithm] = &[
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
];

/// A public key that signatures are checked with.
#[derive(Debug)]
pub struct PublicKey {
    /// Its name in the set.
    pub id: Option<String>,
    algorithms: Vec<Algorithm>,
    /// The key.
    pub key: DecodingKey,
}

impl PublicKey {
    /// True if the key may be used with the algorithm.
    pub fn takes(&self, algorithm: Algorithm) -> bool {
        self.algorithms.contains(&algorithm)
    }

    fn read(jwk: &Jwk) -> Option<Self> {
        let common = &jwk.common;
        let signs = common.public_key_use.as_ref().is_none_or(|own| *own == PublicKeyUse::Signature)
            && common.key_operations.as_ref().is_none_or(|all| all.contains(&KeyOperations::Verify));
        if !signs {
            return None;
        }
        let possible = possible(&jwk.algorithm);
        let algorithms: Vec<Algorithm> = match common.key_algorithm {
            None => possible.to_vec(),
            Some(own) => {
                possible.iter().copied().filter(|one| Algorithm::try_from(own) == Ok(*one)).collect()
            }
        };
        let key = DecodingKey::from_jwk(jwk).ok()?;
        (!algorithms.is_empty()).then(|| Self { id: common.key_id.clone(), algorithms, key })
    }
}

fn possible(parameters: &AlgorithmParameters) -> &'static [Algorithm] {
    match parameters {
        AlgorithmParameters::RSA(_) => RSA,
        AlgorithmParameters::EllipticCurve(own) => match own.curve {
            EllipticCurve::P256 => &[Algorithm::ES256],
            EllipticCurve::P384 => &[Algorithm::ES384],
            _ => &[],
        },
        AlgorithmParameters::OctetKeyPair(own) if own.curve == EllipticCurve::Ed25519 => &[Algorithm::EdDSA],
        _ => &[],
    }
}

/// Reads a key set. Keys that cannot be used here are left out (RFC 7517 §5); `None` if it is no key set at all.
pub fn read_set(text: &[u8]) -> Option<Vec<PublicKey>> {
    let set: Value = serde_json::from_slice(text).ok()?;
    let keys = set.get("keys")?.as_array()?;
    let read = |key: &Value| PublicKey::read(&serde_json::from_value(key.clone()).ok()?);
    Some(keys.iter().take(MOST).filter_map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(keys: &Value) -> Vec<PublicKey> {
        read_set(json!({ "keys": keys }).to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_key_says_what_it_is_for() {
        let rsa = json!({"kty": "RSA", "kid": "r", "n": "AQAB", "e": "AQAB"});
        let keys = set(&json!([rsa]));
        assert!(RSA.iter().all(|one| keys[0].takes(*one)));
        assert!(!keys[0].takes(Algorithm::ES256) && !keys[0].takes(Algorithm::HS256));
        let one = json!({"kty": "RSA", "alg": "PS256", "n": "AQAB", "e": "AQAB"});
        let keys = set(&json!([one]));
        assert!(keys[0].takes(Algorithm::PS256) && !keys[0].takes(Algorithm::RS256));
    }

    #[test]
    fn what_cannot_be_used_is_left_out() {
        let point = |over: Value| {
            let mut key = json!({"kty": "EC", "crv": "P-256", "x": "AQAB", "y": "AQAB"});
            key.as_object_mut().unwrap().extend(over.as_object().unwrap().clone());
            key
        };
        assert_eq!(set(&json!([point(json!({}))])).len(), 1);
        for bad in [
            json!({"kty": "oct", "k": "AQAB", "alg": "HS256"}),
            json!({"kty": "oct", "k": "AQAB"}),
            json!({"kty": "new", "z": "AQAB"}),
            point(json!({"use": "enc"})),
            point(json!({"key_ops": ["encrypt"]})),
            point(json!({"crv": "P-521"})),
            point(json!({"alg": "RS256"})),
            point(json!({"alg": "ES512"})),
            point(json!({"x": 7})),
            json!("text"),
        ] {
            assert_eq!(set(&json!([bad.clone(), point(json!({"kid": "good"}))])).len(), 1, "{bad}");
        }
    }

    #[test]
    fn what_is_no_key_set() {
        for bad in ["", "[]", "{}", "<html>", r#"{"keys":{}}"#, r#"{"keys":"x"}"#] {
            assert!(read_set(bad.as_bytes()).is_none(), "{bad}");
        }
        assert_eq!(read_set(br#"{"keys":[]}"#).unwrap().len(), 0);
    }
}
