//! Where everything stands: from brands, services and pages to hosts and paths.

use std::sync::Arc;

use actix_web::web;

use super::{Endpoint, Routes};
use crate::app::App;
use crate::app::brand::Brand;
use crate::app::service::Service;
use crate::app::sites::Base;
use crate::config::Registration;
use crate::domain::table::Table as Map;
use crate::gateway::{self, Gateway, openapi};
use crate::http::strict;
use crate::oauth::metadata;
use crate::pages::PageRoute;

type Paths = Map<String, Map<String, Endpoint>>;

const WELL_KNOWN_RESOURCE: &str = "/.well-known/oauth-protected-resource";
const WELL_KNOWN_SERVER: &str = "/.well-known/oauth-authorization-server";

pub(super) fn build(app: &App, gateway: &Gateway) -> Result<Paths, Vec<String>> {
    let mut table = Table { routes: Map::default(), faults: Vec::new() };
    for brand in &app.brands {
        table.issuer(app, brand);
    }
    for service in &app.services {
        match gateway.service(&service.id) {
            Some(own) => table.service(service, &web::Data::from(Arc::clone(own))),
            None => table.faults.push(format!("service {} was not compiled", service.id)),
        }
    }
    // After everything that was configured, so that a service may be at the root of its host.
    for service in &app.services {
        table.courtesies(app, service);
        if let Some(own) = gateway.service(&service.id) {
            for (path, endpoint) in published(service, &web::Data::from(Arc::clone(own))) {
                table.offer(&app.sites.public.authority, &path, &endpoint);
            }
        }
    }
    for brand in &app.brands {
        table.only_issuer(app, brand);
    }
    for authority in
        table.routes.keys().cloned().chain([app.sites.public.authority.clone()]).collect::<Vec<_>>()
    {
        for page in PageRoute::ALL {
            table.offer(&authority, page.path(), &Endpoint::Page(page));
        }
    }
    if table.faults.is_empty() { Ok(table.routes) } else { Err(table.faults) }
}

impl Routes {
    /// The longest body that is read at a path; `None` where nothing is.
    pub fn body_limit(&self, app: &App, authority: &str, path: &str) -> Option<usize> {
        match self.find(authority, path)? {
            Endpoint::Mcp(_) => Some(app.config.body_limit.as_usize()),
            Endpoint::Register(_) => Some(strict::JSON_LIMIT),
            _ => Some(strict::FORM_LIMIT),
        }
    }
}

struct Table {
    routes: Map<String, Map<String, Endpoint>>,
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
        self.claim(host, format!("{path}/jwks.json"), Endpoint::Jwks);
        if !app.issues_tokens(brand) {
            return;
        }
        let document = Endpoint::Document(metadata::authorization_server(app, brand));
        self.claim(host, format!("{WELL_KNOWN_SERVER}{path}"), document.clone());
        if !path.is_empty() {
            self.offer(host, &format!("{WELL_KNOWN_SERVER}{path}/"), &document);
            self.claim(host, format!("{path}{WELL_KNOWN_SERVER}"), document);
        }
        for (name, endpoint) in endpoints(app, brand) {
            self.claim(host, format!("{path}/{name}"), endpoint);
        }
    }

    fn service(&mut self, service: &Arc<Service>, own: &web::Data<gateway::Service>) {
        let base = Base::of(&service.resource);
        let (host, path) = (&base.authority, &base.path);
        let slash = format!("{path}/");
        self.claim(host, format!("{path}/verify"), Endpoint::Verify(own.clone()));
        for (path, endpoint) in published(service, own) {
            self.claim(host, path, endpoint);
        }
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
    }

    /// The root form where a host has one issuer, whatever services are there.
    fn only_issuer(&mut self, app: &App, brand: &Arc<Brand>) {
        let host = Base::of(&brand.issuer).authority;
        let issuing = app.brands.iter().filter(|other| app.issues_tokens(other));
        let issuers = issuing.filter(|other| Base::of(&other.issuer).authority == host).count();
        if issuers == 1 && app.issues_tokens(brand) {
            let document = Endpoint::Document(metadata::authorization_server(app, brand));
            self.offer(&host, WELL_KNOWN_SERVER, &document);
        }
    }

    /// The issuer's document on the resource's origin, for clients that look nowhere else: by the resource's path
    /// for every service, at the root for the one that stands for its host.
    fn courtesies(&mut self, app: &App, service: &Arc<Service>) {
        let base = Base::of(&service.resource);
        let server = Endpoint::Document(metadata::authorization_server(app, &service.brand));
        if service.accepts_oauth() && !base.path.is_empty() {
            self.offer(&base.authority, &format!("{WELL_KNOWN_SERVER}{}", base.path), &server);
            self.offer(&base.authority, &format!("{}{WELL_KNOWN_SERVER}", base.path), &server);
        }
        let on_host = |other: &&Arc<Service>| Base::of(&other.resource).authority == base.authority;
        let alone = app.services.iter().filter(on_host).count() == 1;
        if !alone && !service.config.default {
            return;
        }
        let host = &base.authority;
        let resource = Endpoint::Document(metadata::protected_resource(service, &service.resource));
        self.offer(host, WELL_KNOWN_RESOURCE, &resource);
        if service.accepts_oauth() {
            self.offer(host, WELL_KNOWN_SERVER, &server);
            for (name, endpoint) in endpoints(app, &service.brand) {
                self.offer(host, &format!("/{name}"), &endpoint);
            }
        }
    }
}

/// What a service shows to everybody: on its own host, and where its own host is not the public one, there too.
fn published(service: &Service, own: &web::Data<gateway::Service>) -> Vec<(String, Endpoint)> {
    let config = &service.config;
    let manifest = config.manifest_path.iter().map(|path| (path.clone(), Endpoint::Manifest(own.clone())));
    let mut published: Vec<_> = manifest.collect();
    if config.descriptors {
        let path = format!("{}/openapi.json", Base::of(&service.resource).path);
        published.push((path, Endpoint::Document(openapi::document(service))));
    }
    published
}

fn endpoints(app: &App, brand: &Arc<Brand>) -> Vec<(&'static str, Endpoint)> {
    let open = app.config.oauth.registration != Registration::Off;
    let mut endpoints = vec![
        ("authorize", Endpoint::Authorize(Arc::clone(brand))),
        ("token", Endpoint::Token(Arc::clone(brand))),
        ("revoke", Endpoint::Revoke(Arc::clone(brand))),
        ("introspect", Endpoint::Introspect(Arc::clone(brand))),
    ];
    if open {
        endpoints.push(("register", Endpoint::Register(Arc::clone(brand))));
    }
    endpoints
}
