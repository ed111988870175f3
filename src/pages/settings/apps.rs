//! `/settings/apps`: what is connected, and what was and why it ended.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse};

use super::{Seat, app_disconnect, is_recent, workspace_name};
use crate::app::App;
use crate::domain::client::Client;
use crate::domain::clock::Timestamp;
use crate::domain::grant::EndReason as Reason;
use crate::domain::ids::{ClientId, GrantId, PatId};
use crate::domain::pat::Pat;
use crate::domain::workspace::Workspace;
use crate::pages::answer::Stop;
use crate::pages::view::settings::{
    AppGroup, AppsNotice, AppsPage, Connection, EndReason, EndedConnection, TokenRef,
};
use crate::pages::view::{ClientIdentity, ClientView, ErrorKind};
use crate::pages::{error, words};
use crate::store::grants::GrantView;

/// Ended connections are told of for this long.
const ENDED_KEPT: Duration = Duration::from_hours(90 * 24);

/// `GET /settings/apps`.
pub async fn show(app: &App, req: &HttpRequest) -> HttpResponse {
    shown(app, req).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn shown(app: &App, req: &HttpRequest) -> Result<HttpResponse, Stop> {
    let seat = Seat::take(app, req).await?;
    let params = seat.query(&["disconnected"])?;
    let notice = match params.get("disconnected") {
        Some(id) => disconnected(&seat, id).await?,
        None => None,
    };
    let ledger = Ledger::of(&seat, app.identity.store.grants(Some(&seat.user.id)).await?).await?;
    let page = AppsPage {
        shell: seat.shell(),
        groups: ledger.groups(&seat),
        ended: ledger.ended(seat.app(), seat.now()),
        notice,
    };
    Ok(seat.page(&page))
}

async fn disconnected(seat: &Seat<'_>, id: &str) -> Result<Option<AppsNotice>, Stop> {
    let view = match app_disconnect::own(seat, Some(id)).await {
        Ok(view) => view,
        Err(Stop::Page(ErrorKind::NotFound)) => return Ok(None),
        Err(stop) => return Err(stop),
    };
    let news = is_recent(view.grant.ended_at, seat.now());
    Ok(news.then(|| AppsNotice::Disconnected {
        client: words::name(&view.client_name),
        service: words::service(seat.app(), &view.grant.service),
    }))
}

/// A person's connections with what they hang on.
pub(super) struct Ledger {
    grants: Vec<GrantView>,
    clients: HashMap<ClientId, Client>,
    pats: HashMap<PatId, Pat>,
    workspaces: Vec<Workspace>,
    /// Connections whose refresh token ran out, and when: nobody ended them, and nobody can use them.
    unused: HashMap<GrantId, Timestamp>,
}

impl Ledger {
    /// Looks up what the connections hang on.
    pub(super) async fn of(seat: &Seat<'_>, grants: Vec<GrantView>) -> Result<Self, Stop> {
        let store = &seat.app().identity.store;
        let mut clients = HashMap::new();
        for id in grants.iter().map(|view| &view.grant.client).collect::<HashSet<_>>() {
            if let Some(client) = store.client(id).await? {
                clients.insert(id.clone(), client);
            }
        }
        let pats = store.pats(Some(&seat.user.id)).await?;
        let mut unused = HashMap::new();
        for view in grants.iter().filter(|view| view.alive && is_idle(seat, view)) {
            if let Some(end) = store.refresh_end(&view.grant.id).await?.filter(|end| *end <= seat.now()) {
                unused.insert(view.grant.id.clone(), end);
            }
        }
        Ok(Self {
            clients,
            pats: pats.into_iter().map(|pat| (pat.id.clone(), pat)).collect(),
            workspaces: seat.workspaces().await?,
            unused,
            grants,
        })
    }

    fn is_live(&self, app: &App, view: &GrantView) -> bool {
        let served = app.services.iter().any(|service| service.id == view.grant.service);
        view.alive && view.activated && served && !self.unused.contains_key(&view.grant.id)
    }

    /// Each live connection with its client, newest first.
    pub(super) fn live(&self, seat: &Seat<'_>) -> Vec<(ClientView, Connection)> {
        let live = self.grants.iter().filter(|view| self.is_live(seat.app(), view));
        live.map(|view| (self.client(view), self.connection(seat, view))).collect()
    }

    /// The live connections by client, in the order of each client's newest one.
    fn groups(&self, seat: &Seat<'_>) -> Vec<AppGroup> {
        let mut groups: Vec<(&ClientId, AppGroup)> = Vec::new();
        for view in self.grants.iter().filter(|view| self.is_live(seat.app(), view)) {
            let connection = self.connection(seat, view);
            if let Some((_, group)) = groups.iter_mut().find(|(id, _)| **id == view.grant.client) {
                group.connections.push(connection);
            } else {
                let group = AppGroup { client: self.client(view), connections: vec![connection] };
                groups.push((&view.grant.client, group));
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    fn client(&self, view: &GrantView) -> ClientView {
        self.clients.get(&view.grant.client).map_or_else(
            || ClientView { name: words::name(&view.client_name), identity: ClientIdentity::Unverified },
            words::client,
        )
    }

    fn connection(&self, seat: &Seat<'_>, view: &GrantView) -> Connection {
        let (app, grant) = (seat.app(), &view.grant);
        let pat = grant.pat.as_ref().and_then(|id| self.pats.get(id));
        let pat_end = pat.and_then(|pat| pat.expires_at);
        Connection {
            grant: grant.id.to_string(),
            service: words::service(app, &grant.service),
            scopes: words::sentences(app, &grant.brand, &grant.scopes, seat.visit.locale.lang()),
            workspace: workspace_name(&self.workspaces, &grant.workspace),
            destination: words::kept_destination(&view.redirect_host),
            allowed_at: grant.created_at.millis(),
            last_used_at: grant.last_used_at.map(Timestamp::millis),
            expires_at: pat_end.map_or(grant.expires_at, |end| end.min(grant.expires_at)).millis(),
            token: pat.map(|pat| TokenRef {
                id: pat.id.to_string(),
                name: pat.name.clone(),
                hint: pat.hint.clone(),
            }),
            recoveries: 0,
        }
    }

    /// What ended lately, newest first.
    fn ended(&self, app: &App, now: Timestamp) -> Vec<EndedConnection> {
        let over = self.grants.iter().filter(|view| view.activated && !self.is_live(app, view));
        let mut ended: Vec<EndedConnection> = over
            .map(|view| {
                let (at, reason) = self.why(app, view, now);
                EndedConnection {
                    client: words::name(&view.client_name),
                    service: words::service(app, &view.grant.service),
                    ended_at: at.min(now).millis(),
                    reason,
                }
            })
            .collect();
        ended.retain(|item| now.since(Timestamp::from_millis(item.ended_at)) < ENDED_KEPT);
        ended.sort_by_key(|item| std::cmp::Reverse(item.ended_at));
        ended
    }

    /// When and why a connection ended: by the first link of its chain that broke, as far as the rows tell. What
    /// keeps no time of its own ended after the last use.
    fn why(&self, app: &App, view: &GrantView, now: Timestamp) -> (Timestamp, EndReason) {
        let grant = &view.grant;
        let last_seen = grant.last_used_at.unwrap_or(grant.created_at);
        if let Some(at) = grant.ended_at {
            return (at, stated(grant.ended_reason));
        }
        if let Some(end) = self.token_end(view, now) {
            return end;
        }
        if grant.expires_at <= now {
            return (grant.expires_at, EndReason::TooOld);
        }
        if let Some(at) = self.unused.get(&grant.id) {
            return (*at, EndReason::Unused);
        }
        match self.clients.get(&grant.client) {
            None => return (last_seen, EndReason::ClientRemoved),
            Some(Client { disabled_at: Some(at), .. }) => return (*at, EndReason::ClientRemoved),
            Some(_) => {}
        }
        if !app.services.iter().any(|service| service.id == grant.service) {
            return (last_seen, EndReason::ServiceRemoved);
        }
        if !self.workspaces.iter().any(|workspace| workspace.id == grant.workspace) {
            return (last_seen, EndReason::WorkspaceLeft);
        }
        (last_seen, EndReason::Operator)
    }

    fn token_end(&self, view: &GrantView, now: Timestamp) -> Option<(Timestamp, EndReason)> {
        let pat = self.pats.get(view.grant.pat.as_ref()?)?;
        let token = pat.name.clone();
        match (pat.ended_at, pat.expires_at) {
            (Some(at), _) => Some((at, EndReason::TokenRevoked { token })),
            (None, Some(at)) if at <= now => Some((at, EndReason::TokenExpired { token })),
            _ => None,
        }
    }
}

fn stated(reason: Option<Reason>) -> EndReason {
    match reason {
        Some(Reason::User) => EndReason::Person,
        Some(Reason::Client) => EndReason::Client,
        Some(Reason::RefreshReuse | Reason::CodeReplay) => EndReason::Reuse,
        Some(Reason::Leaked) => EndReason::Leaked,
        Some(Reason::Operator) | None => EndReason::Operator,
    }
}

/// True if a connection was not used for as long as a refresh token lasts: only then is that worth a look.
fn is_idle(seat: &Seat<'_>, view: &GrantView) -> bool {
    let last = view.grant.last_used_at.unwrap_or(view.grant.created_at);
    last.plus(seat.app().identity.lifetimes.refresh) <= seat.now()
}
