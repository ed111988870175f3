//! Our two cookies: the session, and a random value that ties a form to the browser that was shown it.

use actix_web::HttpRequest;
use actix_web::cookie::{Cookie, SameSite};

use crate::app::App;
use crate::domain::secret::base62;

fn name(app: &App, plain: &'static str, host: &'static str) -> &'static str {
    // `__Host-` needs https; on loopback http browsers would drop such a cookie.
    if app.sites.public.is_https() { host } else { plain }
}

/// The name of the session cookie.
pub fn session_name(app: &App) -> &'static str {
    name(app, "portero_session", "__Host-portero_session")
}

fn browser_name(app: &App) -> &'static str {
    name(app, "portero_browser", "__Host-portero_browser")
}

fn build<'a>(app: &App, name: &'static str, value: String) -> Cookie<'a> {
    Cookie::build(name, value)
        .path("/")
        .http_only(true)
        .secure(app.sites.public.is_https())
        .same_site(SameSite::Lax)
        .finish()
}

/// The cookie that begins a session.
pub fn session(app: &App, value: &str) -> Cookie<'static> {
    build(app, session_name(app), value.to_owned())
}

/// The cookie that ends one.
pub fn no_session(app: &App) -> Cookie<'static> {
    let mut cookie = build(app, session_name(app), String::new());
    cookie.make_removal();
    cookie
}

/// The value that ties forms to this browser, and the cookie to set if it had none.
pub fn browser(app: &App, req: &HttpRequest) -> (String, Option<Cookie<'static>>) {
    let known = req.cookie(browser_name(app)).map(|cookie| cookie.value().to_owned());
    let well_formed = |value: &String| value.len() == 22 && value.bytes().all(|b| b.is_ascii_alphanumeric());
    if let Some(value) = known.filter(well_formed) {
        return (value, None);
    }
    let mut bytes = [0u8; 16];
    app.entropy.fill(&mut bytes);
    let value = base62(&bytes, 22);
    (value.clone(), Some(build(app, browser_name(app), value)))
}
