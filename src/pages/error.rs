//! Every page that says no, or not now.

use actix_web::http::StatusCode;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};

use super::answer::{self, Stop};
use super::next::is_own_path;
use super::shell::{Visit, brand_here};
use super::view::{ErrorKind, ErrorPage};
use crate::app::App;
use crate::app::brand::Brand;
use crate::http::record::RequestId;

/// What a trouble of ours is given to pass.
const PATIENCE_SECONDS: u64 = 5;

/// The page of a refusal, under `brand` or the brand of this host. It asks no database, so that it can speak of
/// one that does not answer.
pub fn page(app: &App, req: &HttpRequest, brand: Option<&Brand>, kind: ErrorKind) -> HttpResponse {
    let again = req.uri().path_and_query().map(|own| own.as_str().to_owned());
    let again = again.filter(|path| req.method().is_safe() && kind.status() >= 500 && is_own_path(path));
    page_with_way_back(app, req, brand, kind, again)
}

/// The page of a refusal with a link to where trying again makes sense.
pub(super) fn page_with_way_back(
    app: &App,
    req: &HttpRequest,
    brand: Option<&Brand>,
    kind: ErrorKind,
    retry_href: Option<String>,
) -> HttpResponse {
    let Some(brand) = brand.or_else(|| brand_here(app, req)) else {
        return crate::http::answer::not_found();
    };
    let visit = Visit::anonymous(app, req, brand);
    let status = StatusCode::from_u16(kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let wait = match &kind {
        ErrorKind::Unavailable => Some(PATIENCE_SECONDS),
        ErrorKind::TooMany { retry_after_seconds } => u64::try_from(*retry_after_seconds).ok(),
        _ => None,
    };
    let id = req.extensions().get::<RequestId>().map(|id| id.0.to_string());
    let page = ErrorPage {
        // No form stands on it, so the proof is for nothing.
        shell: visit.shell("error"),
        request_id: id.filter(|_| status.is_server_error()),
        kind,
        retry_href,
    };
    let response = visit.answer_unbound(status, &page);
    match wait {
        Some(seconds) => answer::retry_after(response, seconds),
        None => response,
    }
}

/// Says why a handler could not go on.
pub(super) fn stopped(app: &App, req: &HttpRequest, brand: Option<&Brand>, stop: Stop) -> HttpResponse {
    match stop {
        Stop::Store(error) => {
            tracing::error!(%error, "a page failed on the store");
            page(app, req, brand, ErrorKind::Unavailable)
        }
        Stop::Page(kind) => page(app, req, brand, kind),
        Stop::SignIn => answer::see_other(&sign_in(req)),
    }
}

/// Where to sign in, and back to the page that was asked for.
fn sign_in(req: &HttpRequest) -> String {
    let asked = req.uri().path_and_query().map_or("", |own| own.as_str());
    let next = if req.method().is_safe() && is_own_path(asked) { asked } else { "/settings/connect" };
    let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    // A plain path stays readable: slashes need no escaping in a query.
    format!("/login?next={}", next.replace("%2F", "/"))
}
