//! The operator's listener: health for whatever watches the process. It belongs on an address that only the
//! operator reaches.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use crate::app::App;
use crate::http::answer;

/// Answers everything that comes to the operator's listener.
pub async fn dispatch(app: web::Data<App>, req: HttpRequest) -> HttpResponse {
    match req.path() {
        "/healthz" => answer::json(StatusCode::OK, &json!({ "status": "ok" })),
        "/readyz" => ready(&app).await,
        _ => answer::not_found(),
    }
}

/// Ready is who can answer calls: the database is there.
async fn ready(app: &App) -> HttpResponse {
    match app.identity.store.ping().await {
        Ok(()) => answer::json(StatusCode::OK, &json!({ "status": "ready", "database": "ok" })),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            answer::json(
                StatusCode::SERVICE_UNAVAILABLE,
                &json!({ "status": "not ready", "database": "unreachable" }),
            )
        }
    }
}
