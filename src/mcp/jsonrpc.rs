//! JSON-RPC 2.0 messages, read once and borrowed from the body.
//!
//! Attacks that end here: two members of one name, where the check would read one and the worker the other
//! (such a message is refused); nesting without an end; ids that lose digits on the way through a float (the
//! id's own text is echoed); arrays where an object belongs; text that is not UTF-8.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Longer ids are refused: they would be echoed in every answer.
const MAX_ID: usize = 1024;

/// A request's id: the text that was sent, never a number of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id<'a>(&'a str);

impl<'a> Id<'a> {
    /// JSON text, ready to be written into an answer.
    pub const fn as_json(self) -> &'a str {
        self.0
    }

    /// An id that was read before and kept as text while its request was let go.
    pub const fn echo(json: &'a str) -> Self {
        Self(json)
    }

    fn read(raw: &'a RawValue) -> Option<Self> {
        let text = raw.get();
        let digits = text.strip_prefix('-').unwrap_or(text);
        let integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        (text.len() <= MAX_ID && (integer || text.starts_with('"'))).then_some(Self(text))
    }
}

/// Values inside each other; the usual limit of readers.
const MAX_DEPTH: usize = 128;

/// One request.
#[derive(Debug)]
pub struct Request<'a> {
    /// To be echoed.
    pub id: Id<'a>,
    /// The method's name.
    pub method: Cow<'a, str>,
    /// Its parameters; all absent if there are none.
    pub params: Params<'a>,
}

/// What a body can be.
#[derive(Debug)]
pub enum Incoming<'a> {
    /// Wants an answer.
    Request(Request<'a>),
    /// Wants none.
    Notification(Cow<'a, str>),
    /// Answers something this server never asked.
    Response,
    /// An array of messages.
    Batch,
}

/// Why a body is no message.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault<'a> {
    /// Not JSON.
    Parse,
    /// JSON, but no JSON-RPC message of this protocol. The id if it could be read.
    Invalid(&'static str, Option<Id<'a>>),
}

/// The members of `params` that the gateway reads; everything else stays with the bytes.
#[derive(Debug, Default)]
pub struct Params<'a> {
    /// `name` of a tool or prompt.
    pub name: Option<&'a RawValue>,
    /// `arguments` of a call.
    pub arguments: Option<&'a RawValue>,
    /// `_meta`.
    pub meta: Option<&'a RawValue>,
    /// `protocolVersion` of `initialize`.
    pub protocol_version: Option<&'a RawValue>,
    /// `uri` of a resource.
    pub uri: Option<&'a RawValue>,
    /// `cursor` of a list.
    pub cursor: Option<&'a RawValue>,
    /// `inputResponses`: what a server asked for before.
    pub input_responses: Option<&'a RawValue>,
    /// `requestState`: what it remembers by that.
    pub request_state: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<Params<'a>>,
    #[serde(default, deserialize_with = "present")]
    result: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "present")]
    error: Option<IgnoredAny>,
}

/// Keeps `null` apart from absent: `"id": null` is a mistake, no `id` is a notification.
pub(super) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads a body.
///
/// # Errors
/// [`Fault`] says whether it is no JSON or no message.
pub fn parse(body: &[u8]) -> Result<Incoming<'_>, Fault<'_>> {
    let text = std::str::from_utf8(body).map_err(|_| Fault::Parse)?;
    match text.bytes().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => {}
        other => {
            serde_json::from_str::<IgnoredAny>(text).map_err(|_| Fault::Parse)?;
            return match other {
                Some(b'[') => Ok(Incoming::Batch),
                _ => Err(Fault::Invalid("a message is a JSON object", None)),
            };
        }
    }
    if is_bottomless(text) {
        return Err(Fault::Invalid("it is nested too deeply", None));
    }
    let envelope: Envelope<'_> = serde_json::from_str(text).map_err(|error| {
        if error.is_data() {
            Fault::Invalid("a member has the wrong type or is there twice", None)
        } else {
            Fault::Parse
        }
    })?;
    classify(envelope)
}

/// True if values stand inside each other deeper than most readers go. What is passed on unread must not be what
/// breaks a worker's reader.
fn is_bottomless(text: &str) -> bool {
    // almost every message is settled here
    if text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count() <= MAX_DEPTH {
        return false;
    }
    let (mut depth, mut inside, mut escaped) = (0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = inside,
            b'"' => inside = !inside,
            b'{' | b'[' if !inside => depth += 1,
            b'}' | b']' if !inside => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

fn classify(envelope: Envelope<'_>) -> Result<Incoming<'_>, Fault<'_>> {
    let id = envelope.id.map(|raw| Id::read(raw).ok_or(raw));
    let echo = id.as_ref().and_then(|id| id.as_ref().ok()).copied();
    if envelope.jsonrpc.and_then(text).as_deref() != Some("2.0") {
        return Err(Fault::Invalid("jsonrpc is \"2.0\"", echo));
    }
    let Some(method) = envelope.method else {
        return if envelope.result.is_some() || envelope.error.is_some() {
            Ok(Incoming::Response)
        } else {
            Err(Fault::Invalid("method is missing", echo))
        };
    };
    let method = text(method).ok_or(Fault::Invalid("method is a string", echo))?;
    match id {
        None => Ok(Incoming::Notification(method)),
        Some(Err(_)) => Err(Fault::Invalid("id is a string or an integer", None)),
        Some(Ok(id)) => {
            Ok(Incoming::Request(Request { id, method, params: envelope.params.unwrap_or_default() }))
        }
    }
}

/// The text of a JSON string; `None` for any other value.
pub fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(raw.get()).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

/// True for `null`.
pub fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

/// True for an object.
pub fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Member {
    Name,
    Arguments,
    #[serde(rename = "_meta")]
    Meta,
    ProtocolVersion,
    Uri,
    Cursor,
    InputResponses,
    RequestState,
    #[serde(other)]
    Other,
}

impl<'de: 'a, 'a> Deserialize<'de> for Params<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ParamsVisitor)
    }
}

/// Takes objects alone: a derived reader would take `[…]` for the same members in order.
struct ParamsVisitor;

impl<'de> Visitor<'de> for ParamsVisitor {
    type Value = Params<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Params<'de>, A::Error> {
        let mut params = Params::default();
        while let Some(member) = map.next_key::<Member>()? {
            let slot = match member {
                Member::Name => &mut params.name,
                Member::Arguments => &mut params.arguments,
                Member::Meta => &mut params.meta,
                Member::ProtocolVersion => &mut params.protocol_version,
                Member::Uri => &mut params.uri,
                Member::Cursor => &mut params.cursor,
                Member::InputResponses => &mut params.input_responses,
                Member::RequestState => &mut params.request_state,
                Member::Other => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            if slot.replace(map.next_value()?).is_some() {
                return Err(A::Error::custom("a member is there twice"));
            }
        }
        Ok(params)
    }
}

/// What `params._meta` says to a gateway.
#[derive(Debug, Default, Deserialize)]
pub struct Meta<'a> {
    /// The revision of a stateless request.
    #[serde(borrow, default, rename = "io.modelcontextprotocol/protocolVersion")]
    pub protocol_version: Option<&'a RawValue>,
    /// What the client can do.
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub client_capabilities: Option<&'a RawValue>,
    /// Under which progress is told.
    #[serde(borrow, default, rename = "progressToken")]
    pub progress_token: Option<&'a RawValue>,
    /// From which level on log lines are told.
    #[serde(borrow, default, rename = "io.modelcontextprotocol/logLevel")]
    pub log_level: Option<&'a RawValue>,
    /// A key of the client's under which a repeated call is the same call.
    #[serde(borrow, default, rename = "io.portero/idempotency-key")]
    pub idempotency_key: Option<&'a RawValue>,
    /// W3C trace context.
    #[serde(borrow, default)]
    pub traceparent: Option<&'a RawValue>,
    /// W3C trace context.
    #[serde(borrow, default)]
    pub tracestate: Option<&'a RawValue>,
    /// W3C baggage.
    #[serde(borrow, default)]
    pub baggage: Option<&'a RawValue>,
}

impl<'a> Meta<'a> {
    /// Reads `_meta`; `None` if it is no object or names one member twice.
    pub fn read(raw: &'a RawValue) -> Option<Self> {
        is_object(raw).then(|| serde_json::from_str(raw.get()).ok()).flatten()
    }
}

#[cfg(test)]
#[path = "jsonrpc_tests.rs"]
mod tests;
