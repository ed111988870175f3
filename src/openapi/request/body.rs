//! The body of a request.

use bytes::Bytes;
use http::HeaderValue;
use serde_json::{Map, Value};

use super::super::body::Body;
use super::super::media::Kind;
use super::{Fault, encode, form, multipart};

/// Writes it; nothing if it may be left out and no argument is of it.
pub(super) fn write(
    body: &Body,
    arguments: &Map<String, Value>,
) -> Result<Option<(HeaderValue, Bytes)>, Fault> {
    let merged: Map<String, Value>;
    let value = match &body.merged {
        Some(names) => {
            let own = names.iter().filter_map(|name| arguments.get_key_value(name));
            merged = own.map(|(name, value)| (name.clone(), value.clone())).collect();
            if merged.is_empty() && !body.required {
                return Ok(None);
            }
            Value::Object(merged)
        }
        None => match arguments.get("body") {
            Some(value) => value.clone(),
            None if body.required => return Err(Fault::new("body", "is required")),
            None => return Ok(None),
        },
    };
    let members = || value.as_object().ok_or_else(|| Fault::new("body", "is a form, which is an object"));
    let (media, bytes) = match body.kind {
        Kind::Json => (body.media.clone(), value.to_string().into_bytes()),
        Kind::Text => {
            (body.media.clone(), encode::text(&value).unwrap_or_default().into_owned().into_bytes())
        }
        Kind::Form => (body.media.clone(), form::write(members()?, &body.encodings).into_bytes()),
        Kind::Multipart => multipart::write(members()?, &body.encodings)?,
    };
    Ok(Some((media, Bytes::from(bytes))))
}
