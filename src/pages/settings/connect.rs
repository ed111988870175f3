//! `/settings/connect`: the endpoints and how to connect each client to them.

use actix_web::{HttpRequest, HttpResponse};

use super::Seat;
use crate::app::App;
use crate::app::brand::Brand;
use crate::app::service::Service;
use crate::config::Accept;
use crate::pages::answer::Stop;
use crate::pages::error;
use crate::pages::shell::lives_here;
use crate::pages::view::ServiceView;
use crate::pages::view::settings::ConnectPage;

/// `GET /settings/connect`.
pub async fn show(app: &App, req: &HttpRequest) -> HttpResponse {
    shown(app, req).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn shown(app: &App, req: &HttpRequest) -> Result<HttpResponse, Stop> {
    let seat = Seat::take(app, req).await?;
    Ok(seat.page(&ConnectPage { shell: seat.shell(), services: on_this_host(&seat) }))
}

/// The services of every brand that lives on this host, brand by brand.
fn on_this_host(seat: &Seat<'_>) -> Vec<ServiceView> {
    let (app, req) = (seat.app(), seat.visit.req);
    let brands = app.brands.iter().map(AsRef::as_ref);
    let shown = brands.filter(|brand| brand.id == seat.visit.brand.id || lives_here(app, req, brand));
    shown.flat_map(|brand| services(app, brand)).collect()
}

/// A brand's services as the guides need them.
pub(super) fn services(app: &App, brand: &Brand) -> Vec<ServiceView> {
    app.services_of(brand).map(|service| view(service)).collect()
}

fn view(service: &Service) -> ServiceView {
    ServiceView {
        id: service.id.to_string(),
        name: service.config.name.clone(),
        endpoint: service.resource.clone(),
        // A client finds the company's own issuer as it finds ours: both can sign people in.
        oauth: service.accepts_oauth() || service.config.accepts(Accept::Jwt),
        pat_prefix: service.accepts_pat().then(|| service.brand.tokens.pat_live.clone()),
    }
}
