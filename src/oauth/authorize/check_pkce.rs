//! PKCE with S256, always (RFC 7636, RFC 9700 §2.1.1). Attack: a stolen code redeemed by its thief; `plain` and
//! an absent method would let it.

use crate::domain::pkce;
use crate::http::strict::Params;
use crate::oauth::error::Code;

pub(super) fn check(params: &Params) -> Result<&str, (Code, &'static str)> {
    let refused = |description| Err((Code::InvalidRequest, description));
    let Some(challenge) = params.get("code_challenge") else { return refused("code_challenge is missing") };
    if params.get("code_challenge_method") != Some("S256") {
        return refused("code_challenge_method must be S256");
    }
    if !pkce::is_challenge(challenge) {
        return refused("code_challenge must be 43 characters of base64url");
    }
    Ok(challenge)
}
