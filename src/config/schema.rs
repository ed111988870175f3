//! The configuration's JSON Schema: made from the structs, then put into the words that a reader of TOML knows.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::Config;

/// The JSON Schema of `portero.toml`, for editors and for the check at start.
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Config>().to_value();
    tidy(&mut schema);
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), json!("portero.toml"));
    }
    schema
}

/// TOML has no null, constants with descriptions are an enumeration, and every secret has a twin.
fn tidy(node: &mut Value) {
    match node {
        Value::Object(object) => {
            drop_null(object);
            enumerate(object);
            if object.contains_key("x-default") {
                object.remove("default");
            }
            object.values_mut().for_each(tidy);
            add_twins(object);
        }
        Value::Array(list) => list.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn drop_null(object: &mut Map<String, Value>) {
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(mut any)) = object.remove("anyOf") else { return };
    any.retain(|one| one.get("type").is_none_or(|kind| kind != "null"));
    match (any.len(), any.pop()) {
        (1, Some(Value::Object(only))) => {
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
        (_, last) => {
            any.extend(last);
            object.insert("anyOf".to_owned(), Value::Array(any));
        }
    }
}

/// Turns `oneOf` constants into an `enum`, with what each means beside it.
fn enumerate(object: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = object.get("oneOf") else { return };
    let mut values = Vec::new();
    let mut meanings = Map::new();
    for option in options {
        let Some(value) = option.get("const") else { return };
        if let (Some(name), Some(meaning)) = (value.as_str(), option.get("description")) {
            meanings.insert(name.to_owned(), meaning.clone());
        }
        values.push(value.clone());
    }
    object.remove("oneOf");
    object.insert("enum".to_owned(), Value::Array(values));
    object.insert("x-values".to_owned(), Value::Object(meanings));
}

fn add_twins(object: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = object.get_mut("properties") else { return };
    let secret = |(key, value): (&String, &Value)| value.get("x-secret").is_some().then(|| key.clone());
    let secrets: Vec<String> = properties.iter().filter_map(secret).collect();
    for key in secrets {
        let twin = json!({
            "type": "string",
            "minLength": 1,
            "description": format!("File that holds `{key}`, in its place."),
            "x-allowed": "the path of a file",
            "x-twin-of": key
        });
        properties.insert(format!("{key}_file"), twin);
    }
}

/// A place in the schema, seen through references.
#[derive(Clone, Copy)]
pub(super) struct Shape<'a> {
    root: &'a Value,
    node: &'a Value,
}

impl<'a> Shape<'a> {
    pub fn new(schema: &'a Value) -> Self {
        Self { root: schema, node: schema }
    }

    fn at(self, node: &'a Value) -> Self {
        Self { root: self.root, node }
    }

    /// The definition's name, if this place refers to one.
    pub fn definition(self) -> Option<&'a str> {
        self.node.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
    }

    fn target(self) -> Option<&'a Value> {
        self.root.get("$defs")?.get(self.definition()?)
    }

    /// A keyword of this place, or else of what it refers to.
    pub fn get(self, keyword: &str) -> Option<&'a Value> {
        self.node.get(keyword).or_else(|| self.target()?.get(keyword))
    }

    /// A keyword's text.
    pub fn text(self, keyword: &str) -> Option<&'a str> {
        self.get(keyword)?.as_str()
    }

    /// Known keys, in order.
    pub fn properties(self) -> impl Iterator<Item = (&'a String, Self)> {
        let properties = self.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(move |(key, node)| (key, self.at(node)))
    }

    /// A known key's place.
    pub fn property(self, key: &str) -> Option<Self> {
        self.get("properties")?.get(key).map(|node| self.at(node))
    }

    /// What a map's values look like.
    pub fn values(self) -> Option<Self> {
        self.get("additionalProperties").filter(|node| node.is_object()).map(|node| self.at(node))
    }

    /// What a list's items look like.
    pub fn items(self) -> Option<Self> {
        self.get("items").map(|node| self.at(node))
    }

    /// The place of a step, whichever kind it is.
    pub fn step(self, step: &str) -> Option<Self> {
        self.property(step).or_else(|| self.values()).or_else(|| self.items())
    }

    /// Whether a key must be there.
    pub fn requires(self, key: &str) -> bool {
        self.get("required").and_then(Value::as_array).is_some_and(|keys| keys.iter().any(|known| known == key))
    }

    /// Whether values are tables.
    pub fn is_table(self) -> bool {
        self.text("type") == Some("object")
    }

    /// What is allowed here, in words.
    pub fn expected(self) -> String {
        if let Some(Value::Array(options)) = self.get("enum") {
            let shown = |option: &Value| option.as_str().map_or_else(|| option.to_string(), str::to_owned);
            return format!("one of {}", options.iter().map(shown).collect::<Vec<_>>().join(", "));
        }
        if let Some(allowed) = self.text("x-allowed") {
            return allowed.to_owned();
        }
        match self.text("type") {
            Some("string") if self.get("minLength").is_some() => "a text that is not empty".to_owned(),
            Some("string") => "a text".to_owned(),
            Some("boolean") => "true or false".to_owned(),
            Some("integer") => match self.get("minimum") {
                Some(least) => format!("a whole number from {least}"),
                None => "a whole number".to_owned(),
            },
            Some("array") => match self.items() {
                Some(items) if !items.is_table() => format!("a list, each {}", items.expected()),
                _ => "a list of tables".to_owned(),
            },
            Some("object") => "a table".to_owned(),
            _ => "what the reference shows".to_owned(),
        }
    }
}
