//! The redirect URI is one of the client's, as the exact string (RFC 9700 §4.1; loopback ports are free,
//! RFC 8252 §7.3). Attack: a code sent to somebody else.

use super::{Fault, PageFault, VerifiedRedirect};
use crate::app::App;
use crate::app::brand::Brand;
use crate::domain::client::Client;
use crate::domain::redirect_uri;
use crate::http::strict::Params;
use crate::oauth::redirect_allowlist;

pub(super) fn check(
    app: &App,
    brand: &Brand,
    params: &Params,
    client: &Client,
) -> Result<VerifiedRedirect, Fault> {
    let registered = &client.metadata.redirect_uris;
    let asked = match (params.get("redirect_uri"), registered.as_slice()) {
        (Some(asked), _) => asked,
        (None, [only]) => only.as_str(),
        (None, _) => return Err(Fault::Page(PageFault::Redirect)),
    };
    if !is_own(app, client, asked) {
        return Err(Fault::Page(PageFault::Redirect));
    }
    Ok(VerifiedRedirect {
        uri: asked.to_owned(),
        state: params.get("state").map(str::to_owned),
        issuer: brand.issuer.clone(),
    })
}

/// True if an answer may go there: when it is asked for, and still when it is decided.
pub(super) fn is_own(app: &App, client: &Client, uri: &str) -> bool {
    redirect_uri::check(uri).is_ok()
        && client.metadata.redirect_uris.iter().any(|own| redirect_uri::matches(own, uri))
        && redirect_allowlist::allows(&app.config.oauth.redirect_allowlist, uri)
}
