//! `/logout`: end the session of this browser, and it alone. Connected apps stay.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};

use super::answer::{self, Stop, see_other};
use super::error;
use super::next::{Next, transaction};
use super::settings::purpose;
use super::shell::{self, Visit, brand_here};
use super::view::{ErrorKind, LogoutPage};
use crate::app::App;
use crate::domain::ids::UserId;
use crate::http::strict::{self, Params};
use crate::http::{cookies, csrf};
use crate::store::transactions::Transaction;

/// What the form's proof is for, on the page that asks.
const PURPOSE: &str = "logout";
const SIGN_IN: &str = "/login";

/// `GET /logout`: a question, because a link alone must not sign anybody out.
pub async fn show(app: &App, req: &HttpRequest) -> HttpResponse {
    shown(app, req).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn shown(app: &App, req: &HttpRequest) -> Result<HttpResponse, Stop> {
    let params = strict::query(req, &["next"], &[])?;
    let next = Next::read(params.get("next"));
    let visit = Visit::here(app, req).await?;
    if visit.session.is_none() {
        return Ok(see_other(SIGN_IN));
    }
    let page = LogoutPage { shell: visit.shell(PURPOSE), next: next.text().to_owned() };
    Ok(visit.answer(StatusCode::OK, &page))
}

/// `POST /logout`.
pub async fn submit(app: &App, req: &HttpRequest, payload: web::Payload) -> HttpResponse {
    submitted(app, req, payload).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn submitted(app: &App, req: &HttpRequest, payload: web::Payload) -> Result<HttpResponse, Stop> {
    let form = answer::form(req, payload).await?;
    let next = Next::read(form.get("next"));
    let visit = Visit::here(app, req).await?;
    if visit.session.is_some() && !proven(&visit, &form, &next) {
        return Err(ErrorKind::Csrf.into());
    }
    let cookie = req.cookie(cookies::session_name(app));
    if let Some(cookie) = &cookie {
        app.identity.end_session(cookie.value()).await?;
    }
    let mut response = see_other(&onwards(&visit, &form, &next).await?);
    shell::set(&mut response, cookie.map(|_| cookies::no_session(app)).as_ref());
    Ok(response)
}

/// True if it is the owner of a request who leaves, or who has left meanwhile and pressed the button on its page:
/// whoever merely knows the id takes it from nobody.
fn leaves(visit: &Visit<'_>, form: &Params, kept: &Transaction, owner: &UserId) -> bool {
    visit.session.as_ref().is_some_and(|(_, user)| user.id == *owner)
        || csrf::check(visit.app, visit.req, kept.id.as_str(), form.get("csrf"))
}

/// The button stands on three kinds of page, each with a proof of its own.
fn proven(visit: &Visit<'_>, form: &Params, next: &Next) -> bool {
    let is = |purpose: &str| csrf::check(visit.app, visit.req, purpose, form.get("csrf"));
    let settings = visit.session.as_ref().map(|(_, user)| purpose(&user.id));
    let waiting = matches!(next, Next::Transaction(_)).then(|| next.text());
    is(PURPOSE) || settings.as_deref().is_some_and(is) || waiting.is_some_and(is)
}

/// Back to the request that waits, if one does. Where it belonged to the person who has just left, whoever signs in
/// now goes on with it under a new id; what that person still has open of it is over.
async fn onwards(visit: &Visit<'_>, form: &Params, next: &Next) -> Result<String, Stop> {
    let (app, req) = (visit.app, visit.req);
    if let Some(pending) = next.pending(app).await? {
        let kept = &pending.kept;
        let id = match &kept.user {
            Some(owner) if leaves(visit, form, kept, owner) => app.identity.hand_on(&kept.id, owner).await?,
            _ => None,
        };
        return Ok(transaction(req, &pending.brand().issuer, id.as_ref().unwrap_or(&kept.id)));
    }
    let issuer = brand_here(app, req).map(|brand| brand.issuer.as_str()).unwrap_or_default();
    Ok(next.location(req, issuer, SIGN_IN))
}
