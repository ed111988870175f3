//! The answer of a call, written around what its upstream said.

use std::borrow::Cow;

use serde_json::json;

use super::call::Cx;
use super::policy::Permitted;
use super::refusal::Reason;
use super::service::{Service, Tool};
use crate::config::ErrorStyle;
use crate::mcp::cap::Shortened;
use crate::mcp::error::Code;
use crate::mcp::jsonrpc::Id;
use crate::mcp::own_result;
use crate::mcp::result::{self, ToolText};
use crate::mcp::translate::{self, Told};
use crate::mcp::version::Version;
use crate::upstream::worker;

/// What marks an answer that was kept, in `_meta`.
const REPLAYED: &str = "io.portero/replayed";
const REPLAYED_META: &str = "\"io.portero/replayed\":true";
/// What a worker's sentence may take in a JSON-RPC error.
const MAX_MESSAGE: usize = 2000;

/// What it takes to write the answer of a call.
#[derive(Clone, Copy)]
pub struct Finish<'a> {
    /// The service.
    pub service: &'a Service,
    /// The tool.
    pub tool: &'a Tool,
    /// The id to echo.
    pub id: Id<'a>,
    /// The revision.
    pub version: Version,
    /// True for an answer that was kept.
    pub replayed: bool,
}

impl<'a> Finish<'a> {
    /// For a call whose answer has just come.
    pub fn of(cx: Cx<'a>, call: &'a Permitted<'_>) -> Self {
        let (tool, id, version) = (call.tool(), call.id(), call.version());
        Self { service: cx.service, tool, id, version, replayed: false }
    }

    /// Writes the answer around what the worker said.
    ///
    /// # Errors
    /// What cannot be passed on, and what the service says as a JSON-RPC error.
    pub fn whole(self, answer: &worker::Answer) -> Result<Vec<u8>, Reason> {
        let unreadable = Reason::Unavailable("upstream_answer_unreadable");
        match answer {
            worker::Answer::Json(body) => self.json(body).ok_or(unreadable),
            worker::Answer::Result(body) => self.own_result(body).ok_or(unreadable),
            worker::Answer::Refused(status, body) => self.refused(*status, body),
            worker::Answer::Asks(body) => self.asks(body).ok_or(unreadable),
            worker::Answer::Wrong(body) => self.wrong(body).ok_or(unreadable),
            worker::Answer::Stream(_) => Err(unreadable),
        }
    }

    fn own_result(self, body: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(body).ok()?;
        let mut text = Cow::Borrowed(text);
        if let Some(short) = self.tool.cap.as_ref().and_then(|cap| own_result::shorten(&text, cap)) {
            text = Cow::Owned(short);
        }
        if let Some(fitted) = translate::fitted(&text, self.version) {
            text = Cow::Owned(fitted);
        }
        if self.replayed {
            text = Cow::Owned(own_result::mark(&text, REPLAYED, "true")?);
        }
        result::pass(self.id, self.version, &self.service.info.trailer, &text)
    }

    /// An MCP server that needs input first: said as it is to who can be asked, and as a no to who cannot.
    fn asks(self, body: &[u8]) -> Option<Vec<u8>> {
        if self.version.is_modern() {
            return result::asks(self.id, &self.service.info.trailer, std::str::from_utf8(body).ok()?);
        }
        Some(self.no("input_required", translate::ASKS_IN_VAIN))
    }

    /// An MCP server's error, in a number that the client's revision knows, or in words.
    fn wrong(self, body: &[u8]) -> Option<Vec<u8>> {
        let error: serde_json::Value = serde_json::from_slice(body).ok()?;
        match translate::told(&error, self.version) {
            Told::Words(words) => Some(self.no("input_required", &words)),
            Told::Error(number, error) => {
                let mut error = error.clone();
                *error.get_mut("code")? = number.into();
                Some(
                    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{error}}}", self.id.as_json())
                        .into_bytes(),
                )
            }
        }
    }

    fn no(self, code: &str, message: &str) -> Vec<u8> {
        let text = json!({"error": message, "code": code, "message": message}).to_string();
        self.text(ToolText { text: &text, is_error: true, ..ToolText::default() })
    }

    fn json(self, body: &[u8]) -> Option<Vec<u8>> {
        let whole = std::str::from_utf8(body).ok()?.trim();
        let short = self.tool.cap.as_ref().and_then(|cap| cap.json(whole));
        let text = short.as_ref().map_or(whole, Shortened::data);
        let structured = self.tool.structured.as_ref().filter(|_| self.version.is_structured());
        let structured = structured.and_then(|(before, after)| match text.as_bytes().first() {
            Some(b'{') => Some(("", text, "")),
            Some(b'[') => Some((before.as_str(), text, *after)),
            // only the stateless revision takes values that are no objects
            _ => self.version.is_modern().then_some(("", text, "")),
        });
        let text = short.as_ref().map_or(text, |short| short.text.as_str());
        let meta = if self.replayed { REPLAYED_META } else { "" };
        Some(self.text(ToolText { text, is_error: false, structured, meta }))
    }

    /// A worker's own no goes through untouched, with its status beside it.
    fn refused(self, status: u16, body: &[u8]) -> Result<Vec<u8>, Reason> {
        let text =
            std::str::from_utf8(body).map_err(|_| Reason::Unavailable("upstream_answer_unreadable"))?;
        if self.service.style.errors == ErrorStyle::Jsonrpc {
            let code = match status {
                400 | 422 => Some(Code::InvalidArguments),
                404 => Some(Code::ResourceNotFound),
                429 => Some(Code::RateLimited),
                _ => None,
            };
            if let Some(code) = code {
                return Err(Reason::Worker(code, message(text).into()));
            }
        }
        let mut meta = format!("\"io.portero/status\":{status}");
        if self.replayed {
            meta.push(',');
            meta.push_str(REPLAYED_META);
        }
        let text = text.trim();
        let short = self.tool.cap.as_ref().and_then(|cap| cap.content(text));
        let text = short.as_deref().unwrap_or(text);
        Ok(self.text(ToolText { text, is_error: true, structured: None, meta: &meta }))
    }

    fn text(self, content: ToolText<'_>) -> Vec<u8> {
        result::tool(self.id, self.version, &self.service.info.trailer, content)
    }
}

/// The sentence in a worker's refusal.
pub fn message(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let error = value.get("error");
    let nested = error.and_then(|error| error.get("message"));
    let sentence =
        [nested, error, value.get("message")].into_iter().flatten().find_map(serde_json::Value::as_str);
    sentence.unwrap_or("The tool refused.").chars().take(MAX_MESSAGE).collect()
}
