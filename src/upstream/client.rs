//! The one door outwards: pooled connections, no redirects, a deadline on everything.
//!
//! Redirects are never followed: a worker could send the gateway's credentials elsewhere with one.
//! Each thread has a pool of its own, so that a connection is driven by the thread that uses it.

use std::cell::OnceCell;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::uri::Scheme;
use http::{Request, Response, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::ResponseFuture;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

/// Below the keep-alive of the usual servers (Node closes after 5 s), so that a connection is rarely closed
/// by the other side in the moment it is used again.
const IDLE: Duration = Duration::from_secs(4);
const CONNECT: Duration = Duration::from_secs(5);
/// A worker that restarts refuses for a moment.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

type Plain = Pool<HttpConnector, Full<Bytes>>;
type Secure = Pool<HttpsConnector<HttpConnector>, Full<Bytes>>;

thread_local! {
    static PLAIN: OnceCell<Plain> = const { OnceCell::new() };
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

/// Sends requests. Cheap to hold; the pools are the threads'.
#[derive(Default)]
pub struct Client {
    tls: OnceLock<Option<HttpsConnector<HttpConnector>>>,
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

    /// Sends what `build` makes and waits for the head of the answer. A refused connection is tried once
    /// more, since nothing was sent; so is, in the pool, an idle connection that had been closed. Anything
    /// later might have had its effect and is not repeated.
    ///
    /// # Errors
    /// [`Failure::Unavailable`]; deadlines are the caller's.
    pub async fn send(
        &self,
        build: impl Fn() -> Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, Failure> {
        match self.request(build())?.await {
            Ok(response) => Ok(response),
            Err(error) if error.is_connect() => {
                tokio::time::sleep(RETRY_PAUSE).await;
                self.request(build())?.await.map_err(|error| {
                    Failure::Unavailable(if error.is_connect() {
                        "upstream_refused"
                    } else {
                        "upstream_reset"
                    })
                })
            }
            Err(_) => Err(Failure::Unavailable("upstream_reset")),
        }
    }

    fn request(&self, request: Request<Full<Bytes>>) -> Result<ResponseFuture, Failure> {
        if request.uri().scheme() != Some(&Scheme::HTTPS) {
            return Ok(PLAIN.with(|pool| pool.get_or_init(|| pool_over(connector())).request(request)));
        }
        let tls = self.tls().ok_or(Failure::Unavailable("no_root_certificates"))?;
        Ok(SECURE.with(|pool| pool.get_or_init(|| pool_over(tls.clone())).request(request)))
    }

    fn tls(&self) -> Option<&HttpsConnector<HttpConnector>> {
        let make = || {
            let builder = HttpsConnectorBuilder::new().with_native_roots().ok()?;
            Some(builder.https_or_http().enable_http1().wrap_connector(connector()))
        };
        self.tls.get_or_init(make).as_ref()
    }
}

fn connector() -> HttpConnector {
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
pub async fn read(mut body: Incoming, limit: usize) -> Result<Bytes, Failure> {
    let mut first: Option<Bytes> = None;
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Failure::Unavailable("upstream_reset"))?;
        let Ok(data) = frame.into_data() else { continue };
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
