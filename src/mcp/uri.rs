//! The URI of a resource: what may stand in one, and the spelling that policies are looked up by.
//!
//! Attack: a second spelling of a guarded URI (`%68ighlights`, `BECOMING:`, `art%C3%ADculos`, `a/../b`), which the
//! policy misses and a lenient worker resolves. Policies see one spelling alone, and what would resolve to another is
//! refused.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, utf8_percent_encode};

/// A longer URI is refused: it goes into the worker's query.
pub const MAX: usize = 2048;

/// Checks what a client sends (RFC 3986 §2 and §3; characters beyond ASCII pass, as in RFC 3987).
///
/// # Errors
/// What is wrong, in words for the client.
pub fn check(uri: &str) -> Result<(), &'static str> {
    if uri.len() > MAX {
        return Err("uri is at most 2048 bytes long");
    }
    let (scheme, rest) = uri.split_once(':').ok_or("uri begins with a scheme")?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    if !scheme.starts_with(|first: char| first.is_ascii_alphabetic()) || !scheme.bytes().all(plain) {
        return Err("uri begins with a scheme");
    }
    if rest.chars().any(is_no_part) || !percents(rest).all(|byte| byte.is_some_and(|byte| !is_control(byte)))
    {
        return Err("uri has a character that no URI has");
    }
    let path = normal_rest(rest.split(['?', '#']).next().unwrap_or_default());
    // an escaped slash is no slash here, and is one to whoever resolves what they have decoded
    let path = path.replace("%2F", "/").replace("%5C", "/");
    if path.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Err("uri has no segments . or ..");
    }
    Ok(())
}

fn is_no_part(c: char) -> bool {
    c.is_control() || c.is_whitespace() || matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
}

fn is_control(byte: u8) -> bool {
    byte < 0x20 || byte == 0x7f
}

/// What the percent escapes stand for; `None` for a broken one.
fn percents(text: &str) -> impl Iterator<Item = Option<u8>> {
    text.split('%').skip(1).map(|after| escaped(after.as_bytes()))
}

fn escaped(after: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

/// True for what stands for itself everywhere (RFC 3986 §2.3).
pub(super) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') || byte >= 0x80
}

/// The one spelling of a URI or of a pattern for URIs: scheme and authority in lower case, escapes only where
/// they are needed and in upper case (RFC 3986 §6.2.2), which is everywhere beyond ASCII (RFC 3987 §3.1).
pub fn normal(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once(':') else { return normal_rest(text) };
    let mut out = scheme.to_ascii_lowercase();
    out.push(':');
    match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            out.push_str("//");
            out.push_str(&lower(&normal_rest(authority)));
            out.push_str(&normal_rest(path));
        }
        None => out.push_str(&normal_rest(rest)),
    }
    out
}

/// In lower case, but for the digits of escapes.
fn lower(text: &str) -> String {
    let lowered = text.to_ascii_lowercase();
    if lowered.contains('%') { normal_rest(&lowered) } else { lowered }
}

fn normal_rest(text: &str) -> String {
    let text = Cow::from(utf8_percent_encode(text, &AsciiSet::EMPTY));
    let mut pieces = text.split('%');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match (escaped(piece.as_bytes()), piece.get(2..)) {
            (Some(byte), Some(rest)) if byte.is_ascii() && is_unreserved(byte) => {
                out.push(char::from(byte));
                out.push_str(rest);
            }
            (Some(_), Some(rest)) => {
                out.push('%');
                out.push_str(&piece.get(..2).unwrap_or_default().to_ascii_uppercase());
                out.push_str(rest);
            }
            _ => {
                out.push('%');
                out.push_str(piece);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_uri() {
        for good in [
            "becoming://highlights/1",
            "file:///a/b%20c",
            "urn:isbn:1",
            "x:",
            "notes://café/ñ",
            "a+b-c.d://x?y=1&z#w",
            "x://h/...",
            "x://h/a%2Fb",
            "x://h/a..b%2F..c",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "highlights",
            "://x",
            "1x://a",
            "x y://a",
            "x://a b",
            "x://a\nb",
            "x://a\u{85}b",
            "x://a%",
            "x://a%2",
            "x://a%zz",
            "x://a%0d%0a",
            "x://a%00",
            "x://{id}",
            "x://a\\b",
            "x://h/a/../b",
            "x://h/.",
            "x://h/%2e%2E/b",
            "x://h/a%2f..%2fb",
            "x://h/a%2F%2e%2e",
            "x://h/..%5Cb",
            "x:..",
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        assert_eq!(check(&format!("x:{}", "a".repeat(MAX - 2))), Ok(()));
        assert!(check(&format!("x:{}", "a".repeat(MAX - 1))).is_err());
    }

    #[test]
    fn one_spelling() {
        for (text, expected) in [
            ("BECOMING://High%6cights/%2f%7Ea%c3%B1", "becoming://highlights/%2F~a%C3%B1"),
            ("Urn:ISBN:%41", "urn:ISBN:A"),
            ("x://H%3a/A?B#C", "x://h%3A/A?B#C"),
            ("x://h/{Id}", "x://h/{Id}"),
            ("notas://Café/ñ/%c3%b1", "notas://caf%C3%A9/%C3%B1/%C3%B1"),
            ("notas://Caf%c3%89", "notas://caf%C3%89"),
        ] {
            assert_eq!(normal(text), expected);
            assert_eq!(normal(expected), expected, "twice is once");
        }
    }
}
