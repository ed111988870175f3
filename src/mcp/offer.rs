//! What a worker offers beside tools: resources, resource templates and prompts. Reading its documents, checking
//! them, and what the gateway adds to what a client sees.

use serde_json::{Map, Value};

use super::tool;
use super::uri;
use super::uri_template::Pattern;

/// One resource, template or prompt as its worker describes it, in the worker's own order of members.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its URI, template or name.
    pub key: String,
    members: Map<String, Value>,
}

/// A resource template.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// As described.
    pub entry: Entry,
    /// What it matches, in the one spelling of [`uri::normal`].
    pub pattern: Pattern,
}

/// A prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// As described.
    pub entry: Entry,
    /// The arguments that it cannot do without.
    pub required: Vec<String>,
}

/// A page of a list of resources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Its resources.
    pub resources: Vec<Entry>,
    /// Where the next one begins.
    pub next: Option<String>,
}

impl Entry {
    fn read(value: Value, key: &str) -> Result<Self, String> {
        let Value::Object(members) = value else { return Err("is no object".to_owned()) };
        let text =
            members.get(key).and_then(Value::as_str).ok_or_else(|| format!("has no {key}"))?.to_owned();
        for (member, is_right) in [
            ("name", Value::is_string as fn(&Value) -> bool),
            ("title", Value::is_string),
            ("description", Value::is_string),
            ("mimeType", Value::is_string),
            ("_meta", Value::is_object),
        ] {
            if members.get(member).is_some_and(|value| !is_right(value)) {
                return Err(format!("has {member} of the wrong type"));
            }
        }
        if !members.contains_key("name") {
            return Err("has no name".to_owned());
        }
        Ok(Self { key: text, members })
    }

    /// Adds a sentence to the end of the description.
    pub fn describe(&mut self, sentence: &str) {
        tool::describe(&mut self.members, sentence);
    }

    /// Sets a member of `_meta`.
    pub fn mark(&mut self, name: &str, value: Value) {
        tool::mark(&mut self.members, name, value);
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.members).unwrap_or_default()
    }
}

/// The array `name` of a document and the rest of it; `None` if it is no such document, as where a worker answers
/// everything with 200.
fn array(json: &[u8], name: &str) -> Option<(Vec<Value>, Map<String, Value>)> {
    let Ok(Value::Object(mut members)) = serde_json::from_slice(json) else { return None };
    match members.remove(name) {
        Some(Value::Array(items)) => Some((items, members)),
        _ => None,
    }
}

fn each<T>(
    json: &[u8],
    (name, one): (&str, &str),
    read: impl Fn(Value) -> Result<T, String>,
) -> Result<Option<Vec<T>>, String> {
    let Some((items, _)) = array(json, name) else { return Ok(None) };
    let items = items.into_iter().enumerate();
    let all = items.map(|(at, item)| read(item).map_err(|fault| format!("{one} #{at} {fault}")));
    all.collect::<Result<_, _>>().map(Some)
}

/// Reads `{"resourceTemplates":[…]}`; `None` if it is no such document.
///
/// # Errors
/// Names the template and its fault.
pub fn templates(json: &[u8]) -> Result<Option<Vec<Template>>, String> {
    each(json, ("resourceTemplates", "resource template"), |item| {
        let entry = Entry::read(item, "uriTemplate")?;
        let pattern = Pattern::template(&uri::normal(&entry.key))?;
        if uri::check(&pattern.sample()).is_err() {
            return Err(format!("has a uriTemplate that gives no URI: {}", entry.key));
        }
        Ok(Template { entry, pattern })
    })
}

/// Reads `{"prompts":[…]}`; `None` if it is no such document.
///
/// # Errors
/// Names the prompt and its fault.
pub fn prompts(json: &[u8]) -> Result<Option<Vec<Prompt>>, String> {
    each(json, ("prompts", "prompt"), |item| {
        let entry = Entry::read(item, "name")?;
        let name = &entry.key;
        // the name becomes a step of the worker's path
        let bad = name.chars().any(char::is_control) || matches!(name.as_str(), "." | "..");
        if bad || !(1..=128).contains(&name.len()) {
            return Err("has a name that is not 1 to 128 bytes of text".to_owned());
        }
        let arguments = match entry.members.get("arguments") {
            None => &[][..],
            Some(Value::Array(arguments)) => arguments,
            Some(_) => return Err("has arguments that are no array".to_owned()),
        };
        let mut required = Vec::new();
        for argument in arguments {
            let name =
                argument.get("name").and_then(Value::as_str).ok_or("has an argument without a name")?;
            if argument.get("required") == Some(&Value::Bool(true)) {
                required.push(name.to_owned());
            }
        }
        Ok(Prompt { entry, required })
    })
}

/// Reads a page `{"resources":[…],"nextCursor":…}`; `None` if it is no such document. What nobody could ask for,
/// because its URI is none, is left out.
pub fn page(json: &[u8]) -> Option<Page> {
    let (items, rest) = array(json, "resources")?;
    let read = items.into_iter().filter_map(|item| Entry::read(item, "uri").ok());
    Some(Page {
        resources: read.filter(|entry| uri::check(&entry.key).is_ok()).collect(),
        next: rest.get("nextCursor").and_then(Value::as_str).map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_documents_are_no_offer_and_bad_ones_are_named() {
        for other in ["", "[]", "{}", "{\"path\":\"/prompts\"}", "{\"prompts\":1}", "<html>"] {
            assert_eq!(prompts(other.as_bytes()), Ok(None), "{other}");
            assert_eq!(templates(other.as_bytes()), Ok(None), "{other}");
            assert_eq!(page(other.as_bytes()), None, "{other}");
        }
        let fault = |json: &str| prompts(json.as_bytes()).unwrap_err();
        assert_eq!(fault("{\"prompts\":[1]}"), "prompt #0 is no object");
        assert_eq!(fault("{\"prompts\":[{}]}"), "prompt #0 has no name");
        assert_eq!(
            fault("{\"prompts\":[{\"name\":\"..\"}]}"),
            "prompt #0 has a name that is not 1 to 128 bytes of text"
        );
        assert_eq!(
            fault("{\"prompts\":[{\"name\":\"a\",\"arguments\":{}}]}"),
            "prompt #0 has arguments that are no array"
        );
        let fault = |json: &str| templates(json.as_bytes()).unwrap_err();
        assert_eq!(
            fault("{\"resourceTemplates\":[{\"name\":\"a\",\"uriTemplate\":\"x://{\"}]}"),
            "resource template #0 has a { without its }"
        );
        assert_eq!(
            fault("{\"resourceTemplates\":[{\"name\":\"a\",\"uriTemplate\":\"{a}\"}]}"),
            "resource template #0 has a uriTemplate that gives no URI: {a}"
        );
    }

    #[test]
    fn a_page_keeps_what_can_be_read() {
        let read = page(
            br#"{"resources":[{"uri":"x://a","name":"a","size":1},{"uri":"a b","name":"b"},{"uri":"x://c"}],"nextCursor":"n"}"#,
        );
        let read = read.unwrap();
        assert_eq!(read.next.as_deref(), Some("n"));
        let json: Vec<_> = read.resources.iter().map(Entry::to_json).collect();
        assert_eq!(json, [r#"{"uri":"x://a","name":"a","size":1}"#]);
    }
}
