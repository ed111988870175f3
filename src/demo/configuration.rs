//! One configuration out of the examples' own: the same brands, services and policies, on this machine's addresses.

use std::net::SocketAddr;

use toml::{Table, Value};
use url::Url;

use super::examples::Example;
use super::issuer::{ISSUER, JWKS};

/// The plan of the demo's person: everything that any example's plan has.
pub const PLAN: &str = "demo";

/// Where everything listens.
pub struct Addresses {
    /// The demo's port.
    pub port: u16,
    /// The workers, in the order of the examples.
    pub workers: Vec<SocketAddr>,
    /// Where the other issuer's key is.
    pub issuer: SocketAddr,
}

/// Puts the examples together.
///
/// # Errors
/// What is wrong with an example's file.
pub fn merged(examples: &[Example], at: &Addresses) -> Result<Table, String> {
    let base = format!("http://127.0.0.1:{}", at.port);
    let mut whole = Table::new();
    let (mut brands, mut services, mut plans) = (Table::new(), Vec::new(), Table::new());
    for ((index, example), worker) in examples.iter().enumerate().zip(&at.workers) {
        let mut own: Table = example.toml.parse().map_err(|error| format!("{}: {error}", example.id))?;
        let public = own.get("public_url").and_then(Value::as_str).unwrap_or_default().to_owned();
        let place = Place { first: index == 0, base: &base, public: &public, worker, issuer: at.issuer };
        for (id, mut brand) in table(own.remove("brand")) {
            place.brand(&id, &mut brand);
            brands.insert(id, brand);
        }
        for mut service in list(own.remove("service")) {
            place.service(&mut service);
            services.push(service);
        }
        plans.extend(table(own.remove("plans")));
        if place.first {
            whole = own;
        }
    }
    whole.insert("public_url".into(), base.into());
    whole.insert("listen".into(), format!("127.0.0.1:{}", at.port).into());
    whole.remove("admin_listen");
    whole.insert("database".into(), Table::from_iter([("url".into(), "sqlite://demo.db".into())]).into());
    if let Some(login) = whole.get_mut("login").and_then(Value::as_table_mut) {
        login.insert("default_plan".into(), PLAN.into());
    }
    plans.insert(PLAN.into(), every_plan(&plans).into());
    whole.insert("plans".into(), plans.into());
    whole.insert("brand".into(), brands.into());
    whole.insert("service".into(), services.into());
    Ok(whole)
}

fn table(value: Option<Value>) -> Table {
    match value {
        Some(Value::Table(table)) => table,
        _ => Table::new(),
    }
}

fn list(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    }
}

/// All features, and the most credits that a plan gives.
fn every_plan(plans: &Table) -> Table {
    let mut features: Vec<Value> = Vec::new();
    for feature in plans.values().filter_map(|plan| plan.get("features")?.as_array()).flatten() {
        if !features.contains(feature) {
            features.push(feature.clone());
        }
    }
    let credits = plans.values().filter_map(|plan| plan.get("credits_per_month")?.as_integer()).max();
    let mut all = Table::from_iter([("features".into(), Value::Array(features))]);
    if let Some(credits) = credits {
        all.insert("credits_per_month".into(), credits.into());
    }
    all
}

/// Where an example's addresses lead on this machine.
struct Place<'a> {
    first: bool,
    base: &'a str,
    public: &'a str,
    worker: &'a SocketAddr,
    issuer: SocketAddr,
}

impl Place<'_> {
    /// The first example keeps its paths; the others have theirs under their ids, where they meet nobody.
    fn brand(&self, id: &str, brand: &mut Value) {
        let issuer = brand.get("issuer").and_then(Value::as_str).filter(|_| self.first);
        let own = match issuer {
            Some(issuer) => issuer.replace(self.public, self.base),
            None => format!("{}/{id}", self.base),
        };
        set(brand, "issuer", own);
    }

    fn service(&self, service: &mut Value) {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, resource) = (text(service.get("id")), text(service.get("resource")));
        let own = if self.first {
            resource.replace(self.public, self.base)
        } else {
            format!("{}/{id}/mcp", self.base)
        };
        set(service, "resource", own);
        if let Some(table) = service.as_table_mut() {
            // whichever revision a client speaks
            table.remove("protocol_versions");
            if !self.first {
                table.remove("default");
            }
        }
        if let Some(jwt) = service.get_mut("jwt") {
            set(jwt, "issuer", ISSUER.to_owned());
            set(jwt, "jwks_url", format!("http://{}{JWKS}", self.issuer));
        }
        let upstreams = service.get_mut("upstream").and_then(Value::as_array_mut);
        for upstream in upstreams.into_iter().flatten() {
            let url = upstream.get("url").and_then(Value::as_str).and_then(|url| Url::parse(url).ok());
            let path = url.as_ref().map_or("", |url| url.path().trim_end_matches('/'));
            let own = format!("http://{}{path}", self.worker);
            set(upstream, "url", own);
        }
    }
}

fn set(value: &mut Value, key: &str, to: String) {
    if let Some(table) = value.as_table_mut() {
        table.insert(key.to_owned(), to.into());
    }
}
