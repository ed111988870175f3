//! A service as the program runs it, as far as every face needs it.

use std::sync::Arc;

use super::brand::Brand;
use crate::config::{Accept, Language, ServiceConfig};
use crate::domain::ids::ServiceId;
use crate::domain::resource;
use crate::domain::scope::ScopeSet;

/// A service.
#[derive(Clone, Debug)]
pub struct Service {
    /// Its configured id.
    pub id: ServiceId,
    /// Its brand.
    pub brand: Arc<Brand>,
    /// Its exact public URL.
    pub resource: String,
    /// The scopes it declares, in the configuration's order.
    pub scopes: ScopeSet,
    /// Those marked as default, or all if none is.
    pub default_scopes: ScopeSet,
    /// Everything else that was configured.
    pub config: ServiceConfig,
}

impl Service {
    /// From its section and its brand.
    pub fn new(config: &ServiceConfig, brand: &Arc<Brand>) -> Self {
        let marked: ScopeSet =
            config.scopes.iter().filter(|(_, scope)| scope.default).map(|(name, _)| name.as_str()).collect();
        let scopes: ScopeSet = config.scopes.keys().map(String::as_str).collect();
        Self {
            id: ServiceId::from(config.id.as_str()),
            brand: Arc::clone(brand),
            resource: config.resource.clone(),
            default_scopes: if marked.is_empty() { scopes.clone() } else { marked },
            scopes,
            config: config.clone(),
        }
    }

    /// True if OAuth access tokens of ours are good here.
    pub fn accepts_oauth(&self) -> bool {
        self.config.accepts(Accept::Oauth)
    }

    /// True if personal access tokens are good here.
    pub fn accepts_pat(&self) -> bool {
        self.config.accepts(Accept::Pat)
    }

    /// The issuers whose tokens are good here, ours first: clients take the first, and ours registers any of them.
    pub fn authorization_servers(&self) -> Vec<&str> {
        let external = self.config.jwt.as_ref().map(|jwt| jwt.issuer.as_str());
        let own = Some(self.brand.issuer.as_str()).filter(|_| self.accepts_oauth() || external.is_none());
        own.into_iter().chain(external).collect()
    }

    /// True if a resource indicator names this service.
    pub fn is_named_by(&self, indicator: &str) -> bool {
        resource::same(&self.resource, indicator)
    }

    /// A scope in words.
    pub fn scope_title(&self, scope: &str, language: Language) -> String {
        self.config
            .scopes
            .get(scope)
            .map_or_else(|| scope.to_owned(), |own| own.title.get(language).to_owned())
    }
}
