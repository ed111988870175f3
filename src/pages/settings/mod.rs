//! `/settings/…`: what a person made and allowed, and how to end it.
//!
//! Every row is looked up together with its owner: what is somebody else's does not exist here (404, never 403,
//! which would say that it does).

pub mod app_disconnect;
pub mod apps;
pub mod connect;
pub mod token_new;
pub mod token_revoke;
pub mod tokens;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};

use super::answer::{self, Stop};
use super::shell::Visit;
use super::view::{ErrorKind, Page, Shell};
use crate::app::App;
use crate::domain::clock::Timestamp;
use crate::domain::ids::UserId;
use crate::domain::user::User;
use crate::domain::workspace::Workspace;
use crate::http::csrf;
use crate::http::strict::{self, Params};
use crate::store::sessions::Session;

/// A notice of what was just done is not repeated to whoever opens the same address much later.
const NOTICE: std::time::Duration = std::time::Duration::from_mins(10);

/// What the forms of the settings are proven for.
pub(super) fn purpose(user: &UserId) -> String {
    format!("settings {user}")
}

/// A visit by somebody who is signed in.
struct Seat<'a> {
    visit: Visit<'a>,
    session: Session,
    user: User,
}

impl<'a> Seat<'a> {
    /// Lets nobody pass who is not signed in.
    async fn take(app: &'a App, req: &'a HttpRequest) -> Result<Self, Stop> {
        let visit = Visit::here(app, req).await?;
        let (session, user) = visit.session.clone().ok_or(Stop::SignIn)?;
        Ok(Self { visit, session, user })
    }

    /// The same for a form, which must come from a page that this person was shown in this browser.
    async fn posted(
        app: &'a App,
        req: &'a HttpRequest,
        payload: web::Payload,
    ) -> Result<(Self, Params), Stop> {
        let seat = Self::take(app, req).await?;
        let form = answer::form(req, payload).await?;
        if !csrf::check(app, req, &purpose(&seat.user.id), form.get("csrf")) {
            return Err(ErrorKind::Csrf.into());
        }
        Ok((seat, form))
    }

    fn app(&self) -> &'a App {
        self.visit.app
    }

    fn now(&self) -> Timestamp {
        self.app().clock.now()
    }

    fn shell(&self) -> Shell {
        self.visit.shell(&purpose(&self.user.id))
    }

    fn query(&self, known: &[&str]) -> Result<Params, Stop> {
        Ok(strict::query(self.visit.req, known, &[])?)
    }

    fn page(&self, page: &dyn Page) -> HttpResponse {
        self.visit.answer(StatusCode::OK, page)
    }

    async fn workspaces(&self) -> Result<Vec<Workspace>, Stop> {
        Ok(self.app().identity.store.workspaces_of(&self.user.id).await?)
    }
}

/// The workspace of a row by its name, for people who have several.
fn workspace_name(workspaces: &[Workspace], id: &crate::domain::ids::WorkspaceId) -> Option<String> {
    let own = workspaces.iter().find(|workspace| workspace.id == *id);
    own.filter(|_| workspaces.len() > 1).map(|workspace| workspace.name.clone())
}

/// True while what was done then is news.
fn is_recent(at: Option<Timestamp>, now: Timestamp) -> bool {
    at.is_some_and(|at| now.since(at) < NOTICE)
}
