//! `/settings/apps/disconnect`: end one connection.

use actix_web::{HttpRequest, HttpResponse, web};

use super::Seat;
use super::apps::Ledger;
use crate::app::App;
use crate::domain::grant::EndReason;
use crate::domain::ids::GrantId;
use crate::identity::revoke::Target;
use crate::pages::answer::{Stop, see_other};
use crate::pages::error;
use crate::pages::view::ErrorKind;
use crate::pages::view::settings::AppDisconnectPage;
use crate::store::grants::GrantView;

/// `GET /settings/apps/disconnect?grant=`.
pub async fn show(app: &App, req: &HttpRequest) -> HttpResponse {
    shown(app, req).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn shown(app: &App, req: &HttpRequest) -> Result<HttpResponse, Stop> {
    let seat = Seat::take(app, req).await?;
    let params = seat.query(&["grant"])?;
    let view = own(&seat, params.get("grant")).await?;
    let ledger = Ledger::of(&seat, vec![view]).await?;
    let (client, connection) = ledger.live(&seat).into_iter().next().ok_or(ErrorKind::NotFound)?;
    Ok(seat.page(&AppDisconnectPage { shell: seat.shell(), client, connection }))
}

/// `POST /settings/apps/disconnect`.
pub async fn submit(app: &App, req: &HttpRequest, payload: web::Payload) -> HttpResponse {
    submitted(app, req, payload).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn submitted(app: &App, req: &HttpRequest, payload: web::Payload) -> Result<HttpResponse, Stop> {
    let (seat, form) = Seat::posted(app, req, payload).await?;
    let id = own(&seat, form.get("grant")).await?.grant.id;
    // A second click finds it ended already, which is what was asked for.
    app.identity.revoke(&Target::Grant(id.clone()), EndReason::User).await?;
    Ok(see_other(&format!("/settings/apps?disconnected={id}")))
}

/// A connection that belongs to the person and came about: its code was redeemed.
pub(super) async fn own(seat: &Seat<'_>, id: Option<&str>) -> Result<GrantView, Stop> {
    let id = GrantId::from(id.ok_or(ErrorKind::NotFound)?);
    let view = seat.app().identity.store.grant(&id).await?;
    let view = view.filter(|view| view.grant.user == seat.user.id && view.activated);
    Ok(view.ok_or(ErrorKind::NotFound)?)
}
