//! What a server of one revision answers, for a client of another.
//!
//! First everything is taken away that only the server's side of the gateway knows or that is the gateway's to say;
//! what the client's revision wants is added where the answer is written.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::json;
use serde_json::value::RawValue;

use super::jsonrpc::{is_object, text};
use super::peer::Wrong;
use super::version::Version;

/// The gateway's own marks and its challenge: a server that sets them would speak in its name.
const OWN: [&str; 3] = ["io.portero/", "mcp/www_authenticate", "io.modelcontextprotocol/serverInfo"];
/// What an error may add.
const MAX_DATA: usize = 64 << 10;
/// The longest sentence of an error.
const MAX_MESSAGE: usize = 2000;

const NOT_FOUND: i64 = -32002;
const URL_ELICITATION: i64 = -32042;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL: i64 = -32603;
const INVALID_REQUEST: i64 = -32600;
/// The client did not declare what the server needs; said with HTTP 400.
pub const MISSING_CAPABILITY: i64 = -32021;

/// Told to a client whose revision has no way to be asked in an answer.
pub const ASKS_IN_VAIN: &str =
    "The server asks for more input, in a way that this client's protocol revision does not know.";

type Members<'a> = IndexMap<Cow<'a, str>, &'a RawValue>;

/// A result of a server's, of no revision in particular.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The end of it: an object, JSON.
    Complete(String),
    /// It asks for input first: an object with `inputRequests` or `requestState`, JSON.
    Asks(String),
}

/// Reads a result. `None` if it is of a kind that nobody asked for.
pub fn outcome(result: &str) -> Option<Outcome> {
    let mut members: Members<'_> = serde_json::from_str(result).ok()?;
    let kind = members.shift_remove("resultType").map(|raw| text(raw).ok_or(())).transpose().ok()?;
    for caching in ["ttlMs", "cacheScope"] {
        members.shift_remove(caching);
    }
    let meta = members.shift_remove("_meta").and_then(others_meta);
    if let Some(meta) = &meta {
        members.insert(Cow::Borrowed("_meta"), meta);
    }
    let whole = || serde_json::to_string(&members).ok();
    match kind.as_deref() {
        None | Some("complete") => whole().map(Outcome::Complete),
        Some("input_required") => {
            let asks = members.get("inputRequests").is_some_and(|raw| is_object(raw));
            let remembers = members.get("requestState").is_some_and(|raw| text(raw).is_some());
            (asks || remembers).then(whole).flatten().map(Outcome::Asks)
        }
        Some(_) => None,
    }
}

fn others_meta(raw: &RawValue) -> Option<Box<RawValue>> {
    let mut meta: Members<'_> =
        Some(raw).filter(|raw| is_object(raw)).and_then(|raw| serde_json::from_str(raw.get()).ok())?;
    meta.retain(|name, _| !OWN.iter().any(|own| name.starts_with(own)));
    if meta.is_empty() {
        return None;
    }
    RawValue::from_string(serde_json::to_string(&meta).ok()?).ok()
}

/// Takes what the client's revision does not know out of a tool's result: `structuredContent` before 2025-06-18, and
/// up to 2025-11-25 where it is no object. `None` if nothing has to go.
pub fn fitted(result: &str, to: Version) -> Option<String> {
    if to.is_modern() || !result.contains("structuredContent") {
        return None;
    }
    let mut members: Members<'_> = serde_json::from_str(result).ok()?;
    let known = members.get("structuredContent").is_none_or(|raw| to.is_structured() && is_object(raw));
    if known {
        return None;
    }
    members.shift_remove("structuredContent");
    serde_json::to_string(&members).ok()
}

/// An error object of no revision in particular, JSON.
pub fn wrong(own: &Wrong<'_>) -> String {
    let message: String = own.message.chars().take(MAX_MESSAGE).collect();
    let data = own.data.filter(|data| data.len() <= MAX_DATA);
    let data = data.map(|data| format!(",\"data\":{data}")).unwrap_or_default();
    format!("{{\"code\":{},\"message\":{}{data}}}", own.code, json!(message))
}

/// An error for a client.
#[derive(Debug, PartialEq, Eq)]
pub enum Told<'a> {
    /// As a JSON-RPC error: number, and the rest of the object.
    Error(i64, &'a serde_json::Value),
    /// In words: the client's revision has no number for it.
    Words(String),
}

/// How a client of `to` is told of an error.
pub fn told(error: &serde_json::Value, to: Version) -> Told<'_> {
    let code = error.get("code").and_then(serde_json::Value::as_i64).unwrap_or(INTERNAL);
    let number = match code {
        URL_ELICITATION if to != Version::V20251125 => return Told::Words(elicitation(error)),
        NOT_FOUND if to.is_modern() => INVALID_PARAMS,
        // what its own client lacks is the client's to know; the other two are between this gateway and its server
        MISSING_CAPABILITY if to.is_modern() => code,
        -32022..=-32020 => INVALID_REQUEST,
        -32700 | -32603..=-32600 => code,
        -32768..=-32000 if to.is_modern() => INTERNAL,
        code => code,
    };
    Told::Error(number, error)
}

/// The sentence of an error, and the addresses that a person is asked to open.
fn elicitation(error: &serde_json::Value) -> String {
    let message = error.get("message").and_then(serde_json::Value::as_str).unwrap_or_default();
    let asked = error.pointer("/data/elicitations").and_then(serde_json::Value::as_array);
    let urls = asked.into_iter().flatten().filter_map(|one| one.get("url")?.as_str());
    urls.take(10).fold(message.to_owned(), |text, url| format!("{text} {url}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_loses_what_is_not_its_servers_to_say() {
        let own = r#"{"content":[],"resultType":"complete","ttlMs":5,"cacheScope":"public","x":1.10,
            "_meta":{"io.portero/replayed":true,"mcp/www_authenticate":["Bearer"],"a":1,
            "io.modelcontextprotocol/serverInfo":{}}}"#;
        let expected = r#"{"content":[],"x":1.10,"_meta":{"a":1}}"#;
        assert_eq!(outcome(own), Some(Outcome::Complete(expected.into())));
        assert_eq!(outcome(r#"{"_meta":[1]}"#), Some(Outcome::Complete("{}".into())));
        let asks = r#"{"resultType":"input_required","inputRequests":{"a":{}},"requestState":"s"}"#;
        let expected = r#"{"inputRequests":{"a":{}},"requestState":"s"}"#;
        assert_eq!(outcome(asks), Some(Outcome::Asks(expected.into())));
        for other in [
            "[]",
            "1",
            r#"{"resultType":"task"}"#,
            r#"{"resultType":1}"#,
            r#"{"resultType":"input_required"}"#,
            r#"{"resultType":"input_required","requestState":1}"#,
        ] {
            assert_eq!(outcome(other), None, "{other}");
        }
    }

    #[test]
    fn structured_content_is_for_those_who_know_it() {
        let (object, list) =
            (r#"{"structuredContent":{"a":1},"content":[]}"#, r#"{"structuredContent":[1]}"#);
        assert_eq!(fitted(object, Version::V20250326).as_deref(), Some(r#"{"content":[]}"#));
        assert_eq!(fitted(list, Version::V20251125).as_deref(), Some("{}"));
        for (own, to) in
            [(object, Version::V20250618), (list, Version::V20260728), ("{}", Version::V20241105)]
        {
            assert_eq!(fitted(own, to), None, "{own}");
        }
    }

    #[test]
    fn numbers_that_a_revision_does_not_know_never_reach_it() {
        let number = |code: i64, to| match told(&json!({"code": code, "message": "m"}), to) {
            Told::Error(code, _) => code,
            Told::Words(_) => 0,
        };
        for (code, legacy, modern) in [
            (-32002, -32002, -32602),
            (-32001, -32001, -32603),
            (-32042, -32042, 0),
            (-32021, -32600, -32021),
            (-32020, -32600, -32600),
            (-32601, -32601, -32601),
            (-1, -1, -1),
        ] {
            assert_eq!(number(code, Version::V20251125), legacy, "{code}");
            assert_eq!(number(code, Version::V20260728), modern, "{code}");
        }
        let error =
            json!({"code": -32042, "message": "Open it.", "data": {"elicitations": [{"url": "https://a"}]}});
        assert_eq!(told(&error, Version::V20250618), Told::Words("Open it. https://a".into()));
    }
}
