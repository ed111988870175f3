//! The request that arguments make.

mod body;
mod cookie;
mod encode;
mod form;
pub(super) mod header;
mod multipart;
pub(super) mod path;
mod query;
mod style;

use std::fmt;

use bytes::Bytes;
use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue};
use serde_json::{Map, Value};

use super::operation::{Location, Operation, Parameter};

/// A request, relative to the server's URL.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Path and query, percent-encoded; it begins with `/` and is to be appended to the server URL without its
    /// last slash.
    pub target: String,
    /// `Accept`, and header and cookie parameters. The gateway's own headers go over them.
    pub headers: HeaderMap,
    /// `Content-Type` and the bytes.
    pub body: Option<(HeaderValue, Bytes)>,
}

/// Why arguments make no request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The argument's name; empty if none is to blame.
    pub argument: String,
    /// What is wrong with it, to be read behind its name.
    pub reason: String,
}

impl Fault {
    fn new(argument: &str, reason: impl Into<String>) -> Self {
        Self { argument: argument.to_owned(), reason: reason.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.argument.is_empty() {
            return f.write_str(&self.reason);
        }
        write!(f, "`{}` {}", self.argument, self.reason)
    }
}

impl std::error::Error for Fault {}

/// A parameter and its value; those without one are left out.
type Given<'a> = Vec<(&'a Parameter, &'a Value)>;

/// Builds the request of an operation.
pub(super) fn build(operation: &Operation, arguments: &Map<String, Value>) -> Result<Request, Fault> {
    if let Some(says) = &operation.unavailable {
        return Err(Fault::new("", format!("this operation cannot be called: {says}")));
    }
    let body = operation.parts.body.as_ref();
    let known = |name: &str| {
        operation.parameters.iter().any(|own| own.argument == name)
            || body.is_some_and(|body| body.takes(name))
    };
    if let Some(name) = arguments.keys().find(|name| !known(name)) {
        return Err(Fault::new(name, "is no argument of this operation"));
    }
    let at = |location: Location| -> Result<Given<'_>, Fault> {
        let mut given = Vec::new();
        for parameter in operation.parameters.iter().filter(|own| own.location == location) {
            match arguments.get(&parameter.argument) {
                Some(value) => given.push((parameter, value)),
                None if parameter.required => return Err(Fault::new(&parameter.argument, "is required")),
                None => {}
            }
        }
        Ok(given)
    };
    let mut target = path::write(&operation.path, &at(Location::Path)?)?;
    query::append(&mut target, &at(Location::Query)?);
    let mut headers = HeaderMap::new();
    if let Some(accept) = &operation.parts.accept {
        headers.insert(ACCEPT, accept.clone());
    }
    header::write(&mut headers, &at(Location::Header)?)?;
    cookie::write(&mut headers, &at(Location::Cookie)?)?;
    let body = match body {
        Some(body) => body::write(body, arguments)?,
        None => None,
    };
    Ok(Request { target, headers, body })
}
