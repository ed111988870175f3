//! The routes: `POST /tools/{name}` and `GET /tools` for tools, `/partners/tools` for those of partners, and the REST
//! API under `/api/v1`.

use std::io;
use std::net::TcpListener;

use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes, Data, Path, Query, ServiceConfig};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::Worker;
use super::call::Caller;
use super::fault::{Fault, invalid};
use super::state::State;
use super::table::{Mark, Operation, Type};

const CATALOG: &str = include_str!("../meteor-tools.json");
const PARTNERS: &str = include_str!("../meteor-partners-tools.json");
/// As much as the gateway lets through.
const LARGEST_BODY: usize = 4 << 20;
/// What a call really cost.
const COST: &str = "X-Portero-Cost";

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.app_data(web::PayloadConfig::new(LARGEST_BODY))
        .route("/tools", web::get().to(async || fixed(CATALOG)))
        .route("/tools/{name}", web::post().to(tool))
        .route("/partners/tools", web::get().to(async || fixed(PARTNERS)))
        .route("/partners/tools/{name}", web::post().to(partner_tool))
        .route("/healthz", web::get().to(async || HttpResponse::Ok().json(json!({ "status": "ok" }))))
        .route("/api/v1/{path:.*}", web::to(rest));
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

/// What is answered, and whether the call is to say that it cost nothing.
type Done = (Value, bool);
type Body = Result<Bytes, actix_web::Error>;

async fn tool(request: HttpRequest, name: Path<String>, body: Body, state: Data<State>) -> HttpResponse {
    answer(run_tool(&request, &name, body, &state, false))
}

async fn partner_tool(
    request: HttpRequest,
    name: Path<String>,
    body: Body,
    state: Data<State>,
) -> HttpResponse {
    answer(run_tool(&request, &name, body, &state, true))
}

fn run_tool(
    request: &HttpRequest,
    name: &str,
    body: Body,
    state: &State,
    partner: bool,
) -> Result<Done, Fault> {
    let found = state.table.of(partner).find(|own| own.tool.as_deref() == Some(name));
    let operation = found.ok_or_else(|| Fault::Unknown(format!("la tool {name}")))?;
    done(state, request, operation, members(body)?)
}

async fn rest(
    request: HttpRequest,
    query: Query<Vec<(String, String)>>,
    body: Body,
    state: Data<State>,
) -> HttpResponse {
    answer(run_rest(&request, query.into_inner(), body, &state))
}

fn run_rest(
    request: &HttpRequest,
    query: Vec<(String, String)>,
    body: Body,
    state: &State,
) -> Result<Done, Fault> {
    let path = request.uri().path().strip_prefix("/api/v1").unwrap_or_default();
    let method = request.method().as_str();
    let found = state
        .table
        .operations
        .iter()
        .filter(|own| own.method == method)
        .filter_map(|own| Some((own, matched(&own.path, path)?)))
        // `/contacts/search` before `/contacts/{contact_id}`
        .min_by_key(|(_, named)| named.len());
    let (operation, named) = found.ok_or_else(|| Fault::Unknown(format!("{method} {path}")))?;
    let mut arguments = members(body)?;
    for (name, text) in query.into_iter().chain(named) {
        let value = typed(operation, &name, text)?;
        arguments.insert(name, value);
    }
    done(state, request, operation, arguments)
}

/// What a path says for the names of a route; none if it is another route's.
fn matched(route: &str, path: &str) -> Option<Vec<(String, String)>> {
    let (route, path): (Vec<_>, Vec<_>) = (route.split('/').collect(), path.split('/').collect());
    if route.len() != path.len() {
        return None;
    }
    let mut named = Vec::new();
    for (own, given) in route.into_iter().zip(path) {
        match own.strip_prefix('{').and_then(|own| own.strip_suffix('}')) {
            Some(name) if !given.is_empty() => {
                named.push((name.to_owned(), percent_decode_str(given).decode_utf8().ok()?.into_owned()));
            }
            _ if own == given => {}
            _ => return None,
        }
    }
    Some(named)
}

/// A text of a URL as the type that its operation takes.
fn typed(operation: &Operation, name: &str, text: String) -> Result<Value, Fault> {
    let integer = |take: &&super::table::Take| take.name == name && take.argument.kind == Type::Integer;
    if operation.takes.iter().any(|take| integer(&take)) {
        return match text.parse::<i64>() {
            Ok(number) => Ok(number.into()),
            Err(_) => invalid(format!("{name} tiene que ser un número entero.")),
        };
    }
    Ok(text.into())
}

fn members(body: Body) -> Result<Map<String, Value>, Fault> {
    let body = body.map_err(|error| Fault::Invalid(error.to_string()))?;
    if body.is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_slice(&body)
        .map_err(|_| Fault::Invalid("El cuerpo tiene que ser un objeto JSON.".to_owned()))
}

fn done(
    state: &State,
    request: &HttpRequest,
    operation: &Operation,
    arguments: Map<String, Value>,
) -> Result<Done, Fault> {
    Ok((state.call(&caller(request), operation, arguments)?, operation.is(Mark::Looks)))
}

fn answer(done: Result<Done, Fault>) -> HttpResponse {
    match done {
        Ok((body, false)) => HttpResponse::Ok().json(body),
        Ok((body, true)) => HttpResponse::Ok().insert_header((COST, "0")).json(body),
        Err(fault) => {
            let (status, body) = fault.answer();
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            HttpResponse::build(status).json(body)
        }
    }
}

fn caller(request: &HttpRequest) -> Caller {
    let header = |name: &str| {
        request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    };
    let (workspace, subject) = (header("X-Portero-Workspace"), header("X-Portero-Subject"));
    Caller {
        // Whoever calls without Portero has the workspace of their name.
        workspace: if workspace.is_empty() { subject.clone() } else { workspace },
        subject,
        plan: header("X-Portero-Plan"),
        features: header("X-Portero-Features"),
        credits: header("X-Portero-Credits").parse().ok(),
        test: header("X-Portero-Mode") == "test",
    }
}
