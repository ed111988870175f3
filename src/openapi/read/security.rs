//! What a caller needs (OpenAPI 3.1.1 §4.8.30): one of these alternatives, all of it.

use std::collections::HashSet;

use serde_json::Value;

use super::super::node::Node;
use super::super::operation::{Alternative, Location};
use super::super::schema::Converter;

/// The alternatives of an operation or of the document; nothing if it does not say any.
///
/// An empty list takes the document's away, which is to say that anybody may call.
pub(super) fn read<'d>(
    converter: &mut Converter<'d>,
    owner: &Node<'d>,
    schemes: &Schemes,
) -> Option<Vec<Alternative>> {
    let security = owner.get("security").filter(|own| own.value.is_array())?;
    let mut all: Vec<_> = Vec::new();
    for requirement in security.items() {
        let mut alternative = Alternative::default();
        for (scheme, scopes) in requirement.members() {
            if !schemes.names.contains(scheme) {
                converter.warn(&scopes.spot, format!("there is no security scheme `{scheme}`"));
            }
            alternative.schemes.push(scheme.to_owned());
            for scope in scopes.items().filter_map(|scope| scope.value.as_str()) {
                if !alternative.scopes.iter().any(|own| own == scope) {
                    alternative.scopes.push(scope.to_owned());
                }
            }
        }
        all.push(alternative);
    }
    if all.is_empty() {
        all.push(Alternative::default());
    }
    Some(all)
}

/// The document's security schemes.
#[derive(Debug, Default)]
pub(super) struct Schemes {
    names: HashSet<String>,
    /// Where keys stand: they are the gateway's to send, so no argument sets them.
    keys: HashSet<(Location, String)>,
}

impl Schemes {
    /// Reads `components.securitySchemes`.
    pub(super) fn read<'d>(converter: &mut Converter<'d>, root: &Node<'d>) -> Self {
        let mut schemes = Self::default();
        let all = root.get("components").and_then(|components| components.get("securitySchemes"));
        let all: Vec<_> = all.iter().flat_map(Node::members).collect();
        for (name, scheme) in all {
            schemes.names.insert(name.to_owned());
            let Some(scheme) = converter.follow(scheme) else { continue };
            let location = scheme.value.get("in").and_then(Value::as_str).and_then(Location::of);
            if let (Some(location), "apiKey") = (location, scheme.text("type")) {
                schemes.keys.insert((location, folded(location, scheme.text("name"))));
            }
        }
        schemes
    }

    /// True for a parameter that is a credential.
    pub(super) fn is_key(&self, location: Location, name: &str) -> bool {
        self.keys.contains(&(location, folded(location, name)))
    }
}

fn folded(location: Location, name: &str) -> String {
    if location == Location::Header { name.to_ascii_lowercase() } else { name.to_owned() }
}
