//! The stages of a call. Each is made by one step and taken by the next, so no step can be left out.

use std::sync::Arc;

use actix_web::http::header::{HeaderMap, HeaderName};
use actix_web::{HttpRequest, web};

use super::accept::Accepted;
use super::rest::Spoken;
use super::service::{Service, Tool};
use super::session::Held;
use super::{Gateway, names};
use crate::app::App;
use crate::domain::decide::Caller;
use crate::domain::plan::Plan;
use crate::domain::verified::{TokenKind, Verified};
use crate::mcp::jsonrpc::{Id, Meta, Params};
use crate::mcp::method::Method;
use crate::mcp::version::{self, Version};

/// Where a call happens.
#[derive(Clone, Copy)]
pub struct Cx<'r> {
    /// The shared parts.
    pub app: &'r web::Data<App>,
    /// All services.
    pub gateway: &'r web::Data<Gateway>,
    /// The one that was asked.
    pub service: &'r web::Data<Service>,
    /// The request.
    pub request: &'r HttpRequest,
}

impl<'r> Cx<'r> {
    /// The request's headers.
    pub fn headers(&self) -> &'r HeaderMap {
        self.request.headers()
    }

    /// A header as text; `None` if it is absent or no text. Of two neither is believed.
    pub fn header(&self, name: &HeaderName) -> Option<&'r str> {
        let mut values = self.headers().get_all(name);
        let value = values.next()?.to_str().ok()?;
        values.next().is_none().then_some(value)
    }
}

/// What is known of an answer's form, more with every step.
pub struct Frame<'b> {
    /// The id to echo.
    pub id: Option<Id<'b>>,
    /// The revision; until the message is read, what the header says.
    pub version: Version,
    /// True for `tools/call`, where results can carry errors.
    pub call: bool,
    /// The kind of credential.
    pub kind: TokenKind,
    /// What the client takes.
    pub accepted: Accepted,
    /// The tool that was found.
    pub tool: Option<Arc<Tool>>,
}

impl Frame<'_> {
    /// Before anything is read.
    pub fn blank(cx: Cx<'_>) -> Self {
        let header = cx.header(&names::PROTOCOL_VERSION);
        let modern = header.is_some_and(version::names_modern);
        Self {
            id: None,
            version: if modern { Version::V20260728 } else { Version::V20250326 },
            call: false,
            kind: TokenKind::Anonymous,
            accepted: Accepted { json: true, stream: false },
            tool: None,
        }
    }
}

/// A request whose credentials have been found but not looked at.
pub struct Received<'r> {
    /// The bearer token.
    pub token: Option<&'r str>,
}

/// A request whose caller is known; anonymous only where some tool is public.
#[derive(Clone)]
pub struct Authenticated<'r> {
    /// Who it is.
    pub credential: Option<Arc<Verified>>,
    /// The plan of its workspace.
    pub plan: Option<&'r Plan>,
    /// The bearer token, to be checked again while a stream is open.
    pub token: Option<&'r str>,
    /// Its session, where upstreams keep some and it has one.
    pub session: Option<Arc<Held>>,
}

impl Authenticated<'_> {
    /// As decisions see it.
    pub fn caller(&self) -> Caller<'_> {
        Caller { credential: self.credential.as_deref(), plan: self.plan }
    }
}

/// A request that was read and understood.
pub struct Resolved<'b> {
    /// To echo.
    pub id: Id<'b>,
    /// What is asked.
    pub method: Method,
    /// In which revision.
    pub version: Version,
    /// With what.
    pub params: Params<'b>,
    /// What it says of itself.
    pub meta: Meta<'b>,
}

/// A call of a tool that this caller may use.
pub struct Entitled<'b> {
    /// The call.
    pub call: Resolved<'b>,
    /// The tool.
    pub tool: Arc<Tool>,
    /// What was said beside the arguments; none where it stands among them.
    pub spoken: Option<Spoken<'b>>,
}
