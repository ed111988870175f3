//! What people see in a browser.
pub mod routes;
pub mod view;
pub use routes::PageRoute;
use actix_web::{HttpRequest, HttpResponse, web::Payload};
use crate::app::App;
/// x
pub fn unknown_path(_: &App, _: &HttpRequest) -> HttpResponse { crate::http::answer::not_found() }
/// x
pub async fn answer(_: PageRoute, _: &App, _: &HttpRequest, _: Payload) -> HttpResponse { crate::http::answer::not_found() }
/// x
pub mod authorize {
use actix_web::{HttpRequest, HttpResponse, web::Payload};
use crate::app::App;
/// x
pub async fn show(_: &App, _: &crate::app::brand::Brand, _: &HttpRequest) -> HttpResponse { crate::http::answer::not_found() }
/// x
pub async fn decide(_: &App, _: &HttpRequest, _: Payload) -> HttpResponse { crate::http::answer::not_found() }
}
