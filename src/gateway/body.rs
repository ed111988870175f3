//! Reading a body of bounded length.

use std::time::Duration;

use actix_web::{HttpRequest, web};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;

use super::refusal::Reason;
use crate::http::strict::announced;

/// How much of a body that nobody wants is still read, in limits, and for how long: a client that is still
/// writing gets to read its answer instead of a reset connection, and the connection can be used again.
const DRAIN: usize = 4;
const DRAIN_TIME: Duration = Duration::from_secs(3);
/// Nobody holds a connection by saying nothing.
const DEADLINE: Duration = Duration::from_secs(30);

/// Reads the whole body. One that comes in one piece is not copied.
///
/// # Errors
/// 413 if it is longer than `limit`, by its own account or in fact; given up if it does not arrive in time.
pub async fn read(request: &HttpRequest, payload: web::Payload, limit: usize) -> Result<Bytes, Reason> {
    tokio::time::timeout(DEADLINE, read_all(request, payload, limit)).await.unwrap_or(Err(Reason::BodyBroken))
}

async fn read_all(request: &HttpRequest, mut payload: web::Payload, limit: usize) -> Result<Bytes, Reason> {
    let length = announced(request.headers());
    if length.is_some_and(|length| length > limit) {
        drain(request, &mut payload, limit).await;
        return Err(Reason::TooLarge(limit));
    }
    let mut first: Option<Bytes> = None;
    let mut all = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| Reason::BodyBroken)?;
        if first.as_ref().map_or(0, Bytes::len) + all.len() + chunk.len() > limit {
            drain(request, &mut payload, limit).await;
            return Err(Reason::TooLarge(limit));
        }
        match first.take() {
            None if all.is_empty() => first = Some(chunk),
            before => {
                if let Some(before) = before {
                    all.reserve(length.unwrap_or(before.len() + chunk.len()));
                    all.extend_from_slice(&before);
                }
                all.extend_from_slice(&chunk);
            }
        }
    }
    Ok(first.unwrap_or_else(|| all.freeze()))
}

/// Reads a body away, up to a bound, without keeping it. Whoever asked before sending one that is too long was not
/// told to go on (`Expect: 100-continue`), so there is nothing to wait for.
pub async fn drain(request: &HttpRequest, payload: &mut web::Payload, limit: usize) {
    if request.head().expect() && announced(request.headers()).is_some_and(|length| length > limit) {
        return;
    }
    let rest = async {
        let mut left = limit.saturating_mul(DRAIN);
        while let Some(Ok(chunk)) = payload.next().await {
            match left.checked_sub(chunk.len()) {
                Some(less) => left = less,
                None => return,
            }
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIME, rest).await;
}
