//! The public manifest: what a service offers, as it lists it to a caller who may use everything.
//!
//! It is made of the catalog in use and made again with the next one. What is hidden from everybody is not in it.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse};

use super::catalog::Catalog;
use super::service::Service;
use crate::http::document::Document;
use crate::http::{answer, cors};

/// Workers are asked for their tools every half minute; an older copy could name tools that are gone.
const KEEP: Duration = Duration::from_mins(1);

/// Answers a GET of the manifest. While no tool is known it is 503: an empty manifest would be believed.
pub fn answer(service: &Service, req: &HttpRequest) -> HttpResponse {
    let catalog = service.catalog.load();
    if let Some(wait) = unknown_yet(&catalog) {
        return wait;
    }
    catalog.manifest(|| Document::new(with_tools(&service.info.short, &catalog), KEEP)).answer(req)
}

/// The answer while no worker has said what there is.
pub(super) fn unknown_yet(catalog: &Catalog) -> Option<HttpResponse> {
    if !catalog.pending || catalog.tools().next().is_some() {
        return None;
    }
    let message = "the tools of this service are not known yet; ask again in a moment";
    let mut response = answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "temporarily_unavailable", message);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("2"));
    Some(cors::open(response))
}

/// A JSON object with `tools` as its last member: all that somebody can see.
pub(super) fn with_tools(object: &str, catalog: &Catalog) -> Vec<u8> {
    let head = object.strip_suffix('}').unwrap_or("{");
    let mut out = Vec::with_capacity(16 << 10);
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(b",\"tools\":");
    catalog.write_all(&mut out);
    out.push(b'}');
    out
}
