//! The request that arguments make.

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};

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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.argument.is_empty() {
            return f.write_str(&self.reason);
        }
        write!(f, "`{}` {}", self.argument, self.reason)
    }
}

impl std::error::Error for Fault {}
