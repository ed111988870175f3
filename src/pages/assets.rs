//! `/assets/…`: the static files, each brand's colours and logo.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};

use super::error;
use super::view::ErrorKind;
use super::view::accent::brand_css;
use super::view::assets::{asset, version};
use crate::app::App;
use crate::app::brand::Brand;

const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// For what can change under the same address.
const SHORTLY: &str = "public, max-age=300";

/// `GET /assets/{name}`.
pub async fn show(app: &App, req: &HttpRequest) -> HttpResponse {
    let name = req.path().strip_prefix("/assets/").unwrap_or_default();
    if let Some(file) = asset(name) {
        // Only the address that carries this version may be kept for good; an old page may ask with another.
        let current = req.query_string() == format!("v={}", version());
        return served(file.body, file.content_type, if current { FOR_EVER } else { SHORTLY });
    }
    for brand in &app.brands {
        if name == format!("brand-{}.css", brand.id) {
            return served(brand_css(Some(&brand.config.color)), "text/css; charset=utf-8", SHORTLY);
        }
        if name == format!("brand-{}-logo", brand.id)
            && let Some((picture, kind)) = logo(brand).await
        {
            return served(picture, kind, SHORTLY);
        }
    }
    error::page(app, req, None, ErrorKind::NotFound)
}

fn served(body: impl Into<actix_web::web::Bytes>, kind: &'static str, keep: &'static str) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, HeaderValue::from_static(kind)))
        .insert_header((header::CACHE_CONTROL, HeaderValue::from_static(keep)))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")))
        // A picture in SVG, opened by itself, is a document: it may style itself and nothing else.
        .insert_header((
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox"),
        ))
        .body(body.into())
}

async fn logo(brand: &Brand) -> Option<(Vec<u8>, &'static str)> {
    let path = brand.config.logo.as_ref()?;
    let kind = match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        _ => return None,
    };
    match tokio::fs::read(path).await {
        Ok(picture) => Some((picture, kind)),
        Err(error) => {
            tracing::error!(%error, brand = %brand.id, "the brand's logo cannot be read");
            None
        }
    }
}
