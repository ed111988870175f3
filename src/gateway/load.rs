//! Reading catalogs: from files once, from workers at start and again every now and then.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use http::Uri;
use tokio::time::Instant;

use super::Gateway;
use super::catalog::Catalog;
use super::library::offers;
use super::service::{Service, Source, Upstream};
use super::{remote, rest};
use crate::app::App;
use crate::domain::ids::ServiceId;
use crate::mcp::tool::{self, Descriptor};
use crate::upstream::worker;

/// How long a worker may take to say what it offers.
const DEADLINE: Duration = Duration::from_secs(2);
/// How soon a worker is asked again that has not answered yet.
const RETRY: Duration = Duration::from_secs(1);
/// How often the others are asked, so that a worker's new tools appear without a restart.
const REFRESH: u32 = 30;

/// Reads all catalogs for the first time. A worker that does not answer only warns; one that answers nonsense
/// stops the start.
///
/// # Errors
/// Every bad catalog: upstream, tool and fault.
pub async fn at_start(gateway: &Gateway, app: &App) -> Result<(), Vec<String>> {
    let mut faults = Vec::new();
    for own in &app.config.service {
        let id = ServiceId::from(own.id.as_str());
        let Some(service) = gateway.services.get(&id) else { continue };
        let read = join_all(service.upstreams.iter().map(|upstream| first(app, service, upstream))).await;
        let mut offered = Vec::new();
        for (upstream, outcome) in service.upstreams.iter().zip(read) {
            match outcome {
                Ok(descriptors) => offered.push(descriptors),
                Err(fault) => faults.push(format!("service {id:?}: upstream {:?}: {fault}", upstream.id)),
            }
        }
        if let Err(fault) = install(gateway, service, offered) {
            faults.push(format!("service {id:?}: {fault}"));
        }
        unused_policies(service);
        for warning in rest::check::warnings(service) {
            tracing::warn!(service = %service.policy.id, warning, "in the document of an API");
        }
        let bad = offers::at_start(app, service).await.err();
        faults.extend(bad.into_iter().flatten().map(|fault| format!("service {id:?}: {fault}")));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// What an upstream offers when the server starts; `None` if it does not say yet.
async fn first(app: &App, service: &Service, upstream: &Upstream) -> Result<Option<Vec<Descriptor>>, String> {
    match &upstream.source {
        Source::File(file) => {
            let text = tokio::fs::read(file).await.map_err(|error| format!("{}: {error}", file.display()))?;
            let parsed =
                tool::parse_catalog(&text).map_err(|fault| format!("{}: {fault}", file.display()))?;
            let base: Uri = upstream.base.parse().map_err(|_| format!("url {}", upstream.base))?;
            app.upstream.ready_for(&base)?;
            Ok(Some(parsed))
        }
        Source::Worker(uri) => of_worker(app, upstream, uri).await,
        Source::Rest(api) => {
            let base: Uri = upstream.base.parse().map_err(|_| format!("url {}", upstream.base))?;
            app.upstream.ready_for(&base)?;
            rest::curated::descriptors(api, &service.policies).map(Some)
        }
        Source::Remote(remote) => {
            app.upstream.ready_for(&remote.uri)?;
            Ok(remote::fresh::tools(app, service, remote).await)
        }
    }
}

async fn of_worker(app: &App, upstream: &Upstream, uri: &Uri) -> Result<Option<Vec<Descriptor>>, String> {
    app.upstream.ready_for(uri)?;
    match fetch(app, upstream, uri).await {
        Ok(descriptors) => Ok(Some(descriptors)),
        Err(Trouble::Silent(label)) => {
            tracing::warn!(
                upstream = upstream.id,
                cause = label,
                "the worker does not say its tools yet; asking again"
            );
            Ok(None)
        }
        Err(Trouble::Bad(fault)) => Err(fault),
    }
}

enum Trouble {
    Silent(&'static str),
    Bad(String),
}

async fn fetch(app: &App, upstream: &Upstream, uri: &Uri) -> Result<Vec<Descriptor>, Trouble> {
    let answer = tokio::time::timeout(DEADLINE, worker::fetch(&app.upstream, uri, &upstream.headers)).await;
    let body = match answer {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return Err(Trouble::Silent("no answer")),
        Err(_) => return Err(Trouble::Silent("too slow")),
    };
    tool::parse_catalog(&body).map_err(|fault| Trouble::Bad(fault.to_string()))
}

fn install(
    gateway: &Gateway,
    service: &Service,
    offered: Vec<Option<Vec<Descriptor>>>,
) -> Result<(), String> {
    let catalog = Catalog::assemble(service, &offered, &gateway.names, gateway.language)?;
    service.catalog.store(Arc::new(catalog));
    *service.descriptors.lock().unwrap_or_else(PoisonError::into_inner) = offered;
    Ok(())
}

/// A policy that no tool has is probably misspelt, and the tool it was meant for unprotected by it.
fn unused_policies(service: &Service) {
    let catalog = service.catalog.load();
    if catalog.pending {
        return;
    }
    for (pattern, _) in &service.policies {
        if !catalog.tools().any(|tool| super::merge::matches(pattern, &tool.name)) {
            tracing::warn!(service = %service.policy.id, policy = pattern, "no tool has this name");
        }
    }
}

/// Asks upstreams for their catalogs for ever: silent ones every second, the others every half minute. A bad new
/// catalog is logged and the old one stays. No service waits for another's upstreams.
pub async fn keep_fresh(gateway: Arc<Gateway>, app: Arc<App>) {
    let mut round = 0u32;
    loop {
        tokio::time::sleep(RETRY).await;
        round = round.wrapping_add(1);
        let all = round.is_multiple_of(REFRESH);
        join_all(gateway.services.values().map(|service| turn(&gateway, &app, service, all))).await;
    }
}

async fn turn(gateway: &Gateway, app: &App, service: &Service, all: bool) {
    let restless: Vec<bool> = service.upstreams.iter().map(Upstream::take_restless).collect();
    let due = Due { all, restless: &restless };
    let any = all || restless.contains(&true);
    // one reader at a time: what was read before must not take the place of what is new
    let _last = service.looked.lock().await;
    if service.catalog.load().pending || any {
        refresh(gateway, app, service, due).await;
    }
    if service.library.load().pending || any {
        offers::refresh(app, service, due).await;
    }
}

/// Which upstreams are asked in a round.
#[derive(Clone, Copy)]
pub struct Due<'a> {
    all: bool,
    restless: &'a [bool],
}

impl Due<'_> {
    /// True for one that has said nothing yet, and for one that wants to be asked.
    pub fn is(self, at: usize, silent: bool) -> bool {
        self.all || silent || self.restless.get(at) == Some(&true)
    }
}

impl Upstream {
    /// True for an MCP server that is down or has changed: it is asked at once.
    fn take_restless(&self) -> bool {
        self.source.remote().is_some_and(|remote| remote.take_restless())
    }
}

/// Reads what an upstream offers again, since it says that this has changed. Whoever comes while somebody waits to read
/// is served by that. Attack: an upstream that says so without an end; it is not asked more often than once a second.
pub async fn look_again(gateway: &Gateway, app: &App, service: &Service, upstream: &str) {
    let asked = Instant::now();
    let mut last = service.looked.lock().await;
    if let Some(before) = *last {
        if before >= asked {
            return;
        }
        tokio::time::sleep_until(before + RETRY).await;
    }
    *last = Some(Instant::now());
    let restless: Vec<bool> = service.upstreams.iter().map(|own| own.id == upstream).collect();
    let due = Due { all: false, restless: &restless };
    refresh(gateway, app, service, due).await;
    offers::refresh(app, service, due).await;
}

/// What an upstream offers now; `None` where that does not change while the server runs.
async fn again(
    app: &App,
    service: &Service,
    upstream: &Upstream,
) -> Option<Result<Vec<Descriptor>, Trouble>> {
    match &upstream.source {
        Source::File(_) | Source::Rest(_) => None,
        Source::Worker(uri) => Some(fetch(app, upstream, uri).await),
        Source::Remote(remote) => {
            let read = remote::fresh::tools(app, service, remote).await;
            Some(read.ok_or(Trouble::Silent("no answer")))
        }
    }
}

async fn refresh(gateway: &Gateway, app: &App, service: &Service, due: Due<'_>) {
    let before = service.descriptors.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let read = service.upstreams.iter().zip(&before).enumerate().map(async |(at, (upstream, slot))| {
        if due.is(at, slot.is_none()) { again(app, service, upstream).await } else { None }
    });
    let read = join_all(read).await;
    let mut offered = before;
    for (at, (upstream, outcome)) in service.upstreams.iter().zip(read).enumerate() {
        let fault = match outcome {
            Some(Ok(read)) => match changed(gateway, service, &mut offered, at, read) {
                Ok(()) => continue,
                Err(fault) => fault,
            },
            None | Some(Err(Trouble::Silent(_))) => continue,
            Some(Err(Trouble::Bad(fault))) => fault,
        };
        tracing::warn!(service = %service.policy.id, upstream = upstream.id, fault, "bad catalog; the last good one stays");
    }
}

/// Puts what one upstream offers now in the place of what it did. What cannot stand beside the others' changes nothing.
fn changed(
    gateway: &Gateway,
    service: &Service,
    offered: &mut Vec<Option<Vec<Descriptor>>>,
    at: usize,
    read: Vec<Descriptor>,
) -> Result<(), String> {
    if offered.get(at).and_then(Option::as_ref) == Some(&read) {
        return Ok(());
    }
    let mut new = offered.clone();
    if let Some(slot) = new.get_mut(at) {
        *slot = Some(read);
    }
    install(gateway, service, new.clone())?;
    *offered = new;
    tracing::info!(service = %service.policy.id, "catalog read");
    Ok(())
}
