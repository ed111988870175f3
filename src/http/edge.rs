//! The edge, on one screen: a request id and one log line around everything, and the hosts that are ours.

use std::net::IpAddr;
use std::sync::Arc;

use actix_web::dev::RequestHead;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};

use super::answer;
use super::client_ip::{client_ip, is_trusted};
use super::record::{Record, RequestId};
use crate::app::App;
use crate::domain::clock::Timestamp;
use crate::telemetry::RequestLine;

const TARGET_LIMIT: usize = 16 * 1024;
const HEAD_LIMIT: usize = 32 * 1024;
/// Who came by https once comes by https again (W-01); the proxy in front need not say so.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A request that has come in.
pub struct Entered {
    id: Arc<str>,
    began: Timestamp,
}

impl Entered {
    /// Gives the request its id.
    pub fn at(app: &App, req: &HttpRequest) -> Self {
        let (id, began) = (app.request_ids.next(), app.clock.now());
        req.extensions_mut().insert(RequestId(Arc::clone(&id)));
        Self { id, began }
    }

    /// Names the request in its answer and writes its one log line. Neither headers nor queries are logged:
    /// credentials travel there.
    pub fn left(self, app: &App, req: &HttpRequest, mut response: HttpResponse) -> HttpResponse {
        if let Ok(value) = HeaderValue::from_str(&self.id) {
            response.headers_mut().insert(REQUEST_ID, value);
        }
        if app.sites.public.is_https() {
            response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, HSTS);
        }
        log(app, req, &response, &self);
        response
    }
}

/// The host a request names, as it names it.
pub fn named(head: &RequestHead) -> Option<&str> {
    match head.uri.authority() {
        Some(authority) => Some(authority.as_str()),
        None => head.headers.get(header::HOST).and_then(|host| host.to_str().ok()),
    }
}

/// Answers a request whose head is longer than any of ours has to be, before anything is done for it (W-12). What
/// the limit leaves room for is a bearer token that lists a big company's groups (C168).
pub fn too_long(req: &HttpRequest) -> Option<HttpResponse> {
    let target = req.uri().path_and_query().map_or(0, |target| target.as_str().len());
    if target > TARGET_LIMIT {
        let message = format!("the URL is longer than {TARGET_LIMIT} bytes");
        return Some(answer::refusal(StatusCode::URI_TOO_LONG, "uri_too_long", &message));
    }
    let headers = req.headers().iter().map(|(name, value)| name.as_str().len() + value.len());
    (headers.sum::<usize>() > HEAD_LIMIT).then(|| {
        let message = format!("the header fields are longer than {HEAD_LIMIT} bytes together");
        answer::refusal(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "header_fields_too_large", &message)
    })
}

/// The host a request names, if it is one of ours. Attack: a foreign name that is made to point here, by which a
/// browser would speak to us as that site.
pub fn own_host<'r>(app: &App, req: &'r HttpRequest) -> Option<&'r str> {
    let several = req.headers().get_all(header::HOST).count() > 1;
    named(req.head()).filter(|own| !several && app.sites.knows(own))
}

/// True if a proxy of ours asks for itself. A host that is there twice is nobody's.
pub fn is_from_proxy(app: &App, req: &HttpRequest) -> bool {
    let several = req.headers().get_all(header::HOST).count() > 1;
    !several && is_trusted(req, &app.config.trusted_proxies)
}

/// Answers a request for somebody else's host.
pub fn misdirected(app: &App, req: &HttpRequest) -> HttpResponse {
    let named = named(req.head());
    let host: String = named.unwrap_or("").chars().filter(char::is_ascii_graphic).take(100).collect();
    tracing::warn!(
        host,
        configured = app.sites.list(),
        "request for a host that nothing is configured for: set public_url, issuer or resource to the URL that \
         clients use"
    );
    answer::refusal(
        StatusCode::MISDIRECTED_REQUEST,
        "misdirected_request",
        "nothing here is configured for this host",
    )
}

fn log(app: &App, req: &HttpRequest, response: &HttpResponse, entered: &Entered) {
    let now = app.clock.now();
    let address: IpAddr = client_ip(req, &app.config.trusted_proxies);
    let extensions = req.extensions();
    let record = extensions.get::<Record>();
    let service = record.and_then(|own| own.service.as_ref()).map_or("-", |service| service.as_str());
    let tool = record.and_then(|own| own.tool.as_deref()).unwrap_or("-");
    let decision = record.map_or("-", |own| own.decision);
    RequestLine {
        at: now.millis(),
        id: &entered.id,
        address,
        method: req.method().as_str(),
        path: req.path(),
        status: response.status().as_u16(),
        service,
        tool,
        decision,
        ms: now.since(entered.began).as_millis(),
    }
    .write();
}
