//! What every descriptor says of a service, in the lengths that the published schemas allow.

use serde_json::{Value, json};

use crate::app::service::Service;
use crate::app::sites::Base;

/// Characters of a title and of a description, in server cards and in `server.json`.
const LONGEST: usize = 100;

/// A service in short.
pub(super) struct Facts<'a> {
    /// Reverse DNS and a slash: the name in registries, else one made of the host and the service's id.
    pub name: String,
    /// For people.
    pub title: String,
    /// One sentence.
    pub description: String,
    /// Of the catalog.
    pub version: &'a str,
    /// The product's website.
    pub website: Option<&'a str>,
    /// The resource, as configured.
    pub endpoint: &'a str,
    service: &'a Service,
}

impl<'a> Facts<'a> {
    /// Those of a service.
    pub fn of(service: &'a Service) -> Self {
        let (config, info) = (&service.config, &service.config.server_info);
        let said = [&config.description, &info.description].into_iter().flatten();
        let description = said.map(String::as_str).find(|text| !text.trim().is_empty());
        let name = config.registry_name.clone().unwrap_or_else(|| own_name(service));
        Self {
            name,
            title: shortened(&info.title),
            description: shortened(description.unwrap_or(&info.title)),
            version: &info.version,
            website: config.website.as_deref().or(info.website.as_deref()),
            endpoint: &service.resource,
            service,
        }
    }

    /// The identifier in an AI Catalog: the publisher's domain, and the name under it.
    pub fn urn(&self) -> String {
        let (space, name) = self.name.split_once('/').unwrap_or_default();
        let publisher = match &self.service.config.registry_name {
            Some(_) => reversed(space),
            None => host(self.service),
        };
        format!("urn:air:{publisher}:mcp:{name}")
    }

    /// The header a client has to be given by a person; none where OAuth gets it, or none is needed.
    pub fn header(&self) -> Option<Value> {
        let service = self.service;
        if !service.accepts_pat() || service.accepts_oauth() || service.config.jwt.is_some() {
            return None;
        }
        let config = &service.config;
        let mut policies =
            config.tool.values().chain(config.resources.values()).chain(config.prompt.values());
        let public = policies.any(|policy| policy.public == Some(true));
        Some(json!({
            "name": "Authorization",
            "description": format!("A personal access token, made at {}", token_page(service)),
            "value": "Bearer {token}",
            "isRequired": !public,
            "isSecret": true,
            "variables": {"token": {
                "description": "The personal access token", "isRequired": !public, "isSecret": true,
            }},
        }))
    }
}

/// Where a person makes a personal access token.
pub(super) fn token_page(service: &Service) -> String {
    format!("{}/settings/tokens", Base::of(&service.brand.issuer).origin)
}

fn own_name(service: &Service) -> String {
    let host = host(service);
    let is_address = host.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    let space = if is_address { host } else { reversed(&host) };
    format!("{space}/{}", service.id)
}

/// The resource's host, without port, of the characters that a name may have.
fn host(service: &Service) -> String {
    let url = url::Url::parse(&service.resource).ok();
    let host = url.as_ref().and_then(url::Url::host_str).unwrap_or("localhost");
    host.trim_matches(['[', ']']).replace(':', "-")
}

fn reversed(domain: &str) -> String {
    domain.rsplit('.').collect::<Vec<_>>().join(".")
}

/// At most as long as allowed, cut between words.
fn shortened(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let head: String = text.chars().take(LONGEST - 1).collect();
    let whole = head.rsplit_once(char::is_whitespace).map_or(head.as_str(), |(whole, _)| whole);
    format!("{}…", whole.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_ends_between_words() {
        assert_eq!(shortened(" Meetings. "), "Meetings.");
        let exact = "ñ".repeat(100);
        assert_eq!(shortened(&exact), exact);
        let long = format!("{} abc def", "ñ".repeat(93));
        assert_eq!(shortened(&long), format!("{} abc…", "ñ".repeat(93)));
        assert_eq!(shortened(&"x".repeat(101)), format!("{}…", "x".repeat(99)));
    }

    #[test]
    fn a_domain_reads_backwards() {
        assert_eq!(reversed("mcp.example.com"), "com.example.mcp");
        assert_eq!(reversed("localhost"), "localhost");
    }
}
