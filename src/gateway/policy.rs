//! Step 6: what a permitted call must bring. Only here is a [`Permitted`] made.

use std::borrow::Cow;
use std::sync::Arc;

use actix_web::http::header::HeaderValue;
use bytes::Bytes;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::call::{Cx, Entitled};
use super::names;
use super::rate::Admitted;
use super::refusal::Reason;
use super::rest::{Prepared, Spoken, request};
use super::service::Tool;
use super::validate;
use crate::config::Idempotency;
use crate::domain::tool::Confirm;
use crate::mcp::arguments;
use crate::mcp::jsonrpc::{self, Id, Meta, Params};
use crate::mcp::version::Version;

/// An idempotency key is no longer than this.
const MAX_KEY: usize = 255;

/// A call that may be sent. Its fields are private: there is no other way to make one than [`permit`].
pub struct Permitted<'b> {
    tool: Arc<Tool>,
    id: Id<'b>,
    version: Version,
    meta: Meta<'b>,
    params: Params<'b>,
    body: Bytes,
    confirmed: bool,
    intent: Option<Cow<'b, str>>,
    key: Option<Cow<'b, str>>,
    request: Option<Prepared>,
}

impl<'b> Permitted<'b> {
    /// The tool.
    pub fn tool(&self) -> &Arc<Tool> {
        &self.tool
    }

    /// The id to echo.
    pub fn id(&self) -> Id<'b> {
        self.id
    }

    /// The revision of the answer.
    pub fn version(&self) -> Version {
        self.version
    }

    /// What the request says of itself.
    pub fn meta(&self) -> &Meta<'b> {
        &self.meta
    }

    /// All that it was asked with, as it came.
    pub fn params(&self) -> &Params<'b> {
        &self.params
    }

    /// What the worker gets.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// True if a person confirmed.
    pub fn confirmed(&self) -> bool {
        self.confirmed
    }

    /// What the person wants.
    pub fn intent(&self) -> Option<&str> {
        self.intent.as_deref()
    }

    /// What a REST API gets; none where a worker gets the body.
    pub fn take_request(&mut self) -> Option<Prepared> {
        self.request.take()
    }

    /// The client's own idempotency key.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }
}

/// Checks what the tool's policy asks for.
///
/// # Errors
/// What is missing, in words that a model can act on.
pub fn permit<'b>(cx: Cx<'_>, admitted: Admitted<'b>, body: &'b Bytes) -> Result<Permitted<'b>, Reason> {
    let Entitled { call, tool, spoken } = admitted.into_entitled();
    let given = call.params.arguments.filter(|raw| !jsonrpc::is_null(raw));
    if given.is_some_and(|raw| !jsonrpc::is_object(raw)) {
        return Err(Reason::Params("arguments is an object"));
    }
    if call.version.is_modern() {
        mirrored(cx, &tool, given)?;
    }
    let whole = || given.map_or(Bytes::from_static(b"{}"), |given| body.slice_ref(given.get().as_bytes()));
    let (sent, confirmed, intent) = match (spoken, given) {
        _ if !tool.confirms() => (whole(), false, None),
        (Some(spoken), _) => (whole(), true, agreed(&tool, spoken)?),
        (None, Some(given)) => confirmed(&tool, given)?,
        (None, None) => return Err(unconfirmed(&tool)),
    };
    if let Some(schema) = &tool.arguments {
        validate::arguments(schema, &sent)?;
    }
    let request = request::prepare(&tool, &cx.gateway.names, &sent)?;
    let key = if tool.policy.read_only { None } else { key(cx, &tool, &call.meta)? };
    Ok(Permitted {
        tool,
        id: call.id,
        version: call.version,
        meta: call.meta,
        params: call.params,
        body: sent,
        confirmed,
        intent,
        key,
        request,
    })
}

/// The same where both stand beside the arguments.
fn agreed<'b>(tool: &Tool, spoken: Spoken<'b>) -> Result<Option<Cow<'b, str>>, Reason> {
    let intent = spoken.intent.filter(|_| tool.policy.confirm == Confirm::Intent);
    if !spoken.confirmed || (tool.policy.confirm == Confirm::Intent && intent.is_none()) {
        return Err(unconfirmed(tool));
    }
    Ok(intent)
}

type Confirmed<'b> = (Bytes, bool, Option<Cow<'b, str>>);

fn confirmed<'b>(tool: &Tool, given: &'b RawValue) -> Result<Confirmed<'b>, Reason> {
    let wants_intent = tool.policy.confirm == Confirm::Intent;
    let taken = arguments::take(given, wants_intent)
        .ok_or_else(|| Reason::Arguments("confirm or user_intent is there twice".into()))?;
    if !taken.confirmed || (wants_intent && taken.intent.is_none()) {
        return Err(unconfirmed(tool));
    }
    Ok((Bytes::from(taken.rest), true, taken.intent))
}

fn unconfirmed(tool: &Tool) -> Reason {
    Reason::Confirm(tool.confirm_message.clone(), tool.policy.confirm == Confirm::Intent)
}

/// `Mcp-Param-*` repeat the arguments they mirror. Checked after entitlement, so that a mismatch does not tell
/// of tools that the caller cannot see.
fn mirrored(cx: Cx<'_>, tool: &Tool, given: Option<&RawValue>) -> Result<(), Reason> {
    if tool.mirrors.is_empty() {
        return Ok(());
    }
    let arguments: Map<String, Value> = match given {
        Some(given) => {
            serde_json::from_str(given.get()).map_err(|_| Reason::Params("arguments cannot be read"))?
        }
        None => Map::new(),
    };
    for mirror in &tool.mirrors {
        let mut values = cx.headers().get_all(mirror.header.as_str());
        let (first, second) = (values.next(), values.next());
        if second.is_some() || !mirror.holds(&arguments, first.map(HeaderValue::as_bytes)) {
            return Err(Reason::Mismatch("Mcp-Param"));
        }
    }
    Ok(())
}

/// The client's key, from its header or `_meta`; it goes into a header, so it is short and printable.
fn key<'b>(cx: Cx<'_>, tool: &Tool, meta: &Meta<'b>) -> Result<Option<Cow<'b, str>>, Reason> {
    if tool.idempotency == Idempotency::Off {
        return Ok(None);
    }
    let key = match meta.idempotency_key {
        _ if cx.headers().contains_key(&names::IDEMPOTENCY_KEY) => {
            cx.header(&names::IDEMPOTENCY_KEY).map(|key| Cow::Owned(key.to_owned()))
        }
        Some(raw) => jsonrpc::text(raw),
        None => return Ok(None),
    };
    let good =
        |key: &str| (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
    match key {
        Some(key) if good(&key) => Ok(Some(key)),
        _ => Err(Reason::Key("an idempotency key is one of 1 to 255 visible ASCII characters")),
    }
}
