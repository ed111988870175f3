//! THE route table. Host and path pick an endpoint, the endpoint says which methods it answers.
//!
//! Paths are compared as they stand on the wire: nothing is decoded or cleaned, so that what is decided on and
//! what is routed cannot differ. What no line names is JSON 404; nothing here ever redirects a program.

use std::collections::HashMap;
use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::app::brand::Brand;
use crate::app::service::Service;
use crate::app::sites::{Base, plain_authority};
use crate::gateway::{self, Gateway};
use crate::http::{answer, cors};
use crate::oauth::error::OAuthError;
use crate::oauth::metadata::{self, Document};
use crate::oauth::{introspect, register, revoke, token};
use crate::pages;

/// What answers at a path.
#[derive(Clone)]
pub enum Endpoint {
    /// A service's MCP endpoint.
    Mcp(web::Data<gateway::Service>),
    /// Resource or server metadata.
    Document(Document),
    /// RFC 7591.
    Register,
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
pub struct Routes(HashMap<String, HashMap<String, Endpoint>>);

const WELL_KNOWN_RESOURCE: &str = "/.well-known/oauth-protected-resource";
const WELL_KNOWN_SERVER: &str = "/.well-known/oauth-authorization-server";

impl Routes {
    /// The table of a configuration. Two things that would answer at one path stop the start.
    pub fn build(app: &App, gateway: &Gateway) -> Result<Self, Vec<String>> {
        let mut table = Table { routes: HashMap::new(), faults: Vec::new() };
        for brand in &app.brands {
            table.issuer(app, brand);
        }
        for service in &app.services {
            match gateway.service(&service.id) {
                Some(own) => table.service(app, service, &web::Data::from(Arc::clone(own))),
                None => table.faults.push(format!("service {} was not compiled", service.id)),
            }
        }
        for authority in table.routes.keys().cloned().collect::<Vec<_>>() {
            for page in pages::PageRoute::ALL {
                table.claim(&authority, page.path().to_owned(), Endpoint::Page(page));
            }
        }
        if table.faults.is_empty() { Ok(Self(table.routes)) } else { Err(table.faults) }
    }

    fn find(&self, authority: &str, path: &str) -> Option<&Endpoint> {
        let site = self.0.get(authority).or_else(|| self.0.get(&plain_authority(authority)))?;
        site.get(path).or_else(|| {
            let asset = path.strip_prefix("/assets/").is_some();
            asset.then(|| site.get(pages::PageRoute::Asset.path())).flatten()
        })
    }

    /// Every host and path, for tests and documents.
    pub fn list(&self) -> Vec<(String, String)> {
        let sites = self.0.iter();
        let mut all: Vec<_> =
            sites.flat_map(|(host, site)| site.keys().map(move |path| (host.clone(), path.clone()))).collect();
        all.sort();
        all
    }
}

struct Table {
    routes: HashMap<String, HashMap<String, Endpoint>>,
    faults: Vec<String>,
}

impl Table {
    fn claim(&mut self, authority: &str, path: String, endpoint: Endpoint) {
        let site = self.routes.entry(authority.to_owned()).or_default();
        if site.contains_key(&path) {
            self.faults.push(format!("{authority}{path} would be two things at once"));
        }
        site.insert(path, endpoint);
    }

    /// A courtesy: taken only where nothing else is.
    fn offer(&mut self, authority: &str, path: &str, endpoint: &Endpoint) {
        let site = self.routes.entry(authority.to_owned()).or_default();
        site.entry(path.to_owned()).or_insert_with(|| endpoint.clone());
    }

    fn issuer(&mut self, app: &App, brand: &Arc<Brand>) {
        let base = Base::of(&brand.issuer);
        let (host, path) = (&base.authority, &base.path);
        let document = Endpoint::Document(metadata::authorization_server(app, brand));
        self.claim(host, format!("{WELL_KNOWN_SERVER}{path}"), document.clone());
        if !path.is_empty() {
            self.claim(host, format!("{path}{WELL_KNOWN_SERVER}"), document);
        }
        for (name, endpoint) in endpoints(brand) {
            self.claim(host, format!("{path}/{name}"), endpoint);
        }
    }

    fn service(&mut self, app: &App, service: &Arc<Service>, own: &web::Data<gateway::Service>) {
        let base = Base::of(&service.resource);
        let (host, path) = (&base.authority, &base.path);
        let slash = format!("{path}/");
        let own_spelling = if service.resource.ends_with('/') { &slash } else { path };
        // Served under both spellings, without a redirect; each spelling's document names it as it was asked.
        for spelling in [path, &slash] {
            let named = format!("{}{spelling}", base.origin);
            let document = Endpoint::Document(metadata::protected_resource(service, &named));
            if !spelling.is_empty() {
                self.claim(host, spelling.clone(), Endpoint::Mcp(own.clone()));
            }
            self.claim(host, format!("{WELL_KNOWN_RESOURCE}{spelling}"), document.clone());
            if spelling == own_spelling && !path.is_empty() {
                self.claim(host, format!("{path}{WELL_KNOWN_RESOURCE}"), document);
            }
        }
        self.courtesies(app, service, &base);
    }

    /// Root forms for clients that look nowhere else, and the issuer's document on the resource's origin.
    fn courtesies(&mut self, app: &App, service: &Arc<Service>, base: &Base) {
        let on_host = |other: &&Arc<Service>| Base::of(&other.resource).authority == base.authority;
        let alone = app.services.iter().filter(on_host).count() == 1;
        if !alone && !service.config.default {
            return;
        }
        let host = &base.authority;
        let resource = Endpoint::Document(metadata::protected_resource(service, &service.resource));
        self.offer(host, WELL_KNOWN_RESOURCE, &resource);
        if service.accepts_oauth() {
            let server = Endpoint::Document(metadata::authorization_server(app, &service.brand));
            self.offer(host, WELL_KNOWN_SERVER, &server);
            self.offer(host, &format!("{WELL_KNOWN_SERVER}{}", base.path), &server);
            self.offer(host, &format!("{}{WELL_KNOWN_SERVER}", base.path), &server);
            for (name, endpoint) in endpoints(&service.brand) {
                self.offer(host, &format!("/{name}"), &endpoint);
            }
        }
    }
}

fn endpoints(brand: &Arc<Brand>) -> [(&'static str, Endpoint); 5] {
    [
        ("register", Endpoint::Register),
        ("authorize", Endpoint::Authorize(Arc::clone(brand))),
        ("token", Endpoint::Token(Arc::clone(brand))),
        ("revoke", Endpoint::Revoke(Arc::clone(brand))),
        ("introspect", Endpoint::Introspect(Arc::clone(brand))),
    ]
}

/// Answers a request by the table.
pub async fn dispatch(
    app: web::Data<App>,
    gateway: web::Data<Gateway>,
    routes: web::Data<Routes>,
    req: HttpRequest,
    payload: web::Payload,
) -> HttpResponse {
    let authority = match req.uri().authority() {
        Some(authority) => Some(authority.as_str()),
        None => req.headers().get("host").and_then(|host| host.to_str().ok()),
    };
    let Some(endpoint) = routes.find(authority.unwrap_or_default(), req.path()).cloned() else {
        return pages::unknown_path(&app, &req);
    };
    let (get, post) = (matches!(*req.method(), Method::GET | Method::HEAD), req.method() == Method::POST);
    match endpoint {
        Endpoint::Mcp(service) => gateway::handle(app, gateway, service, req, payload).await,
        Endpoint::Document(document) if get => document.answer(&req),
        Endpoint::Document(_) => open(&req, "GET, HEAD, OPTIONS"),
        Endpoint::Register if post => cors::open(said(register::handle(&app, &req, payload).await)),
        Endpoint::Token(brand) if post => cors::open(said(token::handle(&app, &brand, &req, payload).await)),
        Endpoint::Revoke(brand) if post => cors::open(said(revoke::handle(&app, &brand, &req, payload).await)),
        Endpoint::Register | Endpoint::Token(_) | Endpoint::Revoke(_) => open(&req, "POST, OPTIONS"),
        Endpoint::Introspect(brand) if post => said(introspect::handle(&app, &brand, &req, payload).await),
        Endpoint::Introspect(_) => answer::method_not_allowed("POST"),
        Endpoint::Authorize(brand) if get => pages::authorize::show(&app, &brand, &req).await,
        Endpoint::Authorize(_) if post => pages::authorize::decide(&app, &req, payload).await,
        Endpoint::Authorize(_) => answer::method_not_allowed("GET, HEAD, POST"),
        Endpoint::Page(page) => pages::answer(page, &app, &req, payload).await,
    }
}

/// Preflights of endpoints that any origin may use; other methods are not theirs.
fn open(req: &HttpRequest, methods: &'static str) -> HttpResponse {
    if req.method() == Method::OPTIONS {
        return cors::preflight(req, methods);
    }
    cors::open(answer::method_not_allowed(methods))
}

fn said(outcome: Result<HttpResponse, OAuthError>) -> HttpResponse {
    outcome.unwrap_or_else(|error| error.response())
}
