//! Fetching an issuer's key set. The URL is the operator's own, so it may be a private address; it is followed no
//! further than it leads.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HOST, HeaderMap, HeaderValue, USER_AGENT};
use http::{Method, StatusCode, Uri};

use super::client::{self, Client, Failure, Sending};

/// An issuer has this long to answer.
const DEADLINE: Duration = Duration::from_secs(3);
/// No key set is longer.
const LIMIT: usize = 256 << 10;

/// The text of a key set.
///
/// # Errors
/// Whatever keeps it from coming, anything but 200 included: a redirect is not followed.
pub async fn fetch(client: &Client, uri: &Uri) -> Result<Bytes, Failure> {
    tokio::time::timeout(DEADLINE, ask(client, uri)).await.unwrap_or(Err(Failure::Timeout))
}

async fn ask(client: &Client, uri: &Uri) -> Result<Bytes, Failure> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, application/jwk-set+json"));
    headers.insert(USER_AGENT, HeaderValue::from_static("portero"));
    if let Some(Ok(host)) = uri.authority().map(|authority| HeaderValue::from_str(authority.as_str())) {
        headers.insert(HOST, host);
    }
    let request = Sending { method: Method::GET, uri, headers: &headers, body: &Bytes::new() };
    let reply = client.send(&request).await?;
    if reply.status != StatusCode::OK {
        return Err(Failure::Unavailable("status"));
    }
    client::read(reply.body, LIMIT).await
}
