//! The routes: `POST /tools/{name}`, `GET /tools`, `GET /healthz`.

use std::net::TcpListener;

use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes, Data, Path, ServiceConfig};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use serde_json::{Value, json};

use super::fault::Fault;
use super::{Answer, Worker, call};

const CATALOG: &str = include_str!("../mico-tools.json");
/// As much as the gateway lets through.
const LARGEST_BODY: usize = 4 << 20;
/// The company's own id of the person, and Portero's where the company has none.
const IDENTITY: [&str; 2] = ["X-Portero-Subject", "X-Portero-User"];

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.app_data(web::PayloadConfig::new(LARGEST_BODY))
        .route("/tools", web::get().to(catalog))
        .route("/tools/{name}", web::post().to(tool))
        .route("/healthz", web::get().to(healthz));
}

pub(super) async fn run(worker: Worker, listener: TcpListener) -> std::io::Result<()> {
    let worker = Data::new(worker);
    let app = move || App::new().app_data(worker.clone()).configure(super::routes);
    // Signals belong to the program around it. The builder is not Send, so it must not live across the await.
    let server = HttpServer::new(app).workers(1).disable_signals().listen(listener)?.run();
    server.await
}

async fn catalog() -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(CATALOG)
}

async fn healthz() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "status": "ok" }))
}

async fn tool(
    request: HttpRequest,
    name: Path<String>,
    body: Result<Bytes, actix_web::Error>,
) -> HttpResponse {
    let answer = match arguments(body) {
        Ok(arguments) => call(owner(&request), &name, &arguments),
        Err(answer) => answer,
    };
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    HttpResponse::build(status).json(answer.body)
}

fn arguments(body: Result<Bytes, actix_web::Error>) -> Result<Value, Answer> {
    let body = body.map_err(|error| Answer {
        status: error.as_response_error().status_code().as_u16(),
        body: json!({ "error": error.to_string() }),
    })?;
    if body.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_slice(&body).map_err(|_| Fault::NotAnObject.into())
}

/// Whose call it is. Nobody in particular owns nothing.
fn owner(request: &HttpRequest) -> &str {
    let subject = IDENTITY
        .iter()
        .filter_map(|name| request.headers().get(*name)?.to_str().ok())
        .find(|id| !id.is_empty())
        .unwrap_or_default();
    request.app_data::<Data<Worker>>().map_or(subject, |worker| worker.owner(subject))
}
