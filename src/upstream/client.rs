//! The one door outwards: pooled connections, no redirects, a deadline on everything.
//!
//! Redirects are never followed: a worker could send the gateway's credentials elsewhere with one.
//! Each thread has a pool of its own, so that a connection is driven by the thread that uses it.

use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::CONTENT_TYPE;
use http::uri::Scheme;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::h1;

/// Below the keep-alive of the usual servers (Node closes after 5 s), so that a connection is rarely closed
/// by the other side in the moment it is used again.
pub(super) const IDLE: Duration = Duration::from_secs(4);
const CONNECT: Duration = Duration::from_secs(5);
/// A worker that restarts refuses for a moment.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

type Secure = Pool<HttpsConnector<HttpConnector>, Full<Bytes>>;

thread_local! {
    static SECURE: OnceCell<Secure> = const { OnceCell::new() };
}

/// Why nothing came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Refused, reset, unreadable: the word is for logs.
    Unavailable(&'static str),
    /// The deadline passed.
    Timeout,
}

/// A request.
#[derive(Debug)]
pub struct Sending<'a, H> {
    /// Its method.
    pub method: Method,
    /// Where to.
    pub uri: &'a Uri,
    /// Its headers, `Host` included.
    pub headers: &'a H,
    /// Its body.
    pub body: &'a Bytes,
}

/// One for each header of an answer that may be asked for: what a call cost, and whose session it was.
pub type Noted<T> = [Option<T>; 2];

/// Headers that can be made in either way. Length, transfer coding and connection are never among them: those
/// are the client's to say.
pub trait Headers {
    /// As a map.
    fn map(&self) -> HeaderMap;
    /// As lines.
    fn write(&self, lines: &mut Vec<u8>);
    /// The headers of the answer that are asked for.
    fn noted(&self) -> Noted<&HeaderName> {
        [None, None]
    }
}

/// The head of an answer, as far as anybody asks, and its body.
#[derive(Debug)]
pub struct Reply {
    /// Its status.
    pub status: StatusCode,
    /// The type of its body.
    pub content_type: Option<HeaderValue>,
    /// The headers that were asked for; of several lines, all of them with commas between.
    pub noted: Noted<HeaderValue>,
    /// Its body.
    pub body: Body,
}

/// The body of an answer, to be read in pieces.
#[derive(Debug)]
pub enum Body {
    /// Over TLS.
    Secure(Incoming),
    /// Over plain HTTP.
    Plain(h1::Body),
}

impl Body {
    /// The next piece; none at the end. Nothing is lost if the caller gives up waiting and asks again.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, Failure>> {
        let incoming = match self {
            Self::Plain(body) => return body.chunk().await,
            Self::Secure(incoming) => incoming,
        };
        loop {
            let Ok(frame) = incoming.frame().await? else {
                return Some(Err(Failure::Unavailable("upstream_reset")));
            };
            if let Ok(data) = frame.into_data() {
                return Some(Ok(data));
            }
        }
    }
}

/// What keeps an answer from coming.
#[derive(Debug)]
pub(super) enum Trouble {
    /// No connection, so nothing was sent.
    Refused,
    /// Anything later.
    Broken(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Broken(failure)
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Refused => Self::Unavailable("upstream_refused"),
            Trouble::Broken(failure) => failure,
        }
    }
}

/// Sends requests. Cheap to hold and to copy; the pools are the threads'.
#[derive(Clone, Default)]
pub struct Client {
    tls: Arc<OnceLock<Option<HttpsConnector<HttpConnector>>>>,
}

impl Client {
    /// A client that has opened nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks at start what would fail at the first call: https needs the machine's root certificates.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn ready_for(&self, uri: &Uri) -> Result<(), String> {
        if uri.scheme() != Some(&Scheme::HTTPS) || self.tls().is_some() {
            return Ok(());
        }
        Err("https needs root certificates, and this machine has none that can be read".to_owned())
    }

    /// Sends a request and waits for the head of the answer. A refused connection is tried once more, since
    /// nothing was sent; so is, in the pool, an idle connection that had been closed. Anything later might
    /// have had its effect and is not repeated.
    ///
    /// # Errors
    /// [`Failure::Unavailable`]; deadlines are the caller's.
    pub async fn send<H: Headers>(&self, request: &Sending<'_, H>) -> Result<Reply, Failure> {
        match self.attempt(request).await {
            Err(Trouble::Refused) => {
                tokio::time::sleep(RETRY_PAUSE).await;
                Ok(self.attempt(request).await?)
            }
            outcome => Ok(outcome?),
        }
    }

    async fn attempt<H: Headers>(&self, request: &Sending<'_, H>) -> Result<Reply, Trouble> {
        if request.uri.scheme() == Some(&Scheme::HTTPS) {
            self.secure(request).await
        } else {
            h1::send(request).await
        }
    }

    async fn secure<H: Headers>(&self, request: &Sending<'_, H>) -> Result<Reply, Trouble> {
        let tls = self.tls().ok_or(Failure::Unavailable("no_root_certificates"))?;
        let mut made = Request::new(Full::new(request.body.clone()));
        *made.method_mut() = request.method.clone();
        *made.uri_mut() = request.uri.clone();
        *made.headers_mut() = request.headers.map();
        let sent = SECURE.with(|pool| pool.get_or_init(|| pool_over(tls.clone())).request(made));
        let response = sent.await.map_err(|error| {
            if error.is_connect() { Trouble::Refused } else { Failure::Unavailable("upstream_reset").into() }
        })?;
        let (mut head, body) = response.into_parts();
        let content_type = head.headers.remove(CONTENT_TYPE);
        let noted = request.headers.noted().map(|name| {
            let values = name.map(|name| head.headers.get_all(name)).into_iter().flatten();
            values.fold(None, |before, value| joined(before, value.as_bytes()))
        });
        Ok(Reply { status: head.status, content_type, noted, body: Body::Secure(body) })
    }

    fn tls(&self) -> Option<&HttpsConnector<HttpConnector>> {
        let make = || {
            let builder = HttpsConnectorBuilder::new().with_native_roots().ok()?;
            Some(builder.https_or_http().enable_http1().wrap_connector(connector()))
        };
        self.tls.get_or_init(make).as_ref()
    }
}

/// One more line of a header.
pub(super) fn joined(before: Option<HeaderValue>, value: &[u8]) -> Option<HeaderValue> {
    let both = match &before {
        None => HeaderValue::from_bytes(value),
        Some(before) => HeaderValue::from_bytes(&[before.as_bytes(), b", ", value].concat()),
    };
    both.ok().or(before)
}

/// Opens plain connections: addresses of both families in turn, within the time for connecting.
pub(super) fn connector() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT));
    connector.enforce_http(false);
    connector
}

fn pool_over<C>(connector: C) -> Pool<C, Full<Bytes>>
where
    C: hyper_util::client::legacy::connect::Connect + Clone,
{
    Pool::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(512)
        .build(connector)
}

/// Reads a whole body of at most `limit` bytes. A body that comes in one piece is not copied.
///
/// # Errors
/// [`Failure::Unavailable`] if it breaks off or is longer.
pub async fn read(mut body: Body, limit: usize) -> Result<Bytes, Failure> {
    let mut first: Option<Bytes> = None;
    let mut all = BytesMut::new();
    while let Some(data) = body.chunk().await {
        let data = data?;
        if all.len() + first.as_ref().map_or(0, Bytes::len) + data.len() > limit {
            return Err(Failure::Unavailable("upstream_answer_too_long"));
        }
        match first.take() {
            None if all.is_empty() => first = Some(data),
            before => {
                if let Some(before) = before {
                    all.extend_from_slice(&before);
                }
                all.extend_from_slice(&data);
            }
        }
    }
    Ok(first.unwrap_or_else(|| all.freeze()))
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
