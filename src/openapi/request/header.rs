//! Header parameters, and the headers that no argument sets.

use http::header::{HeaderMap, HeaderName, HeaderValue};

use super::super::operation::Wire;
use super::{Fault, Given, encode, style};

/// What the gateway says about the request, its sender and its connection (RFC 9110 §7.6.1).
const OWNED: [&str; 29] = [
    "accept",
    "accept-encoding",
    "authorization",
    "baggage",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "cookie2",
    "date",
    "expect",
    "forwarded",
    "host",
    "idempotency-key",
    "keep-alive",
    "origin",
    "referer",
    "te",
    "traceparent",
    "tracestate",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-http-method-override",
    "x-method-override",
    "x-real-ip",
    "x-request-id",
];
const OWNED_PREFIXES: [&str; 5] = ["x-portero-", "x-forwarded-", "proxy-", "sec-", "mcp-"];

/// True for a header that the gateway alone sets.
pub(in super::super) fn is_owned(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    OWNED.contains(&name.as_str()) || OWNED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// True for what a header may be called.
pub(in super::super) fn is_name(name: &str) -> bool {
    HeaderName::from_bytes(name.as_bytes()).is_ok()
}

/// Adds them.
pub(super) fn write(headers: &mut HeaderMap, given: &Given<'_>) -> Result<(), Fault> {
    for (parameter, value) in given {
        let text = match parameter.wire {
            Wire::Styled { style, explode, .. } => {
                let text = style::whole(style, explode, &parameter.name, value, style::as_it_is);
                // the empty text is a value, nothing is none
                (!text.is_empty() || value.is_string()).then_some(text)
            }
            Wire::Json => Some(value.to_string()),
            Wire::Text => encode::text(value).map(std::borrow::Cow::into_owned),
        };
        let Some(text) = text else { continue };
        let refuse = |says: &str| Fault::new(&parameter.argument, says);
        let name =
            HeaderName::from_bytes(parameter.name.as_bytes()).ok().filter(|name| !is_owned(name.as_str()));
        let name = name.ok_or_else(|| refuse("is a header that the gateway alone sets"))?;
        let printable = text.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte));
        let value = HeaderValue::from_str(&text).ok().filter(|_| printable);
        let value =
            value.ok_or_else(|| refuse("is a header, which takes printable ASCII characters on one line"))?;
        headers.insert(name, value);
    }
    Ok(())
}
