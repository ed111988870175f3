//! Base URLs (OpenAPI 3.1.1 §4.8.5): variables become their defaults.

use super::super::node::Node;
use super::super::schema::Converter;

/// The URLs of a `servers` list, without a slash at their ends.
pub(in super::super) fn read<'d>(converter: &mut Converter<'d>, owner: &Node<'d>) -> Vec<String> {
    let servers = owner.get("servers");
    let servers: Vec<_> = servers.iter().flat_map(Node::items).collect();
    servers.iter().filter_map(|server| url(converter, server)).collect()
}

fn url<'d>(converter: &mut Converter<'d>, server: &Node<'d>) -> Option<String> {
    let mut out = String::new();
    let mut rest = server.value.get("url").and_then(serde_json::Value::as_str)?;
    let variables = server.get("variables");
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            converter.warn(&server.spot, "has a { without its }");
            return None;
        };
        match variables.as_ref().and_then(|all| all.get(name)).map(|own| own.text("default")) {
            Some(default) if !default.is_empty() => out.push_str(default),
            _ => {
                converter.warn(&server.spot, format!("is left out: its variable `{name}` has no default"));
                return None;
            }
        }
        rest = after;
    }
    out.push_str(rest);
    Some(out.trim_end_matches('/').to_owned())
}
