//! `/login`: sign in, with or without a client waiting.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};

use super::answer::{self, Stop, see_other};
use super::error;
use super::next::Next;
use super::shell::{self, Visit, brand_here};
use super::view::{ErrorKind, LoginError, LoginPage};
use super::words;
use crate::app::App;
use crate::app::brand::Brand;
use crate::domain::user::User;
use crate::http::client_ip;
use crate::http::strict::{self, Params};
use crate::http::{cookies, csrf};
use crate::identity::password::SignIn;
use crate::oauth::authorize::Pending;

/// What the form's proof is for, where no request waits.
const PURPOSE: &str = "login";

/// `GET /login`.
pub async fn show(app: &App, req: &HttpRequest) -> HttpResponse {
    shown(app, req).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn shown(app: &App, req: &HttpRequest) -> Result<HttpResponse, Stop> {
    open(app)?;
    let params = strict::query(req, &["next"], &[])?;
    let door = Door::at(app, Next::read(params.get("next"))).await?;
    let visit = Visit::open(app, req, door.brand(app, req)?).await?;
    if visit.session.is_some() {
        return Ok(see_other(&door.next.location_or_home(req, &visit.brand.issuer)));
    }
    Ok(visit.answer(StatusCode::OK, &door.page(&visit, "", None)))
}

/// `POST /login`.
pub async fn submit(app: &App, req: &HttpRequest, payload: web::Payload) -> HttpResponse {
    submitted(app, req, payload).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn submitted(app: &App, req: &HttpRequest, payload: web::Payload) -> Result<HttpResponse, Stop> {
    open(app)?;
    let form = answer::form(req, payload).await?;
    let door = Door::at(app, Next::read(form.get("next"))).await?;
    let mut visit = Visit::open(app, req, door.brand(app, req)?).await?;
    visit.reached_by("next", door.next.text());
    if !proven(app, req, &form, &door.next) {
        return Ok(visit.answer(StatusCode::FORBIDDEN, &door.page(&visit, "", Some(LoginError::Stale))));
    }
    let (email, password) = (form.get("email").unwrap_or_default(), form.get("password").unwrap_or_default());
    let address = client_ip::source(req, &app.config.trusted_proxies);
    match app.identity.sign_in(email, password, &address).await? {
        SignIn::Ok(user, checked) => match signed_in(&visit, &door, &user, &checked).await? {
            Some(response) => Ok(response),
            None => {
                Ok(visit.answer(StatusCode::BAD_REQUEST, &door.page(&visit, email, Some(LoginError::Wrong))))
            }
        },
        // 401 would owe a challenge (RFC 9110 §15.5.2), and browsers answer one with a window of their own: to
        // them this is a form with wrong values.
        SignIn::Refused => {
            Ok(visit.answer(StatusCode::BAD_REQUEST, &door.page(&visit, email, Some(LoginError::Wrong))))
        }
        SignIn::Throttled(wait) => {
            let page = door.page(&visit, email, Some(LoginError::Throttled));
            Ok(answer::retry_after(visit.answer(StatusCode::TOO_MANY_REQUESTS, &page), wait.as_secs()))
        }
    }
}

fn open(app: &App) -> Result<(), ErrorKind> {
    if app.config.login.password { Ok(()) } else { Err(ErrorKind::NotFound) }
}

/// The authorization page holds this form too, with the proof of its request.
fn proven(app: &App, req: &HttpRequest, form: &Params, next: &Next) -> bool {
    let posted = form.get("csrf");
    let waiting = matches!(next, Next::Transaction(_)).then(|| next.text());
    csrf::check(app, req, PURPOSE, posted) || waiting.is_some_and(|id| csrf::check(app, req, id, posted))
}

/// Begins a new session, whatever the browser had before. Attack: a session planted before the sign-in, and
/// shared with whoever planted it.
///
/// `None` if the password that was checked is no longer theirs.
async fn signed_in(
    visit: &Visit<'_>,
    door: &Door,
    user: &User,
    checked: &str,
) -> Result<Option<HttpResponse>, Stop> {
    let (app, req) = (visit.app, visit.req);
    let Some(secret) = app.identity.begin_session(user, checked).await? else { return Ok(None) };
    if let Some(old) = req.cookie(cookies::session_name(app)) {
        app.identity.end_session(old.value()).await?;
    }
    if let Next::Transaction(id) = &door.next {
        // A request that is another person's stays theirs; its page says so.
        app.identity.bind(id, &user.id).await?;
    }
    let mut response = see_other(&door.next.location_or_home(req, &visit.brand.issuer));
    shell::set(&mut response, Some(&cookies::session(app, secret.expose())));
    Ok(Some(response))
}

/// What the person signs in for.
struct Door {
    next: Next,
    waiting: Option<Pending>,
}

impl Door {
    async fn at(app: &App, next: Next) -> Result<Self, Stop> {
        let waiting = next.pending(app).await?;
        Ok(Self { next, waiting })
    }

    fn brand<'a>(&'a self, app: &'a App, req: &HttpRequest) -> Result<&'a Brand, ErrorKind> {
        let waiting = self.waiting.as_ref().map(|pending| pending.brand().as_ref());
        waiting.or_else(|| brand_here(app, req)).ok_or(ErrorKind::NotFound)
    }

    fn page(&self, visit: &Visit<'_>, email: &str, error: Option<LoginError>) -> LoginPage {
        LoginPage {
            shell: visit.shell(PURPOSE),
            email: email.to_owned(),
            next: self.next.text().to_owned(),
            client: self.waiting.as_ref().map(|pending| words::name(pending.client.display_name())),
            password: true,
            oidc: Vec::new(),
            signup_href: None,
            error,
        }
    }
}
