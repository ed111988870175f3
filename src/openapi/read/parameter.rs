//! Parameters (OpenAPI 3.1.1 §4.8.12): those of the path item, and the operation's over them.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::super::media;
use super::super::node::Node;
use super::super::operation::{Location, Parameter, Style, Wire};
use super::super::request::header;
use super::super::schema::{Converter, Fragment, Side};
use super::security::Schemes;

/// A parameter and the schema of its argument.
#[derive(Debug, Clone)]
pub(super) struct Read {
    pub(super) parameter: Parameter,
    pub(super) fragment: Fragment,
}

/// The parameters of an operation, with arguments' names that no two have.
pub(super) fn all<'d>(
    converter: &mut Converter<'d>,
    item: &[Node<'d>],
    operation: &Node<'d>,
    schemes: &Schemes,
) -> Vec<Read> {
    let mut found: Vec<Read> = Vec::new();
    for (owner, overrides) in item.iter().map(|own| (own, false)).chain([(operation, true)]) {
        let mut own: Vec<Read> = Vec::new();
        let list = owner.get("parameters");
        for node in list.iter().flat_map(Node::items) {
            let Some(read) = one(converter, &node, schemes) else { continue };
            if own.iter().any(|other| is_same(&other.parameter, &read.parameter)) {
                converter.warn(
                    &node.spot,
                    format!("`{}` stands here twice; the first counts", read.parameter.name),
                );
                continue;
            }
            own.push(read);
        }
        for read in own {
            match found.iter_mut().find(|other| is_same(&other.parameter, &read.parameter)) {
                Some(other) if overrides => *other = read,
                Some(_) => {}
                None => found.push(read),
            }
        }
    }
    found
}

fn is_same(one: &Parameter, two: &Parameter) -> bool {
    one.location == two.location
        && match one.location {
            Location::Header => one.name.eq_ignore_ascii_case(&two.name),
            _ => one.name == two.name,
        }
}

fn one<'d>(converter: &mut Converter<'d>, node: &Node<'d>, schemes: &Schemes) -> Option<Read> {
    let target = converter.follow(node.clone())?;
    let name = target.text("name").to_owned();
    let Some(location) = Location::of(target.text("in")) else {
        converter.fault(&target.spot, "`in` has to be path, query, header or cookie");
        return None;
    };
    if name.is_empty() {
        converter.fault(&target.spot, "has no name");
        return None;
    }
    if !may_be_argument(converter, &target, location, schemes) {
        return None;
    }
    let required = target.flag("required") == Some(true) || location == Location::Path;
    if location == Location::Path && target.flag("required") != Some(true) {
        converter.warn(&target.spot, "is required, as every part of a path is");
    }
    let (wire, schema) = wire(converter, &target, location);
    let mut fragment = match schema {
        Some(schema) => converter.convert(Side::Input, &schema),
        None => Fragment { value: json!({}), refs: Vec::new() },
    };
    let described = |from: &Node<'d>| from.text("description").to_owned();
    let description =
        Some(described(node)).filter(|own| !own.is_empty()).unwrap_or_else(|| described(&target));
    annotate(&mut fragment, &target, &description);
    let parameter = Parameter { argument: name.clone(), name, location, required, description, wire };
    Some(Read { parameter, fragment })
}

/// Some headers are described elsewhere (§4.8.12.1), some are the gateway's, and credentials are never arguments.
fn may_be_argument<'d>(
    converter: &mut Converter<'d>,
    target: &Node<'d>,
    location: Location,
    schemes: &Schemes,
) -> bool {
    let name = target.text("name");
    if location == Location::Header {
        if ["accept", "content-type", "authorization"].iter().any(|own| name.eq_ignore_ascii_case(own)) {
            return false;
        }
        if header::is_owned(name) {
            converter
                .warn(&target.spot, format!("`{name}` is no argument: the gateway alone sets this header"));
            return false;
        }
        if !header::is_name(name) {
            converter.fault(&target.spot, format!("{name:?} is no name of a header"));
            return false;
        }
    }
    if schemes.is_key(location, name) {
        converter.warn(
            &target.spot,
            format!("`{name}` is no argument: a security scheme names it as a credential"),
        );
        return false;
    }
    true
}

/// How a value is written, and the schema that it has.
fn wire<'d>(
    converter: &mut Converter<'d>,
    target: &Node<'d>,
    location: Location,
) -> (Wire, Option<Node<'d>>) {
    if let Some((media, content)) = target.get("content").and_then(|all| all.members().next()) {
        let schema = content.get("schema");
        let wire = if media::is_json(&media::essence(media)) { Wire::Json } else { Wire::Text };
        return (wire, schema);
    }
    let schema = target.get("schema");
    if schema.is_none() {
        converter.warn(&target.spot, "has no schema; anything is taken");
    }
    let named = target.value.get("style").and_then(Value::as_str);
    let style = match named.map(|own| Style::of(location, own)) {
        None => Style::usual(location),
        Some(Some(style)) => style,
        Some(None) => {
            converter.warn(&target.spot, "`style` is none for this location; the usual one is taken");
            Style::usual(location)
        }
    };
    let explode = target.flag("explode").unwrap_or(style == Style::Form);
    let reserved = location == Location::Query && target.flag("allowReserved") == Some(true);
    (Wire::Styled { style, explode, reserved }, schema)
}

/// What a parameter says beside its schema belongs to the argument.
fn annotate(fragment: &mut Fragment, target: &Node<'_>, description: &str) {
    if fragment.value == Value::Bool(true) {
        fragment.value = json!({});
    }
    if target.flag("allowEmptyValue") == Some(true) && target.text("in") == "query" {
        allow_empty(&mut fragment.value);
    }
    let Some(keywords) = fragment.value.as_object_mut() else { return };
    if !description.is_empty() {
        keywords.insert("description".to_owned(), Value::from(description));
    }
    if target.flag("deprecated") == Some(true) {
        keywords.insert("deprecated".to_owned(), Value::Bool(true));
    }
    let named = target.value.get("examples").and_then(Value::as_object);
    let named = named.and_then(|all| all.values().next()).and_then(|own| own.get("value"));
    if let Some(example) = target.value.get("example").or(named) {
        keywords.insert("examples".to_owned(), json!([example]));
    }
}

/// `allowEmptyValue` (§4.8.12.2.1): the empty text is good whatever the schema says.
fn allow_empty(schema: &mut Value) {
    let is_free = schema.as_object().is_some_and(|own| {
        own.get("type").is_none_or(|own| own == "string")
            && ["enum", "const", "pattern", "minLength", "$ref", "allOf", "anyOf", "oneOf", "not", "if"]
                .iter()
                .all(|key| !own.contains_key(*key))
    });
    if !is_free {
        *schema = json!({"anyOf": [schema.take(), {"const": ""}]});
    }
}

/// Gives every parameter an argument's name: its own where no other has it, else with its location behind it. Path
/// parameters choose first, then query, header, cookie; `taken` is nobody's.
pub(super) fn name(parameters: &mut [Read], taken: &[&str]) {
    let mut used: HashSet<String> = taken.iter().map(|own| (*own).to_owned()).collect();
    for location in Location::ALL {
        for read in parameters.iter_mut().filter(|read| read.parameter.location == location) {
            let plain = argument_name(&read.parameter.name);
            let full = format!("{plain}_{}", location.label());
            let further = (2..).map(|number: usize| format!("{full}_{number}"));
            let name =
                [plain.clone(), full.clone()].into_iter().chain(further).find(|name| !used.contains(name));
            let name = name.unwrap_or(full);
            used.insert(name.clone());
            read.parameter.argument = name;
        }
    }
}

/// Models' interfaces take no other names for arguments.
pub(super) fn is_argument_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(is_argument_byte)
}

fn is_argument_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)
}

fn argument_name(name: &str) -> String {
    if is_argument_name(name) {
        return name.to_owned();
    }
    let mut out = String::new();
    for char in name.chars().take(50) {
        match u8::try_from(char) {
            Ok(byte) if is_argument_byte(byte) => out.push(char),
            _ if out.ends_with('_') => {}
            _ => out.push('_'),
        }
    }
    let out = out.trim_matches('_');
    if out.is_empty() { "argument".to_owned() } else { out.to_owned() }
}

/// The properties and the required names that parameters give the input schema.
pub(super) fn properties(parameters: &[Read]) -> (Map<String, Value>, Vec<String>, Vec<usize>) {
    let (mut properties, mut required, mut refs) = (Map::new(), Vec::new(), Vec::new());
    for Read { parameter, fragment } in parameters {
        properties.insert(parameter.argument.clone(), fragment.value.clone());
        refs.extend(&fragment.refs);
        if parameter.required {
            required.push(parameter.argument.clone());
        }
    }
    (properties, required, refs)
}
