//! Sealing an answer at rest: whoever could ask for it can open it, and nobody else (AES-256-GCM).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::domain::entropy::{self, Entropy};

/// A key that is derived from what makes a call the same, and kept nowhere.
#[derive(Clone)]
pub struct Seal(LessSafeKey);

impl Seal {
    /// From 32 bytes.
    pub fn new(key: &[u8; 32]) -> Option<Self> {
        UnboundKey::new(&AES_256_GCM, key).ok().map(|key| Self(LessSafeKey::new(key)))
    }

    /// Seals an answer of a kind.
    pub fn seal(&self, kind: &str, answer: &[u8], entropy: &dyn Entropy) -> Option<String> {
        let nonce: [u8; NONCE_LEN] = entropy::bytes(entropy);
        let mut sealed = answer.to_vec();
        let aad = Aad::from(kind.as_bytes());
        self.0.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut sealed).ok()?;
        Some(STANDARD_NO_PAD.encode([nonce.as_slice(), &sealed].concat()))
    }

    /// Opens what was sealed as that kind.
    pub fn open(&self, kind: &str, sealed: &str) -> Option<Vec<u8>> {
        let bytes = STANDARD_NO_PAD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_LEN>()?;
        let mut sealed = sealed.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = self.0.open_in_place(nonce, Aad::from(kind.as_bytes()), &mut sealed).ok()?;
        Some(opened.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ones;
    impl Entropy for Ones {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(1);
        }
    }

    #[test]
    fn what_is_sealed_opens_with_the_same_key_as_the_same_kind() {
        let (own, other) = (Seal::new(&[1; 32]).unwrap(), Seal::new(&[2; 32]).unwrap());
        let sealed = own.seal("json", b"{\"a\":1}", &Ones).unwrap();
        assert_eq!(own.open("json", &sealed).unwrap(), b"{\"a\":1}");
        assert!(own.open("result", &sealed).is_none() && other.open("json", &sealed).is_none());
        for broken in ["", "AA", &sealed[..sealed.len() - 2]] {
            assert!(own.open("json", broken).is_none());
        }
    }
}
