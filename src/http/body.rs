//! The body of a request, ended where its own framing ends it.

use std::future::Ready;

use actix_web::dev::Payload;
use actix_web::http::header::{TRANSFER_ENCODING, UPGRADE};
use actix_web::http::{Method, Version};
use actix_web::{Error, FromRequest, HttpRequest, web};
use futures_util::{StreamExt as _, stream};

use super::strict::announced;

/// A body as handlers read it.
///
/// For the HTTP layer everything that follows `Upgrade: websocket` or `CONNECT` is body and never ends, whatever
/// `Content-Length` says. Nothing is upgraded here, so such a request is read like any other (RFC 9110 §7.8): a
/// reader that waited for the end would hold it until its deadline.
pub struct Body(pub web::Payload);

impl FromRequest for Body {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if is_endless(req) {
            let length = announced(req.headers()).unwrap_or(0);
            let all = payload.take();
            if length > 0 {
                *payload = Payload::Stream { payload: Box::pin(first(all, length)) };
            }
        }
        std::future::ready(web::Payload::from_request(req, payload).into_inner().map(Self))
    }
}

/// True if the HTTP layer looks for no end.
fn is_endless(req: &HttpRequest) -> bool {
    let headers = req.headers();
    let upgrades = headers.contains_key(UPGRADE) || req.method() == Method::CONNECT;
    upgrades && !headers.contains_key(TRANSFER_ENCODING) && req.version() <= Version::HTTP_11
}

type Chunk = Result<web::Bytes, actix_web::error::PayloadError>;

/// The first `length` bytes.
fn first(all: Payload, length: usize) -> impl stream::Stream<Item = Chunk> {
    stream::unfold((all, length), |(mut rest, left)| async move {
        if left == 0 {
            return None;
        }
        let chunk = rest.next().await?.map(|mut chunk| chunk.split_to(left.min(chunk.len())));
        let left = chunk.as_ref().map_or(0, |chunk| left - chunk.len());
        Some((chunk, (rest, left)))
    })
}
