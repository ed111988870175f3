//! Step 3: what is asked, and in which revision.
//!
//! The era is decided by what the message says of itself; a header alone makes a message modern only where
//! nothing in the message speaks against it (2026-07-28, Versioning › Backward Compatibility).

use std::borrow::Cow;

use actix_web::http::header::HeaderName;

use super::call::{Cx, Frame, Resolved};
use super::names;
use super::refusal::Reason;
use crate::mcp::headers;
use crate::mcp::jsonrpc::{self, Fault, Id, Incoming, Meta, Params};
use crate::mcp::method::Method;
use crate::mcp::version::{self, Version};

/// Reads the body. `None` is a message that wants no answer.
///
/// # Errors
/// Everything that is wrong with the message itself; `frame` then knows the id if it could be read.
pub fn resolve<'b>(
    cx: Cx<'_>,
    body: &'b [u8],
    frame: &mut Frame<'b>,
) -> Result<Option<Resolved<'b>>, Reason> {
    let request = match jsonrpc::parse(body) {
        Ok(Incoming::Request(request)) => request,
        Ok(Incoming::Notification(_) | Incoming::Response) => return Ok(None),
        Ok(Incoming::Batch) => return Err(Reason::Invalid("batches are not supported")),
        Err(Fault::Parse) => return Err(Reason::Parse),
        Err(Fault::Invalid(what, id)) => {
            frame.id = id;
            return Err(Reason::Invalid(what));
        }
    };
    frame.id = Some(request.id);
    let method = Method::of(&request.method);
    frame.call = method == Method::ToolsCall;
    let meta = match request.params.meta.map(Meta::read) {
        None => Meta::default(),
        Some(Some(meta)) => meta,
        Some(None) => return Err(Reason::Params("_meta is an object")),
    };
    let message = Message { id: request.id, method, name: request.method, params: request.params, meta };
    message.settle(cx, frame).map(Some)
}

/// The id of a body that is refused for another reason, so that the refusal can be matched to its request.
pub fn peek<'b>(body: &'b [u8], frame: &mut Frame<'b>) {
    if let Ok(Incoming::Request(request)) = jsonrpc::parse(body) {
        frame.call = Method::of(&request.method) == Method::ToolsCall;
        frame.id = Some(request.id);
        let meta = request.params.meta.and_then(Meta::read);
        let modern = meta.is_some_and(|meta| meta.protocol_version.is_some());
        if modern || Method::of(&request.method).is_modern_only() {
            frame.version = Version::V20260728;
        }
    }
}

struct Message<'b> {
    id: Id<'b>,
    method: Method,
    name: Cow<'b, str>,
    params: Params<'b>,
    meta: Meta<'b>,
}

impl<'b> Message<'b> {
    fn settle(self, cx: Cx<'_>, frame: &mut Frame<'b>) -> Result<Resolved<'b>, Reason> {
        let header = single(cx, &names::PROTOCOL_VERSION);
        let named = header.clone().ok().flatten();
        let modern_header = named.as_deref().is_some_and(version::names_modern);
        let modern = self.meta.protocol_version.is_some()
            || self.method.is_modern_only()
            || (self.method != Method::Initialize && modern_header);
        let version = if modern {
            frame.version = Version::V20260728;
            self.modern(cx, header.as_ref().map(Option::as_deref).map_err(|_| ()))?
        } else {
            frame.version = cx.service.versions.assumed();
            self.legacy(cx, header)?
        };
        frame.version = version;
        Ok(Resolved { id: self.id, method: self.method, version, params: self.params, meta: self.meta })
    }

    fn legacy(&self, cx: Cx<'_>, header: Result<Option<Cow<'_, str>>, Reason>) -> Result<Version, Reason> {
        let served = &cx.service.versions;
        if self.method == Method::Initialize {
            let asked = self.params.protocol_version.and_then(jsonrpc::text);
            let asked = asked.ok_or(Reason::Params("protocolVersion is a string"))?;
            return served.negotiate(&asked).ok_or_else(|| Reason::Version(asked.as_ref().into()));
        }
        // two of them are refused: whoever stands in front may have gone by the other one
        match header? {
            Some(header) => {
                let version = Version::parse(&header).filter(|version| served.has(*version));
                version.ok_or_else(|| Reason::Version(header.into()))
            }
            // a service of the stateless revision alone has no older one to assume
            None if served.assumed().is_modern() => Err(Reason::MetaMissing("its protocol version")),
            None => Ok(served.assumed()),
        }
    }

    /// The checks of a stateless request, in the order that the specification's own tests expect.
    fn modern(&self, cx: Cx<'_>, header: Result<Option<&str>, ()>) -> Result<Version, Reason> {
        if !cx.service.versions.has_modern() && self.method.is_modern_only() {
            return Err(Reason::NoMethod);
        }
        let asked = self.meta.protocol_version.and_then(jsonrpc::text);
        let Some(asked) = asked else {
            return match header {
                // to whoever cannot be served at all, the versions are the better answer
                Ok(Some(header)) if !cx.service.versions.has_modern() => Err(Reason::Version(header.into())),
                _ => Err(Reason::MetaMissing("io.modelcontextprotocol/protocolVersion")),
            };
        };
        if !self.meta.client_capabilities.is_some_and(jsonrpc::is_object) {
            return Err(Reason::MetaMissing("io.modelcontextprotocol/clientCapabilities"));
        }
        if header != Ok(Some(&asked)) {
            return Err(Reason::Mismatch("MCP-Protocol-Version"));
        }
        self.mirrors(cx)?;
        let version =
            Version::parse(&asked).filter(|version| version.is_modern() && cx.service.versions.has(*version));
        let version = version.ok_or_else(|| Reason::Version(asked.as_ref().into()))?;
        match self.method {
            // whether the service has resources and prompts is asked where they are
            Method::Discover
            | Method::ToolsList
            | Method::ToolsCall
            | Method::PromptsList
            | Method::PromptsGet
            | Method::ResourcesList
            | Method::ResourceTemplatesList
            | Method::ResourcesRead
            | Method::Complete => Ok(version),
            Method::Initialize
            | Method::Ping
            | Method::ResourcesSubscribe
            | Method::ResourcesUnsubscribe
            | Method::SetLevel
            | Method::SubscriptionsListen
            | Method::Other => Err(Reason::NoMethod),
        }
    }

    /// `Mcp-Method` and `Mcp-Name` repeat the body.
    fn mirrors(&self, cx: Cx<'_>) -> Result<(), Reason> {
        if single(cx, &names::METHOD)?.as_deref() != Some(&*self.name) {
            return Err(Reason::Mismatch("Mcp-Method"));
        }
        let named = match self.method {
            Method::ToolsCall | Method::PromptsGet => self.params.name,
            Method::ResourcesRead => self.params.uri,
            _ => return Ok(()),
        };
        let Some(named) = named.and_then(jsonrpc::text) else { return Ok(()) };
        if single(cx, &names::NAME)?.as_deref() == Some(&*named) {
            Ok(())
        } else {
            Err(Reason::Mismatch("Mcp-Name"))
        }
    }
}

/// A mirrored header, decoded. Two of one name would let a proxy read the other one.
fn single<'r>(cx: Cx<'r>, name: &HeaderName) -> Result<Option<Cow<'r, str>>, Reason> {
    let mut values = cx.headers().get_all(name);
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            headers::decode(value.as_bytes()).map(Some).ok_or(Reason::Mismatch("encoding"))
        }
        (Some(_), Some(_)) => Err(Reason::Mismatch("two values")),
    }
}
