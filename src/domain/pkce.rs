//! The grammar of PKCE values, RFC 7636 §4.1–4.2. The comparison itself is oxide-auth's.

/// True for an S256 challenge: 43 characters of base64url, which is all a SHA-256 can give.
pub fn is_challenge(text: &str) -> bool {
    text.len() == 43 && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// True for a verifier: 43 to 128 unreserved characters. Checked before hashing, so that a short guess
/// is never compared.
pub fn is_verifier(text: &str) -> bool {
    (43..=128).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_alphabets() {
        assert!(is_challenge(&"a".repeat(43)));
        for bad in [String::new(), "a".repeat(42), "a".repeat(44), "+".repeat(43), "=".repeat(43)] {
            assert!(!is_challenge(&bad), "{bad}");
        }
        assert!(is_verifier(&"~".repeat(43)) && is_verifier(&"a".repeat(128)));
        for bad in ["a".repeat(42), "a".repeat(129), format!("{}\0", "a".repeat(43))] {
            assert!(!is_verifier(&bad));
        }
    }
}
