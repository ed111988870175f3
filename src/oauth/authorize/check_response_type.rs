//! `response_type=code`, answered in the query, from plain parameters. Attack: tokens in
//! fragments, and fetches of whatever a `request_uri` names.

use crate::http::strict::Params;
use crate::oauth::error::Code;

pub(super) fn check(params: &Params) -> Result<(), (Code, &'static str)> {
    match params.get("response_type") {
        None => return Err((Code::InvalidRequest, "response_type is missing")),
        Some("code") => {}
        Some(_) => return Err((Code::UnsupportedResponseType, "response_type must be code")),
    }
    if params.get("request").is_some() {
        return Err((Code::RequestNotSupported, "request objects are not supported"));
    }
    if params.get("request_uri").is_some() {
        return Err((Code::RequestUriNotSupported, "request_uri is not supported"));
    }
    if params.get("response_mode").is_some_and(|mode| mode != "query") {
        return Err((Code::InvalidRequest, "response_mode must be query"));
    }
    Ok(())
}
