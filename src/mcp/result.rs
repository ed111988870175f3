//! Writing results: bytes around the worker's bytes.
//!
//! What a worker answers is checked to be JSON and then copied; it is never turned into a tree and back, so
//! numbers keep their digits and members their order.

use std::fmt;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::jsonrpc::Id;
use super::version::Version;

/// What every result of one service in one era begins or ends with, made once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trailer {
    /// `"resultType":"complete",` and the server's identity; empty up to 2025-11-25.
    modern: String,
}

impl Trailer {
    /// For a service whose `serverInfo` object is `server_info` (JSON).
    pub fn new(server_info: &str) -> Self {
        Self { modern: format!("{{\"io.modelcontextprotocol/serverInfo\":{server_info}}}") }
    }

    /// The `_meta` object of every stateless result.
    pub fn meta(&self) -> &str {
        &self.modern
    }
}

/// Writes `text` as a JSON string.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    // writing into memory cannot fail
    let _ = serde_json::to_writer(out, text);
}

/// Writes the beginning of an answer up to the value of `result`.
pub fn open(out: &mut Vec<u8>, id: Id<'_>) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_json().as_bytes());
    out.extend_from_slice(b",\"result\":");
}

/// Writes a whole answer around `members`, the inside of the result object.
pub fn answer(id: Id<'_>, version: Version, trailer: &Trailer, members: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(members.len() + trailer.modern.len() + 128);
    open(&mut out, id);
    out.push(b'{');
    out.extend_from_slice(members.as_bytes());
    close(&mut out, version, trailer, members.is_empty());
    out
}

/// Ends a result object and the answer, with what the era wants in every result.
pub fn close(out: &mut Vec<u8>, version: Version, trailer: &Trailer, empty: bool) {
    if version.is_modern() {
        if !empty {
            out.push(b',');
        }
        out.extend_from_slice(b"\"resultType\":\"complete\",\"_meta\":");
        out.extend_from_slice(trailer.modern.as_bytes());
    }
    out.extend_from_slice(b"}}");
}

/// What a call's result holds beside its text.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolText<'a> {
    /// The one text content.
    pub text: &'a str,
    /// The tool could not do it.
    pub is_error: bool,
    /// JSON for `structuredContent`: before, value, after.
    pub structured: Option<(&'a str, &'a str, &'a str)>,
    /// Members of `_meta`, without braces.
    pub meta: &'a str,
}

/// Writes the answer of a call.
pub fn tool(id: Id<'_>, version: Version, trailer: &Trailer, result: ToolText<'_>) -> Vec<u8> {
    let structured = result.structured.map_or(0, |(_, value, _)| value.len());
    let mut out = Vec::with_capacity(result.text.len() + result.text.len() / 8 + structured + 320);
    open(&mut out, id);
    out.extend_from_slice(b"{\"content\":[{\"type\":\"text\",\"text\":");
    write_string(&mut out, result.text);
    out.extend_from_slice(b"}]");
    if let Some((before, value, after)) = result.structured {
        out.extend_from_slice(b",\"structuredContent\":");
        for part in [before, value, after] {
            out.extend_from_slice(part.as_bytes());
        }
    }
    out.extend_from_slice(if result.is_error { b",\"isError\":true" } else { b",\"isError\":false" });
    if version.is_modern() {
        out.extend_from_slice(b",\"resultType\":\"complete\"");
    }
    let server = if version.is_modern() { trailer.modern.get(1..).unwrap_or("}") } else { "}" };
    if version.is_modern() || !result.meta.is_empty() {
        out.extend_from_slice(b",\"_meta\":{");
        out.extend_from_slice(result.meta.as_bytes());
        if !result.meta.is_empty() && server.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(server.as_bytes());
    }
    out.extend_from_slice(b"}}");
    out
}

/// Writes the answer around a result that the worker made itself. `None` if it is none that a client could read.
pub fn pass(id: Id<'_>, version: Version, trailer: &Trailer, result: &str) -> Option<Vec<u8>> {
    let seen: Seen = serde_json::from_str(result).ok()?;
    let inside = result.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let mut out = Vec::with_capacity(inside.len() + 256);
    open(&mut out, id);
    out.push(b'{');
    out.extend_from_slice(inside.as_bytes());
    let mut comma = !inside.is_empty();
    let mut add = |out: &mut Vec<u8>, text: &str| {
        if std::mem::replace(&mut comma, true) {
            out.push(b',');
        }
        out.extend_from_slice(text.as_bytes());
    };
    if !seen.content {
        add(&mut out, "\"content\":[]");
    }
    if !seen.is_error {
        add(&mut out, "\"isError\":false");
    }
    if version.is_modern() && !seen.result_type {
        add(&mut out, "\"resultType\":\"complete\"");
    }
    if version.is_modern() && !seen.meta {
        add(&mut out, "\"_meta\":");
        out.extend_from_slice(trailer.modern.as_bytes());
    }
    out.extend_from_slice(b"}}");
    Some(out)
}

/// Writes the answer around a result that asks for input, which only the stateless revision knows. `None` if it is no
/// object.
pub fn asks(id: Id<'_>, trailer: &Trailer, result: &str) -> Option<Vec<u8>> {
    let seen: Seen = serde_json::from_str(result).ok()?;
    let inside = result.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let mut out = Vec::with_capacity(inside.len() + 256);
    open(&mut out, id);
    out.extend_from_slice(b"{\"resultType\":\"input_required\"");
    if !inside.is_empty() {
        out.push(b',');
        out.extend_from_slice(inside.as_bytes());
    }
    if !seen.meta {
        out.extend_from_slice(b",\"_meta\":");
        out.extend_from_slice(trailer.modern.as_bytes());
    }
    out.extend_from_slice(b"}}");
    Some(out)
}

/// True for a result that can be passed on.
pub fn is_result(json: &str) -> bool {
    serde_json::from_str::<Seen>(json).is_ok()
}

/// Which members a worker's own result has. What a client's reader would break at is no result: members of another
/// type than the protocol gives them, or there twice.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says whether one member is there")]
struct Seen {
    content: bool,
    structured: bool,
    is_error: bool,
    result_type: bool,
    meta: bool,
}

impl Seen {
    /// The mark of a member, and whether its value may be one that begins so.
    fn member(&mut self, name: &str, first: Option<u8>) -> Option<(&mut bool, bool)> {
        match name {
            "content" => Some((&mut self.content, first == Some(b'['))),
            "structuredContent" => Some((&mut self.structured, true)),
            "isError" => Some((&mut self.is_error, matches!(first, Some(b't' | b'f')))),
            "resultType" => Some((&mut self.result_type, first == Some(b'"'))),
            "_meta" => Some((&mut self.meta, first == Some(b'{'))),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Seen;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Seen, A::Error> {
                let mut seen = Seen::default();
                while let Some(name) = map.next_key::<String>()? {
                    let value: &RawValue = map.next_value()?;
                    let first = value.get().bytes().next();
                    let Some((there, good)) = seen.member(&name, first) else { continue };
                    if std::mem::replace(there, true) || !good {
                        return Err(A::Error::custom("no result"));
                    }
                }
                Ok(seen)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// True if an object has an `error` member: a worker that says no.
pub fn has_error(json: &str) -> bool {
    #[derive(Deserialize)]
    struct Probe {
        error: Option<IgnoredAny>,
    }
    json.trim_start().starts_with('{')
        && serde_json::from_str::<Probe>(json).is_ok_and(|probe| probe.error.is_some())
}

/// True if a result that a worker made itself says that the tool could not do it, or is no result at all.
pub fn is_failed(result: &[u8]) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Probe {
        #[serde(default)]
        is_error: Option<bool>,
    }
    let object = result.trim_ascii_start().starts_with(b"{");
    !object || serde_json::from_slice::<Probe>(result).map_or(true, |probe| probe.is_error == Some(true))
}

/// True if the text is one JSON value.
pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::jsonrpc::{self, Incoming};
    use super::*;
    use serde_json::{Value, json};

    fn with_id(check: impl Fn(Id<'_>)) {
        let Ok(Incoming::Request(request)) =
            jsonrpc::parse(b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"x\"}")
        else {
            panic!("a request");
        };
        check(request.id);
    }

    fn read(bytes: &[u8]) -> Value {
        serde_json::from_slice(bytes).unwrap()
    }

    #[test]
    fn a_result_says_what_its_revision_wants() {
        let trailer = Trailer::new("{\"name\":\"m\"}");
        with_id(|id| {
            assert_eq!(
                answer(id, Version::V20250326, &trailer, ""),
                b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}"
            );
            let modern = read(&answer(id, Version::V20260728, &trailer, ""));
            assert_eq!(
                modern["result"],
                json!({"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "m"}}})
            );
            let text = ToolText { text: "{\"a\":\"é\\n\"}", ..ToolText::default() };
            assert_eq!(
                read(&tool(id, Version::V20250326, &trailer, text))["result"],
                json!({"content": [{"type": "text", "text": "{\"a\":\"é\\n\"}"}], "isError": false})
            );
            let text =
                ToolText { text: "x", is_error: true, meta: "\"io.portero/status\":409", structured: None };
            let both = read(&tool(id, Version::V20260728, &trailer, text));
            assert_eq!(both["result"]["_meta"]["io.portero/status"], 409);
            assert_eq!(both["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "m");
            assert_eq!(
                read(&tool(id, Version::V20250618, &trailer, text))["result"]["_meta"],
                json!({"io.portero/status": 409})
            );
            let list = ToolText {
                text: "[1]",
                structured: Some(("{\"items\":", "[1]", "}")),
                ..ToolText::default()
            };
            assert_eq!(
                read(&tool(id, Version::V20250618, &trailer, list))["result"]["structuredContent"],
                json!({"items": [1]})
            );
        });
    }

    #[test]
    fn a_workers_own_result_is_completed_not_changed() {
        let trailer = Trailer::new("{}");
        with_id(|id| {
            let got = pass(id, Version::V20250618, &trailer, " {\"content\":[], \"x\":1.10}\n").unwrap();
            let text = String::from_utf8(got).unwrap();
            assert!(text.contains("\"x\":1.10,\"isError\":false}"), "{text}");
            let got = read(
                &pass(id, Version::V20260728, &trailer, "{\"isError\":true,\"_meta\":{\"a\":1}}").unwrap(),
            );
            assert_eq!(
                got["result"],
                json!({"isError": true, "_meta": {"a": 1}, "content": [], "resultType": "complete"})
            );
            for broken in [
                "[]",
                "1",
                "{",
                "",
                "null",
                "\"text\"",
                "{\"content\":\"text\"}",
                "{\"content\":null}",
                "{\"isError\":\"yes\"}",
                "{\"_meta\":[]}",
                "{\"isError\":true,\"isError\":false}",
            ] {
                assert!(pass(id, Version::V20250618, &trailer, broken).is_none(), "{broken}");
            }
            assert_eq!(
                read(&pass(id, Version::V20250326, &trailer, "{}").unwrap())["result"]["isError"],
                false
            );
        });
    }

    #[test]
    fn a_workers_own_result_may_have_failed() {
        for (result, failed) in [
            ("{}", false),
            (" {\"content\":[],\"isError\":false}", false),
            ("{\"isError\":null}", false),
            ("{\"isError\":true,\"content\":[]}", true),
            ("{\"isError\":\"yes\"}", true),
            ("[]", true),
            ("{", true),
            ("", true),
        ] {
            assert_eq!(is_failed(result.as_bytes()), failed, "{result}");
        }
    }

    #[test]
    fn an_error_member_is_found() {
        assert!(has_error("{\"error\":\"no\"}") && has_error(" {\"a\":1,\"error\":{}}"));
        assert!(
            !has_error("{\"error\":null}")
                && !has_error("{}")
                && !has_error("[\"error\"]")
                && !has_error("x")
        );
    }
}
