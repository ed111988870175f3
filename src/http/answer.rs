//! Answers that are the same on every face.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};

/// The media type of JSON.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Nothing that carries a token or speaks of one is kept.
pub const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// A JSON answer that nobody keeps.
pub fn json(status: StatusCode, body: &impl serde::Serialize) -> HttpResponse {
    let text = serde_json::to_vec(body).unwrap_or_default();
    HttpResponse::build(status)
        .insert_header((header::CONTENT_TYPE, JSON))
        .insert_header((header::CACHE_CONTROL, NO_STORE))
        .insert_header((header::PRAGMA, HeaderValue::from_static("no-cache")))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")))
        .body(text)
}

/// A plain refusal in JSON: `error` for programs, `message` for people, and the same under the name by which
/// OAuth clients read it.
pub fn refusal(status: StatusCode, error: &str, message: &str) -> HttpResponse {
    json(status, &serde_json::json!({ "error": error, "error_description": message, "message": message }))
}

/// The path is not one of ours.
pub fn not_found() -> HttpResponse {
    refusal(StatusCode::NOT_FOUND, "not_found", "there is nothing at this path")
}

/// The path is ours, the method is not: `allow` names those that are.
pub fn method_not_allowed(allow: &'static str) -> HttpResponse {
    let message = format!("this path answers {allow}");
    let mut response = refusal(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &message);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
    response
}

/// What every page is guarded with (W-17): no foreign content, no framing, no referrer, no copy kept.
/// `form-action` stays with us because the form's answer is a page of our own that sends on.
pub fn guard_page(response: &mut HttpResponse) {
    const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
         form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
}
