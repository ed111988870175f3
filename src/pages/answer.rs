//! The bytes of a page: guarded, in UTF-8, kept by nobody.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};

use super::view::{ErrorKind, Page};
use crate::http::answer::guard_page;
use crate::http::strict::{self, Params, Unreadable};
use crate::store::StoreError;

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// Why a handler cannot go on; [`super::error::stopped`] says it.
pub(super) enum Stop {
    /// It could not be asked.
    Store(StoreError),
    /// There is a page that says why.
    Page(ErrorKind),
    /// Somebody has to sign in first.
    SignIn,
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<ErrorKind> for Stop {
    fn from(kind: ErrorKind) -> Self {
        Self::Page(kind)
    }
}

impl From<Unreadable> for Stop {
    fn from(fault: Unreadable) -> Self {
        Self::Page(match fault {
            Unreadable::TooLarge => ErrorKind::TooLarge,
            _ => ErrorKind::Unreadable,
        })
    }
}

/// Writes a page out.
pub(super) fn html(status: StatusCode, page: &dyn Page) -> HttpResponse {
    let mut response = match page.render_page() {
        Ok(text) => HttpResponse::build(status).insert_header((header::CONTENT_TYPE, HTML)).body(text),
        Err(error) => {
            tracing::error!(%error, "a page could not be rendered");
            broken()
        }
    };
    guard_page(&mut response);
    response
}

/// Sends on after a form or to a page: 303, so that what was posted does not travel along.
pub(super) fn see_other(location: &str) -> HttpResponse {
    let mut response = match HeaderValue::from_str(location) {
        Ok(location) => {
            HttpResponse::build(StatusCode::SEE_OTHER).insert_header((header::LOCATION, location)).finish()
        }
        Err(error) => {
            tracing::error!(%error, "an address to send on to is no header");
            broken()
        }
    };
    guard_page(&mut response);
    response
}

fn broken() -> HttpResponse {
    HttpResponse::InternalServerError()
        .insert_header((header::CONTENT_TYPE, PLAIN))
        .body("This page could not be made. Please try again in a while.")
}

/// The same answer with how long to wait before asking again.
pub(super) fn retry_after(mut response: HttpResponse, seconds: u64) -> HttpResponse {
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    response
}

/// Reads a form of our own pages; `scope` alone may come several times.
pub(super) async fn form(req: &HttpRequest, payload: actix_web::web::Payload) -> Result<Params, Unreadable> {
    strict::form(req, payload, &[], &["scope"]).await
}

/// True if the caller is a browser that wants a page, not a program that wants to be sent on.
pub(super) fn wants_page(req: &HttpRequest) -> bool {
    accepts(req, "text/html")
}

/// True if the caller is a program that asks for JSON by name; whoever takes anything gets the page.
pub(super) fn wants_json(req: &HttpRequest) -> bool {
    accepts(req, "application/json") && !wants_page(req)
}

fn accepts(req: &HttpRequest, kind: &str) -> bool {
    let values = req.headers().get_all(header::ACCEPT);
    values.filter_map(|value| value.to_str().ok()).any(|value| value.to_ascii_lowercase().contains(kind))
}
