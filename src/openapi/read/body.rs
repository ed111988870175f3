//! Request bodies (OpenAPI 3.1.1 §4.8.13).
//!
//! The properties of a body become arguments of their own if that loses nothing: its schema is an object with
//! properties and takes no others by name or by rule, it is not put together of other schemas, every name is one that
//! arguments may have, and no parameter has it. Otherwise the whole body is the argument `body`.

use std::collections::BTreeMap;

use http::HeaderValue;
use serde_json::{Map, Value, json};

use super::super::body::{Body, Encoding};
use super::super::media::{self, Kind};
use super::super::node::Node;
use super::super::operation::{Location, Style};
use super::super::schema::{Converter, Fragment, Side};
use super::parameter::is_argument_name;

/// Parts of parts in which bytes are looked for.
const MAX_DEPTH: usize = 6;

/// A body and its schema.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) body: Body,
    /// The schema of the whole body.
    fragment: Fragment,
    description: String,
}

/// What an operation takes as a body.
pub(super) enum Found {
    None,
    Body(Read),
    /// What a call needs and no arguments can become.
    Impossible(String),
}

/// Reads `requestBody`.
pub(super) fn read<'d>(converter: &mut Converter<'d>, operation: &Node<'d>) -> Found {
    let Some(node) = operation.get("requestBody") else { return Found::None };
    let Some(target) = converter.follow(node.clone()) else { return Found::None };
    let required = target.flag("required") == Some(true);
    let content = target.get("content");
    let offered: Vec<_> = content.iter().flat_map(Node::members).collect();
    let ranked = offered.iter().filter_map(|(name, content)| {
        media::kind(&media::essence(name)).map(|(rank, kind)| (rank, kind, *name, content.clone()))
    });
    let Some((_, kind, name, content)) = ranked.min_by_key(|(rank, ..)| *rank) else {
        let names: Vec<_> = offered.iter().map(|(name, _)| *name).collect();
        return if names.is_empty() { Found::None } else { impossible(&names.join(", ")) };
    };
    let mut fragment = match content.get("schema") {
        Some(schema) => converter.convert(Side::Input, &schema),
        None => Fragment { value: json!(true), refs: Vec::new() },
    };
    if kind == Kind::Text && fragment.value == Value::Bool(true) {
        fragment.value = json!({"type": "string"});
    }
    if matches!(kind, Kind::Multipart | Kind::Form) {
        match textual(converter, &fragment) {
            Some(kept) => fragment = kept,
            None => return impossible("bytes in a form"),
        }
    }
    let encodings = encodings(converter, &content);
    let Ok(media) = HeaderValue::from_str(if name.contains('*') { concrete(kind) } else { name }) else {
        converter.fault(&content.spot, "is no media type");
        return Found::None;
    };
    let body = Body { media, kind, required, merged: None, encodings };
    let description = Some(node.text("description")).filter(|own| !own.is_empty());
    let description = description.unwrap_or_else(|| target.text("description")).to_owned();
    Found::Body(Read { body, fragment, description })
}

/// Also if the body may be left out: without the bytes nothing is done that somebody would call for.
fn impossible(what: &str) -> Found {
    Found::Impossible(format!("its body is {what}, which does not pass through a model"))
}

fn concrete(kind: Kind) -> &'static str {
    match kind {
        Kind::Json => "application/json",
        Kind::Form => "application/x-www-form-urlencoded",
        Kind::Multipart => "multipart/form-data",
        Kind::Text => "text/plain",
    }
}

/// The schema of a form without the fields that hold bytes; nothing if it needs such a field.
fn textual(converter: &Converter<'_>, fragment: &Fragment) -> Option<Fragment> {
    let whole = converter.resolved(Side::Input, &fragment.value);
    if !has_bytes(converter, whole, MAX_DEPTH) {
        return Some(fragment.clone());
    }
    let mut kept = whole.clone();
    let required = names(&kept);
    let properties = kept.get_mut("properties")?.as_object_mut()?;
    let binary: Vec<_> = properties
        .iter()
        .filter(|(_, own)| is_bytes(converter, own, MAX_DEPTH))
        .map(|(name, _)| name.clone())
        .collect();
    if binary.iter().any(|name| required.contains(name)) {
        return None;
    }
    for name in &binary {
        properties.shift_remove(name);
    }
    let refs = converter.refs_of(Side::Input, &kept);
    (!has_bytes(converter, &kept, MAX_DEPTH)).then_some(Fragment { value: kept, refs })
}

/// True if a form that such a schema describes has a field of bytes.
fn has_bytes(converter: &Converter<'_>, schema: &Value, depth: usize) -> bool {
    let schema = converter.resolved(Side::Input, schema);
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().any(|(_, own)| is_bytes(converter, own, depth))
        || (depth > 0 && parts(schema).any(|part| has_bytes(converter, part, depth - 1)))
}

fn is_bytes(converter: &Converter<'_>, schema: &Value, depth: usize) -> bool {
    let schema = converter.resolved(Side::Input, schema);
    let word = |key: &str| schema.get(key).and_then(Value::as_str);
    let media = word("contentMediaType").filter(|_| word("contentEncoding").is_none());
    word("format") == Some("binary")
        || media.is_some_and(|own| !media::is_text(&media::essence(own)))
        || (depth > 0
            && (parts(schema).any(|part| is_bytes(converter, part, depth - 1))
                || schema.get("items").is_some_and(|items| is_bytes(converter, items, depth - 1))))
}

fn parts(schema: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["allOf", "anyOf", "oneOf"].into_iter();
    lists.filter_map(|key| schema.get(key)?.as_array()).flatten()
}

fn names(schema: &Value) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

fn encodings<'d>(converter: &mut Converter<'d>, content: &Node<'d>) -> BTreeMap<String, Encoding> {
    let mut all = BTreeMap::new();
    let encoding = content.get("encoding");
    for (name, own) in encoding.iter().flat_map(Node::members) {
        let media = own.value.get("contentType").and_then(Value::as_str);
        let media = media.and_then(|own| own.split(',').next()).map(|own| own.trim().to_owned());
        let says = |key: &str| own.value.get(key).is_some();
        let styled = (says("style") || says("explode") || says("allowReserved")).then(|| {
            let named = own.value.get("style").and_then(Value::as_str);
            let style = named.and_then(|named| Style::of(Location::Query, named)).unwrap_or(Style::Form);
            (
                style,
                own.flag("explode").unwrap_or(style == Style::Form),
                own.flag("allowReserved") == Some(true),
            )
        });
        if media.as_deref().is_some_and(|own| HeaderValue::from_str(own).is_err()) {
            converter.fault(&own.spot, "`contentType` is no media type");
            continue;
        }
        all.insert(name.to_owned(), Encoding { media, styled });
    }
    all
}

/// What a body adds to the input schema.
#[derive(Debug, Default)]
pub(super) struct Added {
    pub(super) properties: Map<String, Value>,
    pub(super) required: Vec<String>,
    /// Properties that a body needs as soon as it has any, if it may be left out.
    pub(super) together: Vec<String>,
    pub(super) refs: Vec<usize>,
}

impl Read {
    /// The body's properties as arguments, if that loses nothing.
    pub(super) fn merge(&mut self, converter: &Converter<'_>, parameters: &[String]) -> Option<Added> {
        const MERGED: [&str; 9] = [
            "type",
            "properties",
            "required",
            "additionalProperties",
            "title",
            "description",
            "examples",
            "deprecated",
            "readOnly",
        ];
        let whole = converter.resolved(Side::Input, &self.fragment.value);
        let keywords = whole.as_object()?;
        let properties = keywords.get("properties")?.as_object()?.clone();
        let closed = keywords.get("additionalProperties").is_none_or(|own| *own == Value::Bool(false));
        let object = keywords.get("type").is_none_or(|own| own == "object");
        let required = names(whole);
        let known = keywords.keys().all(|key| MERGED.contains(&key.as_str()));
        let named = properties.keys().all(|name| is_argument_name(name) && !parameters.contains(name));
        let complete = required.iter().all(|name| properties.contains_key(name));
        if properties.is_empty()
            || !closed
            || !object
            || !known
            || !named
            || !complete
            || self.body.kind == Kind::Text
        {
            return None;
        }
        self.body.merged = Some(properties.keys().cloned().collect());
        let refs = converter.refs_of(Side::Input, whole);
        let (required, together) =
            if self.body.required { (required, Vec::new()) } else { (Vec::new(), required) };
        Some(Added { properties, required, together, refs })
    }

    /// The argument `body`.
    pub(super) fn whole(self) -> (Body, Added) {
        let mut value = self.fragment.value;
        if value == Value::Bool(true) {
            value = json!({});
        }
        if let (false, Some(keywords)) = (self.description.is_empty(), value.as_object_mut()) {
            keywords.insert("description".to_owned(), Value::String(self.description));
        }
        let required = if self.body.required { vec!["body".to_owned()] } else { Vec::new() };
        let properties = Map::from_iter([("body".to_owned(), value)]);
        (self.body, Added { properties, required, together: Vec::new(), refs: self.fragment.refs })
    }
}
