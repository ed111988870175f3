//! The bearer token of a request, RFC 6750 §2.1: one header, one scheme, one token.

use actix_web::http::header::{AUTHORIZATION, HeaderMap};

/// Why a header is no bearer token; the words are for logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotBearer {
    /// No credential at all, or more than one: 400.
    Malformed(&'static str),
    /// A credential that no server of ours gave out: 401.
    NotToken(&'static str),
}

/// Finds the bearer token. Other schemes are no credentials here (RFC 6750 §3).
///
/// Two credentials in one request are refused: a proxy in front might have checked the other one.
pub fn token(headers: &HeaderMap) -> Result<Option<&str>, NotBearer> {
    let mut values = headers.get_all(AUTHORIZATION);
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(NotBearer::Malformed("two_authorizations"));
    }
    let text = value.to_str().map_err(|_| NotBearer::Malformed("authorization_not_text"))?.trim();
    let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Ok(None);
    }
    let token = rest.trim();
    if token.is_empty() {
        Err(NotBearer::Malformed("empty_bearer"))
    } else if token.contains(',') {
        Err(NotBearer::Malformed("two_authorizations"))
    } else if token.contains(' ') {
        let doubled = token.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("bearer "));
        Err(NotBearer::NotToken(if doubled { "doubled_scheme" } else { "not_a_token" }))
    } else {
        Ok(Some(token))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    fn check(values: &[&'static str]) -> Result<Option<String>, NotBearer> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_static(value));
        }
        token(&headers).map(|found| found.map(str::to_owned))
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
        for values in [
            &["Bearer"][..],
            &["Bearer "],
            &["Bearer a, Bearer b"],
            &["Bearer a,Basic b"],
            &["Bearer a", "Bearer a"],
            &["Bearer a", "Basic b"],
        ] {
            assert!(matches!(check(values), Err(NotBearer::Malformed(_))), "{values:?}");
        }
        for value in ["Bearer Bearer a", "Bearer a b"] {
            assert!(matches!(check(&[value]), Err(NotBearer::NotToken(_))), "{value}");
        }
    }
}
