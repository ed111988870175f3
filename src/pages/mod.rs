//! What people see in a browser.
pub mod routes;
pub mod view;
use crate::app::App;
use actix_web::{HttpRequest, HttpResponse, web::Payload};
pub use routes::PageRoute;
/// x
pub fn unknown_path(_: &App, _: &HttpRequest) -> HttpResponse {
    crate::http::answer::not_found()
}
/// x
pub async fn answer(_: PageRoute, _: &App, _: &HttpRequest, _: Payload) -> HttpResponse {
    crate::http::answer::not_found()
}
/// x
pub mod authorize {
    use crate::app::App;
    use actix_web::{HttpRequest, HttpResponse, web::Payload};
    /// x
    pub async fn show(_: &App, _: &crate::app::brand::Brand, _: &HttpRequest) -> HttpResponse {
        crate::http::answer::not_found()
    }
    /// x
    pub async fn decide(_: &App, _: &HttpRequest, _: Payload) -> HttpResponse {
        crate::http::answer::not_found()
    }
}
