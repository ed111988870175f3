//! The ES256 keys that sign what others may check: assertions for workers, and documents.
//!
//! A key is derived from a secret of the key file, so that a file from before there were such keys has them too, and
//! every node that has the file has the same ones.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hkdf::Hkdf;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use serde_json::{Value, json};
use sha2::Sha256;
use zeroize::Zeroizing;

/// A key that signs. What it is made of is never printed.
pub struct SigningKey {
    header: String,
    pair: EcdsaKeyPair,
    public: Value,
}

impl SigningKey {
    /// The key that belongs to a secret.
    pub fn derive(id: &str, secret: &[u8; 32]) -> Option<Self> {
        // One candidate in four thousand million is no scalar of the curve; then the next one is taken.
        let scalar = (0..=u8::MAX).find_map(|number| {
            let mut bytes = Zeroizing::new([0u8; 32]);
            let info = [b"portero signature ES256".as_slice(), &[number]];
            Hkdf::<Sha256>::new(None, secret).expand_multi_info(&info, bytes.as_mut()).ok()?;
            p256::SecretKey::from_slice(bytes.as_ref()).ok()
        })?;
        let bytes = Zeroizing::new(scalar.to_bytes());
        let point = p256::elliptic_curve::sec1::ToSec1Point::to_sec1_point(&scalar.public_key(), false);
        let (x, y) = point.as_bytes().get(1..)?.split_at_checked(32)?;
        let pair = EcdsaKeyPair::from_private_key_and_public_key(
            &ECDSA_P256_SHA256_FIXED_SIGNING,
            &bytes,
            point.as_bytes(),
            &SystemRandom::new(),
        );
        let public = json!({
            "kty": "EC", "crv": "P-256", "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y),
            "kid": id, "alg": "ES256", "use": "sig",
        });
        let header = json!({"alg": "ES256", "typ": "JWT", "kid": id}).to_string();
        Some(Self { header: URL_SAFE_NO_PAD.encode(header), pair: pair.ok()?, public })
    }

    /// The public half as it is published (RFC 7517).
    pub fn public(&self) -> &Value {
        &self.public
    }

    /// A compact JWS of these bytes (RFC 7515 §7.1). What a signature needs of chance ring takes by itself: nobody
    /// but the key's owner must ever be able to choose it.
    pub fn sign(&self, claims: &[u8]) -> Option<String> {
        let mut text = String::with_capacity(self.header.len() + claims.len() * 4 / 3 + 96);
        text.push_str(&self.header);
        text.push('.');
        URL_SAFE_NO_PAD.encode_string(claims, &mut text);
        let signature = self.pair.sign(&SystemRandom::new(), text.as_bytes()).ok()?;
        text.push('.');
        URL_SAFE_NO_PAD.encode_string(signature.as_ref(), &mut text);
        Some(text)
    }
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    #[test]
    fn one_secret_gives_one_key_and_its_public_half_checks_it() {
        let (one, same) =
            (SigningKey::derive("a", &[7; 32]).unwrap(), SigningKey::derive("a", &[7; 32]).unwrap());
        let other = SigningKey::derive("a", &[8; 32]).unwrap();
        assert_eq!(one.public(), same.public());
        assert_ne!(one.public(), other.public());
        assert!(one.public().get("d").is_none(), "the private half stays here");
        let text = one.sign(b"{}").unwrap();
        let (message, signature) = text.rsplit_once('.').unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let check = |key: &SigningKey| {
            let decode = |name: &str| URL_SAFE_NO_PAD.decode(key.public()[name].as_str().unwrap()).unwrap();
            let point = [vec![4], decode("x"), decode("y")].concat();
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
                .verify(message.as_bytes(), &signature)
                .is_ok()
        };
        assert!(check(&one) && check(&same) && !check(&other));
        assert!(!format!("{one:?}").contains("kid"));
    }
}
