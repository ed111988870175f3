//! Asking workers what they offer beside tools: at start, and again with their catalogs. A worker need not offer
//! anything; one that answers something else than these documents offers nothing.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;

use super::library::{Library, Offer};
use super::service::{Service, Upstream};
use crate::app::App;
use crate::mcp::offer;
use crate::upstream::client::Failure;
use crate::upstream::worker;

/// How long a worker may take to say what it offers.
const DEADLINE: Duration = Duration::from_secs(2);
/// How many listed resources are remembered of one worker; more of them are found by asking it.
const MAX_FIXED: usize = 10_000;

enum Trouble {
    /// There is nobody: asked again soon.
    Unreachable,
    /// A document that is one of these and bad.
    Bad(String),
}

/// Asks all upstreams of a service for the first time.
///
/// # Errors
/// Every bad document: upstream and fault.
pub async fn at_start(app: &App, service: &Service) -> Result<(), Vec<String>> {
    let read = join_all(service.upstreams.iter().map(|upstream| fetch(app, upstream))).await;
    let (mut offered, mut faults) = (Vec::new(), Vec::new());
    for (upstream, outcome) in service.upstreams.iter().zip(read) {
        match outcome {
            Ok(offer) => offered.push(Some(offer)),
            Err(Trouble::Unreachable) => offered.push(None),
            Err(Trouble::Bad(fault)) => faults.push(format!("upstream {:?}: {fault}", upstream.id)),
        }
    }
    if faults.is_empty() {
        faults.extend(install(service, offered).err());
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Asks them again; what is bad now is logged, and the last good one stays.
pub async fn refresh(app: &App, service: &Service) {
    let mut offered = service.offers.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let read = join_all(service.upstreams.iter().map(|upstream| fetch(app, upstream))).await;
    let mut changed = false;
    for ((upstream, outcome), slot) in service.upstreams.iter().zip(read).zip(&mut offered) {
        match outcome {
            Ok(offer) if slot.as_ref() != Some(&offer) => {
                *slot = Some(offer);
                changed = true;
            }
            Ok(_) | Err(Trouble::Unreachable) => {}
            Err(Trouble::Bad(fault)) => {
                tracing::warn!(service = %service.policy.id, upstream = upstream.id, fault, "bad document; the last good one stays");
            }
        }
    }
    if changed && let Err(fault) = install(service, offered) {
        tracing::warn!(service = %service.policy.id, fault, "bad documents; the last good ones stay");
    }
}

fn install(service: &Service, offered: Vec<Option<Offer>>) -> Result<(), String> {
    service.library.store(Arc::new(Library::assemble(service, &offered)?));
    *service.offers.lock().unwrap_or_else(PoisonError::into_inner) = offered;
    Ok(())
}

async fn fetch(app: &App, upstream: &Upstream) -> Result<Offer, Trouble> {
    let ask = async |path: &str| {
        let Ok(uri) = format!("{}{path}", upstream.base).parse() else { return Ok(Bytes::new()) };
        let answer = worker::fetch(&app.upstream, &uri, &upstream.headers);
        match tokio::time::timeout(DEADLINE, answer).await {
            Ok(Ok(body)) => Ok(body),
            Ok(Err(Failure::Unavailable("upstream_refused"))) => Err(Trouble::Unreachable),
            Ok(Err(_)) | Err(_) => Ok(Bytes::new()),
        }
    };
    let (templates, resources, prompts) =
        tokio::join!(ask("/resources/templates"), ask("/resources"), ask("/prompts"));
    let listed = offer::page(&resources?);
    Ok(Offer {
        templates: offer::templates(&templates?).map_err(Trouble::Bad)?.unwrap_or_default(),
        resources: listed
            .map(|page| page.resources.into_iter().map(|entry| entry.key).take(MAX_FIXED).collect()),
        prompts: offer::prompts(&prompts?).map_err(Trouble::Bad)?.unwrap_or_default(),
    })
}
