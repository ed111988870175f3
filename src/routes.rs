//! THE route table. Host and path pick an endpoint, the endpoint says which methods it answers.
//!
//! Paths are compared as they stand on the wire: nothing is decoded or cleaned, so that what is decided on and
//! what is routed cannot differ. What no line names is JSON 404; nothing here ever redirects a program.

mod table;

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::app::brand::Brand;
use crate::app::sites::plain_authority;
use crate::domain::table::Table as Map;
use crate::gateway::descriptors::Live;
use crate::gateway::{self, Gateway};
use crate::http::body::Body;
use crate::http::document::Document;
use crate::http::edge::{self, Entered};
use crate::http::record::Record;
use crate::http::{answer, cors, unread};
use crate::oauth::error::OAuthError;
use crate::oauth::{introspect, jwks, register, revoke, token};
use crate::pages;

/// What answers at a path.
#[derive(Clone)]
pub enum Endpoint {
    /// A service's MCP endpoint.
    Mcp(web::Data<gateway::Service>),
    /// Forward authentication for proxies, and every path below it.
    Verify(web::Data<gateway::Service>),
    /// Metadata and descriptors that never change.
    Document(Document),
    /// Descriptors with the tools of a service as they are now.
    Live(Live),
    /// The public keys of assertions and signed documents.
    Jwks,
    /// RFC 7591.
    Register(Arc<Brand>),
    /// The authorization page.
    Authorize(Arc<Brand>),
    /// Token, revocation and introspection, by issuer.
    Token(Arc<Brand>),
    /// RFC 7009.
    Revoke(Arc<Brand>),
    /// RFC 7662.
    Introspect(Arc<Brand>),
    /// A page with the methods `GET` and, where it has a form, `POST`.
    Page(pages::PageRoute),
}

/// Every path of every host.
pub struct Routes(Map<String, Map<String, Endpoint>>);

impl Routes {
    /// The table of a configuration. Two things that would answer at one path stop the start.
    pub fn build(app: &App, gateway: &Gateway) -> Result<Self, Vec<String>> {
        table::build(app, gateway).map(Self)
    }

    fn find(&self, authority: &str, path: &str) -> Option<&Endpoint> {
        at(self.0.get(authority).or_else(|| self.0.get(&plain_authority(authority)))?, path)
    }

    /// Forward authentication for a trusted proxy, by the path alone: a proxy's own requests name the host as it
    /// happens to be configured there. None where services of two hosts have the path; there the host decides.
    fn find_for_proxy(&self, app: &App, req: &HttpRequest) -> Option<&Endpoint> {
        if !edge::is_from_proxy(app, req) {
            return None;
        }
        let here = self.0.values().filter_map(|site| at(site, req.path()));
        let mut found = here.filter(|endpoint| matches!(endpoint, Endpoint::Verify(_)));
        found.next().filter(|_| found.next().is_none())
    }

    /// Every host and path, for tests and documents.
    pub fn list(&self) -> Vec<(String, String)> {
        let sites = self.0.iter();
        let mut all: Vec<_> = sites
            .flat_map(|(host, site)| site.keys().map(move |path| (host.clone(), path.clone())))
            .collect();
        all.sort();
        all
    }
}

fn at<'a>(site: &'a Map<String, Endpoint>, path: &str) -> Option<&'a Endpoint> {
    site.get(path).or_else(|| folder(site, path))
}

/// The two things that answer for everything below their path: assets and forward authentication.
fn folder<'a>(site: &'a Map<String, Endpoint>, path: &str) -> Option<&'a Endpoint> {
    if path.starts_with(pages::PageRoute::Asset.path()) {
        return site.get(pages::PageRoute::Asset.path());
    }
    let end = path.match_indices("/verify/").map(|(at, _)| at + "/verify".len());
    end.filter_map(|end| site.get(path.get(..end)?)).find(|own| matches!(own, Endpoint::Verify(_)))
}

/// Answers a request by the table.
pub async fn dispatch(
    app: web::Data<App>,
    gateway: web::Data<Gateway>,
    routes: web::Data<Routes>,
    req: HttpRequest,
    Body(payload): Body,
) -> HttpResponse {
    let entered = Entered::at(&app, &req);
    let (payload, rest) = match unread::watch(&req, payload).await {
        Ok(watched) => watched,
        Err(error) => return error.error_response(),
    };
    let response = answered(app.clone(), gateway, routes, req.clone(), payload).await;
    unread::close_after(entered.left(&app, &req, response), rest)
}

async fn answered(
    app: web::Data<App>,
    gateway: web::Data<Gateway>,
    routes: web::Data<Routes>,
    req: HttpRequest,
    payload: web::Payload,
) -> HttpResponse {
    if let Some(refused) = edge::too_long(&req) {
        return refused;
    }
    let host = edge::own_host(&app, &req);
    let named = host.and_then(|host| routes.find(host, req.path()));
    let endpoint = match named.or_else(|| routes.find_for_proxy(&app, &req)) {
        Some(endpoint) => endpoint.clone(),
        None if host.is_none() => return edge::misdirected(&app, &req),
        None => return pages::routes::unknown_path(&app, &req),
    };
    match endpoint {
        Endpoint::Mcp(service) => gateway::handle(app, gateway, service, req, payload).await,
        // Boxed, so that a call does not carry the room that the pages' futures need.
        other => Box::pin(elsewhere(other, app, gateway, req, payload)).await,
    }
}

async fn elsewhere(
    endpoint: Endpoint,
    app: web::Data<App>,
    gateway: web::Data<Gateway>,
    req: HttpRequest,
    payload: web::Payload,
) -> HttpResponse {
    let (get, post) = (matches!(*req.method(), Method::GET | Method::HEAD), req.method() == Method::POST);
    match endpoint {
        Endpoint::Mcp(service) => gateway::handle(app, gateway, service, req, payload).await,
        Endpoint::Verify(service) => gateway::verify(app, gateway, service, req).await,
        Endpoint::Document(document) if get => document.answer(&req),
        Endpoint::Live(document) if get => document.answer(&req),
        Endpoint::Jwks if get => jwks::answer(&app, &req),
        Endpoint::Document(_) | Endpoint::Live(_) | Endpoint::Jwks => open(&req, "GET, HEAD, OPTIONS"),
        Endpoint::Register(brand) if post => {
            cors::open(said(&req, register::handle(&app, &brand, &req, payload).await))
        }
        Endpoint::Token(brand) if post => {
            cors::open(said(&req, token::handle(&app, &brand, &req, payload).await))
        }
        Endpoint::Revoke(brand) if post => {
            cors::open(said(&req, revoke::handle(&app, &brand, &req, payload).await))
        }
        Endpoint::Register(_) | Endpoint::Token(_) | Endpoint::Revoke(_) => open(&req, "POST, OPTIONS"),
        Endpoint::Introspect(brand) if post => {
            said(&req, introspect::handle(&app, &brand, &req, payload).await)
        }
        Endpoint::Introspect(_) => answer::method_not_allowed("POST"),
        Endpoint::Authorize(brand) if get => pages::authorize::show(&app, &brand, &req).await,
        Endpoint::Authorize(_) if post => pages::authorize::decide(&app, &req, payload).await,
        Endpoint::Authorize(_) => answer::method_not_allowed("GET, HEAD, POST"),
        Endpoint::Page(page) => pages::routes::dispatch(page, &app, &req, payload).await,
    }
}

/// Preflights of endpoints that any origin may use; other methods are not theirs.
fn open(req: &HttpRequest, methods: &'static str) -> HttpResponse {
    if req.method() == Method::OPTIONS {
        return cors::preflight(req, methods);
    }
    cors::open(answer::method_not_allowed(methods))
}

fn said(req: &HttpRequest, outcome: Result<HttpResponse, OAuthError>) -> HttpResponse {
    let decision = outcome.as_ref().map_or_else(|error| error.reason, |_| "ok");
    req.extensions_mut().insert(Record { service: None, tool: None, decision });
    outcome.unwrap_or_else(|error| error.response())
}
