//! What stands on the authorization page: who asks, for what, as whom, and what of it was allowed before.

use super::shell::{Visit, authority, endpoint};
use super::view::{
    AccessTerm, AuthorizeError, AuthorizePage, Nothing, ScopeView, SignIn, TechnicalDetails, WorkspaceChoice,
};
use super::words;
use crate::app::App;
use crate::app::service::Service;
use crate::domain::ids::UserId;
use crate::domain::scope::ScopeSet;
use crate::domain::workspace::Workspace;
use crate::oauth::authorize::Pending;
use crate::oauth::authorize::decide::redirect_host;
use crate::store::StoreError;
use crate::store::grants::GrantView;

const DAY_SECONDS: u64 = 24 * 60 * 60;

/// How the page differs from one that is shown for the first time.
#[derive(Default)]
pub(super) struct Attempt {
    /// What the last attempt was refused for.
    pub error: Option<AuthorizeError>,
    /// The scopes that were ticked in it.
    pub chosen: Option<ScopeSet>,
    /// The workspace that was chosen in it.
    pub workspace: Option<String>,
    /// Why nothing can be allowed, if that came out.
    pub nothing: Option<Nothing>,
}

/// What is known of the person who is signed in.
#[derive(Default)]
struct Known {
    workspaces: Vec<Workspace>,
    grants: Vec<GrantView>,
}

impl Known {
    async fn of(app: &App, user: Option<&UserId>) -> Result<Self, StoreError> {
        let Some(user) = user else { return Ok(Self::default()) };
        let store = &app.identity.store;
        Ok(Self { workspaces: store.workspaces_of(user).await?, grants: store.grants(Some(user)).await? })
    }
}

/// Fills the page for a request that waits.
pub(super) async fn page(
    visit: &Visit<'_>,
    pending: &Pending,
    attempt: Attempt,
) -> Result<AuthorizePage, StoreError> {
    let app = visit.app;
    let user = visit.session.as_ref().map(|(_, user)| &user.id);
    let known = Known::of(app, user).await?;
    let open = visit.session.as_ref().map(|(session, _)| session.workspace.as_str());
    let selected = attempt.workspace.as_deref().or(open);
    let before = before(&known.grants, pending);
    let (scopes, already) = boxes(visit, pending, attempt.chosen.as_ref(), &before);
    Ok(AuthorizePage {
        shell: visit.shell(pending.kept.id.as_str()),
        action: endpoint(visit.req, &visit.brand.issuer),
        transaction: pending.kept.id.to_string(),
        origin: authority(visit.req),
        service: pending.service.config.name.clone(),
        client: words::client(&pending.client),
        last_connected_at: last_connected(&known.grants, pending),
        destination: words::destination(&pending.request.redirect_uri),
        sign_in: ways_in(app, pending),
        scopes,
        already,
        workspaces: choices(&known.workspaces, selected),
        term: term(app),
        repeat: before.repeat,
        nothing: attempt.nothing.or_else(|| nothing(app, pending, &known.workspaces)),
        expires_at: pending.kept.expires_at.millis(),
        details: details(pending),
        error: attempt.error,
    })
}

/// How somebody who is not signed in can say who they are.
fn ways_in(app: &App, pending: &Pending) -> SignIn {
    let brand = pending.brand();
    SignIn {
        password: app.config.login.password,
        pat: brand.config.authorize_with_pat,
        pat_prefix: brand.tokens.pat_live.clone(),
        ..SignIn::default()
    }
}

/// What an earlier consent covers of a request.
struct Before {
    granted: ScopeSet,
    repeat: bool,
}

/// Client ids are shared by many installations, so an earlier connection counts only if it is alive, reaches the
/// same service and sent its answer to the same host. It shortens the page; it never replaces the question.
fn before(grants: &[GrantView], pending: &Pending) -> Before {
    let offered = pending.offered();
    let host = redirect_host(&pending.request.redirect_uri);
    let same = grants.iter().filter(|view| {
        view.alive
            && view.grant.client == pending.client.id
            && view.grant.service == pending.service.id
            && view.redirect_host == host
    });
    let best = same.map(|view| offered.intersection(&view.grant.scopes)).max_by_key(ScopeSet::len);
    let granted = best.unwrap_or_default();
    let repeat = !granted.is_empty() && granted.covers(&offered);
    // Who names no scope asks for nothing more than before: there is nothing new to set apart.
    let step_up = !repeat && !pending.request.scope_as_sent.trim().is_empty();
    Before { granted: if step_up { granted } else { ScopeSet::none() }, repeat }
}

/// The check boxes: what is new, and what was allowed before.
fn boxes(
    visit: &Visit<'_>,
    pending: &Pending,
    chosen: Option<&ScopeSet>,
    before: &Before,
) -> (Vec<ScopeView>, Vec<ScopeView>) {
    let offered = pending.offered();
    let ticked = chosen.filter(|chosen| !chosen.is_empty()).cloned().unwrap_or_else(|| pending.ticked());
    let declared = &pending.service.config.scopes;
    let all = words::boxes(&offered, &ticked, |scope| declared.get(scope), visit.locale.lang());
    all.into_iter().partition(|scope| !before.granted.contains(&scope.id))
}

fn last_connected(grants: &[GrantView], pending: &Pending) -> Option<i64> {
    let own = grants.iter().filter(|view| view.grant.client == pending.client.id);
    own.map(|view| view.grant.created_at.millis()).max()
}

/// The workspaces a form lets a person choose from.
pub(super) fn choices(workspaces: &[Workspace], selected: Option<&str>) -> Vec<WorkspaceChoice> {
    let choice = |workspace: &Workspace| WorkspaceChoice {
        id: workspace.id.to_string(),
        name: workspace.name.clone(),
        selected: selected == Some(workspace.id.as_str()),
    };
    workspaces.iter().map(choice).collect()
}

fn term(app: &App) -> AccessTerm {
    let lifetimes = &app.identity.lifetimes;
    let days = (lifetimes.refresh.as_secs() / DAY_SECONDS).max(1);
    AccessTerm {
        idle_days: i64::try_from(days).unwrap_or(i64::MAX),
        until_ms: app.clock.now().plus(lifetimes.grant).millis(),
    }
}

/// A connection that every call of would be answered with 402 is not worth allowing: the page says so at once.
/// With several workspaces it takes one whose plan includes the service.
fn nothing(app: &App, pending: &Pending, workspaces: &[Workspace]) -> Option<Nothing> {
    let service = &pending.service;
    let included = |workspace: &Workspace| includes(app, service, workspace);
    if !workspaces.is_empty() && !workspaces.iter().any(included) {
        return Some(Nothing::Plan { upgrade_href: service.config.upgrade_url.clone() });
    }
    // A service that declares no scopes is allowed as a whole.
    (pending.offered().is_empty() && !pending.service.scopes.is_empty()).then_some(Nothing::Scopes)
}

fn includes(app: &App, service: &Service, workspace: &Workspace) -> bool {
    service.config.feature.as_ref().is_none_or(|feature| {
        let plan = workspace.plan.as_ref().and_then(|plan| app.plans.get(plan));
        plan.is_some_and(|plan| plan.includes(feature))
    })
}

fn details(pending: &Pending) -> TechnicalDetails {
    TechnicalDetails {
        client_id: pending.client.id.to_string(),
        redirect_uri: pending.request.redirect_uri.clone(),
        resource: pending.service.resource.clone(),
        requested_scope: pending.request.scope_as_sent.clone(),
        code_challenge_method: "S256".to_owned(),
        registered_at: Some(pending.client.created_at.millis()),
    }
}
