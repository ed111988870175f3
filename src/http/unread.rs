//! A body in chunks that is answered before its end: after the answer the connection is closed.
//!
//! actix reads such a body on and throws it away for as long as it comes, to use the connection again. Attack: one
//! that never ends. As long as somebody holds the body's reading half, actix closes after the answer instead.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::TRANSFER_ENCODING;
use actix_web::web::Bytes;
use actix_web::{Error, FromRequest as _, HttpRequest, HttpResponse, web};
use futures_util::Stream;

/// What is left of a body in chunks once its reader is through with it.
#[derive(Clone, Default)]
pub struct Rest(Rc<RefCell<Option<Payload>>>);

struct Watched {
    payload: Option<Payload>,
    rest: Rest,
}

impl Stream for Watched {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(payload) = &mut self.payload else { return Poll::Ready(None) };
        let next = Pin::new(payload).poll_next(cx);
        if !matches!(next, Poll::Pending | Poll::Ready(Some(Ok(_)))) {
            self.payload = None;
        }
        next
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        *self.rest.0.borrow_mut() = self.payload.take();
    }
}

/// A body as its reader gets it, and the rest of it afterwards; one with an announced length is left as it is.
pub async fn watch(req: &HttpRequest, payload: web::Payload) -> Result<(web::Payload, Option<Rest>), Error> {
    if !req.headers().contains_key(TRANSFER_ENCODING) {
        return Ok((payload, None));
    }
    let rest = Rest::default();
    let watched = Watched { payload: Some(payload.into_inner()), rest: rest.clone() };
    let watched: Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>> = Box::pin(watched);
    let mut stream = Payload::Stream { payload: watched };
    Ok((web::Payload::from_request(req, &mut stream).await?, Some(rest)))
}

struct Holding {
    body: BoxBody,
    _rest: Payload,
}

impl MessageBody for Holding {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(cx)
    }
}

/// Holds what was not read until the answer is out.
pub fn close_after(response: HttpResponse, rest: Option<Rest>) -> HttpResponse {
    match rest.and_then(|rest| rest.0.take()) {
        Some(rest) => response.map_body(|_, body| BoxBody::new(Holding { body, _rest: rest })),
        None => response,
    }
}
