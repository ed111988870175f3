//! App: the parts every face shares, built once.

pub mod brand;
pub mod doors;
pub mod request_ids;
pub mod service;
pub mod sites;

use std::sync::Arc;
use std::time::Duration;

use crate::cluster::counters::Counters;
use crate::cluster::limits::Limits;
use crate::cluster::verified::VerifiedCache;
use crate::config::Config;
use crate::domain::clock::Clock;
use crate::domain::entropy::Entropy;
use crate::domain::ids::PlanId;
use crate::domain::plan::Plan;
use crate::domain::scope::ScopeSet;
use crate::domain::table::Table;
use crate::identity::keys::Keys;
use crate::identity::{Identity, Lifetimes};
use crate::store::Store;
use crate::upstream::client::Client as UpstreamClient;
use brand::Brand;
use request_ids::RequestIds;
use service::Service;
use sites::Sites;

/// How long an address that found no room is not asked about again.
const CROWDED: Duration = Duration::from_secs(5);

/// What comes from outside and is swapped in tests.
#[derive(Clone)]
pub struct Doors {
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The randomness.
    pub entropy: Arc<dyn Entropy>,
}

/// The shared parts.
pub struct App {
    /// The configuration.
    pub config: Arc<Config>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Tokens, sign-in, revocation.
    pub identity: Identity,
    /// What signs CSRF values.
    pub keys: Keys,
    /// Plans by id.
    pub plans: Table<PlanId, Plan>,
    /// Brands in the configuration's order.
    pub brands: Vec<Arc<Brand>>,
    /// Services in the configuration's order.
    pub services: Vec<Arc<Service>>,
    /// Which hosts and paths are ours.
    pub sites: Sites,
    /// The one door to upstreams.
    pub upstream: UpstreamClient,
    /// Numbers requests.
    pub request_ids: RequestIds,
    /// Addresses that found no room for a registration a moment ago: the next attempts cost the database's one writer
    /// nothing. Attack: refusals in number hold up everybody else's refreshes.
    pub crowded: Counters,
    /// How often callers have called.
    pub limits: Limits,
}

impl App {
    /// Builds the shared parts over an opened store and read keys.
    pub fn new(config: Arc<Config>, doors: Doors, store: Store, keys: Keys) -> Self {
        let identity = identity(&config, &doors, store);
        let brands: Vec<_> = config.brand.iter().map(|(id, brand)| Arc::new(Brand::new(id, brand))).collect();
        let services: Vec<_> = config
            .service
            .iter()
            .filter_map(|service| {
                let brand = brands.iter().find(|brand| brand.id.as_str() == service.brand)?;
                Some(Arc::new(Service::new(service, brand)))
            })
            .collect();
        Self {
            crowded: Counters::new(1, CROWDED),
            limits: Limits::default(),
            plans: plans(&config),
            sites: Sites::new(&config.public_url, &brands, &services),
            config,
            clock: doors.clock,
            entropy: Arc::clone(&doors.entropy),
            identity,
            keys,
            brands,
            services,
            upstream: UpstreamClient::new(),
            request_ids: RequestIds::new(doors.entropy.as_ref()),
        }
    }

    /// The services of a brand.
    pub fn services_of<'a>(&'a self, brand: &'a Brand) -> impl Iterator<Item = &'a Arc<Service>> {
        self.services.iter().filter(|service| service.brand.id == brand.id)
    }

    /// True if a brand gives out tokens. One whose services take those of another issuer alone has no endpoints for
    /// them: nothing is advertised that leads nowhere.
    pub fn issues_tokens(&self, brand: &Brand) -> bool {
        let mut own = self.services_of(brand).peekable();
        own.peek().is_none() || own.any(|service| service.accepts_oauth() || service.accepts_pat())
    }

    /// The scopes that can be asked for at a brand's issuer, each once, in the configuration's order.
    pub fn scopes_of(&self, brand: &Brand) -> ScopeSet {
        let own = self.services_of(brand).filter(|service| service.accepts_oauth());
        own.flat_map(|service| service.scopes.iter()).collect()
    }

    /// The service a resource indicator names within a brand: the named one, else the brand's only one, else
    /// its default. RFC 8707: never a token without an audience.
    pub fn service_for<'a>(&'a self, brand: &'a Brand, resource: Option<&str>) -> Option<&'a Arc<Service>> {
        let mut own = self.services_of(brand).filter(|service| service.accepts_oauth());
        if let Some(resource) = resource {
            return own.find(|service| service.is_named_by(resource));
        }
        let own: Vec<_> = own.collect();
        match own.as_slice() {
            [only] => Some(only),
            several => several.iter().copied().find(|service| service.config.default),
        }
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("App")
    }
}

/// The use-cases of identity over an opened store.
pub fn identity(config: &Config, doors: &Doors, store: Store) -> Identity {
    let verified = Arc::new(VerifiedCache::new(config.cache.max_blind.get()));
    let lifetimes = Lifetimes {
        access: config.oauth.access_token_ttl.get(),
        refresh: config.oauth.refresh_token_ttl.get(),
        grant: config.oauth.grant_max_ttl.get(),
        code: config.oauth.code_ttl.get(),
        grace: config.oauth.refresh_grace.get(),
        transaction: config.oauth.transaction_ttl.get(),
    };
    Identity::new(store, verified, Arc::clone(&doors.clock), Arc::clone(&doors.entropy), lifetimes)
}

/// The configured plans by id.
pub fn plans(config: &Config) -> Table<PlanId, Plan> {
    config
        .plans
        .iter()
        .map(|(id, plan)| {
            let id = PlanId::from(id.as_str());
            let plan = Plan {
                id: id.clone(),
                features: plan.features.clone(),
                credits_per_month: plan.credits_per_month,
                rate: plan.rate.map(|rate| rate.rate()),
            };
            (id, plan)
        })
        .collect()
}
