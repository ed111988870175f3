//! The headers of one message: the operator's, who calls, and what the revision wants beside the body.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

use crate::mcp::headers;
use crate::mcp::version::Version;
use crate::upstream::client::{Headers, Noted};

static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static(headers::PROTOCOL_VERSION);
const METHOD: HeaderName = HeaderName::from_static(headers::METHOD);
const NAME: HeaderName = HeaderName::from_static(headers::NAME);

/// One message to a server and what goes with it.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// Where to.
    pub uri: &'a Uri,
    /// The operator's headers for this server and who calls. What the protocol says in headers is not among them;
    /// where it is, it is replaced.
    pub headers: &'a HeaderMap,
    /// The session as this server knows it.
    pub session: Option<&'a str>,
    /// The revision; none before it is settled.
    pub version: Option<Version>,
    /// What the stateless revision repeats of the body.
    pub mirrored: Option<&'a Mirrored<'a>>,
    /// After which event a stream goes on.
    pub last_event_id: Option<&'a str>,
    /// In which header of the answer the cost of the call is looked for.
    pub cost: Option<&'a HeaderName>,
    /// The message; empty where there is none.
    pub body: &'a Bytes,
}

impl<'a> Exchange<'a> {
    /// A message outside of any session and of no revision yet.
    pub const fn new(uri: &'a Uri, headers: &'a HeaderMap, body: &'a Bytes) -> Self {
        Self {
            uri,
            headers,
            session: None,
            version: None,
            mirrored: None,
            last_event_id: None,
            cost: None,
            body,
        }
    }

    pub(super) fn lines(&self, method: &Method) -> Made {
        let mut map = self.headers.clone();
        for name in [&SESSION_ID, &LAST_EVENT_ID, &PROTOCOL_VERSION, &METHOD, &NAME] {
            map.remove(name);
        }
        let accept =
            if *method == Method::GET { "text/event-stream" } else { "application/json, text/event-stream" };
        map.insert(ACCEPT, HeaderValue::from_static(accept));
        // what is looked into comes plain: without this a server may answer in any coding
        map.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        map.entry(USER_AGENT).or_insert(HeaderValue::from_static("portero"));
        if *method == Method::POST {
            map.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        } else {
            map.remove(CONTENT_TYPE);
        }
        let host = self.uri.authority().map(http::uri::Authority::as_str);
        let version = self.version.map(Version::label);
        for (name, value) in [
            (SESSION_ID.clone(), self.session),
            (LAST_EVENT_ID, self.last_event_id),
            (PROTOCOL_VERSION, version),
        ] {
            set(&mut map, name, value);
        }
        if !map.contains_key(HOST) {
            set(&mut map, HOST, host);
        }
        if let Some(mirrored) = self.mirrored {
            mirrored.write(&mut map);
        }
        Made { map, cost: self.cost.cloned() }
    }
}

fn set(map: &mut HeaderMap, name: HeaderName, value: Option<&str>) {
    if let Some(Ok(value)) = value.map(HeaderValue::from_str) {
        map.insert(name, value);
    }
}

/// What headers of the stateless revision repeat of a body (2026-07-28, Streamable HTTP › Custom Headers).
#[derive(Clone, Debug, Default)]
pub struct Mirrored<'a> {
    /// The method.
    pub method: &'a str,
    /// The tool or prompt, or the resource's URI.
    pub name: Option<Cow<'a, str>>,
    /// Arguments by the header that repeats them.
    pub arguments: Vec<(HeaderName, String)>,
}

impl Mirrored<'_> {
    fn write(&self, map: &mut HeaderMap) {
        set(map, METHOD, Some(self.method));
        set(map, NAME, self.name.as_deref().map(encode).as_deref());
        for (name, value) in &self.arguments {
            set(map, name.clone(), Some(&encode(value)));
        }
    }
}

/// A text as a header carries it: as it is where it can be told from an encoded one and loses nothing at its ends,
/// else in base64.
fn encode(text: &str) -> Cow<'_, str> {
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let trimmed = text.trim_matches([' ', '\t']).len() == text.len();
    if plain && trimmed && !text.starts_with("=?base64?") && !text.is_empty() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("=?base64?{}?=", STANDARD.encode(text)))
    }
}

/// The headers of one message, made.
#[derive(Debug)]
pub(super) struct Made {
    map: HeaderMap,
    cost: Option<HeaderName>,
}

impl Headers for Made {
    fn map(&self) -> HeaderMap {
        self.map.clone()
    }

    fn write(&self, lines: &mut Vec<u8>) {
        self.map.write(lines);
    }

    fn noted(&self) -> Noted<&HeaderName> {
        [self.cost.as_ref(), Some(&SESSION_ID)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_reads_as_it_was() {
        for (text, sent) in [
            ("list_meetings", "list_meetings"),
            ("a b", "a b"),
            ("", "=?base64??="),
            (" a", "=?base64?IGE=?="),
            ("café", "=?base64?Y2Fmw6k=?="),
            ("a\r\nb: c", "=?base64?YQ0KYjogYw==?="),
            ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
        ] {
            assert_eq!(encode(text), sent);
            assert_eq!(headers::decode(sent.as_bytes()).as_deref(), Some(text));
        }
    }

    #[test]
    fn the_protocols_own_headers_are_never_the_operators() {
        let own =
            ["mcp-session-id", "last-event-id", "mcp-protocol-version", "mcp-method", "mcp-name", "x-key"];
        let own = own.map(|name| (HeaderName::from_static(name), HeaderValue::from_static("own")));
        let (uri, map, body) = (Uri::from_static("http://h:1/mcp"), HeaderMap::from_iter(own), Bytes::new());
        let text = |exchange: Exchange<'_>, method: Method| {
            let mut lines = Vec::new();
            exchange.lines(&method).write(&mut lines);
            String::from_utf8(lines).unwrap()
        };
        let bare = text(Exchange::new(&uri, &map, &body), Method::GET);
        assert!(bare.contains("x-key: own\r\n") && bare.matches("own").count() == 1, "{bare}");
        assert!(bare.contains("accept: text/event-stream\r\n") && bare.contains("host: h:1\r\n"), "{bare}");
        let mirrored = Mirrored {
            method: "tools/call",
            name: Some("ñ".into()),
            arguments: vec![(HeaderName::from_static("mcp-param-region"), "eu".into())],
        };
        let full = Exchange {
            session: Some("s"),
            version: Some(Version::V20260728),
            mirrored: Some(&mirrored),
            ..Exchange::new(&uri, &map, &body)
        };
        let full = text(full, Method::POST);
        for line in [
            "mcp-session-id: s",
            "mcp-protocol-version: 2026-07-28",
            "mcp-method: tools/call",
            "mcp-name: =?base64?w7E=?=",
            "mcp-param-region: eu",
            "content-type: application/json",
            "accept-encoding: identity",
        ] {
            assert_eq!(full.lines().filter(|own| *own == line).count(), 1, "{line}: {full}");
        }
    }
}
