//! `multipart/form-data` (RFC 7578) with text alone: a part for each property, one for each item of an array.
//!
//! The boundary is a digest of what it separates, so no value can hold it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use http::HeaderValue;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::super::body::Encoding;
use super::super::media;
use super::{Fault, encode};

/// Writes a form; its media type names the boundary.
pub(super) fn write(
    members: &Map<String, Value>,
    encodings: &BTreeMap<String, Encoding>,
) -> Result<(HeaderValue, Vec<u8>), Fault> {
    let mut parts = Vec::new();
    for (name, value) in members {
        let media = encodings.get(name).and_then(|own| own.media.as_deref());
        match value {
            Value::Array(items) if media.is_none() => {
                parts.extend(items.iter().filter_map(|item| part(name, item, None)));
            }
            value => parts.extend(part(name, value, media)),
        }
    }
    let mut digest = Sha256::new();
    for part in &parts {
        digest.update(part.as_bytes());
    }
    let mut boundary = "portero-".to_owned();
    for byte in digest.finalize().iter().take(20) {
        // writing to a String cannot fail
        let _ = write!(boundary, "{byte:02x}");
    }
    let mut out = String::new();
    for part in &parts {
        let _ = write!(out, "--{boundary}\r\n{part}\r\n");
    }
    let _ = write!(out, "--{boundary}--\r\n");
    let media = HeaderValue::from_str(&format!("multipart/form-data; boundary={boundary}"));
    Ok((media.map_err(|_| Fault::new("", "the form has no boundary"))?, out.into_bytes()))
}

fn part(name: &str, value: &Value, media: Option<&str>) -> Option<String> {
    let is_json = media.is_some_and(|own| media::is_json(&media::essence(own)));
    let text = if is_json { Cow::Owned(value.to_string()) } else { encode::text(value)? };
    let media = media.or((value.is_object() || value.is_array()).then_some("application/json"));
    let media = media.map_or(Cow::Borrowed(""), |own| Cow::Owned(format!("Content-Type: {own}\r\n")));
    Some(format!("Content-Disposition: form-data; name=\"{}\"\r\n{media}\r\n{text}", quoted(name)))
}

/// A name that does not end its line or its quotes, escaped as browsers do.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}
