//! Cookie parameters: one header for all of them (RFC 6265 §4.2.1), every value encoded, so none ends where it stands.

use http::header::{COOKIE, HeaderMap, HeaderValue};

use super::super::operation::{Style, Wire};
use super::{Fault, Given, encode, style};

/// Adds them.
pub(super) fn write(headers: &mut HeaderMap, given: &Given<'_>) -> Result<(), Fault> {
    let mut all = Vec::new();
    for (parameter, value) in given {
        match parameter.wire {
            Wire::Styled { explode, .. } => {
                all.extend(style::pairs(Style::Form, explode, &parameter.name, value, encode::value));
            }
            Wire::Json => {
                all.push(format!("{}={}", encode::value(&parameter.name), encode::value(&value.to_string())));
            }
            Wire::Text => all.extend(style::pairs(Style::Form, false, &parameter.name, value, encode::value)),
        }
    }
    if !all.is_empty() {
        let value = HeaderValue::from_str(&all.join("; "));
        headers.insert(COOKIE, value.map_err(|_| Fault::new("", "the cookies cannot be written"))?);
    }
    Ok(())
}
