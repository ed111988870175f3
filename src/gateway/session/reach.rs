//! One message to an upstream in a client's session, with the headers that say who the client is.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{HOST, HeaderMap};

use super::find::Held;
use super::seal::Leg;
use crate::app::App;
use crate::gateway::Gateway;
use crate::gateway::call::{Authenticated, Cx};
use crate::gateway::prove::prove;
use crate::gateway::refusal::Reason;
use crate::gateway::service::{Service, Upstream};
use crate::gateway::trace::Trace;
use crate::mcp::duplex::find;
use crate::mcp::jsonrpc::{self, Incoming, Meta};
use crate::mcp::sse::Decoder;
use crate::upstream::client::{Body, Client, Failure};
use crate::upstream::identity_headers::Carrier as _;
use crate::upstream::mcp::{self, Exchange, Replied, Reply};
use crate::upstream::worker::MAX_ANSWER;

/// Every upstream of a session, reached for its caller.
pub fn legs<'h>(cx: Cx<'_>, caller: &Authenticated<'_>, held: &'h Held) -> Vec<(Reach, &'h Leg)> {
    let upstreams = cx.service.upstreams.iter().enumerate();
    let legs = upstreams.filter_map(|(at, upstream)| Some((at, held.leg(upstream)?)));
    legs.filter_map(|(at, leg)| Some((Reach::new(cx, caller, at)?, leg))).collect()
}

/// An upstream as one caller reaches it. It owns all it needs, since streams outlive their request.
#[derive(Clone)]
pub struct Reach {
    app: Arc<App>,
    gateway: Arc<Gateway>,
    service: Arc<Service>,
    at: usize,
    headers: HeaderMap,
}

impl Reach {
    /// The upstream at this place of the service's, reached for this caller.
    pub fn new(cx: Cx<'_>, caller: &Authenticated<'_>, at: usize) -> Option<Self> {
        let (upstream, names) = (cx.service.upstreams.get(at)?, &cx.gateway.names);
        let mut headers = HeaderMap::with_capacity(32);
        headers.extend(upstream.headers.clone());
        names.service(&mut headers, cx.service.policy.id.as_str());
        names.caller(&mut headers, caller.caller());
        Trace::new(cx, &Meta::default()).write(&mut headers, None);
        headers.set(&HOST, &upstream.host);
        Some(Self {
            app: Arc::clone(cx.app),
            gateway: Arc::clone(cx.gateway),
            service: Arc::clone(cx.service),
            at,
            headers,
        })
    }

    /// The upstream.
    ///
    /// # Errors
    /// It is there as long as the service is.
    pub fn upstream(&self) -> Result<&Upstream, Failure> {
        self.service.upstreams.get(self.at).ok_or(Failure::Unavailable("no_upstream"))
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

    /// Posts a request under `id`, JSON, and waits for its answer: the whole message.
    ///
    /// # Errors
    /// 404 for a session that is gone, and whatever is no answer.
    pub async fn ask(&self, leg: &Leg, id: &str, body: &Bytes) -> Result<String, Reason> {
        let replied = self.post(Some(leg), body).await?;
        self.answer(replied.reply, id).await
    }

    /// The answer to the request of this id out of a reply: the whole message.
    ///
    /// # Errors
    /// As for [`Self::ask`].
    pub async fn answer(&self, reply: Reply, id: &str) -> Result<String, Reason> {
        let whole = match reply {
            Reply::Json(body) => String::from_utf8(body.to_vec()).ok().filter(|text| is_answer(text, id)),
            Reply::Events(body) => self.within(heard(body, id)).await?,
            Reply::NotFound => return Err(Reason::Session("session_gone_upstream")),
            Reply::Accepted | Reply::Refused(..) => None,
        };
        whole.ok_or(Reason::Unavailable("upstream_answer_unreadable"))
    }

    async fn send(
        &self,
        leg: Option<&Leg>,
        last: Option<&str>,
        body: &Bytes,
        send: impl AsyncFnOnce(&Client, &Exchange<'_>) -> Result<Replied, Failure>,
    ) -> Result<Replied, Failure> {
        let upstream = self.upstream()?;
        let uri = upstream.endpoint().ok_or(Failure::Unavailable("upstream_url"))?;
        let mut headers = self.headers.clone();
        if let Some(parties) = &upstream.assertion {
            let names = &self.gateway.names;
            let mut facts = names.facts();
            facts.fixed(&headers);
            names.assertion(&mut headers, &prove(&self.app, parties, facts, body)?);
        }
        let exchange = Exchange {
            session: leg.map(|leg| leg.id.as_str()),
            version: leg.map(|leg| leg.version),
            last_event_id: last,
            ..Exchange::new(uri, &headers, body)
        };
        self.within(send(&self.app.upstream, &exchange)).await?
    }

    async fn within<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        tokio::time::timeout(self.upstream()?.timeout, work).await.map_err(|_| Failure::Timeout)
    }
}

fn is_answer(message: &str, id: &str) -> bool {
    matches!(jsonrpc::parse(message.as_bytes()), Ok(Incoming::Response))
        && find(message, &["id"]).is_some_and(|own| own.get() == id)
}

/// Reads a stream up to the answer; whatever is said before it, nobody waits for.
async fn heard(mut body: Body, id: &str) -> Option<String> {
    let mut decoder = Decoder::default();
    while let Some(Ok(chunk)) = body.chunk().await {
        for event in decoder.push(&chunk) {
            let text = String::from_utf8(event.data).ok().filter(|text| is_answer(text, id));
            if text.is_some() {
                return text;
            }
        }
        if decoder.held() > MAX_ANSWER {
            return None;
        }
    }
    None
}
