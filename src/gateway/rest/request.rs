//! The request of an operation, ready before anything is written down or charged: arguments that make none are told
//! while nothing has happened.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap};
use http::{Method, Uri};

use super::super::refusal::Reason;
use super::super::service::{Route, Tool};
use super::super::validate;
use crate::upstream::identity_headers::Names;

/// An answerable size of what is said of a fault.
const MAX_WORDS: usize = 240;

/// What is sent to a REST API.
pub struct Prepared {
    /// The method.
    pub method: Method,
    /// Where to.
    pub uri: Uri,
    /// Path and query, as the assertion says them.
    pub target: String,
    /// What arguments and body want; everything of the gateway's goes over them.
    pub headers: HeaderMap,
    /// The body; empty if there is none.
    pub body: Bytes,
}

/// The request that these arguments make of a tool; `None` where they are sent as they are.
///
/// # Errors
/// What is wrong with the arguments, by their names.
pub fn prepare(tool: &Tool, names: &Names, sent: &[u8]) -> Result<Option<Prepared>, Reason> {
    let Route::Operation(call) = &tool.route else { return Ok(None) };
    let schema = call.schema().ok_or(Reason::Unavailable("operation_schema"))?;
    let arguments = validate::arguments(schema, sent)?;
    let made = call.operation.request(&arguments).map_err(|fault| {
        let fault: String = fault.to_string().chars().take(MAX_WORDS).collect();
        Reason::Arguments(format!("Arguments: {fault}.").into())
    })?;
    let target = made.target;
    let uri = format!("{}{target}", call.base).parse();
    let uri = uri.map_err(|_| Reason::Arguments("Arguments that make no URL.".into()))?;
    let mut headers = HeaderMap::new();
    for (name, value) in made.headers {
        // one value of each, and none that says who calls or how the message is framed
        if let Some(name) = name.filter(|name| !names.is_ours(name)) {
            headers.insert(name, value);
        }
    }
    let body = made.body.map_or_else(Bytes::new, |(kind, body)| {
        headers.insert(CONTENT_TYPE, kind);
        body
    });
    Ok(Some(Prepared { method: call.operation.method.clone(), uri, target, headers, body }))
}

impl Prepared {
    /// Its headers with those of the tool over them.
    pub fn under(&self, tool: &HeaderMap) -> HeaderMap {
        let mut all = self.headers.clone();
        all.extend(tool.clone());
        all
    }
}
