//! Tool descriptors: reading a catalog, checking it, and what the gateway adds to what a client sees.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::arguments::{CONFIRM, MAX_INTENT, USER_INTENT};

/// A tool as its catalog describes it, in the catalog's own order of members.
#[derive(Clone, Debug, PartialEq)]
pub struct Descriptor {
    /// Its name.
    pub name: String,
    /// What it is about, for documents about the catalog; clients are not told.
    pub domain: Option<String>,
    members: Map<String, Value>,
}

/// The member of `_meta` by which a catalog says a tool's domain.
const DOMAIN: &str = "io.portero/domain";
/// No heading is longer.
const MAX_DOMAIN: usize = 100;

/// What is wrong with a catalog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The whole of it.
    #[error("the catalog {0}")]
    Catalog(String),
    /// One tool of it.
    #[error("tool {0:?} {1}")]
    Tool(String, String),
}

/// Reads a catalog: an array of tool objects, or `{"tools":[…]}`.
///
/// # Errors
/// Names the tool and its fault; the first one found.
pub fn parse_catalog(json: &[u8]) -> Result<Vec<Descriptor>, Fault> {
    let value: Value =
        serde_json::from_slice(json).map_err(|error| Fault::Catalog(format!("is no JSON: {error}")))?;
    let tools = match value {
        Value::Array(tools) => tools,
        Value::Object(mut members) => match members.remove("tools") {
            Some(Value::Array(tools)) => tools,
            _ => return Err(Fault::Catalog("has no array \"tools\"".into())),
        },
        _ => return Err(Fault::Catalog("is neither an array nor an object with \"tools\"".into())),
    };
    let mut seen = HashSet::new();
    let mut descriptors = Vec::with_capacity(tools.len());
    for (index, tool) in tools.into_iter().enumerate() {
        let descriptor = Descriptor::read(index, tool)?;
        if !seen.insert(descriptor.name.clone()) {
            return Err(Fault::Tool(descriptor.name, "is there twice".into()));
        }
        descriptors.push(descriptor);
    }
    Ok(descriptors)
}

/// True for a name that every client can use: 1–128 of letters, digits, `_`, `-`, `.`.
pub fn is_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

impl Descriptor {
    fn read(index: usize, tool: Value) -> Result<Self, Fault> {
        let Value::Object(mut members) = tool else {
            return Err(Fault::Tool(format!("#{index}"), "is no object".into()));
        };
        let Some(name) = members.get("name").and_then(Value::as_str).map(str::to_owned) else {
            return Err(Fault::Tool(format!("#{index}"), "has no name".into()));
        };
        let fault = |text: &str| Err(Fault::Tool(name.clone(), text.to_owned()));
        if !is_name(&name) {
            return fault("has a name that is not 1 to 128 of A-Z a-z 0-9 _ - .");
        }
        if !members.get("inputSchema").is_some_and(is_object_schema) {
            return fault("has no inputSchema of type \"object\"");
        }
        for (member, kind) in [("description", "a string"), ("title", "a string")] {
            if members.get(member).is_some_and(|value| !value.is_string()) {
                return fault(&format!("has a {member} that is not {kind}"));
            }
        }
        for member in ["outputSchema", "annotations", "_meta"] {
            if members.get(member).is_some_and(|value| !value.is_object()) {
                return fault(&format!("has {member} that is no object"));
            }
        }
        // the gateway alone says who may call what, and runs no tasks for a tool that promises them
        members.remove("securitySchemes");
        members.remove("execution");
        match take_domain(&mut members) {
            Ok(domain) => Ok(Self { name, domain, members }),
            Err(text) => fault(&text),
        }
    }

    /// What the catalog says of reading and writing: absent means that it writes.
    pub fn is_read_only(&self) -> bool {
        self.hint("readOnlyHint").unwrap_or(false)
    }

    /// A hint of `annotations`.
    pub fn hint(&self, name: &str) -> Option<bool> {
        self.members.get("annotations")?.get(name)?.as_bool()
    }

    /// Its description, or its title if it has none.
    pub fn about(&self) -> &str {
        let of = |name: &str| self.members.get(name)?.as_str().filter(|text| !text.trim().is_empty());
        of("description").or_else(|| of("title")).unwrap_or_default()
    }

    /// The schema of its arguments.
    pub fn input_schema(&self) -> &Value {
        self.members.get("inputSchema").unwrap_or(&Value::Null)
    }

    /// True if it promises structured results.
    pub fn has_output_schema(&self) -> bool {
        self.members.contains_key("outputSchema")
    }

    /// Sets one annotation.
    pub fn annotate(&mut self, name: &str, value: Value) {
        if let Some(annotations) = object(&mut self.members, "annotations") {
            annotations.insert(name.to_owned(), value);
        }
    }

    /// Asks for the confirmation: properties, required list, and a sentence at the end of the description.
    pub fn ask_confirmation(&mut self, with_intent: bool, sentence: &str) {
        if let Some(schema) = object(&mut self.members, "inputSchema") {
            if let Some(properties) = object(schema, "properties") {
                properties.insert(
                    CONFIRM.to_owned(),
                    json!({"type": "boolean", "const": true, "description": "True once the person has confirmed this call."}),
                );
                if with_intent {
                    properties.insert(
                        USER_INTENT.to_owned(),
                        json!({"type": "string", "minLength": 1, "maxLength": MAX_INTENT, "pattern": "\\S",
                            "description": "What the person wants, in their own words."}),
                    );
                }
            }
            let required = schema.entry("required").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(required) = required {
                let asked = [(CONFIRM, true), (USER_INTENT, with_intent)];
                for (name, _) in asked.into_iter().filter(|(_, asked)| *asked) {
                    if !required.iter().any(|own| own == name) {
                        required.push(Value::from(name));
                    }
                }
            }
        }
        self.describe(sentence);
    }

    /// Adds a sentence to the end of the description.
    pub fn describe(&mut self, sentence: &str) {
        describe(&mut self.members, sentence);
    }

    /// Sets a member of `_meta`.
    pub fn mark(&mut self, name: &str, value: Value) {
        mark(&mut self.members, name, value);
    }

    /// Says which credentials it takes: none, or OAuth with these scopes.
    pub fn secure(&mut self, public: bool, scopes: &[&str]) {
        let scheme =
            if public { json!({"type": "noauth"}) } else { json!({"type": "oauth2", "scopes": scopes}) };
        self.members.insert("securitySchemes".to_owned(), Value::Array(vec![scheme]));
    }

    /// The descriptor as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.members).unwrap_or_default()
    }
}

/// Adds a sentence to the end of a description.
pub(super) fn describe(members: &mut Map<String, Value>, sentence: &str) {
    let before = members.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = if before.is_empty() { sentence.to_owned() } else { format!("{before} {sentence}") };
    members.insert("description".to_owned(), Value::from(text));
}

/// Sets a member of `_meta`.
pub(super) fn mark(members: &mut Map<String, Value>, name: &str, value: Value) {
    if let Some(meta) = object(members, "_meta") {
        meta.insert(name.to_owned(), value);
    }
}

fn object<'a>(members: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Map<String, Value>> {
    members.entry(name).or_insert_with(|| Value::Object(Map::new())).as_object_mut()
}

/// Takes the domain out of `_meta`, and a `_meta` that held nothing else out of the tool.
fn take_domain(members: &mut Map<String, Value>) -> Result<Option<String>, String> {
    let Some(meta) = members.get_mut("_meta").and_then(Value::as_object_mut) else { return Ok(None) };
    let Some(domain) = meta.shift_remove(DOMAIN) else { return Ok(None) };
    if meta.is_empty() {
        members.shift_remove("_meta");
    }
    let domain = domain.as_str().map(str::trim).filter(|text| is_heading(text));
    let fault =
        || format!("has _meta \"{DOMAIN}\" that is not a text of 1 to {MAX_DOMAIN} characters on one line");
    domain.map(|text| Some(text.to_owned())).ok_or_else(fault)
}

fn is_heading(text: &str) -> bool {
    (1..=MAX_DOMAIN).contains(&text.chars().count()) && !text.contains(char::is_control)
}

fn is_object_schema(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
        && schema.get("properties").is_none_or(Value::is_object)
        && schema.get("required").is_none_or(Value::is_array)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(tool: &str) -> Descriptor {
        parse_catalog(format!("[{tool}]").as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn both_shapes_of_a_catalog() {
        let tool = r#"{"name":"a","inputSchema":{"$schema":"x","type":"object"},"annotations":{"readOnlyHint":true}}"#;
        assert_eq!(one(tool).to_json(), tool);
        assert!(one(tool).is_read_only());
        assert_eq!(parse_catalog(format!("{{\"tools\":[{tool}]}}").as_bytes()).unwrap(), [one(tool)]);
    }

    #[test]
    fn a_bad_catalog_names_the_tool_and_its_fault() {
        let check = |json: &str| parse_catalog(json.as_bytes()).unwrap_err().to_string();
        assert!(check("{").starts_with("the catalog is no JSON"));
        assert_eq!(check("{}"), "the catalog has no array \"tools\"");
        assert_eq!(check("[1]"), "tool \"#0\" is no object");
        assert_eq!(check("[{}]"), "tool \"#0\" has no name");
        assert_eq!(
            check(r#"[{"name":"a b"}]"#),
            "tool \"a b\" has a name that is not 1 to 128 of A-Z a-z 0-9 _ - ."
        );
        assert_eq!(check(r#"[{"name":"a"}]"#), "tool \"a\" has no inputSchema of type \"object\"");
        let good = r#"{"name":"a","inputSchema":{"type":"object"}}"#;
        assert_eq!(check(&format!("[{good},{good}]")), "tool \"a\" is there twice");
    }

    #[test]
    fn a_domain_is_for_documents_and_not_for_clients() {
        let with = |meta: &str| format!(r#"{{"name":"a",{meta}"inputSchema":{{"type":"object"}}}}"#);
        let plain = one(&with(""));
        let alone = one(&with(r#""_meta":{"io.portero/domain":" Flows "},"#));
        assert_eq!((alone.domain.as_deref(), alone.to_json()), (Some("Flows"), plain.to_json()));
        assert_ne!(alone, plain, "a new domain is a new catalog");
        let beside = one(&with(r#""_meta":{"a/b":1,"io.portero/domain":"Flows","c":2},"#));
        assert_eq!(beside.to_json(), with(r#""_meta":{"a/b":1,"c":2},"#));
        for bad in ["7", "\"\"", "\" \"", r#""a\nb""#, &format!("\"{}\"", "x".repeat(101))] {
            let tool = with(&format!(r#""_meta":{{"io.portero/domain":{bad}}},"#));
            let fault = parse_catalog(format!("[{tool}]").as_bytes()).unwrap_err().to_string();
            assert_eq!(
                fault,
                "tool \"a\" has _meta \"io.portero/domain\" that is not a text of 1 to 100 characters on one line"
            );
        }
    }

    #[test]
    fn a_confirmation_is_asked_in_schema_and_description() {
        let mut tool =
            one(r#"{"name":"a","description":"Deletes.","inputSchema":{"type":"object","required":["id"]}}"#);
        tool.ask_confirmation(true, "Ask first.");
        let json: Value = serde_json::from_str(&tool.to_json()).unwrap();
        assert_eq!(json["description"], "Deletes. Ask first.");
        assert_eq!(json["inputSchema"]["required"], json!(["id", "confirm", "user_intent"]));
        assert_eq!(json["inputSchema"]["properties"]["confirm"]["const"], true);
        assert_eq!(json["inputSchema"]["properties"]["user_intent"]["maxLength"], 500);
    }
}
