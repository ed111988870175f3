//! Talking to another server as its client: the messages that are sent to it, and reading what it says.
//!
//! It may lie: an answer to another question, two members of one name, a result that is no object. What is none of
//! the protocol's is told from what is merely not for us.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::jsonrpc::{is_object, present, text};
use super::result::write_string;

/// A message of a server's.
#[derive(Debug)]
pub enum Said<'a> {
    /// The result of what it was asked: an object, as it came.
    Result(&'a str),
    /// Its no.
    Error(Wrong<'a>),
    /// It tells something: method and parameters.
    Notification(Cow<'a, str>, Option<&'a RawValue>),
    /// It asks something itself: id and method.
    Request(&'a RawValue, Cow<'a, str>),
    /// An answer to something else.
    Foreign,
}

/// A JSON-RPC error.
#[derive(Debug)]
pub struct Wrong<'a> {
    /// Its number.
    pub code: i64,
    /// Its sentence.
    pub message: Cow<'a, str>,
    /// What it adds, JSON.
    pub data: Option<&'a str>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Error<'a> {
    code: i64,
    #[serde(borrow)]
    message: &'a RawValue,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

/// Reads a message of somebody who was asked under `id` (a text of ours). `None` if it is none.
pub fn read<'a>(json: &'a [u8], id: &str) -> Option<Said<'a>> {
    let json = std::str::from_utf8(json).ok()?;
    if !json.trim_start().starts_with('{') {
        return None;
    }
    let own: Envelope<'_> = serde_json::from_str(json).ok()?;
    if own.jsonrpc.and_then(text).as_deref() != Some("2.0") {
        return None;
    }
    if let Some(method) = own.method {
        let method = text(method)?;
        return Some(match own.id {
            Some(id) => Said::Request(id, method),
            None => Said::Notification(method, own.params),
        });
    }
    let ours = own.id.and_then(text).is_some_and(|own| own == id);
    match (own.result, own.error) {
        (Some(_), Some(_)) | (None, None) => None,
        (Some(result), None) if ours => is_object(result).then(|| Said::Result(result.get())),
        // without an id it says that it could not even read what was sent
        (None, Some(error)) if ours || own.id.is_none_or(|id| id.get() == "null") => {
            let Error { code, message, data } = Some(error)
                .filter(|raw| is_object(raw))
                .and_then(|raw| serde_json::from_str(raw.get()).ok())?;
            Some(Said::Error(Wrong { code, message: text(message)?, data: data.map(RawValue::get) }))
        }
        _ => Some(Said::Foreign),
    }
}

/// A request; `params` is JSON.
pub fn request(id: &str, method: &str, params: &str) -> Bytes {
    let mut out = Vec::with_capacity(params.len() + 128);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    write_string(&mut out, id);
    rest(out, method, params)
}

/// A notification; `params` is JSON.
pub fn notification(method: &str, params: &str) -> Bytes {
    let mut out = Vec::with_capacity(params.len() + 96);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\"");
    rest(out, method, params)
}

fn rest(mut out: Vec<u8>, method: &str, params: &str) -> Bytes {
    out.extend_from_slice(b",\"method\":");
    write_string(&mut out, method);
    out.extend_from_slice(b",\"params\":");
    out.extend_from_slice(params.as_bytes());
    out.push(b'}');
    Bytes::from(out)
}

/// The answer to something that a server asked and this client does not do; a ping is answered.
pub fn reply(id: &RawValue, method: &str) -> Bytes {
    let outcome = match method {
        "ping" => "\"result\":{}",
        _ => "\"error\":{\"code\":-32601,\"message\":\"This client cannot do that.\"}",
    };
    Bytes::from(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},{outcome}}}", id.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(json: &str) -> String {
        match read(json.as_bytes(), "a") {
            None => "none".into(),
            Some(Said::Result(text)) => format!("result {text}"),
            Some(Said::Error(wrong)) => format!("error {} {} {:?}", wrong.code, wrong.message, wrong.data),
            Some(Said::Notification(method, _)) => format!("notification {method}"),
            Some(Said::Request(id, method)) => format!("request {} {method}", id.get()),
            Some(Said::Foreign) => "foreign".into(),
        }
    }

    #[test]
    fn what_a_server_can_say() {
        for (json, expected) in [
            (r#"{"jsonrpc":"2.0","id":"a","result":{"x":1.10}}"#, r#"result {"x":1.10}"#),
            (r#"{"jsonrpc":"2.0","id":"\u0061","result":{}}"#, "result {}"),
            (r#"{"jsonrpc":"2.0","id":"b","result":{}}"#, "foreign"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "foreign"),
            (r#"{"jsonrpc":"2.0","id":"a","result":[]}"#, "none"),
            (r#"{"jsonrpc":"2.0","id":"a","result":null}"#, "none"),
            (r#"{"jsonrpc":"2.0","id":"a"}"#, "none"),
            (r#"{"jsonrpc":"1.0","id":"a","result":{}}"#, "none"),
            (r#"{"jsonrpc":"2.0","id":"a","result":{},"error":{"code":1,"message":"m"}}"#, "none"),
            (r#"{"jsonrpc":"2.0","id":"a","result":{},"result":{}}"#, "none"),
            (
                r#"{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"m","data":{}}}"#,
                "error -1 m Some(\"{}\")",
            ),
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}"#, "error -1 m None"),
            (r#"{"jsonrpc":"2.0","id":"b","error":{"code":-1,"message":"m"}}"#, "foreign"),
            (r#"{"jsonrpc":"2.0","id":"a","error":{"code":"x","message":"m"}}"#, "none"),
            (r#"{"jsonrpc":"2.0","id":"a","error":[-1,"m",null]}"#, "none"),
            (r#"{"jsonrpc":"2.0","method":"notifications/x"}"#, "notification notifications/x"),
            (r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#, "request 7 ping"),
            ("[]", "none"),
            ("", "none"),
            ("{", "none"),
        ] {
            assert_eq!(said(json), expected, "{json}");
        }
    }

    #[test]
    fn what_is_asked_can_be_read() {
        assert_eq!(request("a", "ping", "{}"), r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}"#);
        assert_eq!(notification("n", "{}"), r#"{"jsonrpc":"2.0","method":"n","params":{}}"#);
        let id = RawValue::from_string("7".into()).unwrap();
        assert_eq!(reply(&id, "ping"), r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
        assert!(reply(&id, "roots/list").starts_with(br#"{"jsonrpc":"2.0","id":7,"error""#));
    }
}
