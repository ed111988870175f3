//! Forward authentication: what a proxy asks before it lets a request through by itself (nginx `auth_request`,
//! Traefik, Envoy `ext_authz`).
//!
//! It answers for any method and any path below, with the headers a worker would get, or with the refusal the
//! caller would get. What is public is not known here, so nobody passes without a credential. What stands behind
//! the proxy is no tool that a policy names, so it needs what such tools need: every default scope. `?scope=a+b`
//! asks for more; it can only add, since some proxies append the client's own query.

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse, web};
use http::HeaderMap;

use super::answer::Answer;
use super::call::{Authenticated, Cx, Frame};
use super::refusal::Reason;
use super::service::{Gateway, Service};
use super::{authenticate, entitle, receive, render};
use crate::app::App;
use crate::domain::scope::ScopeSet;
use crate::http::record::Record;

/// Answers `{resource}/verify` and everything below it.
pub async fn verify(
    app: web::Data<App>,
    gateway: web::Data<Gateway>,
    service: web::Data<Service>,
    request: HttpRequest,
) -> HttpResponse {
    let cx = Cx { app: &app, gateway: &gateway, service: &service, request: &request };
    let frame = Frame::blank(cx);
    let (response, decision) = match caller(cx).await {
        Ok(caller) => (allowed(cx, &caller), "allowed"),
        Err(reason) => (refused(cx, &frame, &reason), reason.label()),
    };
    let service = Some(service.policy.id.clone());
    request.extensions_mut().insert(Record { service, tool: None, decision });
    response
}

async fn caller(cx: Cx<'_>) -> Result<Authenticated<'_>, Reason> {
    let received = receive::credentials(cx.headers())?;
    if received.token.is_none() {
        return Err(Reason::NoCredentials(false));
    }
    let caller = authenticate::authenticate(cx, received).await?;
    entitle::service(cx, &caller)?;
    entitle::scopes(cx, &caller, &needed(cx))?;
    Ok(caller)
}

fn needed(cx: Cx<'_>) -> ScopeSet {
    let pairs = form_urlencoded::parse(cx.request.query_string().as_bytes());
    let asked: Vec<_> = pairs.filter(|(name, _)| name == "scope").map(|(_, value)| value).collect();
    let asked = asked.iter().flat_map(|value| value.split(' ').filter(|scope| !scope.is_empty()));
    cx.service.policy.default_scopes.iter().chain(asked).collect()
}

fn allowed(cx: Cx<'_>, caller: &Authenticated<'_>) -> HttpResponse {
    let mut identity = HeaderMap::with_capacity(16);
    cx.gateway.names.caller(&mut identity, caller.caller());
    cx.gateway.names.service(&mut identity, cx.service.policy.id.as_str());
    let mut response = HttpResponse::Ok();
    // a proxy may keep this answer only as long as its operator says
    response.insert_header(("cache-control", "no-store"));
    for (name, value) in &identity {
        let name = HeaderName::from_bytes(name.as_str().as_bytes());
        let value = HeaderValue::from_bytes(value.as_bytes());
        if let (Ok(name), Ok(value)) = (name, value) {
            response.insert_header((name, value));
        }
    }
    response.finish()
}

/// nginx turns every answer of `auth_request` but 401 and 403 into 500; `?deny=403` spares its clients that.
fn refused(cx: Cx<'_>, frame: &Frame<'_>, reason: &Reason) -> HttpResponse {
    let answer: Answer = render::by_status(cx, frame, reason, reason.status());
    let status = answer.status;
    let mut response = answer.into_response(frame.accepted);
    let asked = cx.request.query_string().split('&').any(|pair| pair == "deny=403");
    if asked && !matches!(status.as_u16(), 401 | 403) {
        *response.status_mut() = StatusCode::FORBIDDEN;
    }
    let prefix = &cx.app.config.headers.prefix;
    for (name, value) in [("Status", status.as_str()), ("Code", reason.code().word())] {
        let name = HeaderName::from_bytes(format!("{prefix}{name}").as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
