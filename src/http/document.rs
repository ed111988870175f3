//! Public documents: the same bytes for everybody, kept by whoever likes and asked for again by their tag.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use sha2::{Digest as _, Sha256};

use super::{answer, cors};
use crate::domain::secret::base62;

/// A JSON document, ready to send, with the tag of its bytes.
#[derive(Clone, Debug)]
pub struct Document {
    body: Bytes,
    tag: HeaderValue,
    keep: HeaderValue,
    media: HeaderValue,
    exposed: HeaderValue,
}

impl Document {
    /// Of these bytes, which may be kept for so long without asking again.
    pub fn new(body: impl Into<Bytes>, keep: Duration) -> Self {
        let body = body.into();
        let digest: [u8; 32] = Sha256::digest(&body).into();
        let tag = HeaderValue::from_str(&format!("\"{}\"", base62(&digest, 43)));
        let keep = HeaderValue::from_str(&format!("public, max-age={}", keep.as_secs()));
        Self {
            body,
            tag: tag.unwrap_or(HeaderValue::from_static("\"\"")),
            keep: keep.unwrap_or(HeaderValue::from_static("no-cache")),
            media: answer::JSON,
            exposed: HeaderValue::from_static(cors::EXPOSED),
        }
    }

    /// The document under a media type of its own.
    #[must_use]
    pub fn served_as(mut self, media: &'static str) -> Self {
        self.media = HeaderValue::from_static(media);
        self
    }

    /// The document whose tag pages of other origins may read, to ask again by it.
    #[must_use]
    pub fn with_readable_tag(mut self) -> Self {
        self.exposed = HeaderValue::from_static(cors::EXPOSED_WITH_TAG);
        self
    }

    /// Answers a request for the document, or says that the asker's copy of it is the same still.
    pub fn answer(&self, req: &HttpRequest) -> HttpResponse {
        let kept = is_named(req, &self.tag);
        let mut builder = HttpResponse::build(if kept { StatusCode::NOT_MODIFIED } else { StatusCode::OK });
        builder
            .insert_header((header::ETAG, self.tag.clone()))
            .insert_header((header::CACHE_CONTROL, self.keep.clone()));
        if kept {
            return self.opened(builder.finish());
        }
        self.opened(
            builder
                .insert_header((header::CONTENT_TYPE, self.media.clone()))
                .insert_header((header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")))
                .body(self.body.clone()),
        )
    }

    fn opened(&self, response: HttpResponse) -> HttpResponse {
        let mut response = cors::open(response);
        response.headers_mut().insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, self.exposed.clone());
        response
    }
}

/// True if `If-None-Match` names the tag (RFC 9110 §13.1.2): weak comparison, any of a list.
fn is_named(req: &HttpRequest, tag: &HeaderValue) -> bool {
    let named = req.headers().get_all(header::IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    let mut named = named.flat_map(|value| value.split(',')).map(str::trim);
    named.any(|own| own == "*" || own.strip_prefix("W/").unwrap_or(own).as_bytes() == tag.as_bytes())
}
