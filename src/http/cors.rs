//! CORS of the OAuth endpoints and documents: any origin, never with credentials, also on errors.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};

/// What browsers may read of an answer.
pub const EXPOSED: &str = "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After";

/// The same with the tag of a document.
pub const EXPOSED_WITH_TAG: &str =
    "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After, ETag";

/// Opens an answer to every origin.
pub fn open(mut response: HttpResponse) -> HttpResponse {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    response
}

/// Answers a preflight for `methods`.
pub fn preflight(req: &HttpRequest, methods: &'static str) -> HttpResponse {
    const KNOWN: [&str; 7] = [
        "authorization",
        "content-type",
        "accept",
        "dpop",
        "last-event-id",
        "cache-control",
        "if-none-match",
    ];
    let asked = req
        .headers()
        .get(header::ACCESS_CONTROL_REQUEST_HEADERS)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let allowed: Vec<String> = asked
        .split(',')
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| KNOWN.contains(&name.as_str()) || name.starts_with("mcp-"))
        .filter(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
        .collect();
    let allowed = if allowed.is_empty() {
        "authorization, content-type, mcp-protocol-version".to_owned()
    } else {
        allowed.join(", ")
    };
    let mut response = HttpResponse::new(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods));
    if let Ok(value) = HeaderValue::from_str(&allowed) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, value);
    }
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    headers.insert(header::VARY, HeaderValue::from_static("Access-Control-Request-Headers"));
    open(response)
}
