//! The decision: one a request, taken by the person it is bound to.

use std::sync::Arc;

use super::Pending;
use crate::app::App;
use crate::domain::brand::Kind;
use crate::domain::ids::{UserId, WorkspaceId};
use crate::domain::pat::Mode;
use crate::domain::redirect_uri::{self, Destination};
use crate::domain::scope::ScopeSet;
use crate::domain::verified::{TokenKind, Verified};
use crate::identity::issue::Consent;
use crate::identity::verify::VerifyError;
use crate::oauth::error::Code;
use crate::store::StoreError;

/// Who decides.
#[derive(Clone, Debug)]
pub enum Person {
    /// Somebody signed in, with the workspace to act for.
    SignedIn(UserId, WorkspaceId),
    /// Somebody who proved who they are with a personal access token, for this request alone.
    ByToken(Arc<Verified>),
}

/// Why a decision is not taken.
#[derive(Debug)]
pub enum NotDecided {
    /// It was decided before, is too late, or its person, client or workspace has gone.
    Over,
    /// It belongs to somebody else.
    Other,
    /// Nothing that can be allowed was chosen.
    NothingChosen,
    /// None of it is within the token that proves identity.
    NothingGrantable,
    /// It could not be recorded.
    Store(StoreError),
}

impl From<StoreError> for NotDecided {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Why a pasted token proves nobody's identity.
#[derive(Debug)]
pub enum NotProven {
    /// It does not look like a token.
    Malformed,
    /// It is a token of another kind.
    OtherKind,
    /// It is not accepted; whether unknown, expired or revoked is not said.
    Refused,
    /// Too many wrong ones.
    Throttled,
    /// It could not be checked.
    Store(StoreError),
}

/// Who a pasted personal access token belongs to. It begins no session and is echoed nowhere; wrong ones are
/// counted by address.
pub async fn prove(app: &App, request: &Pending, pasted: &str, address: &str) -> Result<Person, NotProven> {
    let token = pasted.trim();
    let token = token.strip_prefix("Bearer ").unwrap_or(token).trim();
    let now = app.clock.now();
    let key = format!("pat {address}");
    if app.identity.failures.blocked(&key, now).is_some() {
        return Err(NotProven::Throttled);
    }
    let tokens = &request.brand().tokens;
    match tokens.kind(token) {
        Some((Kind::Pat, _)) => {}
        Some(_) => return Err(NotProven::OtherKind),
        None => return Err(NotProven::Malformed),
    }
    match app.identity.verify_for_brand(tokens, token).await {
        Ok(verified) if verified.kind == TokenKind::Pat => Ok(Person::ByToken(verified)),
        Ok(_) => Err(NotProven::OtherKind),
        Err(VerifyError::Unavailable(error)) => Err(NotProven::Store(error)),
        Err(VerifyError::Invalid(reason)) => {
            app.identity.failures.failed(&key, now);
            Err(if reason == "bad_checksum" { NotProven::Malformed } else { NotProven::Refused })
        }
    }
}

/// Where answers of this request go, in a word for lists.
pub fn redirect_host(uri: &str) -> String {
    match redirect_uri::check(uri) {
        Ok(Destination::Site { host } | Destination::Loopback { host, .. }) => host,
        Ok(Destination::App { scheme }) => format!("{scheme}:"),
        Err(_) => String::new(),
    }
}

/// Allows what was chosen; answers the URL that carries the code.
pub async fn allow(
    app: &App,
    pending: &Pending,
    person: &Person,
    chosen: &ScopeSet,
) -> Result<String, NotDecided> {
    let choices = pending.offered();
    let offered = choices.intersection(chosen);
    // A service that declares no scopes is allowed as a whole.
    if offered.is_empty() && !choices.is_empty() {
        return Err(NotDecided::NothingChosen);
    }
    let (user, workspace, pat, mode, scopes) = match person {
        Person::SignedIn(user, workspace) => (user, workspace, None, Mode::Live, offered),
        Person::ByToken(own) => {
            let within = offered.intersection(&own.scopes);
            (&own.user, &own.workspace, own.pat.as_ref(), own.mode, within)
        }
    };
    if scopes.is_empty() && !choices.is_empty() {
        return Err(NotDecided::NothingGrantable);
    }
    bound(pending, user)?;
    let consent = Consent {
        transaction: &pending.kept.id,
        tokens: &pending.brand().tokens,
        user,
        workspace,
        pat,
        mode,
        client: &pending.client.id,
        service: &pending.service.id,
        scopes,
        redirect_uri: &pending.request.redirect_uri,
        redirect_host: &redirect_host(&pending.request.redirect_uri),
        challenge: &pending.request.challenge,
    };
    let code = app.identity.allow(&consent).await?.ok_or(NotDecided::Over)?;
    Ok(pending.redirect().success(code.expose()))
}

/// Refuses; answers the URL that says so.
pub async fn deny(app: &App, pending: &Pending, user: Option<&UserId>) -> Result<String, NotDecided> {
    if let Some(user) = user {
        bound(pending, user)?;
    }
    let decided = app
        .identity
        .store
        .transaction(async |tx| tx.decide_authorization(&pending.kept.id, "deny", user).await)
        .await?;
    if !decided {
        return Err(NotDecided::Over);
    }
    Ok(pending.redirect().error(Code::AccessDenied, "the person did not allow it"))
}

fn bound(pending: &Pending, user: &UserId) -> Result<(), NotDecided> {
    if pending.kept.user.as_ref().is_some_and(|owner| owner != user) {
        Err(NotDecided::Other)
    } else {
        Ok(())
    }
}
