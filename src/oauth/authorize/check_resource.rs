//! The service the token will be for (RFC 8707). Attack: a token for one service used at another.

use std::sync::Arc;

use crate::app::App;
use crate::app::brand::Brand;
use crate::app::service::Service;
use crate::http::strict::Params;
use crate::oauth::error::Code;

pub(super) fn check<'a>(
    app: &'a App,
    brand: &'a Brand,
    params: &Params,
) -> Result<&'a Arc<Service>, (Code, &'static str)> {
    let refused = (Code::InvalidTarget, "resource must name one service of this server");
    let mut named = params.resources().map_err(|_| refused)?.iter();
    let Some(first) = named.next() else { return app.service_for(brand, None).ok_or(refused) };
    let service = app.service_for(brand, Some(first)).ok_or(refused)?;
    // One access token has one audience: further spellings of it are fine, further services are not.
    if named.all(|other| service.is_named_by(other)) { Ok(service) } else { Err(refused) }
}
