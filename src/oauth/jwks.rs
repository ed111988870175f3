//! `{issuer}/jwks.json`: the public halves of the keys that sign assertions and documents (RFC 7517 §5).

use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use super::metadata::document;
use crate::app::App;

/// Every key there is, also those that do not sign yet or no more. It may be kept as long as the other documents: a
/// new key signs nothing before all copies that were made without it are over.
pub fn answer(app: &App, req: &HttpRequest) -> HttpResponse {
    document(json!({ "keys": app.keys.public() })).answer(req)
}
