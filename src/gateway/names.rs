//! The names of the request headers that are read here, made once: a name given as text would be parsed at every
//! look.

use actix_web::http::header::HeaderName;

use crate::mcp::headers;

/// `MCP-Protocol-Version`.
pub static PROTOCOL_VERSION: HeaderName = HeaderName::from_static(headers::PROTOCOL_VERSION);
/// `Mcp-Method`.
pub static METHOD: HeaderName = HeaderName::from_static(headers::METHOD);
/// `Mcp-Name`.
pub static NAME: HeaderName = HeaderName::from_static(headers::NAME);
/// `Idempotency-Key`.
pub static IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// `Mcp-Session-Id`.
pub static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// `Last-Event-ID`.
pub static LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// W3C Trace Context §3.2.
pub static TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// W3C Trace Context §3.3.
pub static TRACESTATE: HeaderName = HeaderName::from_static("tracestate");
/// W3C Baggage.
pub static BAGGAGE: HeaderName = HeaderName::from_static("baggage");
