//! HTTP/1.1 to plain upstreams, driven by the call itself: the future that sends is the one that reads, so a
//! call needs no second task, no channel and no wake-up but the socket's.

mod body;
mod connection;
mod head;
mod pool;
mod write;

use http::uri::Authority;
use http::{HeaderName, Method};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;

pub use body::Body;
use connection::{Connection, Sent};
use head::{Framing, Head};

use super::client::{self, Failure, Headers, Noted, Reply, Sending, Trouble};

const UNREADABLE: Failure = Failure::Unavailable("upstream_unreadable");
const RESET: Failure = Failure::Unavailable("upstream_reset");

/// Sends one request and reads the head of its answer. An idle connection that takes nothing any more is
/// replaced by a fresh one; once a byte has gone out, nothing is repeated.
///
/// # Errors
/// [`Trouble::Refused`] if there is no connection, otherwise what broke.
pub async fn send<H: Headers>(request: &Sending<'_, H>) -> Result<Reply, Trouble> {
    let authority = request.uri.authority().ok_or(Trouble::Refused)?;
    while let Some(mut connection) = pool::take(authority) {
        write::request(&mut connection.output, request);
        match connection.send(write::apart(request.body)).await {
            Sent::Nothing => {}
            sent => return Ok(answer(connection, sent, request).await?),
        }
    }
    let mut connection = connect(request, authority).await?;
    write::request(&mut connection.output, request);
    let sent = connection.send(write::apart(request.body)).await;
    Ok(answer(connection, sent, request).await?)
}

async fn connect<H>(request: &Sending<'_, H>, authority: &Authority) -> Result<Connection, Trouble> {
    let connector = TowerToHyperService::new(client::connector());
    let stream = connector.call(request.uri.clone()).await.map_err(|_| Trouble::Refused)?;
    Ok(Connection::new(authority.clone(), stream.into_inner()))
}

/// Reads the head. What was not sent whole may have been answered all the same: with a refusal.
async fn answer<H: Headers>(
    mut connection: Connection,
    sent: Sent,
    request: &Sending<'_, H>,
) -> Result<Reply, Failure> {
    let head = read_head(&mut connection, request.headers.noted()).await?;
    // whatever it says of a length, nothing follows (RFC 9112 §6.3)
    let bodiless = request.method == Method::HEAD;
    let framing = if bodiless { Framing::Length(0) } else { head.framing };
    let reusable = head.keep_alive && sent == Sent::Whole;
    Ok(Reply {
        status: head.status,
        content_type: head.content_type,
        noted: head.noted,
        body: client::Body::Plain(Body::new(connection, framing, reusable)),
    })
}

async fn read_head(connection: &mut Connection, noted: Noted<&HeaderName>) -> Result<Head, Failure> {
    let mut budget = head::MAX;
    let mut seen = 0;
    loop {
        if head::may_be_whole(&connection.input, seen) {
            let before = connection.input.len();
            if let Some(head) = head::take(&mut connection.input, budget, noted)? {
                if !head.status.is_informational() {
                    return Ok(head);
                }
                budget = budget.saturating_sub(before - connection.input.len());
                seen = 0;
                continue;
            }
        }
        seen = connection.input.len();
        if seen > budget {
            return Err(UNREADABLE);
        }
        if connection.fill(0).await.map_err(|_| RESET)? == 0 {
            return Err(RESET);
        }
    }
}

#[cfg(test)]
mod tests;
