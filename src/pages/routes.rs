//! The paths of pages, the same on every host that is ours, and what answers at them.

use actix_web::http::{Method, StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};

use super::settings::{app_disconnect, apps, connect, token_new, token_revoke, tokens};
use super::view::ErrorKind;
use super::{assets, error, login, logout};
use crate::app::App;
use crate::app::sites::Base;
use crate::http::{answer, cors};

/// A page's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageRoute {
    /// Leads people to the settings.
    Root,
    /// Sign in.
    Login,
    /// Sign out.
    Logout,
    /// Leads people to the first settings page.
    Settings,
    /// How to connect a client.
    Connect,
    /// Personal access tokens.
    Tokens,
    /// A new one.
    TokenNew,
    /// Revoke one.
    TokenRevoke,
    /// Authorized apps.
    Apps,
    /// Disconnect one.
    AppDisconnect,
    /// Style sheets, script, icon.
    Asset,
}

impl PageRoute {
    /// Every page.
    pub const ALL: [Self; 11] = [
        Self::Root,
        Self::Login,
        Self::Logout,
        Self::Settings,
        Self::Connect,
        Self::Tokens,
        Self::TokenNew,
        Self::TokenRevoke,
        Self::Apps,
        Self::AppDisconnect,
        Self::Asset,
    ];

    /// Its path; for assets the folder.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Root => "/",
            Self::Login => "/login",
            Self::Logout => "/logout",
            Self::Settings => "/settings",
            Self::Connect => "/settings/connect",
            Self::Tokens => "/settings/tokens",
            Self::TokenNew => "/settings/tokens/new",
            Self::TokenRevoke => "/settings/tokens/revoke",
            Self::Apps => "/settings/apps",
            Self::AppDisconnect => "/settings/apps/disconnect",
            Self::Asset => "/assets/",
        }
    }

    /// The methods it answers, for `Allow`.
    pub const fn methods(self) -> &'static str {
        match self {
            Self::Login | Self::Logout | Self::TokenNew | Self::TokenRevoke | Self::AppDisconnect => {
                "GET, HEAD, POST"
            }
            _ => "GET, HEAD",
        }
    }
}

/// Answers a request for a page.
pub async fn dispatch(page: PageRoute, app: &App, req: &HttpRequest, payload: web::Payload) -> HttpResponse {
    let (get, post) = (matches!(*req.method(), Method::GET | Method::HEAD), req.method() == Method::POST);
    match page {
        PageRoute::Root | PageRoute::Settings if get => to(PageRoute::Connect),
        PageRoute::Login if get => login::show(app, req).await,
        PageRoute::Login if post => login::submit(app, req, payload).await,
        PageRoute::Logout if get => logout::show(app, req).await,
        PageRoute::Logout if post => logout::submit(app, req, payload).await,
        PageRoute::Connect if get => connect::show(app, req).await,
        PageRoute::Tokens if get => tokens::show(app, req).await,
        PageRoute::TokenNew if get => token_new::show(app, req).await,
        PageRoute::TokenNew if post => token_new::submit(app, req, payload).await,
        PageRoute::TokenRevoke if get => token_revoke::show(app, req).await,
        PageRoute::TokenRevoke if post => token_revoke::submit(app, req, payload).await,
        PageRoute::Apps if get => apps::show(app, req).await,
        PageRoute::AppDisconnect if get => app_disconnect::show(app, req).await,
        PageRoute::AppDisconnect if post => app_disconnect::submit(app, req, payload).await,
        PageRoute::Asset if get => assets::show(app, req).await,
        _ => wrong_method(page, app, req),
    }
}

fn to(page: PageRoute) -> HttpResponse {
    HttpResponse::build(StatusCode::SEE_OTHER)
        .insert_header((header::LOCATION, page.path()))
        .insert_header((header::CACHE_CONTROL, answer::NO_STORE))
        .finish()
}

fn reads_html(req: &HttpRequest) -> bool {
    let accept = req.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

fn wrong_method(page: PageRoute, app: &App, req: &HttpRequest) -> HttpResponse {
    if !reads_html(req) {
        return answer::method_not_allowed(page.methods());
    }
    let mut response = error::page(app, req, None, ErrorKind::MethodNotAllowed);
    response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static(page.methods()));
    response
}

/// A path that is nobody's. Programs, and everything where programs look, get JSON; people get a page.
pub fn unknown_path(app: &App, req: &HttpRequest) -> HttpResponse {
    let path = req.path();
    let issuers = app.brands.iter().map(|brand| Base::of(&brand.issuer).path);
    let resources = app.services.iter().map(|service| Base::of(&service.resource).path);
    let of_programs = path.starts_with("/.well-known/")
        || issuers.chain(resources).filter(|base| !base.is_empty()).any(|base| path.starts_with(&base));
    if of_programs && req.method() == Method::OPTIONS {
        return cors::preflight(req, "GET, HEAD, OPTIONS");
    }
    if of_programs {
        return cors::open(answer::not_found());
    }
    if !reads_html(req) {
        return answer::not_found();
    }
    error::page(app, req, None, ErrorKind::NotFound)
}
