//! The routes: `POST /tools/{name}`, `GET /tools`, `/resources`, `/resources/templates`, `/resources/read`, `/healthz`.

use std::io;
use std::net::TcpListener;

use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes, Data, Path, Query, ServiceConfig};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::fault::Fault;
use super::state::{Caller, State};
use super::world::Done;
use super::{Worker, resources};

const CATALOG: &str = include_str!("../becoming-tools.json");
/// As much as the gateway lets through.
const LARGEST_BODY: usize = 4 << 20;
/// The company's own id of the person, and Portero's where the company has none.
const IDENTITY: [&str; 2] = ["X-Portero-Subject", "X-Portero-User"];
/// What the person's plan includes, separated by spaces.
const FEATURES: &str = "X-Portero-Features";
/// The feature that La Academia is.
const ACADEMY: &str = "academia";
/// The credits that are left; absent where nobody counts them.
const CREDITS: &str = "X-Portero-Credits";
/// What a call really cost.
const COST: &str = "X-Portero-Cost";

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.app_data(web::PayloadConfig::new(LARGEST_BODY))
        .route("/tools", web::get().to(catalog))
        .route("/tools/{name}", web::post().to(tool))
        .route("/resources", web::get().to(collections))
        .route("/resources/templates", web::get().to(templates))
        .route("/resources/read", web::get().to(read))
        .route("/healthz", web::get().to(healthz));
}

pub(super) async fn run(worker: Worker, listener: TcpListener) -> io::Result<()> {
    let state = Data::new(State::new(&worker)?);
    let app = move || App::new().app_data(state.clone()).configure(routes);
    // Signals belong to the program around it. The builder is not Send, so it must not live across the await.
    let server = HttpServer::new(app).workers(1).disable_signals().listen(listener)?.run();
    server.await
}

fn fixed(body: &'static str) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(body)
}

async fn catalog() -> HttpResponse {
    fixed(CATALOG)
}

async fn collections() -> HttpResponse {
    fixed(resources::COLLECTIONS)
}

async fn templates() -> HttpResponse {
    fixed(resources::TEMPLATES)
}

async fn healthz() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "status": "ok" }))
}

#[derive(Deserialize)]
struct Asked {
    uri: String,
}

async fn read(request: HttpRequest, asked: Query<Asked>, state: Data<State>) -> HttpResponse {
    answer(state.read(caller(&request).owner, &asked.uri).map(Done::from))
}

async fn tool(
    request: HttpRequest,
    name: Path<String>,
    body: Result<Bytes, actix_web::Error>,
    state: Data<State>,
) -> HttpResponse {
    match body {
        Ok(body) => {
            answer(arguments(&body).and_then(|arguments| state.call(caller(&request), &name, &arguments)))
        }
        Err(error) => {
            let status = error.as_response_error().status_code();
            HttpResponse::build(status).json(json!({ "error": error.to_string() }))
        }
    }
}

fn arguments(body: &Bytes) -> Result<Map<String, Value>, Fault> {
    if body.is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_slice(body).map_err(|_| Fault::Invalid("arguments must be a JSON object".to_owned()))
}

fn answer(done: Result<Done, Fault>) -> HttpResponse {
    match done {
        Ok(Done { body, cost }) => {
            let mut response = HttpResponse::Ok();
            if let Some(cost) = cost {
                response.insert_header((COST, cost.to_string()));
            }
            response.json(body)
        }
        Err(fault) => {
            let (status, body) = fault.answer();
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            HttpResponse::build(status).json(body)
        }
    }
}

fn caller(request: &HttpRequest) -> Caller<'_> {
    Caller {
        owner: IDENTITY
            .iter()
            .map(|name| header(request, name))
            .find(|id| !id.is_empty())
            .unwrap_or_default(),
        academy: header(request, FEATURES).split(' ').any(|feature| feature == ACADEMY),
        credits: header(request, CREDITS).parse().ok(),
    }
}

fn header<'a>(request: &'a HttpRequest, name: &str) -> &'a str {
    request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
