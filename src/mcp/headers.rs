//! The headers that mirror a message's body (2026-07-28, Streamable HTTP › Custom Headers).
//!
//! Proxies route and limit by them, so a header that says something else than the body would carry a call
//! past them: whoever reads the body compares (there: Server Validation).

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

/// The revision.
pub const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// The method.
pub const METHOD: &str = "mcp-method";
/// The tool or prompt, or the resource's URI.
pub const NAME: &str = "mcp-name";
/// What mirrored arguments begin with.
pub const PARAM_PREFIX: &str = "mcp-param-";

/// The text a header carries: as it is, or UTF-8 in base64 between `=?base64?` and `?=`. `None` if it is
/// neither.
pub fn decode(value: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(value).ok()?.trim_matches([' ', '\t']);
    if let Some(encoded) = text.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        let bytes = STANDARD.decode(encoded).ok()?;
        return String::from_utf8(bytes).ok().map(Cow::Owned);
    }
    text.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')).then_some(Cow::Borrowed(text))
}

/// True if a header's value says the same as the body.
pub fn agrees(value: &[u8], body: &str) -> bool {
    decode(value).is_some_and(|text| text == body)
}

/// An argument that a header repeats because the tool's schema says so with `x-mcp-header`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror {
    /// The header's full name, in lower case.
    pub header: String,
    /// The way to the argument through `properties`.
    pub path: Vec<String>,
}

/// Every argument of an input schema that a header mirrors.
pub fn mirrors(input_schema: &Value) -> Vec<Mirror> {
    let mut found = Vec::new();
    collect(input_schema, &mut Vec::new(), &mut found);
    found
}

/// Catalogs are the operator's, but nobody nests further than this.
const MAX_DEPTH: usize = 16;

fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<Mirror>) {
    if path.len() >= MAX_DEPTH {
        return;
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        path.push(name.clone());
        if let Some(header) = property.get("x-mcp-header").and_then(Value::as_str) {
            let header = format!("{PARAM_PREFIX}{}", header.to_ascii_lowercase());
            found.push(Mirror { header, path: path.clone() });
        }
        collect(property, path, found);
        path.pop();
    }
}

impl Mirror {
    fn argument<'a>(&self, arguments: &'a Map<String, Value>) -> Option<&'a Value> {
        let mut steps = self.path.iter();
        let first = steps.next().and_then(|name| arguments.get(name));
        steps.fold(first, |value, name| value.and_then(|value| value.get(name)))
    }

    /// What the header says of these arguments, not yet encoded; nothing of one that is absent or null.
    pub fn value(&self, arguments: &Map<String, Value>) -> Option<String> {
        match self.argument(arguments)? {
            Value::String(text) => Some(text.clone()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// True if the header (absent or not) says what the arguments say. An absent or null argument has none.
    pub fn holds(&self, arguments: &Map<String, Value>, header: Option<&[u8]>) -> bool {
        match (self.argument(arguments), header) {
            (None | Some(Value::Null), header) => header.is_none(),
            (Some(Value::String(text)), Some(header)) => agrees(header, text),
            (Some(Value::Bool(flag)), Some(header)) => agrees(header, if *flag { "true" } else { "false" }),
            (Some(Value::Number(number)), Some(header)) => decode(header).is_some_and(|text| {
                // compared as numbers where both are integers, so that `042` and `42` agree
                match (text.parse::<i128>(), number.to_string().parse::<i128>()) {
                    (Ok(one), Ok(other)) => one == other,
                    _ => false,
                }
            }),
            (Some(Value::Array(_) | Value::Object(_)), Some(_)) | (Some(_), None) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plain_and_encoded_values() {
        assert!(agrees(b"list_meetings", "list_meetings"));
        assert!(agrees(b" \tlist_meetings ", "list_meetings"));
        assert!(!agrees(b"List_meetings", "list_meetings"));
        assert!(agrees("=?base64?Y2Fmw6k=?=".as_bytes(), "café"));
        for broken in [
            "=?base64?Y2Fmw6k?=",
            "=?base64?%%?=",
            "=?base64?/w==?=",
            "=?BASE64?Y2Fmw6k=?=",
            "café",
            "a\u{7f}",
        ] {
            assert!(!agrees(broken.as_bytes(), "café"), "{broken}");
        }
        assert_eq!(decode(b"=?base64??=").as_deref(), Some(""));
    }

    #[test]
    fn mirrored_arguments() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "n": {"type": "integer", "x-mcp-header": "N"},
            "deep": {"type": "object", "properties": {"ok": {"type": "boolean", "x-mcp-header": "Ok"}}},
        }});
        let found = mirrors(&schema);
        assert_eq!(found.len(), 3);
        let region = found.first().unwrap();
        assert_eq!(region.header, "mcp-param-region");
        let arguments = json!({"region": "eu", "n": 42, "deep": {"ok": true}});
        let arguments = arguments.as_object().unwrap();
        assert!(region.holds(arguments, Some(b"eu")) && !region.holds(arguments, Some(b"us")));
        assert!(!region.holds(arguments, None));
        let values = found.iter().map(|mirror| mirror.value(arguments).unwrap()).collect::<Vec<_>>();
        assert_eq!(values, ["eu", "42", "true"]);
        assert_eq!(region.value(&Map::new()), None);
        assert!(region.holds(&Map::new(), None) && !region.holds(&Map::new(), Some(b"eu")));
        assert!(found.get(1).unwrap().holds(arguments, Some(b"042")));
        assert!(found.get(2).unwrap().holds(arguments, Some(b"true")));
    }
}
