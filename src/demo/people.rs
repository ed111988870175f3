//! The demo's person, with a password and tokens of this start.

use std::path::PathBuf;

use super::DemoError;
use super::configuration::PLAN;
use super::examples::{ALL, OWNER};
use super::guide::{Endpoint, World};
use super::issuer::Issuer;
use crate::app::App;
use crate::app::service::Service;
use crate::config::Accept;
use crate::domain::ids::{PlanId, UserId, WorkspaceId};
use crate::domain::pat::Mode;
use crate::domain::scope::ScopeSet;
use crate::domain::secret::base62;
use crate::identity::issue::NewPat;
use crate::identity::people::NewUser;

const EMAIL: &str = "ana@example.com";

/// Makes the person, or gives the one of an earlier start a new password; and a token for each service.
pub async fn people(app: &App, issuer: &Issuer, config: PathBuf) -> Result<World, DemoError> {
    let failed = |error: &dyn std::fmt::Display| DemoError::Person(error.to_string());
    let mut bits = [0u8; 9];
    app.entropy.fill(&mut bits);
    let password = base62(&bits, 13);
    let identity = &app.identity;
    let known = identity.store.user_by_email(EMAIL).await.map_err(|error| failed(&error))?;
    let user = if let Some(user) = known {
        identity.set_password(&user.id, &password, None).await.map_err(|error| failed(&error))?;
        user.id
    } else {
        let new = NewUser {
            email: EMAIL,
            name: "Ana",
            external_id: Some(OWNER),
            password: Some(&password),
            plan: Some(&PlanId::from(PLAN)),
        };
        identity.create_user(new).await.map_err(|error| failed(&error))?.0.id
    };
    let workspace = identity.workspace_for(&user, None, None).await.map_err(|error| failed(&error))?;
    let workspace = workspace.ok_or_else(|| failed(&"no workspace"))?;
    let mut endpoints = Vec::with_capacity(app.services.len());
    for service in &app.services {
        let token = match &service.config.jwt {
            Some(jwt) if service.config.accepts(Accept::Jwt) => issuer
                .token(app.clock.now(), &jwt.audience)
                .ok_or_else(|| failed(&"no token could be signed"))?,
            _ => own_token(app, service, &user, &workspace).await?,
        };
        let about = ALL.iter().find(|example| example.id == service.id.as_str()).map(|example| example.about);
        endpoints.push(Endpoint {
            id: service.id.to_string(),
            name: service.config.name.clone(),
            about: about.unwrap_or_default(),
            url: service.resource.clone(),
            token,
        });
    }
    Ok(World { endpoints, base: app.config.public_url.clone(), email: EMAIL, password, config })
}

async fn own_token(
    app: &App,
    service: &Service,
    user: &UserId,
    workspace: &WorkspaceId,
) -> Result<String, DemoError> {
    let failed = |error: &dyn std::fmt::Display| DemoError::Person(error.to_string());
    let new = NewPat {
        tokens: &service.brand.tokens,
        user,
        workspace,
        name: "demo",
        scopes: service.scopes.iter().collect::<ScopeSet>(),
        mode: Mode::Live,
        expires_at: None,
    };
    let made = app.identity.create_pat(new).await.map_err(|error| failed(&error))?;
    let (_, token) = made.ok_or_else(|| failed(&"the account is locked"))?;
    Ok(token.expose().to_owned())
}
