//! What `prompt` asks for. Consent is always asked, so `none` cannot be had; `login` wants a sign-in of its own;
//! everything else changes nothing, nor do `max_age` and `login_hint`. Attack: somebody else at a browser that was
//! left signed in.

use crate::http::strict::Params;
use crate::oauth::error::Code;

/// True if whoever decides has to sign in first, signed in or not.
pub(super) fn check(params: &Params) -> Result<bool, (Code, &'static str)> {
    let prompts: Vec<&str> = params.get("prompt").unwrap_or_default().split(' ').collect();
    match (prompts.contains(&"none"), prompts.len()) {
        (false, _) => Ok(prompts.contains(&"login")),
        (true, 1) => Err((Code::ConsentRequired, "consent is always asked")),
        (true, _) => Err((Code::InvalidRequest, "prompt=none stands alone")),
    }
}
