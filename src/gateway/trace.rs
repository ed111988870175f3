//! What identifies a call across processes: request id and W3C trace context.

use std::cell::RefCell;
use std::sync::Arc;

use actix_web::HttpMessage as _;
use actix_web::http::header::{ACCEPT_LANGUAGE, HeaderMap as Incoming, HeaderName as IncomingName};
use http::header::HeaderName;

use super::call::Cx;
use super::names;
use crate::domain::entropy::Entropy;
use crate::http::record::RequestId;
use crate::mcp::jsonrpc::{self, Meta};
use crate::upstream::identity_headers::{self, Carrier};

/// The ids of one call, made before it is sent, so that a second attempt carries the same.
#[derive(Clone, Debug)]
pub struct Trace {
    /// `X-Request-Id`.
    pub request_id: Arc<str>,
    /// `traceparent`: the client's, or a new one.
    pub traceparent: String,
    carried: Vec<(HeaderName, String)>,
}

/// What may be carried on as it came; nothing else of a client's headers ever is.
pub const CARRIED: [HeaderName; 3] = [
    HeaderName::from_static("tracestate"),
    HeaderName::from_static("baggage"),
    HeaderName::from_static("accept-language"),
];
const MAX_CARRIED: usize = 2048;

impl Trace {
    /// For this request.
    pub fn new(cx: Cx<'_>, meta: &Meta<'_>) -> Self {
        let (client, [state, baggage]) = of_client(cx, meta);
        let values = [state, baggage, joined(cx.headers(), &ACCEPT_LANGUAGE)];
        let carried = CARRIED.into_iter().zip(values).filter_map(|(name, value)| {
            Some((name, value.filter(|text| text.len() <= MAX_CARRIED && text.is_ascii())?))
        });
        let request_id = cx.request.extensions().get::<RequestId>().map(|id| Arc::clone(&id.0));
        Self {
            request_id: request_id.unwrap_or_default(),
            traceparent: client.unwrap_or_else(|| made(&*cx.app.entropy)),
            carried: carried.collect(),
        }
    }

    /// Adds them to a worker's headers.
    pub fn write(&self, headers: &mut impl Carrier, key: Option<&str>) {
        identity_headers::trace(headers, &self.request_id, &self.traceparent, key);
        for (name, value) in &self.carried {
            headers.set(name, value);
        }
    }
}

/// A new `traceparent`.
fn made(entropy: &dyn Entropy) -> String {
    let mut text = String::with_capacity(55);
    text.push_str("00-");
    push_hex(&mut text, &random::<16>(entropy));
    text.push('-');
    push_hex(&mut text, &random::<8>(entropy));
    text.push_str("-01");
    text
}

/// 128 random bits, for writes without a key of the client's.
pub fn random_key(entropy: &dyn Entropy) -> String {
    let mut text = String::with_capacity(32);
    push_hex(&mut text, &random::<16>(entropy));
    text
}

/// The client's trace, with the state and baggage that came beside it: in headers, or else in `_meta`. They say
/// something of that trace alone, so without it they go no further (W3C Trace Context §3.3).
fn of_client(cx: Cx<'_>, meta: &Meta<'_>) -> (Option<String>, [Option<String>; 2]) {
    if let Some(own) = cx.header(&names::TRACEPARENT).filter(|text| is_traceparent(text)) {
        let beside = [&names::TRACESTATE, &names::BAGGAGE].map(|name| joined(cx.headers(), name));
        return (Some(own.to_owned()), beside);
    }
    match meta.traceparent.and_then(jsonrpc::text).filter(|text| is_traceparent(text)) {
        Some(own) => {
            let beside =
                [meta.tracestate, meta.baggage].map(|raw| raw.and_then(jsonrpc::text).map(Into::into));
            (Some(own.into_owned()), beside)
        }
        None => (None, [None, None]),
    }
}

/// A header that is a list, from however many lines.
fn joined(headers: &Incoming, name: &IncomingName) -> Option<String> {
    let mut values = headers.get_all(name).map(|value| value.to_str().ok());
    let first = values.next()??.to_owned();
    values.try_fold(first, |all, value| Some(format!("{all}, {}", value?)))
}

/// `00-‹32 hex›-‹16 hex›-‹2 hex›`, not all zero (W3C Trace Context §3.2.2).
fn is_traceparent(text: &str) -> bool {
    let lower_hex = |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let mut parts = text.split('-');
    let fields = (parts.next(), parts.next(), parts.next(), parts.next(), parts.next());
    let (Some("00"), Some(trace), Some(parent), Some(flags), None) = fields else { return false };
    let lengths = trace.len() == 32 && parent.len() == 16 && flags.len() == 2;
    let zero = |part: &str| part.bytes().all(|byte| byte == b'0');
    lengths && [trace, parent, flags].into_iter().all(lower_hex) && !zero(trace) && !zero(parent)
}

const BLOCK: usize = 2048;

thread_local! {
    static POOL: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Random bytes for ids, asked for by the block: a call to the system each time would cost as much as reading
/// the message. What is taken is removed, and nothing here is a secret.
fn random<const N: usize>(entropy: &dyn Entropy) -> [u8; N] {
    POOL.with_borrow_mut(|pool| {
        if pool.len() < N {
            pool.resize(BLOCK, 0);
            entropy.fill(pool);
        }
        let bytes = pool.last_chunk().copied().unwrap_or([0; N]);
        pool.truncate(pool.len() - N);
        bytes
    })
}

/// Lower-case hexadecimal, without a formatter on the way: this runs on every call.
fn push_hex(text: &mut String, bytes: &[u8]) {
    let digit = |value: u8| char::from(if value < 10 { b'0' + value } else { b'a' - 10 + value });
    text.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_parent_is_checked_before_it_is_carried_on() {
        assert!(is_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
        for bad in [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4BF92F3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert!(!is_traceparent(bad), "{bad}");
        }
        let mut hex = String::new();
        push_hex(&mut hex, &[0, 255, 0x1a]);
        assert_eq!(hex, "00ff1a");
    }
}
