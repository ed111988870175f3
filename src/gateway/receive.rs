//! Step 1: what can be said of a request by its head alone.

use actix_web::http::Method;
use actix_web::http::header::{ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};

use super::accept::{self, Accepted};
use super::call::{Cx, Received};
use super::refusal::Reason;

/// Finds the bearer token. Other schemes are no credentials here (RFC 6750 §3).
///
/// Two credentials in one request are refused: a proxy in front might have checked the other one.
///
/// # Errors
/// A header that is no credential at all.
pub fn credentials(headers: &HeaderMap) -> Result<Received<'_>, Reason> {
    let mut values = headers.get_all(AUTHORIZATION);
    let Some(value) = values.next() else { return Ok(Received { token: None }) };
    if values.next().is_some() {
        return Err(Reason::Authorization("two_authorizations"));
    }
    let text = value.to_str().map_err(|_| Reason::Authorization("authorization_not_text"))?.trim();
    let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Ok(Received { token: None });
    }
    let token = rest.trim();
    if token.is_empty() {
        Err(Reason::Authorization("empty_bearer"))
    } else if token.contains(',') {
        Err(Reason::Authorization("two_authorizations"))
    } else if token.contains(' ') {
        let doubled = token.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("bearer "));
        Err(Reason::BadCredentials(if doubled { "doubled_scheme" } else { "not_a_token" }))
    } else {
        Ok(Received { token: Some(token) })
    }
}

/// Each message is a POST.
///
/// # Errors
/// Anything else, after authentication, so that anonymous probes find the sign-in first.
pub fn method(cx: Cx<'_>) -> Result<(), Reason> {
    if cx.request.method() == Method::POST { Ok(()) } else { Err(Reason::Method) }
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
            accept::negotiate(Some(&all.join(",")), cx.service.require_accept)?
        }
        (first, _) => accept::negotiate(first, cx.service.require_accept)?,
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

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    fn check(values: &[&'static str]) -> Result<Option<String>, &'static str> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_static(value));
        }
        credentials(&headers)
            .map(|found| found.token.map(str::to_owned))
            .map_err(|reason| reason.code().word())
    }

    #[test]
    fn bearer_in_any_case_with_any_spaces() {
        for value in ["Bearer t", "bearer t", "BEARER   t", "  Bearer t  "] {
            assert_eq!(check(&[value]), Ok(Some("t".into())), "{value}");
        }
    }

    #[test]
    fn what_is_no_credential() {
        assert_eq!(check(&[]), Ok(None));
        assert_eq!(check(&["Basic dXNlcg=="]), Ok(None));
        assert_eq!(check(&["Digest a=\"b\", c=\"d\""]), Ok(None));
        for value in ["Bearer", "Bearer ", "Bearer a, Bearer b", "Bearer a,Basic b"] {
            assert_eq!(check(&[value]), Err("invalid_request"), "{value}");
        }
        assert_eq!(check(&["Bearer a", "Bearer a"]), Err("invalid_request"));
        assert_eq!(check(&["Bearer a", "Basic b"]), Err("invalid_request"));
        assert_eq!(check(&["Bearer Bearer a"]), Err("invalid_token"));
        assert_eq!(check(&["Bearer a b"]), Err("invalid_token"));
    }
}
