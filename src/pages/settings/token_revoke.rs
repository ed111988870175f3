//! `/settings/tokens/revoke`: end a token, and with it every connection it authorized.

use actix_web::{HttpRequest, HttpResponse, web};

use super::{Seat, tokens};
use crate::app::App;
use crate::domain::grant::EndReason;
use crate::domain::ids::PatId;
use crate::domain::pat::Pat;
use crate::identity::revoke::Target;
use crate::pages::answer::{Stop, see_other};
use crate::pages::error;
use crate::pages::view::ErrorKind;
use crate::pages::view::settings::TokenRevokePage;

/// `GET /settings/tokens/revoke?id=`: the question, with everything that would end.
pub async fn show(app: &App, req: &HttpRequest) -> HttpResponse {
    shown(app, req).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn shown(app: &App, req: &HttpRequest) -> Result<HttpResponse, Stop> {
    let seat = Seat::take(app, req).await?;
    let params = seat.query(&["id"])?;
    let pat = own(&seat, params.get("id")).await?;
    if !pat.is_live(seat.now()) {
        return Err(ErrorKind::NotFound.into());
    }
    let ending = app.identity.would_end(&Target::Pat(pat.id.clone())).await?;
    let token = tokens::card(&seat, &pat, &ending.grants, &seat.workspaces().await?);
    Ok(seat.page(&TokenRevokePage { shell: seat.shell(), token }))
}

/// `POST /settings/tokens/revoke`.
pub async fn submit(app: &App, req: &HttpRequest, payload: web::Payload) -> HttpResponse {
    submitted(app, req, payload).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn submitted(app: &App, req: &HttpRequest, payload: web::Payload) -> Result<HttpResponse, Stop> {
    let (seat, form) = Seat::posted(app, req, payload).await?;
    let pat = own(&seat, form.get("id")).await?;
    // A second click finds it ended already, which is what was asked for.
    app.identity.revoke(&Target::Pat(pat.id.clone()), EndReason::User).await?;
    Ok(see_other(&format!("/settings/tokens?revoked={}", pat.id)))
}

async fn own(seat: &Seat<'_>, id: Option<&str>) -> Result<Pat, Stop> {
    let id = PatId::from(id.ok_or(ErrorKind::NotFound)?);
    let pat = seat.app().identity.store.pat(&id).await?;
    Ok(pat.filter(|pat| pat.user == seat.user.id).ok_or(ErrorKind::NotFound)?)
}
