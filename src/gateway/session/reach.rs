//! One message to an upstream in a client's session, in the name of the client.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::find::Held;
use super::seal::Leg;
use crate::gateway::call::{Authenticated, Cx};
use crate::gateway::remote::Remote;
use crate::gateway::remote::sessions::said;
use crate::gateway::remote::voice::Voice;
use crate::gateway::service::Upstream;
use crate::gateway::trace::Trace;
use crate::mcp::jsonrpc::Meta;
use crate::upstream::client::{Client, Failure};
use crate::upstream::mcp::{self, Exchange, Replied, Reply};

/// Every upstream of a session, reached for its caller.
pub fn legs<'h>(cx: Cx<'_>, caller: &Authenticated<'_>, held: &'h Held) -> Vec<(Reach, &'h Leg)> {
    let legs = cx.service.upstreams.iter().filter_map(|upstream| Some((upstream, held.leg(upstream)?)));
    legs.filter_map(|(upstream, leg)| Some((Reach::new(cx, caller, upstream)?, leg))).collect()
}

/// An upstream as one caller reaches it. It owns all it needs, since streams outlive their request.
#[derive(Clone)]
pub struct Reach {
    remote: Arc<Remote>,
    voice: Voice,
    timeout: Duration,
}

impl Reach {
    /// An upstream, reached for this caller; `None` for one that is no MCP server.
    pub fn new(cx: Cx<'_>, caller: &Authenticated<'_>, upstream: &Upstream) -> Option<Self> {
        let remote = upstream.source.remote()?;
        let voice = Voice::of(cx, caller, &Trace::new(cx, &Meta::default()), remote);
        Some(Self { remote: Arc::clone(remote), voice, timeout: upstream.timeout })
    }

    /// Posts a message; without a leg, one that opens a session.
    ///
    /// # Errors
    /// What keeps the head of an answer from coming in time.
    pub async fn post(&self, leg: Option<&Leg>, body: &Bytes) -> Result<Replied, Failure> {
        self.send(leg, None, body, async |client, exchange| mcp::post(client, exchange).await).await
    }

    /// Opens the stream on which it speaks unasked, after the event seen last.
    ///
    /// # Errors
    /// As for [`Self::post`].
    pub async fn open(&self, leg: &Leg, last: Option<&str>) -> Result<Reply, Failure> {
        let open = async |client: &Client, exchange: &Exchange<'_>| mcp::open(client, exchange).await;
        Ok(self.send(Some(leg), last, &Bytes::new(), open).await?.reply)
    }

    /// Ends the session.
    ///
    /// # Errors
    /// As for [`Self::post`].
    pub async fn end(&self, leg: &Leg) -> Result<Reply, Failure> {
        let end = async |client: &Client, exchange: &Exchange<'_>| mcp::end(client, exchange).await;
        Ok(self.send(Some(leg), None, &Bytes::new(), end).await?.reply)
    }

    async fn send(
        &self,
        leg: Option<&Leg>,
        last: Option<&str>,
        body: &Bytes,
        send: impl AsyncFnOnce(&Client, &Exchange<'_>) -> Result<Replied, Failure>,
    ) -> Result<Replied, Failure> {
        let headers = self.voice.headers(body)?;
        let exchange = Exchange {
            session: leg.map(|leg| leg.id.as_str()),
            version: leg.and_then(|leg| said(leg.version)),
            last_event_id: last,
            ..Exchange::new(&self.remote.uri, &headers, body)
        };
        self.within(send(&self.voice.client, &exchange)).await?
    }

    /// Within the time that the upstream has for a call.
    ///
    /// # Errors
    /// That is over.
    pub async fn within<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        tokio::time::timeout(self.timeout, work).await.map_err(|_| Failure::Timeout)
    }
}
