//! The API of one upstream: its document, read when the services are compiled, and what the configuration says of it.

use std::collections::HashMap;

use url::Url;

use super::super::merge;
use crate::config::{ExcludeConfig, ServiceConfig, UpstreamConfig};
use crate::openapi::search::{Entry, Index};
use crate::openapi::{Document, Operation};

/// A REST API.
pub struct Api {
    /// Its operations.
    pub document: Document,
    /// The same by their words.
    pub index: Index,
    /// What the names of the three generic tools begin with; none if there are none.
    pub generic: Option<String>,
    /// Operations that are kept away from models.
    pub exclude: Vec<ExcludeConfig>,
    /// The names of curated tools by their operations.
    pub curated: HashMap<String, String>,
    /// The document's own server, where the configuration names none.
    server: Option<Url>,
}

impl Api {
    /// Reads an upstream's document.
    ///
    /// # Errors
    /// Every fault of the document at once, a line each; a server that nothing names.
    pub fn read(service: &ServiceConfig, own: &UpstreamConfig) -> Result<Self, String> {
        let file = own.document.as_deref().ok_or("document is missing")?;
        let document = Document::load(file).map_err(|faults| faults.join("\n"))?;
        let server = match own.url {
            Some(_) => None,
            None => Some(server(&document)?),
        };
        let index = Index::new(document.operations().iter().map(|operation| entry(operation)));
        let tools = service.tool.iter();
        let curated = tools.filter_map(|(name, policy)| {
            let operation = policy.operation.as_ref().filter(|id| document.get(id).is_some())?;
            Some((operation.clone(), name.clone()))
        });
        Ok(Self {
            curated: curated.collect(),
            index,
            server,
            generic: own.generic.clone(),
            exclude: own.exclude.clone(),
            document,
        })
    }

    /// Where it is, if its document says so.
    pub fn server(&self) -> Option<&str> {
        self.server.as_ref().map(Url::as_str)
    }

    /// What keeps an operation away from models, the longest pattern first.
    pub fn excluded(&self, operation: &str) -> Option<&ExcludeConfig> {
        let matching = self.exclude.iter().filter(|own| merge::matches(&own.operation, operation));
        matching.max_by_key(|own| merge::fit(&own.operation, operation))
    }

    /// The base URL of an operation without a slash at the end, below `base`. With a configured URL it is that one:
    /// credentials go nowhere else.
    ///
    /// # Errors
    /// A server of the operation's own that is elsewhere.
    pub fn base(&self, base: &str, operation: &Operation) -> Result<String, String> {
        let (Some(server), Some(own)) = (&self.server, operation.servers.first()) else {
            return Ok(base.to_owned());
        };
        let own = server.join(own).ok().filter(|own| own.origin() == server.origin());
        let own = own.ok_or("It has a server of its own, which this gateway does not call.")?;
        Ok(own.as_str().trim_end_matches('/').to_owned())
    }
}

fn server(document: &Document) -> Result<Url, String> {
    let first = document.servers.first().map(String::as_str).unwrap_or_default();
    let url = Url::parse(first).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let bare = url.filter(|url| url.query().is_none() && url.fragment().is_none());
    bare.ok_or_else(|| {
        format!("url is missing, and the document's first server is no http or https URL: {first:?}")
    })
}

fn entry(operation: &Operation) -> Entry<'_> {
    Entry {
        id: &operation.id,
        method: operation.method.as_str(),
        path: &operation.path,
        summary: &operation.summary,
        description: &operation.description,
        tags: operation.tags.iter().map(String::as_str).collect(),
        parameters: operation.parameters.iter().map(|parameter| parameter.argument.as_str()).collect(),
    }
}
