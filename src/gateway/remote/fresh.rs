//! Keeping what is known of a server fresh: asked at start, every now and then, and every second while it is down or
//! has said that something changed. One that is down takes nothing away but its own.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::super::library::Offer;
use super::super::service::Service;
use super::super::validate;
use super::learn::{self, Facts};
use super::voice::Voice;
use super::{Remote, lists};
use crate::app::App;
use crate::mcp::tool::Descriptor;
use crate::upstream::client::Failure;

/// All pages of all lists of one kind come within this time.
const DEADLINE: Duration = Duration::from_secs(10);

/// The server's tools as it lists them now; `None` if it does not.
pub async fn tools(app: &App, service: &Service, remote: &Arc<Remote>) -> Option<Vec<Descriptor>> {
    let voice = Voice::own(app, remote);
    let read = async {
        let facts = facts(remote, &voice).await?;
        lists::tools(remote, &voice, &facts).await
    };
    let mut read = settled(remote, timeout(DEADLINE, read).await.unwrap_or(Err(Failure::Timeout)))?;
    if service.reading.validates {
        // one schema that cannot be compiled would cost the service its whole catalog
        read.items.retain(|tool| {
            let compiled = validate::compile(&tool.name, tool.input_schema());
            compiled.map_err(|fault| read.faults.push(fault)).is_ok()
        });
    }
    remote.health.complain(&remote.ids, &read.faults);
    Some(read.items)
}

/// What the server offers beside tools; `None` if it does not say.
pub async fn offer(app: &App, remote: &Arc<Remote>) -> Option<Offer> {
    let voice = Voice::own(app, remote);
    let facts = remote.learnt()?.facts().cloned()?;
    let read = timeout(DEADLINE, lists::offer(remote, &voice, &facts));
    let (offer, faults) = settled(remote, read.await.unwrap_or(Err(Failure::Timeout)))?;
    if !faults.is_empty() {
        remote.health.complain(&remote.ids, &faults);
    }
    Some(offer)
}

/// What it says of itself, asked anew where that may have changed.
async fn facts(remote: &Arc<Remote>, voice: &Voice) -> Result<Facts, Failure> {
    let doubted = remote.health.take_doubt();
    if doubted || remote.learnt().is_none() {
        let learnt = learn::learn(remote, voice).await?;
        if remote.learnt().as_deref() != Some(&learnt) {
            let [service, upstream] = &remote.ids;
            tracing::info!(service, upstream, speaks = learnt.words(), "heard what the MCP server is");
            remote.learnt.store(Some(Arc::new(learnt)));
        }
    }
    let learnt = remote.learnt();
    learnt.and_then(|learnt| learnt.facts().cloned()).ok_or(Failure::Unavailable("upstream_not_heard_yet"))
}

/// Writes down whether it answered.
fn settled<T>(remote: &Remote, outcome: Result<T, Failure>) -> Option<T> {
    match outcome {
        Ok(read) => {
            remote.health.found(&remote.ids);
            Some(read)
        }
        Err(Failure::Timeout) => {
            remote.health.lost(&remote.ids, "too slow");
            None
        }
        Err(Failure::Unavailable(cause)) => {
            remote.health.lost(&remote.ids, cause);
            None
        }
    }
}
