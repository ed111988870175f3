//! Where everything stands: from brands, services and pages to hosts and paths.

use std::collections::BTreeSet;
use std::sync::Arc;

use actix_web::web;

use super::{Endpoint, Routes};
use crate::app::App;
use crate::app::brand::Brand;
use crate::app::service::Service;
use crate::app::sites::Base;
use crate::config::Registration;
use crate::domain::table::Table as Map;
use crate::gateway::{self, Gateway, descriptors, openapi};
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
    table.found_by_host(app, gateway);
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

    /// What a host is asked for by whoever knows nothing but its name: the descriptors of the service that stands for
    /// it, and where the cards of all are. The public host, if no service is there, speaks for all of them.
    fn found_by_host(&mut self, app: &App, gateway: &Gateway) {
        let public = &app.sites.public.authority;
        let hosts = app.services.iter().map(|own| Base::of(&own.resource).authority);
        for host in hosts.chain([public.clone()]).collect::<BTreeSet<_>>() {
            let here: Vec<&Arc<Service>> = on_host(app, &host).collect();
            let speaking = if here.is_empty() { app.services.iter().collect() } else { here };
            if let Some(service) = standing_for(&speaking).filter(|own| own.config.descriptors) {
                self.descriptors(&host, service, gateway);
            }
            let all = if host == *public { app.services.iter().collect() } else { speaking };
            let mut shown = all.into_iter().filter(|own| own.config.descriptors).peekable();
            if shown.peek().is_some() {
                let catalog = descriptors::ai_catalog(shown.map(|own| &**own));
                self.offer(&host, "/.well-known/ai-catalog.json", &Endpoint::Document(catalog));
            }
        }
    }

    fn descriptors(&mut self, host: &str, service: &Service, gateway: &Gateway) {
        if let Some(own) = gateway.service(&service.id) {
            let live = descriptors::Live::descriptor(service, &web::Data::from(Arc::clone(own)));
            self.offer(host, "/.well-known/mcp.json", &Endpoint::Live(live));
        }
        if let Some(document) = descriptors::server_json(service) {
            for path in ["/server.json", "/.well-known/server.json"] {
                self.offer(host, path, &Endpoint::Document(document.clone()));
            }
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
        let here: Vec<&Arc<Service>> = on_host(app, &base.authority).collect();
        if standing_for(&here).is_none_or(|own| own.id != service.id) {
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

/// The services whose resource is on a host.
fn on_host<'a>(app: &'a App, authority: &'a str) -> impl Iterator<Item = &'a Arc<Service>> {
    app.services.iter().filter(move |own| Base::of(&own.resource).authority == authority)
}

/// The one of some services that stands for all of them: the only one, or the one marked as default. Of services of
/// several hosts each may have its default; there it is the first of the file.
fn standing_for<'a>(services: &[&'a Arc<Service>]) -> Option<&'a Arc<Service>> {
    match services {
        [only] => Some(only),
        several => several.iter().copied().find(|own| own.config.default),
    }
}

/// What a service shows to everybody: on its own host, and where its own host is not the public one, there too.
fn published(service: &Service, own: &web::Data<gateway::Service>) -> Vec<(String, Endpoint)> {
    let config = &service.config;
    let live = || Endpoint::Live(descriptors::Live::manifest(own));
    let manifest = config.manifest_path.iter().map(|path| (path.clone(), live()));
    let mut published: Vec<_> = manifest.collect();
    if config.descriptors {
        let path = Base::of(&service.resource).path;
        published.push((format!("{path}/openapi.json"), Endpoint::Document(openapi::document(service))));
        let card = descriptors::server_card(service);
        published.push((format!("{path}/server-card"), Endpoint::Document(card)));
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
