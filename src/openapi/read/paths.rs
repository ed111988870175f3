//! Paths, their items and their operations (OpenAPI 3.1.1 §4.8.8 to §4.8.10).

use std::collections::HashSet;

use http::{HeaderValue, Method};
use serde_json::{Map, Value, json};

use super::super::node::Node;
use super::super::operation::{Alternative, Location, Operation, Parameter, Parts, Style, Wire};
use super::super::request::path;
use super::super::schema::{Converter, Fragment};
use super::body::{self, Added, Found};
use super::parameter::{self, Read};
use super::security::{self, Schemes};
use super::{id, response, servers};

const METHODS: [(&str, Method); 8] = [
    ("get", Method::GET),
    ("put", Method::PUT),
    ("post", Method::POST),
    ("delete", Method::DELETE),
    ("options", Method::OPTIONS),
    ("head", Method::HEAD),
    ("patch", Method::PATCH),
    ("trace", Method::TRACE),
];

/// Where an operation stands.
struct Place<'d, 'a> {
    method: &'a Method,
    path: &'d str,
    /// Its path item; two nodes if that refers to another.
    item: &'a [Node<'d>],
    node: Node<'d>,
}

/// Reads every operation of a document, in its order.
pub(in super::super) fn read<'d>(converter: &mut Converter<'d>, root: &Node<'d>) -> Vec<Operation> {
    let schemes = Schemes::read(converter, root);
    let everywhere = security::read(converter, root, &schemes).unwrap_or_default();
    let paths = root.get("paths");
    let mut found = Vec::new();
    let items: Vec<_> =
        paths.iter().flat_map(Node::members).filter(|(path, _)| path.starts_with('/')).collect();
    for (path, item) in items {
        let item = item_nodes(converter, item);
        // in the item's own order
        let members: Vec<_> = item.iter().flat_map(Node::members).collect();
        let mut seen = HashSet::new();
        for (key, node) in members {
            let Some((key, method)) = METHODS.iter().find(|(own, _)| *own == key) else { continue };
            if seen.insert(key) {
                let place = Place { method, path, item: &item, node };
                found.push(operation(converter, &place, &schemes, &everywhere));
            }
        }
    }
    identify(converter, &mut found);
    found.into_iter().map(|(operation, _)| operation).collect()
}

/// A path item, and the one that its `$ref` leads to: its own fields count first.
fn item_nodes<'d>(converter: &mut Converter<'d>, item: Node<'d>) -> Vec<Node<'d>> {
    let referred = item.value.get("$ref").map(|_| item.clone()).and_then(|own| converter.follow(own));
    std::iter::once(item).chain(referred).collect()
}

fn operation<'d>(
    converter: &mut Converter<'d>,
    place: &Place<'d, '_>,
    schemes: &Schemes,
    everywhere: &[Alternative],
) -> (Operation, Node<'d>) {
    let node = &place.node;
    let mut parameters = parameter::all(converter, place.item, node, schemes);
    templated(converter, place, &mut parameters);
    let answers = response::read(converter, node);
    let mut unavailable = answers.unreadable;
    let bodiless = matches!(*place.method, Method::GET | Method::HEAD | Method::TRACE);
    let found = match body::read(converter, node) {
        Found::Body(read) if bodiless => {
            if read.body.required {
                converter.warn(&node.spot, format!("no body is sent with {}", place.method));
            }
            Found::None
        }
        Found::Impossible(_) if bodiless => Found::None,
        Found::Impossible(says) => {
            unavailable = Some(says);
            Found::None
        }
        found => found,
    };
    if *place.method == Method::TRACE {
        unavailable = Some("TRACE is never sent".to_owned());
    }
    let (input, body) = input(converter, &mut parameters, found);
    let owners = std::iter::once(node).chain(place.item);
    let servers = owners.map(|own| servers::read(converter, own)).find(|all| !all.is_empty());
    let first = |key: &str| {
        let mut texts = std::iter::once(node).chain(place.item).map(|own| own.text(key));
        texts.find(|own| !own.is_empty()).unwrap_or_default().to_owned()
    };
    let security = security::read(converter, node, schemes).unwrap_or_else(|| everywhere.to_vec());
    let accept = HeaderValue::from_str(&answers.accept.join(", ")).ok().filter(|own| !own.is_empty());
    let operation = Operation {
        id: node.text("operationId").to_owned(),
        method: place.method.clone(),
        path: place.path.to_owned(),
        summary: first("summary"),
        description: first("description"),
        tags: node
            .get("tags")
            .iter()
            .flat_map(Node::items)
            .filter_map(|tag| tag.value.as_str().map(str::to_owned))
            .collect(),
        deprecated: node.flag("deprecated") == Some(true),
        security,
        servers: servers.unwrap_or_default(),
        unavailable,
        parameters: parameters.into_iter().map(|read| read.parameter).collect(),
        parts: Parts { input, output: answers.output, body, accept, ..Parts::default() },
    };
    (operation, node.clone())
}

/// Every name in the path is a parameter; what the document does not describe is text.
fn templated<'d>(converter: &mut Converter<'d>, place: &Place<'d, '_>, parameters: &mut Vec<Read>) {
    let names = match path::names(place.path) {
        Ok(names) => names,
        Err(says) => return converter.fault(&place.node.spot, format!("the path {says}")),
    };
    for name in &names {
        let is_it = |read: &Read| read.parameter.location == Location::Path && read.parameter.name == *name;
        if parameters.iter().any(is_it) {
            continue;
        }
        converter.warn(
            &place.node.spot,
            format!("`{name}` of the path is described nowhere; it is taken as text"),
        );
        let parameter = Parameter {
            argument: (*name).to_owned(),
            name: (*name).to_owned(),
            location: Location::Path,
            required: true,
            description: String::new(),
            wire: Wire::Styled { style: Style::Simple, explode: false, reserved: false },
        };
        let fragment = Fragment { value: json!({"type": "string"}), refs: Vec::new() };
        parameters.push(Read { parameter, fragment });
    }
    parameters.retain(|read| {
        let kept = read.parameter.location != Location::Path || names.contains(&read.parameter.name.as_str());
        if !kept {
            let says = format!("the path has no place for the parameter `{}`", read.parameter.name);
            converter.warn(&place.node.spot, says);
        }
        kept
    });
}

/// The input schema, and the body as arguments make it.
fn input(
    converter: &Converter<'_>,
    parameters: &mut [Read],
    found: Found,
) -> (Fragment, Option<super::super::body::Body>) {
    parameter::name(parameters, &[]);
    let arguments = |all: &[Read]| all.iter().map(|read| read.parameter.argument.clone()).collect::<Vec<_>>();
    let (body, added) = match found {
        Found::Body(mut read) => {
            if let Some(added) = read.merge(converter, &arguments(parameters)) {
                (Some(read.body), added)
            } else {
                parameter::name(parameters, &["body"]);
                let (body, added) = read.whole();
                (Some(body), added)
            }
        }
        _ => (None, Added::default()),
    };
    let (mut properties, mut required, mut refs) = parameter::properties(parameters);
    let together: Map<String, Value> = if added.together.is_empty() {
        Map::new()
    } else {
        added.properties.keys().map(|name| (name.clone(), json!(added.together))).collect()
    };
    properties.extend(added.properties);
    required.extend(added.required);
    refs.extend(added.refs);
    refs.sort_unstable();
    refs.dedup();
    let mut value = json!({"type": "object", "properties": properties});
    if let Some(keywords) = value.as_object_mut() {
        if !required.is_empty() {
            keywords.insert("required".to_owned(), json!(required));
        }
        if !together.is_empty() {
            keywords.insert("dependentRequired".to_owned(), Value::Object(together));
        }
        keywords.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    (Fragment { value, refs }, body)
}

/// Ids are names that a configuration uses, so no two operations may have one.
fn identify<'d>(converter: &mut Converter<'d>, found: &mut [(Operation, Node<'d>)]) {
    let mut taken = HashSet::new();
    for (operation, node) in found.iter() {
        if !operation.id.is_empty() && !taken.insert(operation.id.clone()) {
            converter
                .fault(&node.spot, format!("another operation has the operationId `{}` too", operation.id));
        }
    }
    for (operation, _) in found.iter_mut().filter(|(operation, _)| operation.id.is_empty()) {
        operation.id = id::made(&operation.method, &operation.path, &taken);
        taken.insert(operation.id.clone());
    }
}
