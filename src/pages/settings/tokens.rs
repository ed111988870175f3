//! `/settings/tokens`: a person's personal access tokens.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse};

use super::{Seat, is_recent, workspace_name};
use crate::app::App;
use crate::domain::clock::Timestamp;
use crate::domain::ids::PatId;
use crate::domain::pat::{Mode, Pat};
use crate::domain::workspace::Workspace;
use crate::pages::answer::Stop;
use crate::pages::view::settings::{AppRef, TokenCard, TokensNotice, TokensPage};
use crate::pages::{error, words};
use crate::store::grants::GrantView;

/// Live tokens a person may have.
pub(super) const MOST: i64 = 50;
/// Expired ones are listed for this long, so that they can be made again.
const EXPIRED_KEPT: Duration = Duration::from_hours(30 * 24);
/// From so long before its end a token stands first.
const SOON: Duration = Duration::from_hours(14 * 24);

/// `GET /settings/tokens`.
pub async fn show(app: &App, req: &HttpRequest) -> HttpResponse {
    shown(app, req).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn shown(app: &App, req: &HttpRequest) -> Result<HttpResponse, Stop> {
    let seat = Seat::take(app, req).await?;
    let params = seat.query(&["revoked"])?;
    let store = &app.identity.store;
    let (now, user) = (seat.now(), &seat.user.id);
    let notice = match params.get("revoked") {
        Some(id) => revoked(&seat, &PatId::from(id)).await?,
        None => None,
    };
    let grants = store.grants(Some(user)).await?;
    let workspaces = seat.workspaces().await?;
    let pats = listed(store.pats(Some(user)).await?, now);
    let page = TokensPage {
        shell: seat.shell(),
        tokens: pats.iter().map(|pat| card(&seat, pat, &grants, &workspaces)).collect(),
        notice,
        can_create: store.live_pats(user, now).await? < MOST,
    };
    Ok(seat.page(&page))
}

/// Those that end soon first, then the newest, and last those that have run out lately.
fn listed(mut pats: Vec<Pat>, now: Timestamp) -> Vec<Pat> {
    let lately = |at: Timestamp| now.since(at) < EXPIRED_KEPT;
    pats.retain(|pat| pat.ended_at.is_none() && pat.expires_at.is_none_or(lately));
    pats.sort_by_key(|pat| {
        let class = match pat.expires_at {
            Some(at) if at <= now => 2,
            Some(at) if at.since(now) <= SOON => 0,
            _ => 1,
        };
        let soonest = pat.expires_at.filter(|_| class == 0);
        (class, soonest, std::cmp::Reverse(pat.created_at))
    });
    pats
}

/// A token with the connections that hang on it.
pub(super) fn card(seat: &Seat<'_>, pat: &Pat, grants: &[GrantView], workspaces: &[Workspace]) -> TokenCard {
    let app = seat.app();
    let live = grants.iter().filter(|view| view.alive && view.activated);
    TokenCard {
        id: pat.id.to_string(),
        name: pat.name.clone(),
        hint: pat.hint.clone(),
        scopes: words::sentences(app, &pat.brand, &pat.scopes, seat.visit.locale.lang()),
        workspace: workspace_name(workspaces, &pat.workspace),
        test: pat.mode == Mode::Test,
        created_at: pat.created_at.millis(),
        last_used_at: pat.last_used_at.map(Timestamp::millis),
        expires_at: pat.expires_at.map(Timestamp::millis),
        apps: live
            .filter(|view| view.grant.pat.as_ref() == Some(&pat.id))
            .map(|view| AppRef {
                grant: view.grant.id.to_string(),
                client: words::name(&view.client_name),
                service: words::service(app, &view.grant.service),
                allowed_at: view.grant.created_at.millis(),
            })
            .collect(),
    }
}

/// What was just revoked, as the database tells it: nothing about it travels in the address but the id.
async fn revoked(seat: &Seat<'_>, id: &PatId) -> Result<Option<TokensNotice>, Stop> {
    let store = &seat.app().identity.store;
    let Some(pat) = store.pat(id).await?.filter(|pat| pat.user == seat.user.id) else { return Ok(None) };
    let Some(ended) = pat.ended_at.filter(|at| is_recent(Some(*at), seat.now())) else { return Ok(None) };
    let mut clients = Vec::new();
    for view in store.grants_of_pat(id).await? {
        let until_then = view.grant.ended_at.is_none_or(|at| at >= ended) && view.grant.expires_at > ended;
        let name = words::name(&view.client_name);
        if until_then && !clients.contains(&name) {
            clients.push(name);
        }
    }
    Ok(Some(TokensNotice::Revoked { name: pat.name, clients }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{BrandId, UserId, WorkspaceId};
    use crate::domain::scope::ScopeSet;

    const DAY: i64 = 86_400_000;
    const NOW: i64 = 1_000 * DAY;

    fn pat(name: &str, created: i64, expires: Option<i64>) -> Pat {
        let at = |days: i64| Timestamp::from_millis(NOW + days * DAY);
        Pat {
            id: PatId::from(name),
            user: UserId::from("u"),
            workspace: WorkspaceId::from("w"),
            brand: BrandId::from("b"),
            name: name.to_owned(),
            scopes: ScopeSet::none(),
            mode: Mode::Live,
            hint: String::new(),
            created_at: at(created),
            expires_at: expires.map(at),
            last_used_at: None,
            ended_at: None,
        }
    }

    #[test]
    fn what_needs_attention_stands_first_and_what_is_over_last() {
        let mut ended = pat("ended", -1, None);
        ended.ended_at = Some(Timestamp::from_millis(NOW));
        let pats = vec![
            pat("old", -9, None),
            pat("expired", -40, Some(-1)),
            pat("soon", -80, Some(10)),
            pat("long expired", -90, Some(-31)),
            pat("new", -1, Some(90)),
            pat("sooner", -85, Some(2)),
            ended,
        ];
        let order: Vec<String> =
            listed(pats, Timestamp::from_millis(NOW)).into_iter().map(|pat| pat.name).collect();
        assert_eq!(order, ["sooner", "soon", "new", "old", "expired"]);
    }
}
