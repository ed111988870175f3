//! Asking workers what they offer beside tools: at start, and again with their catalogs. A worker need not offer
//! anything; one that answers something else than these documents offers nothing.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use http::header::HOST;
use http::{Method, Uri};

use super::super::load::Due;
use super::super::remote;
use super::super::service::{Service, Source, Upstream};
use super::{Library, Lists, Offer};
use crate::app::App;
use crate::mcp::offer;
use crate::upstream::client::{Failure, Sending};
use crate::upstream::identity_headers::Carrier as _;
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
pub async fn refresh(app: &App, service: &Service, due: Due<'_>) {
    let mut offered = service.offers.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let read = service.upstreams.iter().zip(&offered).enumerate().map(async |(at, (upstream, slot))| {
        if due.is(at, slot.is_none()) { Some(fetch(app, upstream).await) } else { None }
    });
    let read = join_all(read).await;
    let mut changed = false;
    for ((upstream, outcome), slot) in service.upstreams.iter().zip(read).zip(&mut offered) {
        let Some(outcome) = outcome else { continue };
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
    // an API has tools alone, and paths of its own
    if matches!(upstream.source, Source::Rest(_)) {
        return Ok(Offer::default());
    }
    if let Some(remote) = upstream.source.remote() {
        return remote::fresh::offer(app, remote).await.ok_or(Trouble::Unreachable);
    }
    let (templates, resources, prompts) = tokio::join!(
        document(app, upstream, "/resources/templates"),
        document(app, upstream, "/resources"),
        document(app, upstream, "/prompts"),
    );
    let lists = match resources? {
        (200, body) => offer::page(&body).map_or(Lists::No, |page| {
            Lists::Fixed(page.resources.into_iter().map(|entry| entry.key).take(MAX_FIXED).collect())
        }),
        (400 | 401 | 403 | 422, _) => Lists::Asks,
        _ => Lists::No,
    };
    let (templates, prompts) = (whole(templates?), whole(prompts?));
    Ok(Offer {
        templates: offer::templates(&templates).map_err(Trouble::Bad)?.unwrap_or_default(),
        lists,
        prompts: offer::prompts(&prompts).map_err(Trouble::Bad)?.unwrap_or_default(),
        completes: false,
    })
}

/// Status and body; status 0 if it says nothing in time.
async fn document(app: &App, upstream: &Upstream, path: &str) -> Result<(u16, Bytes), Trouble> {
    let nothing = Ok((0, Bytes::new()));
    let Ok(uri) = format!("{}{path}", upstream.base).parse::<Uri>() else { return nothing };
    let mut headers = upstream.headers.clone();
    headers.set(&HOST, &upstream.host);
    let sending = Sending { method: Method::GET, uri: &uri, headers: &headers, body: &Bytes::new() };
    match tokio::time::timeout(DEADLINE, worker::ask(&app.upstream, &sending)).await {
        Ok(Ok((status, body))) => Ok((status.as_u16(), body)),
        Ok(Err(Failure::Unavailable("upstream_refused"))) => Err(Trouble::Unreachable),
        Ok(Err(_)) | Err(_) => nothing,
    }
}

fn whole((status, body): (u16, Bytes)) -> Bytes {
    if status == 200 { body } else { Bytes::new() }
}
