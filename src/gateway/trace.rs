//! What identifies a call across processes: request id and W3C trace context.

use std::cell::RefCell;

use actix_web::HttpMessage as _;
use actix_web::http::header::HeaderMap as Incoming;
use http::header::HeaderName;

use super::call::Cx;
use crate::domain::entropy::Entropy;
use crate::http::record::RequestId;
use crate::mcp::jsonrpc::{self, Meta};
use crate::upstream::identity_headers::{self, Carrier};

/// The ids of one call, made before it is sent, so that a second attempt carries the same.
#[derive(Clone, Debug)]
pub struct Trace {
    /// `X-Request-Id`.
    pub request_id: String,
    /// `traceparent`: the client's, or a new one.
    pub traceparent: String,
    /// 128 random bits, for writes without a key of the client's.
    pub random_key: String,
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
        let hex = hex(&random(&*cx.app.entropy));
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
        let header = cx.header("traceparent").filter(|text| is_traceparent(text)).map(str::to_owned);
        let traceparent = header
            .or_else(|| {
                meta.traceparent.and_then(jsonrpc::text).filter(|text| is_traceparent(text)).map(Into::into)
            })
            .unwrap_or_else(|| format!("00-{}-{}-01", part(0, 32), part(32, 48)));
        let own_id = cx.request.extensions().get::<RequestId>().map(|id| id.0.clone().into());
        Self {
            request_id: own_id.unwrap_or_else(|| part(0, 32).to_owned()),
            traceparent,
            random_key: part(48, 80).to_owned(),
            carried: carried(cx.headers(), meta),
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

fn carried(headers: &Incoming, meta: &Meta<'_>) -> Vec<(HeaderName, String)> {
    let in_meta = [meta.tracestate, meta.baggage, None];
    let found = CARRIED.into_iter().zip(in_meta).filter_map(|(name, raw)| {
        let header = headers.get(name.as_str()).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let value = header.or_else(|| raw.and_then(jsonrpc::text).map(Into::into))?;
        (value.len() <= MAX_CARRIED && value.is_ascii()).then_some((name, value))
    });
    found.collect()
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

const RANDOM: usize = 40;
const BLOCK: usize = 64 * RANDOM;

thread_local! {
    static POOL: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Random bytes for ids, asked for by the block: a call to the system each time would cost as much as reading
/// the message. What is taken is removed, and nothing here is a secret.
fn random(entropy: &dyn Entropy) -> Vec<u8> {
    POOL.with_borrow_mut(|pool| {
        if pool.len() < RANDOM {
            pool.resize(BLOCK, 0);
            entropy.fill(pool);
        }
        pool.split_off(pool.len() - RANDOM)
    })
}

/// Lower-case hexadecimal, without a formatter on the way: this runs on every call.
fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or('0');
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
    }
    text
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
        assert_eq!(hex(&[0, 255, 0x1a]), "00ff1a");
    }
}
