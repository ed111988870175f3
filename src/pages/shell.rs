//! One request for a page: whose brand, in which language, by whom, from which browser.

use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header::{self, HeaderName};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};

use super::answer::{self, Stop};
use super::next::is_own_path;
use super::view::{BrandView, ErrorKind, Lang, LangLink, Locale, Page, Shell, UserView, assets};
use super::words;
use crate::app::App;
use crate::app::brand::Brand;
use crate::app::sites::{Base, plain_authority};
use crate::domain::user::User;
use crate::http::session::signed_in;
use crate::http::strict::{self, Params};
use crate::http::{cookies, csrf};
use crate::store::StoreError;
use crate::store::sessions::Session;

const LANGUAGE_COOKIE: &str = "portero_lang";
/// What a page's address may hold and its links to other languages keep. The parameters of an authorization
/// request are not among them: that page is reached again by its transaction.
const KEPT: [&str; 5] = ["transaction", "id", "grant", "next", "name"];
const READ: [&str; 9] =
    ["transaction", "id", "grant", "next", "name", "lang", "ui_locales", "revoked", "disconnected"];

/// A request for a page.
pub(super) struct Visit<'a> {
    /// The shared parts.
    pub app: &'a App,
    /// The request.
    pub req: &'a HttpRequest,
    /// Whose page it is.
    pub brand: &'a Brand,
    /// Who is signed in.
    pub session: Option<(Session, User)>,
    /// The page's language.
    pub locale: Locale,
    browser: String,
    browser_cookie: Option<Cookie<'static>>,
    language_cookie: Option<Cookie<'static>>,
    kept: Vec<(&'static str, String)>,
    repeatable: bool,
}

impl<'a> Visit<'a> {
    /// A visit to a brand's page, by whoever is signed in.
    pub(super) async fn open(
        app: &'a App,
        req: &'a HttpRequest,
        brand: &'a Brand,
    ) -> Result<Self, StoreError> {
        let session = signed_in(app, req).await?;
        Ok(Self { session, ..Self::anonymous(app, req, brand) })
    }

    /// A visit to a page of whichever brand this host is.
    pub(super) async fn here(app: &'a App, req: &'a HttpRequest) -> Result<Self, Stop> {
        let brand = brand_here(app, req).ok_or(ErrorKind::NotFound)?;
        Ok(Self::open(app, req, brand).await?)
    }

    /// A visit by nobody in particular: for pages that must not need the database.
    pub(super) fn anonymous(app: &'a App, req: &'a HttpRequest, brand: &'a Brand) -> Self {
        let params = strict::query(req, &READ, &[]).unwrap_or_default();
        let chosen = chosen(&params, &configured(app));
        let (browser, browser_cookie) = cookies::browser(app, req);
        let kept = KEPT.iter().filter_map(|name| Some((*name, params.get(name)?.to_owned())));
        Self {
            app,
            req,
            brand,
            session: None,
            locale: Locale::new(chosen.unwrap_or_else(|| negotiated(app, req, &params))),
            browser,
            browser_cookie,
            language_cookie: chosen.map(|lang| language_cookie(app, lang)),
            kept: kept.collect(),
            repeatable: is_repeatable(req),
        }
    }

    /// Names what this page is reached again by, whatever the request's own query was.
    pub(super) fn reached_by(&mut self, name: &'static str, value: &str) {
        self.kept = vec![(name, value.to_owned())];
        self.repeatable = true;
    }

    /// The page's frame; its forms carry the proof for `purpose`.
    pub(super) fn shell(&self, purpose: &str) -> Shell {
        Shell {
            locale: self.locale,
            brand: brand_view(self.brand),
            languages: self.languages(),
            user: self.session.as_ref().map(|(_, user)| user_view(user)),
            csrf: csrf::tag(self.app, &self.browser, purpose),
            asset_version: assets::version(),
            now_ms: self.app.clock.now().millis(),
        }
    }

    fn languages(&self) -> Vec<LangLink> {
        let path = self.req.path();
        if !self.repeatable || !is_own_path(path) {
            return Vec::new();
        }
        let link = |lang: Lang| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.extend_pairs(&self.kept).append_pair("lang", lang.code());
            LangLink::new(lang, format!("{path}?{}", query.finish()))
        };
        configured(self.app).into_iter().map(link).collect()
    }

    /// Writes a page out, with what the browser has to remember.
    pub(super) fn answer(&self, status: StatusCode, page: &dyn Page) -> HttpResponse {
        let mut response = self.answer_unbound(status, page);
        set(&mut response, self.browser_cookie.as_ref());
        response
    }

    /// Writes a page without forms out: nothing ties it to the browser.
    pub(super) fn answer_unbound(&self, status: StatusCode, page: &dyn Page) -> HttpResponse {
        let mut response = answer::html(status, page);
        set(&mut response, self.language_cookie.as_ref());
        response
    }
}

/// Sets a cookie, if there is one. A cookie that is no header is ours to find out about, not the person's.
pub(super) fn set(response: &mut HttpResponse, cookie: Option<&Cookie<'_>>) {
    if let Some(Err(error)) = cookie.map(|cookie| response.add_cookie(cookie)) {
        tracing::error!(%error, "a cookie could not be set");
    }
}

fn user_view(user: &User) -> UserView {
    UserView { name: user.name.clone(), email: user.email.clone() }
}

fn brand_view(brand: &Brand) -> BrandView {
    BrandView {
        name: brand.config.name.clone(),
        css_href: format!("/assets/brand-{}.css", brand.id),
        logo_href: brand.config.logo.as_ref().map(|_| format!("/assets/brand-{}-logo", brand.id)),
    }
}

/// A page that a link can lead to again: asked with `GET`, by nothing but what its links keep.
fn is_repeatable(req: &HttpRequest) -> bool {
    let names = form_urlencoded::parse(req.query_string().as_bytes());
    matches!(*req.method(), Method::GET | Method::HEAD)
        && names.into_iter().all(|(name, _)| READ.contains(&name.as_ref()))
}

fn configured(app: &App) -> Vec<Lang> {
    app.config.languages.iter().map(|language| words::lang(*language)).collect()
}

/// The language that a link on a page names.
fn chosen(params: &Params, configured: &[Lang]) -> Option<Lang> {
    configured.iter().copied().find(|lang| params.get("lang") == Some(lang.code()))
}

fn negotiated(app: &App, req: &HttpRequest, params: &Params) -> Lang {
    let cookie = req.cookie(LANGUAGE_COOKIE);
    Lang::negotiate(
        params.get("ui_locales"),
        cookie.as_ref().map(Cookie::value),
        text(req, &header::ACCEPT_LANGUAGE),
        &configured(app),
    )
}

fn language_cookie(app: &App, lang: Lang) -> Cookie<'static> {
    Cookie::build(LANGUAGE_COOKIE, lang.code())
        .path("/")
        .http_only(true)
        .secure(app.sites.public.is_https())
        .same_site(SameSite::Lax)
        .max_age(Duration::days(365))
        .finish()
}

fn text<'r>(req: &'r HttpRequest, name: &HeaderName) -> Option<&'r str> {
    req.headers().get(name)?.to_str().ok()
}

/// The host and port that the request was sent to, as they are compared.
pub(super) fn authority(req: &HttpRequest) -> String {
    let sent = req.uri().authority().map(actix_web::http::uri::Authority::as_str);
    plain_authority(sent.or_else(|| text(req, &header::HOST)).unwrap_or_default())
}

/// True if the brand's issuer or one of its services lives on this host.
pub(super) fn lives_here(app: &App, req: &HttpRequest, brand: &Brand) -> bool {
    let here = authority(req);
    let on_host = |url: &str| Base::of(url).authority == here;
    on_host(&brand.issuer) || app.services_of(brand).any(|service| on_host(&service.resource))
}

/// The brand whose pages this host shows: the first that lives on it, else the first there is.
pub(super) fn brand_here<'a>(app: &'a App, req: &HttpRequest) -> Option<&'a Brand> {
    let here = app.brands.iter().find(|brand| lives_here(app, req, brand));
    here.or_else(|| app.brands.first()).map(AsRef::as_ref)
}

/// The authorization endpoint as this browser reaches it: cookies and `form-action` hold for one host alone, so
/// on the host of a service with another issuer it is the short form there.
pub(super) fn endpoint(req: &HttpRequest, issuer: &str) -> String {
    if Base::of(issuer).authority == authority(req) {
        format!("{issuer}/authorize")
    } else {
        "/authorize".to_owned()
    }
}
