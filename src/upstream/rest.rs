//! Calling a REST API: what its answers mean to somebody who waits for JSON or text.
//!
//! An API knows nothing of tools, so nothing that it says is a finished result or a stream: JSON passes as a worker's
//! does, text as text, and bytes that are no text are named and not passed.

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use serde_json::json;

use super::client::{self, Client, Failure, Headers, Sending};
use super::worker::{Answer, Answered, MAX_ANSWER};
use crate::mcp::result;

const UNREADABLE: Failure = Failure::Unavailable("upstream_answer_unreadable");
/// What of an API's own words is told where they are no JSON.
const MAX_WORDS: usize = 500;
const MAX_TYPE: usize = 100;

/// Sends a request. The caller's deadline ends it by dropping it.
///
/// # Errors
/// [`Failure`] where there is no answer that could be passed on.
pub async fn call<H: Headers>(client: &Client, request: &Sending<'_, H>) -> Result<Answered, Failure> {
    let reply = client.send(request).await?;
    let kind = Kind::of(reply.content_type.as_ref());
    let [noted, _] = reply.noted;
    let body = client::read(reply.body, MAX_ANSWER).await?;
    Ok(Answered { answer: classify(reply.status, &kind, body)?, noted })
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// It says that it is JSON.
    Json,
    /// It says that it is text.
    Text,
    /// It does not say.
    Unsaid,
    /// Something else.
    Other(String),
}

impl Kind {
    fn of(content_type: Option<&HeaderValue>) -> Self {
        let Some(value) = content_type else { return Self::Unsaid };
        let value = value.to_str().unwrap_or("of no readable name");
        let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let suffix = |name: &str| essence.ends_with(name);
        match essence.as_str() {
            "" => Self::Unsaid,
            "application/json" | "text/json" => Self::Json,
            _ if suffix("+json") => Self::Json,
            "application/xml"
            | "application/yaml"
            | "application/x-yaml"
            | "application/x-ndjson"
            | "application/jsonl"
            | "application/javascript"
            | "application/x-www-form-urlencoded" => Self::Text,
            _ if suffix("+xml") || suffix("+yaml") || essence.starts_with("text/") => Self::Text,
            _ => Self::Other(essence.chars().take(MAX_TYPE).collect()),
        }
    }
}

fn classify(status: StatusCode, kind: &Kind, body: Bytes) -> Result<Answer, Failure> {
    match status.as_u16() {
        200..=299 => done(kind, body),
        400..=499 => Ok(refused(status, kind, body)),
        500..=599 if std::str::from_utf8(&body).is_ok_and(result::has_error) => {
            Ok(Answer::Refused(status.as_u16(), body))
        }
        _ => Err(Failure::Unavailable("upstream_status")),
    }
}

fn done(kind: &Kind, body: Bytes) -> Result<Answer, Failure> {
    let text = std::str::from_utf8(&body);
    let is_json = || text.is_ok_and(result::is_json);
    if body.trim_ascii().is_empty() {
        return Ok(Answer::Json(Bytes::from_static(b"{}")));
    }
    match (kind, text) {
        (Kind::Json, _) if !is_json() => Err(UNREADABLE),
        (Kind::Json, _) => Ok(Answer::Json(body)),
        (Kind::Unsaid, _) if is_json() => Ok(Answer::Json(body)),
        (Kind::Text | Kind::Unsaid, Ok(text)) if !text.contains('\0') => Ok(own(text, false)),
        (Kind::Other(essence), _) => Ok(bytes(essence, body.len())),
        (Kind::Text | Kind::Unsaid, _) => Ok(bytes("no text in UTF-8", body.len())),
    }
}

/// The API did it, and what came of it is nothing that a model can read.
fn bytes(what: &str, length: usize) -> Answer {
    let said = json!({
        "error": format!("The API answered {length} bytes of {what}, which cannot be passed on."),
        "code": "binary_answer",
        "hint": "Look for another operation that answers JSON or text.",
    });
    own(&said.to_string(), true)
}

fn own(text: &str, is_error: bool) -> Answer {
    let result = json!({"content": [{"type": "text", "text": text}], "isError": is_error});
    Answer::Result(Bytes::from(result.to_string()))
}

/// A no is the API's to word where it is JSON; a page for people is not passed on.
fn refused(status: StatusCode, kind: &Kind, body: Bytes) -> Answer {
    let text = std::str::from_utf8(&body).unwrap_or_default();
    if *kind != Kind::Text && result::is_json(text) {
        return Answer::Refused(status.as_u16(), body);
    }
    let said = format!("The API answered {status}.");
    let words: String = text.trim().chars().take(MAX_WORDS).collect();
    let plain = matches!(kind, Kind::Text | Kind::Unsaid) && !words.is_empty() && !words.starts_with('<');
    let said = if plain { json!({"error": said, "message": words}) } else { json!({"error": said}) };
    Answer::Refused(status.as_u16(), Bytes::from(said.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, kind: &str, body: &'static [u8]) -> Result<Answer, Failure> {
        let kind = (!kind.is_empty()).then(|| HeaderValue::try_from(kind).unwrap());
        classify(StatusCode::from_u16(status).unwrap(), &Kind::of(kind.as_ref()), Bytes::from_static(body))
    }

    fn said(answer: Result<Answer, Failure>) -> (bool, String) {
        let Ok(Answer::Result(body)) = answer else { panic!("{answer:?}") };
        let result: serde_json::Value = serde_json::from_slice(&body).unwrap();
        (result["isError"].as_bool().unwrap(), result["content"][0]["text"].as_str().unwrap().to_owned())
    }

    #[test]
    fn json_passes_as_it_is_and_nothing_is_an_empty_object() {
        for (status, kind, body, expected) in [
            (200, "application/json", "{\"n\":1.10}", "{\"n\":1.10}"),
            (201, "application/vnd.api+json; charset=utf-8", "[1]", "[1]"),
            (200, "", "3", "3"),
            (204, "", "", "{}"),
            (202, "text/plain", " \n", "{}"),
        ] {
            let Ok(Answer::Json(got)) = check(status, kind, body.as_bytes()) else { panic!("{kind} {body}") };
            assert_eq!(got, expected);
        }
    }

    #[test]
    fn text_passes_as_text_and_bytes_are_named() {
        assert_eq!(said(check(200, "text/csv", b"a,b\n1,2")), (false, "a,b\n1,2".into()));
        assert_eq!(said(check(200, "application/xml", b"<a/>")), (false, "<a/>".into()));
        assert_eq!(said(check(200, "", "año".as_bytes())), (false, "año".into()));
        // nothing that an API says is a tool's result
        assert!(said(check(200, "application/vnd.mcp.result+jsonx", b"{}")).0);
        assert!(matches!(check(200, "application/vnd.mcp.result+json", b"{}"), Ok(Answer::Json(_))));
        assert_eq!(said(check(200, "text/event-stream", b"data: 1\n\n")), (false, "data: 1\n\n".into()));
        for (kind, body) in [("application/pdf", &b"%PDF"[..]), ("text/plain", b"\xff\xfe"), ("", b"a\0b")] {
            let (is_error, text) = said(check(200, kind, body));
            assert!(is_error && text.contains("binary_answer"), "{kind} {text}");
        }
    }

    #[test]
    fn a_no_is_the_apis_own_where_it_is_json() {
        for (status, kind, body, expected) in [
            (404, "application/problem+json", "{\"title\":\"no\"}", "{\"title\":\"no\"}"),
            (401, "", "{}", "{}"),
            (404, "", "", "{\"error\":\"The API answered 404 Not Found.\"}"),
            (403, "text/html", "<html>no</html>", "{\"error\":\"The API answered 403 Forbidden.\"}"),
            (
                409,
                "text/plain",
                "taken",
                "{\"error\":\"The API answered 409 Conflict.\",\"message\":\"taken\"}",
            ),
            (500, "application/json", "{\"error\":\"x\"}", "{\"error\":\"x\"}"),
        ] {
            let Ok(Answer::Refused(got, body)) = check(status, kind, body.as_bytes()) else {
                panic!("{status}")
            };
            assert_eq!((got, &body[..]), (status, expected.as_bytes()));
        }
    }

    #[test]
    fn what_is_no_answer() {
        for (status, kind, body) in [
            (200, "application/json", "{"),
            (200, "application/json", "<html>"),
            (302, "application/json", "{}"),
            (304, "", ""),
            (500, "application/json", "{}"),
            (502, "text/html", "<html>"),
        ] {
            assert!(
                matches!(check(status, kind, body.as_bytes()), Err(Failure::Unavailable(_))),
                "{status} {body}"
            );
        }
    }
}
