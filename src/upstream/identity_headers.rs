//! The headers that tell a worker who calls.
//!
//! They are built from nothing: no header of the client's is copied, so nothing a client sends under these
//! names, in whatever spelling, can reach a worker.

use http::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::domain::decide::Caller;

/// RFC 3986 unreserved characters stay as they are.
const INTENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

const ACCEPTED: &str = "application/json, application/vnd.mcp.result+json, text/event-stream";
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The configured names, made once.
#[derive(Clone, Debug)]
pub struct Names {
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
}

impl Names {
    /// The names under a prefix such as `X-Portero-`; `None` if it is no header prefix.
    pub fn new(prefix: &str) -> Option<Self> {
        let name = |rest: &str| HeaderName::try_from(format!("{prefix}{rest}")).ok();
        Some(Self {
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
        })
    }

    /// The headers that every call of one tool has: who it is for and the operator's own.
    pub fn fixed(&self, service: &str, tool: &str, host: &str, own: &HeaderMap) -> HeaderMap {
        // room for what a call adds, so that the copy made for it does not grow
        let mut headers = HeaderMap::with_capacity(32);
        headers.extend(own.clone());
        set(&mut headers, &self.service, service);
        set(&mut headers, &self.tool, tool);
        set(&mut headers, &HOST, host);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
        headers.entry(USER_AGENT).or_insert(HeaderValue::from_static("portero"));
        headers
    }

    /// Adds who calls.
    pub fn caller(&self, headers: &mut HeaderMap, caller: Caller<'_>) {
        headers.insert(self.kind.clone(), HeaderValue::from_static(caller.kind().label()));
        headers.insert(self.mode.clone(), HeaderValue::from_static(caller.mode().label()));
        let Some(own) = caller.credential else { return };
        set(headers, &self.user, own.user.as_str());
        set(headers, &self.workspace, own.workspace.as_str());
        set(headers, &self.scopes, &own.scopes.to_string());
        if let Some(subject) = &own.subject {
            set(headers, &self.subject, subject);
        }
        if let Some(client) = &own.client {
            set(headers, &self.client, client.as_str());
        }
        if let Some(grant) = &own.grant {
            set(headers, &self.grant, grant.as_str());
        }
        if let Some(plan) = caller.plan {
            set(headers, &self.plan, plan.id.as_str());
            set(headers, &self.features, &plan.features.join(" "));
        }
    }

    /// Adds what a person confirmed.
    pub fn confirmation(&self, headers: &mut HeaderMap, intent: Option<&str>) {
        headers.insert(self.confirmed.clone(), HeaderValue::from_static("true"));
        if let Some(intent) = intent {
            set(headers, &self.intent, &utf8_percent_encode(intent, INTENT).to_string());
        }
    }
}

/// Adds what identifies the call.
pub fn trace(headers: &mut HeaderMap, request_id: &str, traceparent: &str, idempotency_key: Option<&str>) {
    set(headers, &REQUEST_ID, request_id);
    set(headers, &TRACEPARENT, traceparent);
    if let Some(key) = idempotency_key {
        set(headers, &IDEMPOTENCY_KEY, key);
    }
}

/// Sets a header; text that no header can carry (line breaks) is left out.
pub fn set(headers: &mut HeaderMap, name: &HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::from_bytes(text.as_bytes()) {
        headers.insert(name.clone(), value);
    }
}
