//! The proof that a form came from a page this browser was shown.
//!
//! A tag over the browser's cookie and the form's purpose, not a stored one-time value: two renders of one page
//! both work, and so does a page whose person signed in meanwhile in another tab.

use actix_web::HttpRequest;
use actix_web::http::header;

use super::cookies;
use crate::app::App;

/// The tag for a form of `purpose`.
pub fn tag(app: &App, browser: &str, purpose: &str) -> String {
    app.keys.tag(app.clock.now(), "csrf", &[browser, purpose])
}

/// True if the posted tag is this browser's for `purpose`, and the request does not say that it comes from
/// another site.
pub fn check(app: &App, req: &HttpRequest, purpose: &str, posted: Option<&str>) -> bool {
    let (browser, fresh) = cookies::browser(app, req);
    fresh.is_none()
        && same_site(app, req)
        && posted.is_some_and(|tag| app.keys.verify_tag("csrf", &[&browser, purpose], tag))
}

fn same_site(app: &App, req: &HttpRequest) -> bool {
    let text = |name| req.headers().get(name).and_then(|value| value.to_str().ok());
    let fetch_site = text(header::HeaderName::from_static("sec-fetch-site"));
    if fetch_site.is_some_and(|site| matches!(site, "cross-site" | "same-site")) {
        return false;
    }
    text(header::ORIGIN).is_none_or(|origin| {
        let authority = origin.split_once("://").map(|(_, authority)| authority);
        // `null` is what a browser sends after `Referrer-Policy: no-referrer`; the tag still has to be right.
        origin == "null" || authority.is_some_and(|authority| app.sites.knows(authority))
    })
}
