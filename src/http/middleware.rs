//! The stack, on one screen: a request id and one log line around everything, and the hosts that are ours.

use std::net::IpAddr;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, web};

use super::answer;
use super::client_ip::client_ip;
use super::record::{Record, RequestId};
use crate::app::App;
use crate::telemetry::RequestLine;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Gives the request its id, answers for foreign hosts, and writes its one log line. Neither headers nor
/// queries are logged: credentials travel there.
pub async fn edge<B: MessageBody + 'static>(
    req: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<actix_web::body::EitherBody<B>>, Error> {
    let Some(app) = req.app_data::<web::Data<App>>().cloned() else {
        return Ok(next.call(req).await?.map_into_left_body());
    };
    let began = app.clock.now();
    let id = app.request_ids.next();
    req.extensions_mut().insert(RequestId(id.clone().into_boxed_str()));
    let mut response = if knows_host(&app, &req) {
        next.call(req).await?.map_into_left_body()
    } else {
        misdirected(&app, req).map_into_right_body()
    };
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    log(&app, &response, &id, app.clock.now().since(began).as_millis());
    Ok(response)
}

fn authority(req: &ServiceRequest) -> Option<&str> {
    match req.uri().authority() {
        Some(authority) => Some(authority.as_str()),
        None => req.headers().get(header::HOST)?.to_str().ok(),
    }
}

fn knows_host(app: &App, req: &ServiceRequest) -> bool {
    let several = req.headers().get_all(header::HOST).count() > 1;
    !several && authority(req).is_some_and(|own| app.sites.knows(own))
}

fn misdirected(app: &App, req: ServiceRequest) -> ServiceResponse {
    let host: String =
        authority(&req).unwrap_or("").chars().filter(char::is_ascii_graphic).take(100).collect();
    tracing::warn!(
        host,
        configured = app.sites.list(),
        "request for a host that nothing is configured for: set public_url, issuer or resource to the URL that \
         clients use"
    );
    let response = answer::refusal(
        StatusCode::MISDIRECTED_REQUEST,
        "misdirected_request",
        "nothing here is configured for this host",
    );
    req.into_response(response)
}

fn log<B>(app: &App, response: &ServiceResponse<B>, id: &str, ms: u128) {
    let req = response.request();
    let address: IpAddr = client_ip(req, &app.config.trusted_proxies);
    let extensions = req.extensions();
    let record = extensions.get::<Record>();
    let service = record.and_then(|own| own.service.as_ref()).map_or("-", |service| service.as_str());
    let tool = record.and_then(|own| own.tool.as_deref()).unwrap_or("-");
    let decision = record.map_or("-", |own| own.decision);
    RequestLine {
        at: app.clock.now().millis(),
        id,
        address,
        method: req.method().as_str(),
        path: req.path(),
        status: response.status().as_u16(),
        service,
        tool,
        decision,
        ms,
    }
    .write();
}
