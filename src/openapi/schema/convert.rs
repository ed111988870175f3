//! A schema of OpenAPI 3.0 or 3.1 becomes one of JSON Schema 2020-12.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::super::files::Files;
use super::super::findings::Findings;
use super::super::node::{Node, Spot};
use super::{Definition, Definitions, Fragment, Schemas, Side, cycles, pattern};

/// Converts schemas, and remembers what they refer to.
#[derive(Debug)]
pub(in super::super) struct Converter<'d> {
    pub(super) files: &'d Files,
    pub(super) findings: Findings,
    /// OpenAPI 3.1: beside a `$ref` other keywords count.
    pub(super) siblings: bool,
    pools: HashMap<Side, Pool>,
    waiting: Vec<(Side, usize, Node<'d>)>,
    pub(super) patterns: pattern::Patterns,
}

#[derive(Debug, Default)]
struct Pool {
    by_spot: HashMap<Spot, usize>,
    names: HashMap<String, usize>,
    definitions: Vec<Definition>,
}

/// What a schema is converted with.
pub(super) struct Frame<'a> {
    pub(super) side: Side,
    /// Definitions that were referred to.
    pub(super) refs: &'a mut Vec<usize>,
    /// Properties that do not go this way, though they are required somewhere around.
    pub(super) hidden: &'a HashSet<String>,
}

impl<'d> Converter<'d> {
    /// A converter for a document of 3.1 (`siblings`) or 3.0.
    pub(in super::super) fn new(files: &'d Files, findings: Findings, siblings: bool) -> Self {
        Self {
            files,
            findings,
            siblings,
            pools: HashMap::new(),
            waiting: Vec::new(),
            patterns: pattern::Patterns::default(),
        }
    }

    /// Something for which the document cannot be taken.
    pub(in super::super) fn fault(&mut self, at: &Spot, says: impl AsRef<str>) {
        let place = self.files.place(at);
        self.findings.fault(&place, says);
    }

    /// Something that is read otherwise than it is written.
    pub(in super::super) fn warn(&mut self, at: &Spot, says: impl AsRef<str>) {
        let place = self.files.place(at);
        self.findings.warn(&place, says);
    }

    /// What a node's `$ref` leads to; a dangling one is a fault.
    pub(in super::super) fn follow(&mut self, node: Node<'d>) -> Option<Node<'d>> {
        match self.files.follow(node) {
            Ok(found) => Some(found),
            Err((at, says)) => {
                self.fault(&at, says);
                None
            }
        }
    }

    /// Converts a schema and everything that it refers to.
    pub(in super::super) fn convert(&mut self, side: Side, node: &Node<'d>) -> Fragment {
        let fragment = self.one(side, node);
        while let Some((side, id, node)) = self.waiting.pop() {
            let fragment = self.one(side, &node);
            let definitions = self.pools.get_mut(&side).map(|pool| &mut pool.definitions);
            if let Some(own) = definitions.and_then(|all| all.get_mut(id)) {
                own.size = fragment.value.to_string().len();
                own.fragment = fragment;
            }
        }
        fragment
    }

    fn one(&mut self, side: Side, node: &Node<'d>) -> Fragment {
        let (mut refs, nothing) = (Vec::new(), HashSet::new());
        let value = self.schema(&mut Frame { side, refs: &mut refs, hidden: &nothing }, node);
        refs.sort_unstable();
        refs.dedup();
        Fragment { value, refs }
    }

    /// A schema: an object of keywords, or `true` or `false`.
    pub(super) fn schema(&mut self, frame: &mut Frame<'_>, node: &Node<'d>) -> Value {
        match node.value {
            Value::Bool(all) => Value::Bool(*all),
            Value::Object(members) => {
                let reference = members.get("$ref").or_else(|| members.get("$dynamicRef"));
                match reference.and_then(Value::as_str) {
                    Some(reference) => self.reference(frame, node, reference),
                    None => self.keywords(frame, node),
                }
            }
            _ => {
                self.warn(&node.spot, "is no schema; anything is taken");
                Value::Bool(true)
            }
        }
    }

    fn reference(&mut self, frame: &mut Frame<'_>, node: &Node<'d>, reference: &str) -> Value {
        let beside = if self.siblings { self.keywords(frame, node) } else { Value::Null };
        let mut keywords = match beside {
            Value::Object(keywords) => keywords,
            _ => Map::new(),
        };
        match self.files.resolve(&node.spot, reference) {
            Ok(target) => {
                let name = self.definition(frame, target);
                keywords.insert("$ref".to_owned(), Value::String(format!("#/$defs/{name}")));
            }
            Err(says) => self.fault(&node.spot, says),
        }
        Value::Object(keywords)
    }

    /// The name of a definition, which is converted later if it is new.
    fn definition(&mut self, frame: &mut Frame<'_>, target: Node<'d>) -> String {
        let pool = self.pools.entry(frame.side).or_default();
        let next = pool.definitions.len();
        let id = *pool.by_spot.entry(target.spot.clone()).or_insert(next);
        if id == next {
            let name = free_name(&pool.names, &target.spot.name());
            pool.names.insert(name.clone(), id);
            pool.definitions.push(Definition { name, fragment: Fragment::default(), size: 0 });
            self.waiting.push((frame.side, id, target));
        }
        frame.refs.push(id);
        let definitions = self.pools.get(&frame.side).map(|pool| &pool.definitions);
        definitions.and_then(|all| all.get(id)).map(|own| own.name.clone()).unwrap_or_default()
    }

    /// What a converted schema says, through a `$ref` beside which nothing counts.
    pub(in super::super) fn resolved<'a>(&'a self, side: Side, schema: &'a Value) -> &'a Value {
        const SAYS_NOTHING: [&str; 5] = ["$ref", "title", "description", "examples", "deprecated"];
        let Some(pool) = self.pools.get(&side) else { return schema };
        let mut schema = schema;
        for _ in 0..pool.definitions.len() {
            let Some(keywords) = schema.as_object() else { return schema };
            let Some(reference) = keywords.get("$ref").and_then(Value::as_str) else { return schema };
            if !keywords.keys().all(|key| SAYS_NOTHING.contains(&key.as_str())) {
                return schema;
            }
            let id = pool.names.get(reference.trim_start_matches("#/$defs/"));
            match id.and_then(|id| pool.definitions.get(*id)) {
                Some(next) => schema = &next.fragment.value,
                None => return schema,
            }
        }
        schema
    }

    /// The definitions that a part of a converted schema refers to.
    pub(in super::super) fn refs_of(&self, side: Side, schema: &Value) -> Vec<usize> {
        let mut refs = Vec::new();
        if let Some(pool) = self.pools.get(&side) {
            collect(pool, schema, &mut refs);
        }
        refs.sort_unstable();
        refs.dedup();
        refs
    }

    /// Everything that was referred to, without circles that no reader of schemas would come out of.
    pub(in super::super) fn finish(mut self) -> (Schemas, Findings) {
        let mut take = |side| {
            let pool = self.pools.remove(&side).unwrap_or_default();
            let mut definitions = Definitions(pool.definitions);
            let cut = cycles::cut(&mut definitions);
            for (spot, id) in pool.by_spot {
                if cut.contains(&id) {
                    let place = self.files.place(&spot);
                    self.findings.warn(
                        &place,
                        "is defined by itself; the reference that closes the circle takes anything",
                    );
                }
            }
            definitions
        };
        let schemas = Schemas { input: take(Side::Input), output: take(Side::Output) };
        (schemas, self.findings)
    }
}

/// A name for `$defs` that no other has.
fn free_name(names: &HashMap<String, usize>, wanted: &str) -> String {
    let good = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let stem: String = wanted.chars().take(100).map(|c| if good(c) { c } else { '_' }).collect();
    let stem = if stem.is_empty() { "schema".to_owned() } else { stem };
    let numbered = (2..names.len() + 3).map(|number| format!("{stem}_{number}"));
    std::iter::once(stem.clone()).chain(numbered).find(|name| !names.contains_key(name)).unwrap_or_default()
}

fn collect(pool: &Pool, schema: &Value, refs: &mut Vec<usize>) {
    match schema {
        Value::Object(members) => {
            for (key, member) in members {
                match (key.as_str(), member.as_str()) {
                    ("$ref", Some(name)) => refs.extend(pool.names.get(name.trim_start_matches("#/$defs/"))),
                    _ => collect(pool, member, refs),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(pool, item, refs)),
        _ => {}
    }
}
