//! The headers that tell a worker who calls.
//!
//! They are built from nothing: no header of the client's is copied, so nothing a client sends under these
//! names, in whatever spelling, can reach a worker.

use http::header::{
    ACCEPT, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue,
    TRANSFER_ENCODING, USER_AGENT,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::assertion::Facts;
use super::client::Headers;
use crate::domain::decide::Caller;

/// RFC 3986 unreserved characters stay as they are.
const INTENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

const ACCEPTED: &str = "application/json, application/vnd.mcp.result+json, text/event-stream";
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// What no argument may set, beside the identity headers: credentials, routes and framing (RFC 9110 §7.6.1), and what
/// identifies a call.
const OURS: [&str; 19] = [
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "idempotency-key",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "traceparent",
    "tracestate",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "x-request-id",
];

/// What headers are set in: a map, or the lines of a request.
pub trait Carrier {
    /// Sets a header; text that no header can carry (line breaks) is left out.
    fn set(&mut self, name: &HeaderName, text: &str);

    /// Sets a header to words with a space between them.
    fn set_words<'a>(&mut self, name: &HeaderName, words: impl Iterator<Item = &'a str>);
}

impl Carrier for HeaderMap {
    fn set(&mut self, name: &HeaderName, text: &str) {
        if let Ok(value) = HeaderValue::from_bytes(text.as_bytes()) {
            self.insert(name.clone(), value);
        }
    }

    fn set_words<'a>(&mut self, name: &HeaderName, words: impl Iterator<Item = &'a str>) {
        self.set(name, &words.collect::<Vec<_>>().join(" "));
    }
}

/// Lines as they go out. Nothing replaces an earlier line, so each name may be set only once.
#[derive(Debug)]
pub struct Lines<'a>(pub &'a mut Vec<u8>);

impl Lines<'_> {
    fn push(&mut self, name: &HeaderName, value: &[u8]) {
        for part in [name.as_str().as_bytes(), b": ", value, b"\r\n"] {
            self.0.extend_from_slice(part);
        }
    }
}

/// True if a header can carry the text. Counted without a way out in the middle, so that it is done by the block.
fn fits(text: &str) -> bool {
    text.bytes().filter(|byte| *byte != b'\t' && (*byte < b' ' || *byte == 0x7f)).count() == 0
}

impl Carrier for Lines<'_> {
    fn set(&mut self, name: &HeaderName, text: &str) {
        if fits(text) {
            self.push(name, text.as_bytes());
        }
    }

    fn set_words<'a>(&mut self, name: &HeaderName, words: impl Iterator<Item = &'a str>) {
        let start = self.0.len();
        self.0.extend_from_slice(name.as_str().as_bytes());
        self.0.push(b':');
        for word in words {
            if !fits(word) {
                return self.0.truncate(start);
            }
            self.0.push(b' ');
            self.0.extend_from_slice(word.as_bytes());
        }
        self.0.extend_from_slice(b"\r\n");
    }
}

impl Headers for HeaderMap {
    fn map(&self) -> HeaderMap {
        self.clone()
    }

    fn write(&self, lines: &mut Vec<u8>) {
        for (name, value) in self {
            if !matches!(*name, CONTENT_LENGTH | TRANSFER_ENCODING | CONNECTION) {
                Lines(lines).push(name, value.as_bytes());
            }
        }
    }
}

/// The configured names, made once.
#[derive(Clone, Debug)]
pub struct Names {
    prefix: String,
    user: HeaderName,
    workspace: HeaderName,
    subject: HeaderName,
    plan: HeaderName,
    features: HeaderName,
    scopes: HeaderName,
    kind: HeaderName,
    mode: HeaderName,
    client: HeaderName,
    grant: HeaderName,
    service: HeaderName,
    tool: HeaderName,
    confirmed: HeaderName,
    intent: HeaderName,
    credits: HeaderName,
    cost: HeaderName,
    assertion: HeaderName,
}

impl Names {
    /// The names under a prefix such as `X-Portero-`; `None` if it is no header prefix.
    pub fn new(prefix: &str) -> Option<Self> {
        let name = |rest: &str| HeaderName::try_from(format!("{prefix}{rest}")).ok();
        Some(Self {
            prefix: prefix.to_ascii_lowercase(),
            user: name("User")?,
            workspace: name("Workspace")?,
            subject: name("Subject")?,
            plan: name("Plan")?,
            features: name("Features")?,
            scopes: name("Scopes")?,
            kind: name("Token-Kind")?,
            mode: name("Mode")?,
            client: name("Client")?,
            grant: name("Grant")?,
            service: name("Service")?,
            tool: name("Tool")?,
            confirmed: name("Confirmed")?,
            intent: name("User-Intent")?,
            credits: name("Credits")?,
            cost: name("Cost")?,
            assertion: name("Assertion")?,
        })
    }

    /// The headers that every call of one tool has: who it is for and the operator's own.
    pub fn fixed(&self, service: &str, tool: &str, host: &str, own: &HeaderMap) -> HeaderMap {
        // room for what a call adds, so that the copy made for it does not grow
        let mut headers = HeaderMap::with_capacity(32);
        headers.extend(own.clone());
        self.service(&mut headers, service);
        headers.set(&self.tool, tool);
        headers.set(&HOST, host);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
        headers.entry(USER_AGENT).or_insert(HeaderValue::from_static("portero"));
        headers
    }

    /// The headers that every call of a REST API's operation has: as [`Self::fixed`], but what is sent and what may
    /// come back is the operation's to say.
    pub fn of_api(&self, service: &str, tool: &str, host: &str, own: &HeaderMap) -> HeaderMap {
        let mut headers = self.fixed(service, tool, host, own);
        for name in [CONTENT_TYPE, ACCEPT] {
            headers.remove(&name);
            if let Some(value) = own.get(&name) {
                headers.insert(name, value.clone());
            }
        }
        headers
    }

    /// True for a header that no argument of a call may set: who calls, with which rights, over which connection.
    pub fn is_ours(&self, name: &HeaderName) -> bool {
        let name = name.as_str().replace('_', "-");
        name.starts_with(&self.prefix) || name.starts_with("x-forwarded-") || OURS.contains(&name.as_str())
    }

    /// The lines of `fixed`; none if a call might set one of its headers, which takes a map to replace it.
    pub fn lines(&self, fixed: &HeaderMap, carried: &[HeaderName]) -> Option<Box<[u8]>> {
        let own = [
            &self.user,
            &self.workspace,
            &self.subject,
            &self.plan,
            &self.features,
            &self.scopes,
            &self.kind,
            &self.mode,
            &self.client,
            &self.grant,
            &self.confirmed,
            &self.intent,
            &self.credits,
            &self.assertion,
        ];
        let of_trace = [IDEMPOTENCY_KEY, REQUEST_ID, TRACEPARENT];
        let mut names = own.into_iter().chain(&of_trace).chain(carried);
        if names.any(|name| fixed.contains_key(name)) {
            return None;
        }
        let mut lines = Vec::new();
        fixed.write(&mut lines);
        Some(lines.into_boxed_slice())
    }

    /// What is said in headers, to be said in an assertion.
    pub fn facts(&self) -> Facts<'_> {
        Facts::new(&self.prefix)
    }

    /// Adds the proof of what the other headers say.
    pub fn assertion(&self, headers: &mut impl Carrier, signed: &str) {
        headers.set(&self.assertion, signed);
    }

    /// Adds which service is called.
    pub fn service(&self, headers: &mut impl Carrier, service: &str) {
        headers.set(&self.service, service);
    }

    /// Adds who calls.
    pub fn caller(&self, headers: &mut impl Carrier, caller: Caller<'_>) {
        headers.set(&self.kind, caller.kind().label());
        headers.set(&self.mode, caller.mode().label());
        let Some(own) = caller.credential else { return };
        headers.set(&self.user, own.user.as_str());
        headers.set(&self.workspace, own.workspace.as_str());
        headers.set_words(&self.scopes, own.scopes.iter());
        if let Some(subject) = &own.subject {
            headers.set(&self.subject, subject);
        }
        if let Some(client) = &own.client {
            headers.set(&self.client, client.as_str());
        }
        if let Some(grant) = &own.grant {
            headers.set(&self.grant, grant.as_str());
        }
        if let Some(plan) = caller.plan {
            headers.set(&self.plan, plan.id.as_str());
            headers.set_words(&self.features, plan.features.iter().map(String::as_str));
        }
    }

    /// Adds what the workspace has left of its credits.
    pub fn credits(&self, headers: &mut impl Carrier, balance: i64) {
        headers.set(&self.credits, itoa::Buffer::new().format(balance));
    }

    /// In which header of its answer a worker says what a call cost.
    pub fn cost(&self) -> &HeaderName {
        &self.cost
    }

    /// Adds what a person confirmed.
    pub fn confirmation(&self, headers: &mut impl Carrier, intent: Option<&str>) {
        headers.set(&self.confirmed, "true");
        if let Some(intent) = intent {
            headers.set(&self.intent, &utf8_percent_encode(intent, INTENT).to_string());
        }
    }
}

/// Adds what identifies the call.
pub fn trace(headers: &mut impl Carrier, request_id: &str, traceparent: &str, idempotency_key: Option<&str>) {
    headers.set(&REQUEST_ID, request_id);
    headers.set(&TRACEPARENT, traceparent);
    if let Some(key) = idempotency_key {
        headers.set(&IDEMPOTENCY_KEY, key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_made_beforehand_only_where_nothing_is_replaced() {
        let names = Names::new("X-Portero-").unwrap();
        let lines = |own: &'static str| {
            let own = HeaderMap::from_iter([(HeaderName::from_static(own), HeaderValue::from_static("x"))]);
            names.lines(&names.fixed("s", "t", "h", &own), &[HeaderName::from_static("baggage")])
        };
        let text = String::from_utf8(lines("authorization").unwrap().into_vec()).unwrap();
        for line in ["authorization: x", "x-portero-service: s", "x-portero-tool: t", "host: h"] {
            assert_eq!(text.lines().filter(|own| *own == line).count(), 1, "{line}: {text}");
        }
        for replaced in ["x-portero-user", "x-portero-mode", "x-request-id", "idempotency-key", "baggage"] {
            assert_eq!(lines(replaced), None, "{replaced}");
        }
        for ours in ["content-length", "transfer-encoding", "connection"] {
            assert!(!String::from_utf8(lines(ours).unwrap().into_vec()).unwrap().contains(ours));
        }
    }

    #[test]
    fn a_line_holds_no_break() {
        let mut text = Vec::new();
        for value in ["a\r\nb: c", "a\nb", "a\0", "\u{7f}", "ñ\t!"] {
            Lines(&mut text).set(&HOST, value);
        }
        assert_eq!(text, "host: ñ\t!\r\n".as_bytes());
    }
}
