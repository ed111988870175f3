//! Step 1: what can be said of a request by its head alone.

use actix_web::http::Method;
use actix_web::http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};

use super::accept::{self, Accepted};
use super::call::{Cx, Received};
use super::refusal::Reason;
use super::session;
use crate::http::bearer::{self, NotBearer};

/// Finds the bearer token.
///
/// # Errors
/// A header that is no credential at all.
pub fn credentials(headers: &HeaderMap) -> Result<Received<'_>, Reason> {
    let token = bearer::token(headers).map_err(|fault| match fault {
        NotBearer::Malformed(word) => Reason::Authorization(word),
        NotBearer::NotToken(word) => Reason::BadCredentials(word),
    })?;
    Ok(Received { token })
}

/// What is asked of a service by a request's method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A message.
    Message,
    /// A session's stream, or only its head.
    Stream,
    /// A session's end.
    End,
}

/// Each message is a POST. Where upstreams keep sessions, a GET opens a stream and a DELETE ends a session.
///
/// # Errors
/// Anything else, after authentication, so that anonymous probes find the sign-in first.
pub fn method(cx: Cx<'_>) -> Result<Asked, Reason> {
    match *cx.request.method() {
        Method::POST => Ok(Asked::Message),
        Method::GET | Method::HEAD if session::keeps(cx.service) => Ok(Asked::Stream),
        Method::DELETE if session::keeps(cx.service) => Ok(Asked::End),
        _ => Err(Reason::Method),
    }
}

/// What the client takes, and that its body is JSON.
///
/// # Errors
/// 406 and 415.
pub fn negotiate(cx: Cx<'_>) -> Result<Accepted, Reason> {
    let headers = cx.headers();
    let mut values = headers.get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    let first = values.next();
    let accepted = match (first, values.next()) {
        (Some(first), Some(second)) => {
            let all: Vec<&str> = [first, second].into_iter().chain(values).collect();
            accept::negotiate(Some(&all.join(",")), cx.service.reading.require_accept)?
        }
        (first, _) => accept::negotiate(first, cx.service.reading.require_accept)?,
    };
    media(headers)?;
    Ok(accepted)
}

/// A compressed body could unfold to anything, and no client sends one.
fn media(headers: &HeaderMap) -> Result<(), Reason> {
    // none of a name that is there twice: who reads the other one would read something else
    let once = |name| {
        let mut values = headers.get_all(name);
        match (values.next(), values.next()) {
            (None, _) => Some(""),
            (Some(value), None) => value.to_str().ok(),
            (Some(_), Some(_)) => None,
        }
    };
    let (Some(kind), Some(encoding)) = (once(CONTENT_TYPE), once(CONTENT_ENCODING)) else {
        return Err(Reason::MediaType);
    };
    let essence = kind.split(';').next().unwrap_or_default().trim();
    let encoding = encoding.trim();
    let plain = encoding.is_empty() || encoding.eq_ignore_ascii_case("identity");
    if essence.eq_ignore_ascii_case("application/json") && plain { Ok(()) } else { Err(Reason::MediaType) }
}
