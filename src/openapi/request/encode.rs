//! Text for URLs: what is not unreserved is percent-encoded (RFC 3986 §2.3), so a value never ends where it stands.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Number, Value};

/// All but unreserved characters.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// What `allowReserved` leaves as it is; not what would end the value: `#`, `&`, `+`, `;` and brackets.
const RESERVED: &AsciiSet = &VALUE
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b'=');
/// What a path of a document may say itself (RFC 3986 §3.3), escapes included.
const LITERAL: &AsciiSet = &RESERVED.remove(b'&').remove(b'+').remove(b';').remove(b'%').add(b'?');
/// And its query.
const QUERY: &AsciiSet = &LITERAL.remove(b'?').remove(b'[').remove(b']');

/// A name or a value.
pub(super) fn value(text: &str) -> String {
    utf8_percent_encode(text, VALUE).to_string()
}

/// A value that may have reserved characters and escapes.
pub(super) fn reserved(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, from) = rest.split_at(at);
        out.extend(utf8_percent_encode(before, RESERVED));
        let is_escape = from.as_bytes().get(1..3).is_some_and(|own| own.iter().all(u8::is_ascii_hexdigit));
        out.push_str(if is_escape { "%" } else { "%25" });
        rest = from.get(1..).unwrap_or_default();
    }
    out.extend(utf8_percent_encode(rest, RESERVED));
    out
}

/// What stands in the path of a document.
pub(super) fn literal(text: &str, in_query: bool) -> String {
    utf8_percent_encode(text, if in_query { QUERY } else { LITERAL }).to_string()
}

/// A value as text: nothing for `null`; arrays and objects where none can be, as JSON.
pub(super) fn text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Bool(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
        Value::Number(number) => Some(Cow::Owned(plain(number))),
        Value::Array(_) | Value::Object(_) => Some(Cow::Owned(value.to_string())),
    }
}

/// 3.0 is as whole as 3, and servers that want 3 do not take 3.0.
fn plain(number: &Number) -> String {
    match number.as_f64() {
        Some(own) if number.is_f64() && own.fract() == 0.0 && own.abs() < 9e15 => format!("{own:.0}"),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_would_end_a_value_is_encoded() {
        assert_eq!(value("a/b?c&d=e#f g\r\n%é"), "a%2Fb%3Fc%26d%3De%23f%20g%0D%0A%25%C3%A9");
        assert_eq!(reserved("a/b?c&d=e#f;[x]+ %2f%zz%"), "a/b?c%26d=e%23f%3B%5Bx%5D%2B%20%2f%25zz%25");
        assert_eq!(literal("/a b/é%20:x;y", false), "/a%20b/%C3%A9%20:x;y");
    }

    #[test]
    fn values_as_text() {
        for (value, expected) in [
            (json!("a"), Some("a")),
            (json!(3.0), Some("3")),
            (json!(3.5), Some("3.5")),
            (json!(-7), Some("-7")),
            (json!(1e300), Some("1e+300")),
            (json!(true), Some("true")),
            (json!(null), None),
            (json!({"a": [1]}), Some("{\"a\":[1]}")),
        ] {
            assert_eq!(text(&value).as_deref(), expected);
        }
    }
}
