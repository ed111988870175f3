//! The routes: `POST /tools/{name}`, `GET /tools`, `GET /healthz`.

use std::net::TcpListener;

use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes, Data, Path, ServiceConfig};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use serde_json::{Value, json};

use super::{Fault, Worker, call};

const CATALOG: &str = include_str!("../inversion-consciente-tools.json");
/// As much as the gateway lets through.
const LARGEST_BODY: usize = 4 << 20;
/// The id that the issuer gave the person: the `sub` of their token.
const SUBJECT: &str = "X-Portero-Subject";
/// A whole result, which the gateway passes on as it is.
const RESULT: &str = "application/vnd.mcp.result+json";

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
    let body = match body {
        Ok(body) => body,
        Err(error) => {
            let status = error.as_response_error().status_code();
            return HttpResponse::build(status).json(json!({ "error": error.to_string() }));
        }
    };
    let worker = request.app_data::<Data<Worker>>().map(|data| data.as_ref().clone()).unwrap_or_default();
    let answer = arguments(&body)
        .and_then(|arguments| call(worker.owner(subject(&request)), &name, &arguments, worker.time()));
    match answer {
        Ok(value) => HttpResponse::Ok().json(value),
        Err(fault) => refused(&fault),
    }
}

fn arguments(body: &Bytes) -> Result<Value, Fault> {
    if body.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_slice(body).map_err(|_| Fault::NotAnObject)
}

/// A tool that says no has answered: the result's text is the sentence itself, not JSON that holds it.
fn refused(fault: &Fault) -> HttpResponse {
    let sentence = fault.sentence();
    let Some(status) = fault.status() else {
        let result = json!({ "content": [{ "type": "text", "text": sentence }], "isError": true });
        return HttpResponse::Ok().content_type(RESULT).body(result.to_string());
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    HttpResponse::build(status).json(json!({ "error": sentence }))
}

/// Whose call it is; empty where nobody is signed in.
fn subject(request: &HttpRequest) -> &str {
    let value = request.headers().get(SUBJECT).and_then(|value| value.to_str().ok());
    value.unwrap_or_default()
}
