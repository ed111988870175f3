//! Bearer secrets: how they are made, recognised, derived and kept.
//!
//! A secret is `‹prefix›‹43 base62 characters = 256 bits›‹6 base62 characters = CRC-32 of the rest›`.
//! The prefix says what kind it is, the checksum refuses garbage before any look-up, and only the
//! SHA-256 of the whole is ever stored.

use std::fmt;

use hkdf::Hkdf;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::entropy::{self, Entropy};

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BODY: usize = 43;
const CHECK: usize = 6;
/// Characters after the prefix.
pub const TAIL: usize = BODY + CHECK;
/// No token of ours is longer; longer input is refused before it is hashed.
pub const MAX_LENGTH: usize = 512;

/// Big-endian bytes as base62, padded on the left to `width` characters.
pub fn base62(bytes: &[u8], width: usize) -> String {
    let mut number = bytes.to_vec();
    let mut digits = Vec::with_capacity(width);
    while number.iter().any(|byte| *byte != 0) {
        let mut remainder = 0u32;
        for byte in &mut number {
            let value = remainder * 256 + u32::from(*byte);
            *byte = u8::try_from(value / 62).unwrap_or(u8::MAX);
            remainder = value % 62;
        }
        digits.push(ALPHABET.get(remainder as usize).copied().unwrap_or(b'0'));
    }
    digits.resize(digits.len().max(width), b'0');
    digits.reverse();
    digits.into_iter().map(char::from).collect()
}

fn checksum(text: &str) -> [u8; CHECK] {
    let mut number = crc32fast::hash(text.as_bytes());
    let mut digits = [b'0'; CHECK];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET.get((number % 62) as usize).copied().unwrap_or(b'0');
        number /= 62;
    }
    digits
}

/// The digest of a presented secret of the kind `prefix`; `None`, without hashing, if it cannot be one of ours.
pub fn recognise(prefix: &str, text: &str) -> Option<Digest> {
    let tail = text.strip_prefix(prefix)?;
    if tail.len() != TAIL || !tail.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let (rest, check) = text.split_at_checked(text.len() - CHECK)?;
    (checksum(rest) == check.as_bytes()).then(|| Digest::of(text))
}

/// A secret in clear, wiped from memory when dropped and never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// A new secret of 256 random bits under `prefix`.
    pub fn generate(prefix: &str, entropy: &dyn Entropy) -> Self {
        let bits = Zeroizing::new(entropy::bytes::<32>(entropy));
        Self::from_bits(prefix, &bits)
    }

    fn from_bits(prefix: &str, bits: &[u8; 32]) -> Self {
        let mut text = Zeroizing::new(String::with_capacity(prefix.len() + TAIL));
        text.push_str(prefix);
        text.push_str(&Zeroizing::new(base62(bits, BODY)));
        let check = checksum(&text);
        text.extend(check.map(char::from));
        Self(text)
    }

    /// The one successor of a refresh token: derived from the presented secret and a stored salt, so that
    /// every racer is given the same one although only digests are kept.
    pub fn successor(&self, prefix: &str, salt: &[u8; 32]) -> Option<Self> {
        let mut bits = Zeroizing::new([0u8; 32]);
        Hkdf::<Sha256>::new(Some(salt), self.0.as_bytes())
            .expand(b"portero refresh successor", bits.as_mut())
            .ok()?;
        Some(Self::from_bits(prefix, &bits))
    }

    /// Reads a presented secret of the kind `prefix`; `None` if it cannot be one of ours.
    pub fn parse(prefix: &str, text: &str) -> Option<Self> {
        recognise(prefix, text).map(|_| Self(Zeroizing::new(text.to_owned())))
    }

    /// The secret itself: for the one answer that shows it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What may be shown afterwards: the prefix and the last four characters.
    pub fn hint(&self, prefix: &str) -> String {
        let last = self.0.get(self.0.len().saturating_sub(4)..).unwrap_or_default();
        format!("{prefix}…{last}")
    }

    /// What is stored.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// SHA-256 of a secret: what the database holds and what caches are keyed by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of some text.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// The digest of several texts, none of which holds a NUL: no two lists give the same.
    pub fn of_parts(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        Self(hash.finalize().into())
    }

    /// Its first byte: as good as any to part digests by.
    pub fn first(&self) -> u8 {
        let [first, ..] = self.0;
        first
    }

    /// Lower-case hexadecimal, as stored.
    pub fn to_hex(self) -> String {
        hex(&self.0)
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(…)")
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The inverse of [`hex`] for 32 bytes.
pub fn unhex32(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0u8; 32];
    if text.len() != 64 {
        return None;
    }
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(index * 2..index * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u8);
    impl Entropy for Fixed {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(self.0);
        }
    }

    #[test]
    fn base62_is_padded_and_big_endian() {
        assert_eq!(base62(&[0], 3), "000");
        assert_eq!(base62(&[61], 2), "0z");
        assert_eq!(base62(&[62], 2), "10");
        assert_eq!(base62(&[255; 32], 43).len(), 43);
    }

    #[test]
    fn a_token_has_its_prefix_43_and_6_characters() {
        let secret = Secret::generate("mico_pat_", &Fixed(7));
        assert_eq!(secret.expose().len(), "mico_pat_".len() + 49);
        assert_eq!(Secret::parse("mico_pat_", secret.expose()), Some(secret.clone()));
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn every_single_changed_character_is_refused() {
        let text = Secret::generate("p_", &Fixed(9)).expose().to_owned();
        for index in 0..text.len() {
            let mut other: Vec<u8> = text.bytes().collect();
            let byte = other.get_mut(index).unwrap();
            *byte = if *byte == b'A' { b'B' } else { b'A' };
            assert_eq!(Secret::parse("p_", &String::from_utf8(other).unwrap()), None, "at {index}");
        }
        assert_eq!(Secret::parse("p_", &format!("{text} ")), None);
        assert_eq!(Secret::parse("p_", ""), None);
        assert_eq!(Secret::parse("p_", "p_é"), None);
    }

    #[test]
    fn the_successor_depends_on_secret_and_salt_alone() {
        let secret = Secret::generate("r_", &Fixed(1));
        let one = secret.successor("r_", &[3; 32]).unwrap();
        assert_eq!(secret.successor("r_", &[3; 32]), Some(one.clone()));
        assert_ne!(secret.successor("r_", &[4; 32]), Some(one.clone()));
        assert_ne!(one, secret);
        assert!(Secret::parse("r_", one.expose()).is_some());
    }

    #[test]
    fn hex_round_trips() {
        let digest = Digest::of("x");
        assert_eq!(unhex32(&digest.to_hex()), Some(*digest.as_bytes()));
        assert_eq!(unhex32("zz"), None);
    }
}
