//! CORS of the MCP endpoint: open, without credentials, on errors too.
//!
//! A browser client that cannot read `WWW-Authenticate` on a 401 never finds the sign-in.

use actix_web::HttpResponse;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW, HeaderMap,
    HeaderValue, ORIGIN, VARY,
};

use super::origin::Origins;

const EXPOSED: HeaderValue =
    HeaderValue::from_static("WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After");
const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, DELETE, OPTIONS");
/// What a client may send without being asked about; `mcp-*` comes on top.
const KNOWN: [&str; 11] = [
    "authorization",
    "content-type",
    "accept",
    "accept-language",
    "last-event-id",
    "idempotency-key",
    "traceparent",
    "tracestate",
    "baggage",
    "user-agent",
    "x-request-id",
];
const DEFAULT: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name",
);

/// Adds what every answer carries.
pub fn expose(origins: &Origins, request: &HeaderMap, response: &mut HeaderMap) {
    response.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origins.allow_header(request.get(ORIGIN)));
    response.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    let listed = matches!(origins, Origins::List(_));
    response.insert(
        VARY,
        HeaderValue::from_static(if listed { "Authorization, Origin" } else { "Authorization" }),
    );
}

/// Answers a preflight. It comes without credentials, so it is answered before anybody asks for some.
pub fn preflight(origins: &Origins, request: &HeaderMap) -> HttpResponse {
    let mut response = HttpResponse::NoContent().finish();
    let headers = response.headers_mut();
    expose(origins, request, headers);
    headers.insert(VARY, HeaderValue::from_static("Origin, Access-Control-Request-Headers"));
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ALLOW, HeaderValue::from_static("POST, OPTIONS"));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    let asked = request.get(ACCESS_CONTROL_REQUEST_HEADERS).and_then(|value| value.to_str().ok());
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked.map_or(DEFAULT, reflect));
    response
}

/// Of the headers asked for, those that may be sent.
fn reflect(asked: &str) -> HeaderValue {
    let names = asked.split(',').map(|name| name.trim().to_ascii_lowercase());
    let allowed: Vec<String> =
        names.filter(|name| name.starts_with("mcp-") || KNOWN.contains(&name.as_str())).collect();
    HeaderValue::from_str(&allowed.join(", ")).unwrap_or(DEFAULT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_and_mcp_headers_are_reflected() {
        assert_eq!(
            reflect("Authorization, content-type,mcp-param-region , x-evil, cookie"),
            "authorization, content-type, mcp-param-region"
        );
    }
}
