//! The table: every domain with its kinds of things and its operations. The tools, the REST API, both catalogs and
//! the OpenAPI document come out of it.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::does::Does;

/// The domains in the catalog's order; partners are the last, and have an endpoint of their own.
const DOMAINS: [(&str, &str); 22] = [
    ("conversations", include_str!("table/conversations.toml")),
    ("messages", include_str!("table/messages.toml")),
    ("channels", include_str!("table/channels.toml")),
    ("contacts", include_str!("table/contacts.toml")),
    ("tags", include_str!("table/tags.toml")),
    ("quick_replies", include_str!("table/quick_replies.toml")),
    ("broadcasts", include_str!("table/broadcasts.toml")),
    ("reminders", include_str!("table/reminders.toml")),
    ("mets", include_str!("table/mets.toml")),
    ("skills", include_str!("table/skills.toml")),
    ("functions", include_str!("table/functions.toml")),
    ("flows", include_str!("table/flows.toml")),
    ("automations", include_str!("table/automations.toml")),
    ("collections", include_str!("table/collections.toml")),
    ("fields", include_str!("table/fields.toml")),
    ("views", include_str!("table/views.toml")),
    ("items", include_str!("table/items.toml")),
    ("tasks", include_str!("table/tasks.toml")),
    ("integrations", include_str!("table/integrations.toml")),
    ("events", include_str!("table/events.toml")),
    ("account", include_str!("table/account.toml")),
    ("partners", include_str!("table/partners.toml")),
];
const ARGUMENTS: &str = include_str!("table/arguments.toml");

/// A sentence in both languages.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    pub es: String,
    pub en: String,
}

/// A kind of thing.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kind {
    /// What its ids begin with.
    pub prefix: String,
    /// Members that cannot be cleared.
    #[serde(default)]
    pub required: Vec<String>,
    /// Members that are kept and never shown.
    #[serde(default)]
    pub hidden: Vec<String>,
    /// True if the newest is listed first.
    #[serde(default)]
    pub newest: bool,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    #[default]
    Text,
    Integer,
    Object,
    /// A moment as ISO 8601 writes it.
    Time,
    /// A list of texts.
    Strings,
    /// A list of objects.
    Objects,
}

/// What is particular about an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Test keys do not see it.
    Live,
    /// It has an effect outside.
    Outside,
    /// Meta charges for it.
    Meta,
    /// Doing it twice is like doing it once.
    Same,
    /// It deletes or overwrites.
    Destroys,
    /// It has to be told what Energía is left; that itself costs nothing.
    Looks,
}

/// An argument, whichever operation takes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    #[serde(default, rename = "type")]
    pub kind: Type,
    /// The kind of thing whose id it is.
    pub of: Option<String>,
    #[serde(default)]
    pub one_of: Vec<String>,
    pub es: String,
    pub en: String,
    pub example: Value,
}

/// An argument as one operation takes it.
#[derive(Clone, Debug)]
pub struct Take {
    pub name: String,
    pub argument: Argument,
    pub required: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: String,
    tool: Option<String>,
    route: String,
    does: String,
    takes: String,
    #[serde(default)]
    sets: Map<String, Value>,
    es: String,
    en: String,
    when: String,
    #[serde(default)]
    pair: String,
    #[serde(default)]
    marks: Vec<Mark>,
    #[serde(default)]
    energy: u64,
    loses: Option<Words>,
    reason: Option<Words>,
    instead: Option<Words>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDomain {
    title: String,
    read: Words,
    write: Words,
    #[serde(default)]
    partner: bool,
    kind: IndexMap<String, Kind>,
    operation: Vec<Written>,
}

/// A domain: what a person allows reading and writing of.
#[derive(Clone, Debug)]
pub struct Domain {
    pub id: &'static str,
    /// What people read.
    pub title: String,
    pub read: Words,
    pub write: Words,
    /// True if it belongs to the partners' endpoint.
    pub partner: bool,
}

/// An operation of the REST API, and the tool that does the same if there is one.
#[derive(Clone, Debug)]
pub struct Operation {
    pub id: String,
    pub tool: Option<String>,
    pub domain: &'static str,
    pub method: String,
    /// Below the API's base, with `{names}`.
    pub path: String,
    pub(super) does: Does,
    pub takes: Vec<Take>,
    pub(super) sets: Map<String, Value>,
    /// Its title.
    pub es: String,
    /// What it does, as one sentence.
    pub en: String,
    /// When to use it.
    pub when: String,
    /// The tool it goes with; empty for one that no agent may reach.
    pub pair: String,
    marks: Vec<Mark>,
    /// The Energía that it spends.
    pub energy: u64,
    /// What would be lost; whoever calls has to confirm.
    pub loses: Option<Words>,
    /// Why no agent may reach it, and what to do instead.
    pub excluded: Option<(Words, Words)>,
}

impl Operation {
    /// True if it changes something.
    pub fn writes(&self) -> bool {
        self.method != "GET"
    }

    /// True if it has a mark, in the table or by its method.
    pub fn is(&self, mark: Mark) -> bool {
        let by_method = match mark {
            Mark::Same => {
                matches!(self.method.as_str(), "GET" | "PUT" | "PATCH" | "DELETE")
                    || matches!(self.does, Does::Set(_))
            }
            Mark::Destroys => matches!(self.method.as_str(), "PUT" | "PATCH" | "DELETE"),
            Mark::Live | Mark::Outside | Mark::Meta | Mark::Looks => false,
        };
        by_method || self.marks.contains(&mark)
    }

    /// The permission that it needs.
    pub fn scope(&self) -> String {
        format!("{}:{}", self.domain, if self.writes() { "write" } else { "read" })
    }

    /// True for an argument that stands in the path.
    pub fn in_path(&self, name: &str) -> bool {
        self.path.contains(&format!("{{{name}}}"))
    }

    /// The kind of thing that it is about.
    pub fn kind(&self) -> Option<&str> {
        self.does.kind()
    }

    /// True if it answers one thing of its kind.
    pub fn answers_record(&self) -> bool {
        matches!(self.does, Does::Get(_) | Does::Create(_) | Does::Update(_) | Does::Set(_))
    }

    /// True if it answers a page of things.
    pub fn lists(&self) -> bool {
        matches!(self.does, Does::List(_))
    }
}

/// Everything.
#[derive(Clone, Debug)]
pub struct Table {
    pub domains: Vec<Domain>,
    pub kinds: IndexMap<String, Kind>,
    pub operations: Vec<Operation>,
}

impl Table {
    /// Reads the table.
    ///
    /// # Errors
    /// The first thing in it that makes no sense.
    pub fn read() -> Result<Self, String> {
        let arguments: IndexMap<String, Argument> =
            toml::from_str(ARGUMENTS).map_err(|error| format!("arguments: {error}"))?;
        let mut table = Self { domains: Vec::new(), kinds: IndexMap::new(), operations: Vec::new() };
        for (id, text) in DOMAINS {
            let written: WrittenDomain = toml::from_str(text).map_err(|error| format!("{id}: {error}"))?;
            table.kinds.extend(written.kind);
            let WrittenDomain { title, read, write, partner, .. } = written;
            table.domains.push(Domain { id, title, read, write, partner });
            for own in written.operation {
                table.operations.push(operation(own, id, &arguments)?);
            }
        }
        table.check()?;
        Ok(table)
    }

    /// The operation that a tool does.
    pub fn tool(&self, name: &str) -> Option<&Operation> {
        self.operations.iter().find(|own| own.tool.as_deref() == Some(name))
    }

    /// The operations of one of the two endpoints.
    pub fn of(&self, partner: bool) -> impl Iterator<Item = &Operation> {
        let ours = move |id: &str| self.domains.iter().any(|own| own.id == id && own.partner == partner);
        self.operations.iter().filter(move |own| ours(own.domain))
    }

    fn check(&self) -> Result<(), String> {
        let mut seen = HashSet::new();
        for own in &self.operations {
            for name in [Some(&own.id), own.tool.as_ref()].into_iter().flatten() {
                if !seen.insert(name.clone()) {
                    return Err(format!("{name} is there twice"));
                }
            }
            let kinds = own.takes.iter().filter_map(|take| take.argument.of.as_deref()).chain(own.kind());
            for kind in kinds {
                if !self.kinds.contains_key(kind) {
                    return Err(format!("{}: there is no kind {kind}", own.id));
                }
            }
            if own.excluded.is_none() && self.tool(&own.pair).is_none() {
                return Err(format!("{}: there is no tool {}", own.id, own.pair));
            }
        }
        Ok(())
    }
}

fn operation(
    own: Written,
    domain: &'static str,
    arguments: &IndexMap<String, Argument>,
) -> Result<Operation, String> {
    let id = &own.id;
    let (method, path) =
        own.route.split_once(' ').ok_or_else(|| format!("{id}: the route is METHOD /path"))?;
    let takes = own.takes.split_whitespace().map(|word| take(word, arguments)).collect::<Result<Vec<_>, _>>();
    let does = Does::read(&own.does).ok_or_else(|| format!("{id}: nothing does {:?}", own.does))?;
    Ok(Operation {
        domain,
        method: method.to_owned(),
        path: path.to_owned(),
        takes: takes.map_err(|error| format!("{id}: {error}"))?,
        does,
        excluded: own.reason.zip(own.instead),
        id: own.id,
        tool: own.tool,
        sets: own.sets,
        es: own.es,
        en: own.en,
        when: own.when,
        pair: own.pair,
        marks: own.marks,
        energy: own.energy,
        loses: own.loses,
    })
}

/// `name`, `name!` where it is required, `name=entry` where the argument has another name in the list.
fn take(word: &str, arguments: &IndexMap<String, Argument>) -> Result<Take, String> {
    let (word, required) = word.strip_suffix('!').map_or((word, false), |word| (word, true));
    let (name, entry) = word.split_once('=').unwrap_or((word, word));
    let argument = arguments.get(entry).ok_or_else(|| format!("there is no argument {entry}"))?;
    Ok(Take { name: name.to_owned(), argument: argument.clone(), required })
}
