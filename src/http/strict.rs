//! Reading forms and queries from raw bytes: exactly, or not at all.
//!
//! Lenient readers differ from each other, and what one ignores another acts on. So a broken escape, bytes that
//! are no UTF-8, control characters and a known parameter that comes twice are refused, not guessed at (W-04…W-06).

use std::collections::HashMap;

use actix_web::http::header::{self, HeaderMap};
use actix_web::web::{Bytes, Payload};
use actix_web::{HttpRequest, http::StatusCode};
use futures_util::StreamExt;

/// Bytes of a form body.
pub const FORM_LIMIT: usize = 16 * 1024;
/// Bytes of a registration.
pub const JSON_LIMIT: usize = 64 * 1024;
/// OAuth requests and forms are small: they arrive within this.
const BODY_DEADLINE: std::time::Duration = std::time::Duration::from_secs(10);
const QUERY_LIMIT: usize = 8 * 1024;
const PARAMETERS: usize = 64;
const VALUE_LIMIT: usize = 4 * 1024;
const RESOURCES: usize = 8;

/// Why a request cannot be read. Public texts: nothing of the request is in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The body is longer than the limit.
    #[error("the body is too large")]
    TooLarge,
    /// Not the media type that the endpoint reads.
    #[error("the body must be application/x-www-form-urlencoded in UTF-8")]
    NotForm,
    /// Not the media type that the endpoint reads.
    #[error("the body must be application/json")]
    NotJson,
    /// A broken escape, bytes that are no UTF-8 or a control character.
    #[error("a parameter is not valid percent-encoded UTF-8 text")]
    Encoding,
    /// A parameter came twice.
    #[error("a parameter is repeated")]
    Repeated,
    /// Too many parameters, or one too long.
    #[error("there are too many parameters or one is too long")]
    Limit,
    /// The body did not arrive.
    #[error("the body did not arrive")]
    Broken,
    /// The body did not arrive in time: 408.
    #[error("the body did not arrive in time")]
    Late,
}

impl Unreadable {
    /// The HTTP status that says it.
    pub fn status(self) -> StatusCode {
        match self {
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Late => StatusCode::REQUEST_TIMEOUT,
            _ => StatusCode::BAD_REQUEST,
        }
    }
}

/// The parameters of a form or query. A parameter without a value counts as absent.
#[derive(Clone, Debug, Default)]
pub struct Params {
    one: HashMap<String, String>,
    /// Parameters that may repeat: `resource` for OAuth, `scope` for our own pages.
    many: HashMap<String, Vec<String>>,
}

impl Params {
    /// Reads pairs. Names in `repeatable` may come several times, equal values of `resource` are one. A repeated
    /// name outside `known` is ignored; with no `known` names every repeat is refused.
    pub fn read(raw: &[u8], known: &[&str], repeatable: &[&str]) -> Result<Self, Unreadable> {
        let mut params = Self::default();
        let mut seen: HashMap<String, bool> = HashMap::new();
        for (index, pair) in raw.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()).enumerate() {
            if index >= PARAMETERS {
                return Err(Unreadable::Limit);
            }
            let mut halves = pair.splitn(2, |byte| *byte == b'=');
            let name = decode(halves.next().unwrap_or_default(), b' ')?;
            let value = decode(halves.next().unwrap_or_default(), plus(&name))?;
            if value.len() > VALUE_LIMIT {
                return Err(Unreadable::Limit);
            }
            if repeatable.contains(&name.as_str()) {
                params.add_repeatable(name, value)?;
                continue;
            }
            let matters = known.is_empty() || known.contains(&name.as_str());
            if matters && seen.insert(name.clone(), true).is_some() {
                return Err(Unreadable::Repeated);
            }
            if !value.is_empty() {
                params.one.entry(name).or_insert(value);
            }
        }
        Ok(params)
    }

    fn add_repeatable(&mut self, name: String, value: String) -> Result<(), Unreadable> {
        let values = self.many.entry(name).or_default();
        if !value.is_empty() && !values.contains(&value) {
            values.push(value);
        }
        if values.len() > RESOURCES.max(PARAMETERS) { Err(Unreadable::Limit) } else { Ok(()) }
    }

    /// The value of a parameter, if it has one.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.one.get(name).map(String::as_str)
    }

    /// The values of a parameter that may repeat.
    pub fn all(&self, name: &str) -> &[String] {
        self.many.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The values of `resource`; more than eight are too many.
    pub fn resources(&self) -> Result<&[String], Unreadable> {
        let values = self.all("resource");
        if values.len() > RESOURCES { Err(Unreadable::Limit) } else { Ok(values) }
    }
}

/// What a bare `+` stands for: a space, as in every form, but in `state` itself. Clients write base64 there without
/// escaping it (VS Code does) and compare what comes back with what they meant.
fn plus(name: &str) -> u8 {
    if name == "state" { b'+' } else { b' ' }
}

fn decode(raw: &[u8], plus: u8) -> Result<String, Unreadable> {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let high = rest.next().and_then(|b| char::from(*b).to_digit(16));
                let low = rest.next().and_then(|b| char::from(*b).to_digit(16));
                let (Some(high), Some(low)) = (high, low) else { return Err(Unreadable::Encoding) };
                bytes.push(u8::try_from(high * 16 + low).map_err(|_| Unreadable::Encoding)?);
            }
            b'+' => bytes.push(plus),
            other => bytes.push(*other),
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| Unreadable::Encoding)?;
    if text.contains(['\0', '\r', '\n']) { Err(Unreadable::Encoding) } else { Ok(text) }
}

/// Reads a query. See [`Params::read`].
pub fn query(req: &HttpRequest, known: &[&str], repeatable: &[&str]) -> Result<Params, Unreadable> {
    let raw = req.query_string().as_bytes();
    if raw.len() > QUERY_LIMIT {
        return Err(Unreadable::Limit);
    }
    Params::read(raw, known, repeatable)
}

/// Reads a form body. See [`Params::read`].
pub async fn form(
    req: &HttpRequest,
    payload: Payload,
    known: &[&str],
    repeatable: &[&str],
) -> Result<Params, Unreadable> {
    if !is_form(req) {
        return Err(Unreadable::NotForm);
    }
    Params::read(&body(req, payload, FORM_LIMIT).await?, known, repeatable)
}

/// Reads a JSON body as bytes.
pub async fn json(req: &HttpRequest, payload: Payload) -> Result<Bytes, Unreadable> {
    if media_type(req).0 != "application/json" {
        return Err(Unreadable::NotJson);
    }
    body(req, payload, JSON_LIMIT).await
}

fn media_type(req: &HttpRequest) -> (String, String) {
    let text =
        req.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (kind, parameters) = text.split_once(';').unwrap_or((text, ""));
    (kind.trim().to_ascii_lowercase(), parameters.to_ascii_lowercase())
}

fn is_form(req: &HttpRequest) -> bool {
    let (kind, parameters) = media_type(req);
    let charset = parameters.split(';').filter_map(|part| part.trim().strip_prefix("charset="));
    kind == "application/x-www-form-urlencoded"
        && charset.map(|value| value.trim_matches('"')).all(|value| value == "utf-8" || value == "utf8")
}

/// How long a body is by its own account.
pub fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads a body up to a limit, refusing by its announced length before reading a byte.
/// One that does not arrive in time is given up, so that nobody holds a connection by saying nothing.
pub async fn body(req: &HttpRequest, payload: Payload, limit: usize) -> Result<Bytes, Unreadable> {
    tokio::time::timeout(BODY_DEADLINE, read_body(req, payload, limit)).await.unwrap_or(Err(Unreadable::Late))
}

async fn read_body(req: &HttpRequest, mut payload: Payload, limit: usize) -> Result<Bytes, Unreadable> {
    let announced = announced(req.headers());
    if announced.is_some_and(|length| length > limit) {
        return Err(Unreadable::TooLarge);
    }
    let mut bytes = actix_web::web::BytesMut::with_capacity(announced.unwrap_or(0).min(limit));
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| Unreadable::Broken)?;
        if bytes.len() + chunk.len() > limit {
            return Err(Unreadable::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 2] = ["code", "state"];

    fn read(raw: &str) -> Result<Params, Unreadable> {
        Params::read(raw.as_bytes(), &KNOWN, &["resource"])
    }

    #[test]
    fn repeats_of_known_names_are_refused_even_empty_ones() {
        for raw in ["code=1&code=1", "code=&code=1", "state=a&x=1&state="] {
            assert_eq!(read(raw).unwrap_err(), Unreadable::Repeated, "{raw}");
        }
        assert!(read("x=1&x=2&code=1").is_ok());
        let params = read("resource=a&resource=a&resource=b").unwrap();
        assert_eq!(params.resources().unwrap(), ["a", "b"]);
    }

    #[test]
    fn broken_text_is_refused() {
        for raw in ["code=%ff", "code=%zz", "code=%4", "code=%", "code=%00", "state=%0d%0aSet-Cookie"] {
            assert_eq!(read(raw).unwrap_err(), Unreadable::Encoding, "{raw}");
        }
        let params = read("code=a%2Bb+c&state=").unwrap();
        assert_eq!(params.get("code"), Some("a+b c"));
        assert_eq!(params.get("state"), None, "empty counts as absent");
        assert_eq!(read("state=a+b%2Bc%20d").unwrap().get("state"), Some("a+b+c d"));
    }

    #[test]
    fn limits_hold() {
        let many = vec!["x=1"; 65].join("&");
        assert_eq!(read(&many).unwrap_err(), Unreadable::Limit);
        assert_eq!(read(&format!("code={}", "a".repeat(4097))).unwrap_err(), Unreadable::Limit);
        let nine: Vec<String> = (0..9).map(|n| format!("resource={n}")).collect();
        assert_eq!(read(&nine.join("&")).unwrap().resources().unwrap_err(), Unreadable::Limit);
    }
}
